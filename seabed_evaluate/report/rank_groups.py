"""Which models' averages cannot be told apart: paired bootstrap over the items that both have scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.units import run_key
from seabed_evaluate.runner.outcomes import RESAMPLED, check_outcomes, outcomes_path, read_outcomes
from seabed_evaluate.runner.results import Result
from seabed_evaluate.runner.uncertainty import RESAMPLES, draws

ALPHA = 0.05
# Resampled scores are moved onto the score when they are made; others are not of this result.
_CLOSE = 1e-4

FloatArray = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Drawn:
    """A run's score of every config, and the same on every resample of the config's items.

    `scores`: shape (configs,). `resampled`: shape (configs, resamples), NaN where undefined. `items`: what was
    scored by what measure; runs whose `items` differ are not compared.
    """

    scores: FloatArray
    resampled: FloatArray
    items: tuple[str, ...] = ()


def drawn(
    results: Mapping[str, tuple[Path, Result]], configs: Sequence[str], resamples: int = RESAMPLES
) -> Drawn | None:
    """What a run's outcomes give.

    Args:
        results: config -> result file and what it holds, of one run.
        configs: the configs of the average.
        resamples: of the bootstrap; the scores kept beside the items are used where they are of the measure shown.

    Returns:
        The draws, or None where a config, its items or its resampled scores cannot be had.
    """
    scores, rows, items = [], [], []
    for config in configs:
        if config not in results:
            return None
        path, r = results[config]
        own = (r["protocol"].get("main") or {}).get(r["task"])
        rows_said = (r["data"].get("rows") or {}).get("test")
        items_said = (r.get("interval") or {}).get("items")
        kept = _kept(
            outcomes_path(path),
            r["settings_hash"],
            r["task"],
            r["main_score"],
            r["main_score"] == own,
            r["score"],
            rows_said,
            items_said,
            resamples,
        )
        if kept is None:
            return None
        scores.append(r["score"])
        rows.append(kept)
        items.append(f"{r['data']['splits']} {r['main_score']}")
    return Drawn(np.array(scores), np.array(rows), tuple(items))


# Both tables of a report, and both views of the page, ask for the same; 8,192 are 32 MB.
@lru_cache(maxsize=8192)
def _kept(
    path: Path,
    settings_hash: str,
    task: str,
    measure: str,
    main: bool,
    score: float,
    rows: int | None,
    items: int | None,
    resamples: int,
) -> FloatArray | None:
    """The resampled scores of one config, float32, shape (resamples,); None where they cannot be had.

    `main`: the measure is the one that the items and the kept scores are of.
    """
    said = {"data": {"rows": {} if rows is None else {"test": rows}}, "interval": {"items": items}}
    try:
        outcomes = check_outcomes(path, read_outcomes(path, settings_hash), said)
        kept = outcomes.get(RESAMPLED)
        if main and kept is not None and len(kept) == resamples and abs(np.nanmean(kept) - score) < _CLOSE:
            return kept.astype(np.float32)
        if "values" in outcomes and not main:
            return None  # its items' values are of another measure
        return draws(task, measure, outcomes, resamples=resamples).resampled.astype(np.float32)
    except (SeabedError, ValueError):
        return None


def same_groups(
    runs: Sequence[Drawn | None], weights: Sequence[float], datasets: Sequence[str], alpha: float = ALPHA
) -> list[set[int]]:
    """For each run, the runs whose average cannot be told from its own.

    The difference of two averages is a weighted sum over configs of differences that the paired bootstrap resamples;
    the errors of one dataset's configs are added, those of different datasets add in squares, as everywhere in the
    report. Its p, from the normal distribution, is corrected for all pairs.

    Args:
        runs: None for a run without items, which is in no group.
        weights: of each config in the average, shape (configs,).
        datasets: of each config.
        alpha: how often any two equal models may be told apart.

    Returns:
        One set of places in `runs` for each run; its own is in it. Empty for a run without items.

    Source:
        Efron and Tibshirani (1993), chapter 6; Koehn (2004), paired bootstrap; Holm (1979).
    """
    share = np.asarray(weights, dtype=np.float64)
    _, dataset = np.unique(np.asarray(datasets), return_inverse=True)
    pairs = [
        (i, j)
        for i, a in enumerate(runs)
        for j, b in enumerate(runs)
        if i < j and a is not None and b is not None and a.items == b.items
    ]
    ps = [_p(runs[i], runs[j], share, dataset) for i, j in pairs]
    groups = [set[int]() if run is None else {i} for i, run in enumerate(runs)]
    for (i, j), p in zip(pairs, holm(ps), strict=True):
        if p >= alpha:
            groups[i].add(j)
            groups[j].add(i)
    return groups


def _p(a: Drawn | None, b: Drawn | None, share: FloatArray, dataset: npt.NDArray[np.intp]) -> float:
    assert a is not None
    assert b is not None
    difference = float(share @ (a.scores - b.scores))
    errors = share * np.nanstd(a.resampled - b.resampled, axis=1, dtype=np.float64)
    se = sqrt(float((np.bincount(dataset, weights=errors) ** 2).sum()))
    return normal_p(difference, se)


def normal_p(difference: float, se: float) -> float:
    """Two-sided p of a difference under the normal distribution.

    A share of resamples beyond 0 would be no finer than one over their number, too coarse to survive a
    correction for hundreds of units.

    Args:
        difference: observed.
        se: its standard deviation over paired resamples.

    Returns:
        The p value; 1 where nothing varies.

    >>> round(normal_p(1.96, 1.0), 3)
    0.05
    """
    return 2 * NormalDist().cdf(-abs(difference) / se) if se > 0 else 1.0


def holm(ps: Iterable[float]) -> list[float]:
    """Correct p values for how many there are.

    Args:
        ps: of the single tests.

    Returns:
        Corrected ones, in the same order: no more than 5 % of such families declare any false difference.

    Source:
        Holm (1979), A simple sequentially rejective multiple test procedure.

    >>> [round(p, 2) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    given = list(ps)
    corrected, highest = list(given), 0.0
    for rank, i in enumerate(sorted(range(len(given)), key=given.__getitem__)):
        highest = max(highest, min(1.0, (len(given) - rank) * given[i]))
        corrected[i] = highest
    return corrected


def table_groups(
    runs: Sequence[str], files: Iterable[tuple[Path, Result]], weights: Mapping[str, float]
) -> dict[str, set[str]]:
    """For each run of a table, the runs whose average cannot be told from its own.

    Args:
        runs: keys of runs with whole averages.
        files: results with where they lie.
        weights: of each config in the average.

    Returns:
        Run -> runs, itself among them; without those whose items cannot be had.
    """
    by_run: dict[str, dict[str, tuple[Path, Result]]] = {run: {} for run in runs}
    for path, r in files:
        if (key := run_key(r)) in by_run:
            by_run[key][r["config"]] = (path, r)
    configs = sorted(weights)
    found = [drawn(by_run[run], configs) for run in runs] if len(runs) > 1 else []
    datasets = [catalogue.config(name).key for name in configs]
    groups = same_groups(found, [weights[c] for c in configs], datasets)
    return {runs[i]: {runs[j] for j in group} for i, group in enumerate(groups) if group}
