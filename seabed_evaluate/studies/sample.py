"""What a sample of a bitext set does to scores and ranks (the paper, section 3.5 and Table 3)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from seabed_datasets.errors import SeabedError
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.runner.similarity import top_k
from seabed_evaluate.studies.vectors import Session, embed, rows

DRAWS = 20
SEED = 42
FRACTION = 0.3

Rows = npt.NDArray[np.int64]


def drawn_rows(config: str, n: int, fraction: float, draw: int, seed: int = SEED) -> Rows:
    """The rows of one draw: the same for every model.

    Args:
        config: name of the config.
        n: how many rows it has.
        fraction: the share to keep, above 0, at most 1.
        draw: number of the draw.
        seed: of all draws.

    Returns:
        At least one row number; all of them, in order, at fraction 1.
    """
    if fraction == 1:
        return np.arange(n)
    kept = max(1, round(fraction * n))
    return np.random.default_rng([seed, zlib.crc32(config.encode()), draw]).permutation(n)[:kept]


@dataclass(frozen=True)
class Scores:
    """Of one config or the mean of several, 0 to 1: on all rows and per draw.

    `f1` is the weighted F1 that a run reports, with both sides cut; `accuracy` likewise; `accuracy_sources`
    searches all targets for the sources of a draw, so that the number of wrong candidates stays.
    """

    full_f1: float
    full_accuracy: float
    f1: tuple[float, ...]
    accuracy: tuple[float, ...]
    accuracy_sources: tuple[float, ...]


@dataclass(frozen=True)
class Sampled:
    """One model: the mean over configs, and every config."""

    model: str
    mean: Scores
    configs: Mapping[str, Scores]


def _nearest(source: Vectors, target: Vectors, texts: Sequence[str], take: Rows) -> Rows:
    """The row chosen for each source taken, among the targets taken; equal targets are the first of them."""
    first: dict[str, int] = {}
    for row in take:
        first.setdefault(texts[row], int(row))
    candidates = np.array(list(first.values()))
    nearest, _ = top_k(source[take], target[candidates], 1)
    chosen: Rows = candidates[nearest[:, 0]]
    return chosen


def sampled_scores(
    config: str,
    source: Vectors,
    target: Vectors,
    texts: Sequence[str],
    fraction: float,
    draws: int,
    seed: int,
) -> Scores:
    """Scores of one config on all rows and on samples.

    Args:
        config: its name; it decides the draws.
        source: unit vectors, shape (n, dimension).
        target: unit vectors of the translations.
        texts: the translations.
        fraction: the share of the rows kept.
        draws: how many samples.
        seed: of the samples.

    Returns:
        The scores; at fraction 1 every draw is the full score.
    """
    n = len(texts)
    every = np.arange(n)
    chosen = _nearest(source, target, texts, every)
    full = bitext_mining_scores(chosen, every)
    f1, accuracy, sources = [], [], []
    for draw in range(draws):
        take = drawn_rows(config, n, fraction, draw, seed)
        cut = full if len(take) == n else bitext_mining_scores(_nearest(source, target, texts, take), take)
        f1.append(float(cut["f1"]))
        accuracy.append(float(cut["accuracy"]))
        sources.append(float((chosen[take] == take).mean()))
    return Scores(float(full["f1"]), float(full["accuracy"]), tuple(f1), tuple(accuracy), tuple(sources))


def sample(session: Session, *, fraction: float = FRACTION, draws: int = DRAWS, seed: int = SEED) -> Sampled:
    """Score samples of bitext sets.

    Args:
        session: model and configs of bitext mining.
        fraction: the share of the rows kept.
        draws: how many samples.
        seed: of the samples.

    Returns:
        The scores; the mean is over configs.

    Raises:
        SeabedError: the fraction is not above 0 and at most 1, or there is no draw.

    Source:
        the paper, section 3.5; it does not state its sampling rule, so this one is stated here.
    """
    if not 0 < fraction <= 1 or draws < 1:
        raise SeabedError(f"--fraction {fraction} --draws {draws}: a share of the rows and at least one draw")
    found: dict[str, Scores] = {}
    for config in tqdm(session.configs, unit="config", disable=True if session.quiet else None):
        columns = rows(session, config)
        source, target = (embed(session, config, columns[f"sentence{i}"], config.name) for i in (1, 2))
        found[config.name] = sampled_scores(
            config.name, source, target, columns["sentence2"], fraction, draws, seed
        )

    def mean(name: str) -> tuple[float, ...]:
        return tuple(np.array([getattr(s, name) for s in found.values()]).mean(axis=0).tolist())

    whole = Scores(
        float(np.mean([s.full_f1 for s in found.values()])),
        float(np.mean([s.full_accuracy for s in found.values()])),
        mean("f1"),
        mean("accuracy"),
        mean("accuracy_sources"),
    )
    return Sampled(session.model, whole, found)


def rank(scores: Sequence[float]) -> list[int]:
    """Ranks, 1 for the highest; equal scores share the better one.

    Args:
        scores: n scores.

    Returns:
        n ranks.

    >>> rank([0.5, 0.9, 0.5])
    [2, 1, 2]
    """
    return [1 + sum(other > own for other in scores) for own in scores]


def _of(scores: Scores, keep_targets: bool) -> tuple[float, tuple[float, ...]]:
    if keep_targets:
        return scores.full_accuracy, scores.accuracy_sources
    return scores.full_f1, scores.f1


def _sd(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def sample_sheets(found: Sequence[Sampled], fraction: float, keep_targets: bool) -> list[Sheet]:
    """The tables of the study.

    Args:
        found: one entry per model.
        fraction: the share kept.
        keep_targets: show accuracy with only the sources cut, instead of weighted F1 with both sides cut.

    Returns:
        One row per model; and one per config where there is one model.
    """
    share = f"{fraction * 100:g} %"
    both = [_of(f.mean, keep_targets) for f in found]
    before, after = rank([full for full, _ in both]), rank([float(np.mean(d)) for _, d in both])
    each = np.array([rank(list(draw)) for draw in zip(*(d for _, d in both), strict=True)])

    def figures(scores: Scores) -> Row:
        full, drawn = _of(scores, keep_targets)
        mean = float(np.mean(drawn))
        return {
            "100 %": full * 100,
            f"{share} mean": mean * 100,
            "SD": _sd(drawn) * 100,
            "change": (mean - full) * 100,
        }

    table: list[Row] = []
    for i, f in enumerate(found):
        row: Row = {"model": f.model, **figures(f.mean)}
        if len(found) > 1:
            row |= {
                "rank 100 %": before[i],
                f"rank {share}": after[i],
                "draws with another rank, %": float((each[:, i] != before[i]).mean() * 100),
            }
        table.append(row)
    measure = "accuracy x100, only the sources cut" if keep_targets else "weighted F1 x100, both sides cut"
    full, cut, kept = (
        float(np.mean([np.mean(getattr(f.mean, n)) for f in found])) * 100
        for n in ("full_accuracy", "accuracy", "accuracy_sources")
    )
    notes = [
        f"Bitext mining, {measure} to {share} of the rows; {len(both[0][1])} draws, the same for every model.",
        f"Why scores rise: accuracy is {full:.2f} on all rows, {cut:.2f} with both sides cut, {kept:.2f} with the "
        "same sources against all targets. Fewer wrong candidates raise it, not easier rows.",
    ]
    sheets = [Sheet(f"Scores on {share} of the rows", table, notes)]
    if len(found) == 1:
        rows_of: list[Row] = [{"config": name, **figures(s)} for name, s in found[0].configs.items()]
        sheets.append(Sheet("By config", rows_of))
    return sheets
