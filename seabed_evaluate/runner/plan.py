"""What a run will do, before it does it: texts, tokens, time, cost."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from seabed_datasets.catalogue import Config
from seabed_evaluate.encoders.loading import Encoder
from seabed_evaluate.encoders.prompts import Prompted
from seabed_evaluate.encoders.vector_cache import EmbeddingCache, lasts, space, text_key
from seabed_evaluate.runner.bundles import Bundle, read_splits
from seabed_evaluate.runner.protocols import Protocol
from seabed_evaluate.runner.scoring import config_settings, final_texts
from seabed_evaluate.runner.tasks import CORPUS_CHUNK, inputs

# Texts whose tokens are counted per config; the others are taken to have as many per character.
SAMPLE = 200
# A text's characters per token where the model does not count them.
CHARACTERS_PER_TOKEN = 4
TIMED = 32


@dataclass(frozen=True)
class Planned:
    """One config. `new` texts are neither kept from before nor in an earlier config of the plan."""

    config: str
    task: str
    texts: int
    new: int
    tokens: int


@dataclass(frozen=True)
class Plan:
    """All configs that are not done. `seconds` is the time to encode, measured on a few of the texts.

    `counted` says whether the tokens of every text were counted; `bound` that they are one from above (bytes);
    `cost` is of an API, in the currency of its price.
    """

    configs: tuple[Planned, ...]
    done: int
    seconds: float | None
    counted: bool
    requests: int | None = None
    cost: float | None = None
    bound: bool = False

    @property
    def texts(self) -> int:
        """All texts."""
        return sum(c.texts for c in self.configs)

    @property
    def new(self) -> int:
        """Texts to encode."""
        return sum(c.new for c in self.configs)

    @property
    def tokens(self) -> int:
        """Tokens to encode."""
        return sum(c.tokens for c in self.configs)

    def line(self) -> str:
        """The plan in one line.

        Returns:
            The line.
        """
        about = "at most " if self.bound else "" if self.counted else "about "
        parts = [
            f"{len(self.configs)} configs" + (f" ({self.done} done before)" if self.done else ""),
            f"{self.texts:,} texts",
            f"{self.new:,} to encode",
            f"{about}{self.tokens:,} tokens",
        ]
        if self.requests is not None:
            parts.append(f"{self.requests:,} requests")
            known = self.cost is not None
            parts.append(f"at most {self.cost:.2f} USD" if known else "cost unknown without --price")
        if self.seconds is not None:
            parts.append(f"about {duration(self.seconds)}")
        return "plan: " + ", ".join(parts)


def duration(seconds: float) -> str:
    """Seconds in words.

    Args:
        seconds: how many.

    Returns:
        At most two units.

    >>> duration(3.2), duration(125), duration(7300)
    ('3 s', '2 min 5 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def make_plan(
    todo: Iterable[Config],
    bundle: Bundle,
    encoder: Encoder,
    rules: Protocol,
    cache: EmbeddingCache,
    *,
    done: int = 0,
    corpus_chunk: int = CORPUS_CHUNK,
) -> Plan:
    """Count what configs need.

    Args:
        todo: the configs, in the order of the run.
        bundle: their data.
        encoder: the model.
        rules: the protocol.
        cache: whose vectors need not be made.
        done: how many more configs have a result already.
        corpus_chunk: documents that a run encodes at once.

    Returns:
        The plan.
    """
    within, lasting = space(encoder.settings), lasts(encoder.settings)
    counter: Any = getattr(encoder, "count_tokens", None)
    estimate: Any = getattr(encoder, "estimate", None)
    seen: set[bytes] = set()
    planned: list[Planned] = []
    some: list[Prompted] = []
    requests, cost, counted, bound = 0, 0.0 if estimate else None, counter is not None, False
    for config in todo:
        settings = config_settings(config, bundle, encoder, rules)
        count, billed, new = 0, 0, list[Prompted]()
        for texts, side, instructions in inputs(config.task, read_splits(bundle, config), rules):
            count += len(texts)
            keys = {text_key(within, t): t for t in final_texts(settings, texts, side, instructions)}
            for key in cache.held([k for k in keys if k not in seen], lasting=lasting) | (seen & keys.keys()):
                del keys[key]
            seen |= keys.keys()
            own = list(keys.values())
            new += own
            # As a run does: the texts of each call apart.
            for start in range(0, len(own), corpus_chunk) if estimate else ():
                bill = estimate(own[start : start + corpus_chunk])
                requests, billed = requests + bill.requests, billed + bill.tokens
                cost = None if cost is None or bill.cost is None else cost + bill.cost
                bound = bound or not bill.exact
        counted = counted and len(_sample(new)) == len(new)
        tokens = billed if estimate else _tokens(new, counter)
        planned.append(Planned(config.name, config.task, count, len(new), tokens))
        some += new[:: max(1, len(new) // TIMED)][:TIMED]
    total = sum(p.tokens for p in planned)
    seconds = _seconds(some, total, encoder, counter) if not estimate else None
    counted = counted or (estimate is not None and not bound)
    return Plan(tuple(planned), done, seconds, counted, requests if estimate else None, cost, bound)


def _sample(texts: Sequence[Prompted]) -> Sequence[Prompted]:
    return texts[:: max(1, len(texts) // SAMPLE)]


def _tokens(texts: Sequence[Prompted], counter: Any) -> int:
    sample = _sample(texts)
    if not sample:
        return 0
    if counter is None:
        return sum(len(t.text) for t in texts) // CHARACTERS_PER_TOKEN
    return round(float(sum(counter(sample))) * len(texts) / len(sample))


def _seconds(some: Sequence[Prompted], total: int, encoder: Encoder, counter: Any) -> float | None:
    """Time the model on a few texts, the second time because the first one also warms it up."""
    if not some:
        return 0.0
    sample = some[:: max(1, len(some) // TIMED)][:TIMED]
    for texts in (sample[:4], sample):
        encoder.encode(texts[:1])
        begun = time.perf_counter()
        encoder.encode(texts)
        spent = time.perf_counter() - begun
        if spent > 3:
            break
    return spent / max(1, _tokens(texts, counter)) * total
