"""Text -> vectors with sentence-transformers' modules, in batches of a bounded number of tokens."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.encoders import batching, packing
from seabed_evaluate.encoders.batching import Counts, Tick, Tokens, Vectors
from seabed_evaluate.encoders.model_files import Files, ModelError, one_line
from seabed_evaluate.encoders.prompts import Prompted, Prompts, as_prompted

if TYPE_CHECKING:
    import torch
    from sentence_transformers import SentenceTransformer

log = logging.getLogger("seabed_evaluate.encoders.sentence_encoder")

DTYPES = {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}
POOLINGS = ("mean", "cls", "lasttoken", "max", "weightedmean", "mean_sqrt_len_tokens")
# sentence-transformers takes texts to have no limit where a tokenizer says so: 10**30, mostly.
NO_LIMIT = 10**9


def load_model(
    files: Files,
    *,
    dtype: str,
    device: str,
    trust: bool = False,
    bidirectional: bool = False,
    tokenizer: dict[str, Any] | None = None,
) -> SentenceTransformer:
    """Let sentence-transformers load a model, and see to it that every weight is the file's.

    Args:
        files: the model.
        dtype: one of DTYPES.
        device: of torch.
        trust: run the model's own Python code.
        bidirectional: let every token see every other (transformers 5.2 and later then mask padding only).
        tokenizer: options of the tokenizer.

    Returns:
        The model, ready to encode.

    Raises:
        ModelError: it cannot be loaded, or weights are missing.
    """
    import torch
    from sentence_transformers import SentenceTransformer

    with _loading(bidirectional) as reports:
        try:
            model = SentenceTransformer(
                files.place,
                revision=files.revision if files.on_hub else None,
                device=device,
                trust_remote_code=trust,
                model_kwargs={"dtype": getattr(torch, DTYPES[dtype])},
                processor_kwargs=dict(tokenizer) if tokenizer else None,
            )
        except Exception as error:
            if batching.out_of_memory(error):
                raise
            raise ModelError(
                f"{files.name}: sentence-transformers cannot load it: {one_line(error)}"
            ) from None
    for kind, report in reports:
        # The pooler of a BERT is not used for vectors of texts, and many checkpoints are without.
        missing = sorted(k for k in report["missing_keys"] if "pooler" not in k.split("."))
        if missing:
            extra = sorted(report["unexpected_keys"])
            raise ModelError(
                f"{files.name}: {len(missing)} weights of its {kind} are missing from its files and would be random "
                f"numbers, e.g. {missing[0]}"
                + (
                    f"; the files have {extra[0]} and {len(extra) - 1} others that fit nowhere"
                    if extra
                    else ""
                )
                + ". Save the model again under transformers' names"
            )
    model.eval()
    return model


@contextmanager
def _loading(bidirectional: bool) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What transformers says of the weights of each model it loads meanwhile; by itself it only prints that."""
    from transformers import PreTrainedModel
    from transformers.utils import logging as transformers_logging

    reports: list[tuple[str, dict[str, Any]]] = []
    own: Any = PreTrainedModel.__dict__["from_pretrained"]

    def noted(cls: type, *args: Any, **options: Any) -> Any:
        if bidirectional and "config" in options:
            # As an option of AutoConfig it is dropped where the config has no such field yet.
            options["config"].is_causal = False
        model, report = own.__func__(cls, *args, **(options | {"output_loading_info": True}))
        reports.append((type(model).__name__, report))
        return (model, report) if options.get("output_loading_info") else model

    level = transformers_logging.get_verbosity()
    before = os.environ.get("DISABLE_SAFETENSORS_CONVERSION")
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    # Else transformers asks the Hub for a pull request wherever there is only a pytorch_model.bin.
    os.environ["DISABLE_SAFETENSORS_CONVERSION"] = "1"
    PreTrainedModel.from_pretrained = classmethod(noted)  # type: ignore[assignment]
    try:
        yield reports
    finally:
        PreTrainedModel.from_pretrained = own  # type: ignore[method-assign]
        transformers_logging.set_verbosity(level)
        os.environ.pop("DISABLE_SAFETENSORS_CONVERSION")
        os.environ.update({"DISABLE_SAFETENSORS_CONVERSION": before} if before is not None else {})


def resolve_dtype(name: str | None, listed: str | None, device: str) -> str:
    """The dtype of a run.

    Args:
        name: what the user asks for, if anything.
        listed: what models.toml says, which is meant for a GPU.
        device: of torch.

    Returns:
        One of DTYPES: fp32 on a CPU unless asked otherwise; auto is bf16 where the hardware multiplies in it.

    Raises:
        UnknownName: no such dtype.
    """
    import torch

    on_cpu = not device.startswith("cuda")
    name = name or (None if on_cpu else listed) or "fp32"
    if name == "auto":
        own = [getattr(torch.cpu, f"_is_{k}_supported", bool) for k in ("amx_tile", "avx512_bf16")]
        return "bf16" if (any(f() for f in own) if on_cpu else torch.cuda.is_bf16_supported()) else "fp32"
    if name not in DTYPES:
        raise unknown("dtype", name, [*DTYPES, "auto"])
    return name


class SentenceEncoder:
    """A SentenceTransformer whose batches hold a bounded number of tokens.

    Where its first module is a plain transformers model, texts are tokenised once and may be packed; elsewhere
    (Router, static embeddings, code of its own, ...) each batch goes through sentence-transformers' own
    preprocessing. Both give its vectors.
    """

    def __init__(
        self,
        model: SentenceTransformer,
        *,
        name: str,
        revision: str | None,
        prompts: Prompts,
        pooling: str | None = None,
        include_prompt: bool | None = None,
        normalize: bool | None = None,
        max_length: int | None = None,
        batch_tokens: int | None = None,
        compile: bool = False,
        ends: bool = False,
        ours: bool = True,
        **more: Any,
    ) -> None:
        """`ends`: an end token is asked for; `ours`: the model may be changed in place; `more`: for the settings."""
        from sentence_transformers.base.modules import Transformer

        self.model, self.prompts, self.name = model, prompts, name
        self.device = model.device
        self.files_say = {
            "pooling": next((m.pooling_mode for m in model if hasattr(m, "pooling_mode")), None),
            "include_prompt": all(getattr(m, "include_prompt", True) for m in model),
            "normalize": type(model[-1]).__name__ == "Normalize",
            "max_length": getattr(model[0], "max_seq_length", None),
        }
        _set_modules(model, name, pooling, include_prompt, normalize)
        self.first: Any = model[0]
        routes = getattr(self.first, "sub_modules", {"": [self.first]})
        # By the kind of a text ("query", "document"), where that decides which modules it takes.
        self.inputs: dict[str, Any] = {route: modules[0] for route, modules in routes.items()}
        self.limits = {route: _limit(module, max_length, name) for route, module in self.inputs.items()}
        self.rows = {route: _vocabulary(module) for route, module in self.inputs.items()}
        for route, module in self.inputs.items():
            _check_tokenizer(module, name, self.rows[route], ends)
        own = all(type(m).__module__.startswith("sentence_transformers.") for m in model)
        self.plain = own and type(self.first) is Transformer and _is_plain(self.first)
        self.include_prompt = all(getattr(m, "include_prompt", True) for m in model)
        self._prompt_lengths = dict[str, int]()
        longest = min(max(self.limits.values()), 512 if max(self.limits.values()) == NO_LIMIT else NO_LIMIT)
        inner: Any = next((m.model for m in model.modules() if isinstance(m, Transformer)), self.first)
        self.budget = batch_tokens or batching.token_budget(inner, self.device, longest)
        self.depth = 1 if self.device.type == "cuda" else 0
        self.tokens_done = 0
        if compile and ours:
            inner.compile(dynamic=True)
        # Compiled code would be made anew for every mix of lengths.
        may_pack = ours and self.plain and self.device.type == "cpu" and not compile
        only_tokens = getattr(self.first, "module_output_name", None) == "token_embeddings"
        self.packed = may_pack and only_tokens and packing.pack(inner)
        table = _position_table(inner) if self.plain else None
        # Models of RoBERTa's kind count positions from the one after the padding token's.
        self.padding_idx = None if table is None else table.padding_idx
        if self.packed:
            from seabed_evaluate.encoders.blocked_linear import block

            block(inner, self.budget)
        if ours and self.plain:
            # A sum over 512 tokens overflows in float16, and bf16 has three digits.
            for module in list(model)[1:]:
                module.float()
        self.batching = {
            "device": str(self.device),
            "tokens_per_batch": self.budget,
            "packed": self.packed,
            "compile": compile,
        }
        limit = max(self.limits.values())
        dtype = str(next((p.dtype for p in model.parameters()), "torch.float32")).removeprefix("torch.")
        self.settings: dict[str, Any] = {
            "encoder": "sentence-transformers",
            "model": name,
            "revision": revision,
            "modules": [type(m).__name__ for m in model],
            "pooling": next((m.pooling_mode for m in model if hasattr(m, "pooling_mode")), None),
            "include_prompt": self.include_prompt,
            "normalize": type(model[-1]).__name__ == "Normalize",
            "max_length": None if limit == NO_LIMIT else limit,
            "dtype": next((short for short, long in DTYPES.items() if long == dtype), dtype),
            "dimension": self._try(),
            "truncate_dim": model.truncate_dim,
            "similarity": str(model.similarity_fn_name),
            **more,
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
        return batching.collect(len(texts), self.stream(texts), tick)

    def stream(self, texts: Sequence[str | Prompted]) -> Iterator[tuple[list[int], Vectors, Counts]]:
        """As `encode`, batch by batch, so that a caller can keep what is done.

        Args:
            texts: n final texts.

        Returns:
            Places of the texts of a batch, their vectors, and tokens before and after the cut at the model's length.

        Raises:
            ModelError: see `encode`.
        """
        prompted = as_prompted(texts)
        groups = batching.longest_first([t.text for t in prompted])
        # Two batches are under way on a GPU: it works on one while the other's vectors are copied.
        under_way: deque[tuple[list[int], Callable[[], Vectors], Counts]] = deque()
        for group, (ids, counts) in batching.ahead(
            (g, self._tokens([prompted[i] for i in g])) for g in groups
        ):
            kinds = [self._kind(prompted[i]) for i in group]
            for kind in dict.fromkeys(kinds):
                alike = [i for i, other in enumerate(kinds) if other == kind]
                lengths = [len(ids[i]) for i in alike]
                for batch in batching.batches(lengths, lambda: self.budget, pad=not self.packed):
                    own = [alike[i] for i in batch]
                    items = [(prompted[group[i]], ids[i]) for i in own]
                    under_way.append(([group[i] for i in own], self._forward(items), counts[own]))
                    self.tokens_done += int(counts[own, 1].sum())
                    while len(under_way) > self.depth:
                        places, vectors, cut = under_way.popleft()
                        yield places, vectors(), cut
        for places, vectors, cut in under_way:
            yield places, vectors(), cut

    def count_tokens(self, texts: Sequence[str | Prompted]) -> list[int]:
        """How many tokens the model sees of each text.

        Args:
            texts: n final texts.

        Returns:
            n numbers.
        """
        return [len(t) for t in self._tokens(as_prompted(texts))[0]] if texts else []

    def _kind(self, text: Prompted) -> Any:
        """Texts of different kinds are never in one batch."""
        prompt = text.text[: text.prompt_end]
        if not self.plain:
            return prompt, text.input_type
        if self.include_prompt or not prompt:
            return 0
        if prompt not in self._prompt_lengths:
            ids = self._ids(self.first, [prompt], NO_LIMIT)[0]
            ends = len(ids) > 0 and ids[-1] in self.first.tokenizer.all_special_ids
            self._prompt_lengths[prompt] = len(ids) - int(ends)
        return self._prompt_lengths[prompt]

    def _route(self, text: Prompted) -> str:
        if len(self.inputs) == 1:
            return next(iter(self.inputs))
        return str(self.first._resolve_route(task=text.input_type, modality="text"))

    def _tokens(self, texts: list[Prompted]) -> tuple[list[Tokens], Counts]:
        """Ids of each text, cut at the model's length, and how many there are before and after the cut."""
        out: list[Tokens] = [np.zeros(0, np.int32)] * len(texts)
        counts: Counts = np.zeros((len(texts), 2), np.int64)
        routes = [self._route(t) for t in texts]
        for route in dict.fromkeys(routes):
            module, limit = self.inputs[route], self.limits[route]
            places = [i for i, other in enumerate(routes) if other == route]
            for i, own in zip(places, self._ids(module, [texts[i].text for i in places], limit), strict=True):
                out[i], counts[i] = own, len(own)
                # On a GPU such a token would end the process.
                if len(own) and own.max() >= self.rows[route]:
                    raise ModelError(
                        f"{self.name}: the tokenizer gives token {own.max()} for {texts[i].text[:60]!r}, but the "
                        f"model has {self.rows[route]} tokens; the tokenizer is not this model's"
                    )
            long = [i for i in places if len(out[i]) >= limit]
            for i, whole in zip(
                long, self._ids(module, [texts[i].text for i in long], NO_LIMIT), strict=True
            ):
                counts[i, 0] = len(whole)
        return out, counts

    def _ids(self, module: Any, texts: list[str], limit: int) -> list[Tokens]:
        """Token ids as the module's own preprocessing makes them; none known, a third of a text's bytes stands in."""
        tokenizer: Any = getattr(module, "tokenizer", None)
        if not texts:
            return []
        if hasattr(tokenizer, "encode_batch"):
            ids = [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
        elif callable(tokenizer):
            cut = {"truncation": True, "max_length": limit} if limit < NO_LIMIT else {"truncation": False}
            options = _text_options(module) | {"padding": False, "verbose": False, "return_tensors": None}
            ids = tokenizer(texts, **(options | cut))["input_ids"]
        else:
            return [np.zeros(max(1, len(t.encode()) // 3), np.int32) for t in texts]
        return [np.asarray(own, dtype=np.int32) for own in ids]

    def _forward(self, items: list[tuple[Prompted, Tokens]]) -> Callable[[], Vectors]:
        """Start one batch; halved when memory runs out."""
        import torch

        try:
            return self._batch(items)
        except (RuntimeError, MemoryError) as error:
            if not batching.out_of_memory(error):
                raise
            if len(items) == 1:
                raise ModelError(
                    f"out of memory on one text of {len(items[0][1])} tokens; try --max-length or another dtype"
                ) from None
        # Outside the handler: the error holds on to the batch's memory.
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        self.budget = max(1, self.budget // 2)
        log.warning("out of memory: the token budget is now %d", self.budget)
        middle = len(items) // 2
        first, second = self._forward(items[:middle])(), self._forward(items[middle:])()
        return lambda: np.concatenate([first, second])

    def _batch(self, items: list[tuple[Prompted, Tokens]]) -> Callable[[], Vectors]:
        import torch

        # A text without any token (some tokenizers add none of their own) is not shown to the model.
        some = [i for i, (_, ids) in enumerate(items) if len(ids)]
        if len(some) < len(items):
            out = np.zeros((len(items), self.settings["dimension"]), np.float32)
            if some:
                out[some] = self._batch([items[i] for i in some])()
            return lambda: out
        cuda = self.device.type == "cuda"
        with torch.inference_mode():
            made = (self._once_tokenised if self.plain else self._as_it_is)(items)[
                "sentence_embedding"
            ].float()
            made = made[:, : self.model.truncate_dim]
            if not cuda:
                vectors: Vectors = made.cpu().numpy()
                return lambda: vectors
            host = torch.empty(made.shape, dtype=torch.float32, pin_memory=True)
            host.copy_(made, non_blocking=True)
            copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
            copied.record()

        def wait() -> Vectors:
            copied.synchronize()
            return np.array(host)

        return wait

    def _once_tokenised(self, items: list[tuple[Prompted, Tokens]]) -> dict[str, Any]:
        import torch

        tokens, cuda = [ids for _, ids in items], self.device.type == "cuda"
        features: dict[str, Any]
        if self.packed:
            hidden, mask = packing.hidden_states(self.first.model, tokens, self.padding_idx)
            features = {"token_embeddings": hidden, "attention_mask": mask}
        else:
            ids, mask = (
                (torch.from_numpy(a).pin_memory() if cuda else torch.from_numpy(a)).to(
                    self.device, non_blocking=True
                )
                for a in batching.padded(tokens, self.first.tokenizer.pad_token_id or 0)
            )
            features = self.first({"input_ids": ids, "attention_mask": mask, "modality": "text"})
        # The modules after the first are in float32.
        features = {k: v.float() if _is_half(v) else v for k, v in features.items()}
        if not self.include_prompt:
            features["prompt_length"] = self._kind(items[0][0])
        for module in list(self.model)[1:]:
            features = module(features)
        return features

    def _as_it_is(self, items: list[tuple[Prompted, Tokens]]) -> dict[str, Any]:
        from sentence_transformers.util import batch_to_device

        prompt, side = self._kind(items[0][0])
        texts = [t.text[t.prompt_end :] for t, _ in items]
        task = {"task": side} if side else {}
        features = batch_to_device(self.model.preprocess(texts, prompt=prompt or None, **task), self.device)
        return self.model(features, **task)  # type: ignore[no-any-return]

    def _try(self) -> int:
        """Encode a word: modules that cannot follow each other show themselves before the first text."""
        try:
            return int(self._forward([(Prompted("a b c"), np.zeros(1, np.int32))])().shape[1])
        except SeabedError:
            raise
        except Exception as error:
            modules = ", ".join(f"{i} {type(m).__name__}" for i, m in enumerate(self.model))
            raise ModelError(
                f"{self.name}: its modules ({modules}) do not work one after the other: {one_line(error)}. "
                "Mend modules.json and the config.json of each module"
            ) from None


def _set_modules(
    model: SentenceTransformer,
    name: str,
    pooling: str | None,
    include_prompt: bool | None,
    normalize: bool | None,
) -> None:
    from sentence_transformers.base.modules import Normalize
    from sentence_transformers.sentence_transformer.modules import Pooling

    pools = [m for m in model if isinstance(m, Pooling)]
    if pooling is not None and len(pools) != 1:
        raise ModelError(f"{name}: --pooling is of one Pooling module, and the model has {len(pools)}")
    for module in pools:
        module.pooling_mode = module.pooling_mode if pooling is None else pooling
        module.include_prompt = module.include_prompt if include_prompt is None else include_prompt
    while normalize is False and isinstance(model[-1], Normalize):
        del model[-1]
    if normalize and not isinstance(model[-1], Normalize):
        model.append(Normalize())


def _text_options(module: Any) -> dict[str, Any]:
    """What a folder says of its tokenisation, over sentence-transformers' own."""
    own = getattr(module, "processing_kwargs", None) or {}
    options = {**own.get("common", {}), **own.get("text", {})}
    return {k: v for k, v in options.items() if k not in ("return_tensors", "logits_to_keep")}


def _limit(module: Any, asked: int | None, name: str) -> int:
    """Tokens that an input module keeps of a text; its tokenizer is told."""
    said = min(getattr(module, "max_seq_length", None) or NO_LIMIT, NO_LIMIT)
    limit = int(min(asked or _text_options(module).get("max_length") or said, NO_LIMIT))
    if asked and not hasattr(getattr(module, "tokenizer", None), "model_max_length"):
        raise ModelError(f"{name}: --max-length cannot be set, a {type(module).__name__} has no such limit")
    table = _position_table(module)
    if table is not None:
        positions = table.num_embeddings - (0 if table.padding_idx is None else table.padding_idx + 1)
        if asked and asked > positions:
            log.warning("%s: %d tokens instead of %d, it has no more positions", name, positions, asked)
        limit = min(limit, positions)
    if limit < said:
        module.max_seq_length = limit
    if "max_length" in _text_options(module):
        module.processing_kwargs.setdefault("text", {})["max_length"] = limit
    return limit


def _position_table(model: torch.nn.Module) -> torch.nn.Embedding | None:
    """The learned positions; None for models that compute positions."""
    import torch

    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            return module
    return None


def _vocabulary(module: Any) -> int:
    """Tokens that an input module has vectors for; NO_LIMIT where that cannot be told."""
    try:
        return int(
            getattr(module, "num_embeddings", None) or module.model.get_input_embeddings().num_embeddings
        )
    except (AttributeError, NotImplementedError):
        return NO_LIMIT


def _check_tokenizer(module: Any, name: str, rows: int, ends: bool) -> None:
    """Refuse a tokenizer that makes tokens the model was not trained on."""
    from sentence_transformers.base.modules import Transformer

    if not isinstance(module, Transformer):
        return
    tokenizer: Any = module.tokenizer
    size = 0 if tokenizer is None else len(tokenizer)
    if rows < NO_LIMIT and not rows / 2 <= size <= 1.1 * rows + 100:
        raise ModelError(
            f"{name}: its tokenizer knows {size} tokens and its model {rows}, so it is not this model's tokenizer, or "
            "there is none; put the tokenizer's files (tokenizer.json, or a vocabulary) beside config.json"
        )
    ids = tokenizer("a")["input_ids"] if tokenizer is not None else [None]
    if ends and tokenizer is not None and ids[-1:] != [tokenizer.eos_token_id]:
        raise ModelError(
            f"{name}: its tokenizer_config.json asks for an end token (add_eos_token), and its tokens have none. "
            "Save it once as AutoTokenizer.from_pretrained(FOLDER, add_bos_token=True, add_eos_token=True)"
            ".save_pretrained(FOLDER), and give that folder"
        )
    if tokenizer is not None and tokenizer.pad_token is None:
        # Any will do: what is padded is masked.
        tokenizer.pad_token = tokenizer.eos_token or tokenizer.convert_ids_to_tokens(0)


def _is_plain(first: Any) -> bool:
    """Whether token ids and a mask are all that a first module takes of a text."""
    from transformers import PreTrainedTokenizerBase

    text = first.modality_config.get("text", {})
    special = ("query_length", "document_length", "query_expansion", "can_flatten_inputs")
    if (
        text.get("method") != "forward"
        or "message" in first.modality_config
        or not isinstance(first.processor, PreTrainedTokenizerBase)
        or any(getattr(first, name, None) for name in special)
        or "padding" in _text_options(first)
    ):
        return False
    made = first.preprocess(["a b c"])
    kinds = made.pop("token_type_ids", None)
    known = {"input_ids", "attention_mask", "modality"}
    return set(made) <= known and (kinds is None or not kinds.any())


def _is_half(value: Any) -> bool:
    import torch

    return isinstance(value, torch.Tensor) and value.dtype in (torch.float16, torch.bfloat16)
