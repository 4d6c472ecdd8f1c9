"""One config x one model -> a result: prompts, vectors, scores, and everything that could change them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import DataError
from seabed_evaluate.encoders import prompts as prompting
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.encoders.loading import Encoder
from seabed_evaluate.encoders.prompts import ASYMMETRIC, Prompted, Side
from seabed_evaluate.encoders.vector_cache import EmbeddingCache, encode_cached
from seabed_evaluate.runner.bundles import Bundle, read_splits
from seabed_evaluate.runner.outcomes import RESAMPLED, Outcomes, compact
from seabed_evaluate.runner.protocols import Protocol
from seabed_evaluate.runner.results import (
    SCHEMA,
    Result,
    environment,
    public_name,
    public_settings,
    settings_hash,
)
from seabed_evaluate.runner.tasks import CORPUS_CHUNK, TASK_FUNCTIONS
from seabed_evaluate.runner.uncertainty import all_draws, interval_of
from seabed_evaluate.runner.views import View

Tick = Callable[[int], object]


def config_settings(
    config: Config, bundle: Bundle, encoder: Encoder | View, rules: Protocol
) -> dict[str, Any]:
    """Everything that can change the score of a config; its hash decides whether a result is reused.

    Args:
        config: which.
        bundle: its data.
        encoder: the model.
        rules: the protocol.

    Returns:
        Plain values.
    """
    entry = bundle.manifest[config.name]
    prompts = encoder.prompts
    always = hasattr(encoder.base if isinstance(encoder, View) else encoder, "always_prompted")
    if config.task == "reranking" and not rules.rerank_prompts and not always:
        prompts = prompting.Prompts(input_types=prompts.input_types)
    sides: tuple[Side, ...] = ("query", "document") if config.task in ASYMMETRIC else ("query",)
    types = {side: t for side in sides if (t := prompts.input_type(config.task, side)) is not None}
    names = {side: n for side in sides if (n := prompts.name(config.task, side)) is not None}
    return {
        "config": config.name,
        "data": {
            "splits": {split: s["sha256"] for split, s in entry["splits"].items()},
            "version": entry["version"],
            "from": entry["from"],
        },
        "model": encoder.settings,
        "prompts": {
            **{side: prompts.template(config.task, side) for side in sides},
            "instruction": prompting.instruction(config.task, config.key),
            **({"input_types": types} if types else {}),
            **({"from": names} if names else {}),
        },
        "all_prompts": asdict(encoder.prompts),
        "protocol": rules.settings(),
        "code": environment()["packages"]["seabed"],
    }


def run_hash(settings: dict[str, Any]) -> str:
    """A name for all results of one model under one protocol.

    Args:
        settings: what `config_settings` gives for any config.

    Returns:
        16 hex digits.
    """
    return settings_hash({k: settings[k] for k in ("model", "all_prompts", "protocol")})


def final_texts(
    settings: dict[str, Any], texts: Sequence[str], side: Side, instructions: Sequence[str | None] | None
) -> list[Prompted]:
    """Texts as the model gets them.

    Args:
        settings: what `config_settings` gives.
        texts: n texts.
        side: of the task.
        instructions: each text's own instruction, or None.

    Returns:
        n prompted texts.
    """
    templates, general = settings["prompts"], settings["prompts"]["instruction"]
    side = side if side in templates else "query"
    input_type = templates.get("input_types", {}).get(side)
    return [
        prompting.fill(templates[side], text, general, own, input_type)
        for text, own in zip(texts, instructions or [None] * len(texts), strict=True)
    ]


@dataclass
class Embedder:
    """What a task function asks for vectors. It also says where and in what portions to search a corpus."""

    model: Encoder | View
    cache: EmbeddingCache
    settings: dict[str, Any]
    bar: Any
    corpus_chunk: int = CORPUS_CHUNK
    dimension: int | None = None
    counts: dict[str, Any] = field(
        default_factory=lambda: {
            "texts": 0,
            "unique_texts": 0,
            "cached_texts": 0,
            "tokens": 0,
            "zero_vectors": 0,
            "encode_seconds": 0.0,
        }
    )

    def __post_init__(self) -> None:
        self.view = self.model if isinstance(self.model, View) else View(self.model)
        self.encoder, self.ranges = self.view.base, None
        self.device: str | None = getattr(self.encoder, "batching", {}).get("device")
        self.dimension = getattr(self.encoder, "dimension", None)
        # Per side: texts, how many were longer than the model's length, their tokens before and after the cut.
        self.lengths: dict[str, Any] = {}

    def __call__(
        self, texts: Sequence[str], side: Side, instructions: Sequence[str | None] | None = None
    ) -> Vectors:
        """Vectors of texts.

        Args:
            texts: n texts.
            side: query or document.
            instructions: each text's own, or None.

        Returns:
            float32 array of shape (n, dimension).

        Raises:
            DataError: the model returned something that is no vector of each text.
        """
        where = self.settings["config"]
        final = final_texts(self.settings, texts, side, instructions)
        unique = list(dict.fromkeys(final))
        self.bar.reset(total=len(unique))
        tokens, begun = getattr(self.encoder, "tokens_done", 0), time.perf_counter()
        vectors, counts, known = encode_cached(
            self.encoder,
            unique,
            self.cache,
            check=lambda made, own: check_vectors(made, [t.text for t in own], where, self.encoder.settings),
            tick=self.bar.update,
        )
        self.counts["encode_seconds"] += time.perf_counter() - begun
        self.counts["tokens"] += getattr(self.encoder, "tokens_done", 0) - tokens
        self.counts["texts"] += len(texts)
        self.counts["unique_texts"] += len(unique)
        self.counts["cached_texts"] += known
        self.counts["zero_vectors"] += check_vectors(
            vectors, [t.text for t in unique], where, self.encoder.settings
        )
        expected = self.dimension = self.dimension or vectors.shape[1]
        if vectors.shape[1] != expected:
            raise DataError(f"{where}: the model made vectors of {vectors.shape[1]} values, not {expected}")
        cut = [len(unique), int((counts[:, 0] > counts[:, 1]).sum()), *counts.sum(axis=0).tolist()]
        self.lengths[side] = [a + b for a, b in zip(self.lengths.get(side, [0] * 4), cut, strict=True)]
        vectors = self.view.cut(vectors)
        self.ranges = self.view.ranges(vectors) if self.ranges is None else self.ranges
        vectors = self.view.quantised(vectors, self.ranges)
        place = {text: i for i, text in enumerate(unique)}
        return vectors[[place[text] for text in final]]

    def cut(self) -> dict[str, dict[str, Any]]:
        """Texts that the model saw only the beginning of.

        Returns:
            By side: distinct texts, how many were cut, and the share of all tokens that was lost; None where the model
            does not tell.
        """
        return {
            side: {
                "texts": texts,
                "cut": cut if before else None,
                "tokens_lost": round(1 - after / before, 6) if before else None,
            }
            for side, (texts, cut, before, after) in self.lengths.items()
        }


def score(
    config: Config,
    bundle: Bundle,
    encoder: Encoder | View,
    rules: Protocol,
    settings: dict[str, Any],
    cache: EmbeddingCache,
    corpus_chunk: int,
    bar: Any,
) -> tuple[Result, Outcomes]:
    """Score one config.

    Args:
        config: which.
        bundle: its data.
        encoder: the model.
        rules: the protocol.
        settings: what `config_settings` gives.
        cache: where vectors are kept.
        corpus_chunk: documents whose vectors are held at once.
        bar: progress over texts.

    Returns:
        The result, and what every item contributed.
    """
    started = time.perf_counter()
    embed = Embedder(encoder, cache, settings, bar, corpus_chunk)
    splits = read_splits(bundle, config)
    try:
        scores = TASK_FUNCTIONS[config.task](splits, embed, rules)
    except ValueError as error:
        # A metric's word on numbers, e.g. that all cosines are equal: they come from this model's vectors.
        raise DataError(
            f"{config.name}: {error}, with the vectors of {public_name(settings['model']['model'])}"
        ) from error
    outcomes: Outcomes = scores.pop("outcomes")
    main = rules.main[config.task]
    try:
        drawn = all_draws(config.task, main, outcomes)
    except ValueError:  # undefined on the items, e.g. of a single class
        drawn = {}
    intervals = {name: interval_of(config.task, found) for name, found in drawn.items()}
    if main in drawn:
        outcomes |= compact(**{RESAMPLED: drawn[main].resampled})
    entry = bundle.manifest[config.name]
    result = {
        "schema": SCHEMA,
        "settings_hash": settings_hash(settings),
        "run": run_hash(settings),
        "config": config.name,
        "dataset": config.key,
        "task": config.task,
        "languages": config.languages,
        "units": config.units,
        "origin": config.origin,
        "sample": config.sample,
        "main_score": main,
        "score": scores[main],
        "interval": intervals.get(main),
        "scores": scores,
        "intervals": intervals,
        "data": {
            "name": public_name(bundle.name),
            "revision": bundle.revision,
            **settings["data"],
            "rows": {split: s["rows"] for split, s in entry["splits"].items()},
            "truncated": any("truncated" in s for s in entry["sources"]),
        },
        "model": public_settings(settings["model"]) | {"model": public_name(settings["model"]["model"])},
        "prompts": settings["prompts"],
        "protocol": settings["protocol"],
        "batching": getattr(embed.encoder, "batching", {}) | {"corpus_chunk": corpus_chunk},
        "counts": {k: round(v, 3) for k, v in embed.counts.items()}
        | {"seconds": round(time.perf_counter() - started, 3)},
        "cut": embed.cut(),
        "environment": environment(),
    }
    return result, outcomes


def check_vectors(
    vectors: Vectors, texts: Sequence[str], where: str, model: dict[str, Any] | None = None
) -> int:
    """Refuse vectors that would silently become a score.

    Args:
        vectors: shape (n, dimension).
        texts: what was encoded, for the error.
        where: the config, for the error.
        model: the encoder's settings, for the error.

    Returns:
        The number of zero vectors (their cosine with anything is defined as 0).

    Raises:
        DataError: a vector holds NaN or infinity, or their number is not the number of texts.
    """
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise DataError(f"{where}: the model returned shape {vectors.shape} for {len(texts)} texts")
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        half = (model or {}).get("dtype") in ("fp16", "bf16")
        raise DataError(
            f"{where}: the model returned NaN or infinity for {len(bad)} of {len(texts)} texts, "
            f"first for {texts[bad[0]][:60]!r}" + ("; try --dtype fp32" if half else "")
        )
    return int((~vectors.any(axis=1)).sum())
