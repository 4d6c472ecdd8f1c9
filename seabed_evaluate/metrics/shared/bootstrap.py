"""Percentile bootstrap over evaluation items, many resamples at a time.

A metric is written once, as a function of item weights. All weights 1 gives the score itself; how often each
item was drawn gives the score of a resample, exactly as if the drawn items had been scored as a new test set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypedDict

import numpy as np

from seabed_evaluate.metrics.shared.inputs import FloatArray, flag, whole

Statistics = Callable[[FloatArray], dict[str, FloatArray]]

CELLS = 2_000_000  # weights held at once: 16 MB, whatever the number of items and resamples
MOST = 100_000  # resamples; their scores are held at once


class Resampling(TypedDict, total=False):
    """The options that every metric takes.

    n_bootstrap: resamples of the items (or queries) for percentile intervals; 0, the default, for none. With
    resampling the scores have ``<name>_low`` and ``<name>_high`` beside them. seed: of the resampling (42).
    confidence: share of the resamples that the intervals cover (0.95). draws: also return ``draws``, name ->
    the score of every resample (False).
    """

    n_bootstrap: int
    seed: int
    confidence: float
    draws: bool


def resamples(n_items: int, n_bootstrap: int, seed: int, width: int = 1) -> Iterator[FloatArray]:
    """Draw resamples of ``n_items`` items with replacement.

    The draws depend only on ``n_items`` and ``seed``, so two models scored on the same items are resampled
    alike, and 100 resamples are the first 100 of 1,000.

    Args:
        n_items: number of evaluation items, at least 1.
        n_bootstrap: number of resamples.
        seed: seed of numpy's default generator.
        width: how many numbers the caller holds per resample, where that is more than ``n_items``.

    Yields:
        Arrays of shape (some resamples, n_items): how often each item was drawn; every row sums to n_items.
    """
    generator = np.random.default_rng(seed)
    rows = max(1, CELLS // max(n_items, width))
    for start in range(0, n_bootstrap, rows):
        block = min(rows, n_bootstrap - start)
        drawn = generator.integers(0, n_items, size=(block, n_items))
        drawn += np.arange(block)[:, None] * n_items
        counts = np.bincount(drawn.ravel(), minlength=block * n_items)
        yield counts.reshape(block, n_items).astype(np.float64)


def scores_with_intervals(
    statistics: Statistics,
    n_items: int,
    n_bootstrap: int = 0,
    seed: int = 42,
    confidence: float = 0.95,
    draws: bool = False,
    *,
    width: int = 1,
) -> dict[str, Any]:
    """Score once and, when asked, put a bootstrap interval beside every score.

    Args:
        statistics: takes weights of shape (b, n_items) and returns named arrays of shape (b,); NaN where a
            resample leaves a score undefined.
        n_items: number of evaluation items.
        n_bootstrap: number of resamples, 0 (no interval) to 100,000.
        seed: seed of the resampling.
        confidence: share of resamples the interval covers, between 0 and 1.
        draws: with resampling, also return ``draws``: name -> the score of every resample, NaN where undefined.
        width: how many numbers ``statistics`` holds per resample, where that is more than ``n_items``.

    Returns:
        ``{name: score}``; with resampling also ``name_low``, ``name_high`` and ``bootstrap_undefined``, the
        number of resamples in which some score was undefined and so left out of its interval.

    Raises:
        ValueError: a setting is out of range, or a score is undefined on the items themselves or on every
            resample.

    Source:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13 (percentile interval).

    >>> import numpy as np
    >>> values = np.array([0.0, 1.0, 1.0, 1.0])
    >>> scores_with_intervals(lambda w: {"mean": w @ values / 4}, 4, n_bootstrap=1000)
    {'mean': 0.75, 'mean_low': 0.25, 'mean_high': 1.0, 'bootstrap_undefined': 0}
    """
    n_bootstrap, seed = whole(n_bootstrap, "n_bootstrap", maximum=MOST), whole(seed, "seed")
    numeric = isinstance(confidence, int | float | np.floating)
    if not numeric or not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1; found {confidence!r}")
    draws = flag(draws, "draws")
    result: dict[str, Any] = {}
    for name, value in statistics(np.ones((1, n_items))).items():
        if not np.isfinite(value[0]):
            raise ValueError(f"{name} is undefined for these predictions and references")
        result[name] = float(value[0])
    if not n_bootstrap:
        return result
    blocks = [statistics(weights) for weights in resamples(n_items, n_bootstrap, seed, width)]
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    undefined = np.zeros(n_bootstrap, dtype=bool)
    drawn: dict[str, FloatArray] = {}
    for name in list(result):
        values = drawn[name] = np.concatenate([block[name] for block in blocks])
        defined = np.isfinite(values)
        if not defined.any():
            raise ValueError(f"{name} is undefined on each of the {n_bootstrap} resamples")
        undefined |= ~defined
        low, high = np.quantile(values[defined], tails)
        result[f"{name}_low"], result[f"{name}_high"] = float(low), float(high)
    result["bootstrap_undefined"] = int(undefined.sum())
    if draws:
        result["draws"] = drawn
    return result
