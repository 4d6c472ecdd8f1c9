"""Semantic textual similarity: Spearman (main), Pearson and Kendall correlation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import kendalltau

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.groups import membership
from seabed_evaluate.metrics.shared.inputs import FloatArray, numbers, same_length

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAIN_SCORE = "spearman"


def _correlation(weights: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Pearson correlation under weights (b, n); x and y are (n,) or (b, n) and already roughly centred."""
    total = weights.sum(axis=1, keepdims=True)
    x = x - (weights * x).sum(axis=1, keepdims=True) / total
    y = y - (weights * y).sum(axis=1, keepdims=True) / total
    wx = weights * x
    spread = np.sqrt((wx * x).sum(axis=1) * (weights * y * y).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        result: FloatArray = np.clip((wx * y).sum(axis=1) / spread, -1.0, 1.0)
    return result


def _ranker(values: FloatArray) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    """Return a function of weights (b, n): centred average ranks (b, n), and which rows are constant (b,)."""
    distinct, group = np.unique(values, return_inverse=True)
    to_groups = membership(group, len(distinct))

    def ranks(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        size = weights @ to_groups
        above = np.cumsum(size, axis=1)
        middle = above - (size - 1) / 2 - (above[:, -1:] + 1) / 2
        return middle[:, group], (size > 0).sum(axis=1) == 1

    return ranks


def _scaled(values: FloatArray) -> FloatArray:
    """Centre, and scale to at most 1 in size, so that squares neither overflow nor vanish.

    Powers of two only, which round nothing: values that differ little beside their size keep their differences.
    """
    values = np.ldexp(values, -np.frexp(np.abs(values).max())[1])
    values = values - values.mean()
    scaled: FloatArray = np.ldexp(values, -np.frexp(np.abs(values).max())[1])
    return scaled


def sts_scores(
    predictions: Any,
    references: Any,
    **resampling: Unpack[Resampling],
) -> dict[str, Any]:
    """Correlate predicted similarities with people's ratings.

    Args:
        predictions: one similarity per pair, any scale, shape (n,).
        references: one rating per pair, any scale, shape (n,).
        **resampling: of the pairs; see ``bootstrap.Resampling``.

    Returns:
        ``spearman``, ``pearson``, ``kendall`` in [-1, 1]; with resampling ``<name>_low`` and ``<name>_high``
        for spearman and pearson. Kendall has none: each resample would need its own pass over all pairs.

    Raises:
        ValueError: lengths differ, fewer than 2 pairs, NaN or infinity, or one side is constant, which leaves
            every correlation undefined.

    Source:
        SEA-BED section 3.2. Spearman: Pearson on average ranks. Kendall: tau-b.

    >>> sts_scores([0.1, 0.4, 0.8], [1, 3, 5])["spearman"]
    1.0
    """
    x, y = numbers(predictions, "predictions"), numbers(references, "references")
    n_items = same_length(x, y)
    if n_items < 2:
        raise ValueError("a correlation needs at least 2 pairs")
    for values, name in ((x, "predictions"), (y, "references")):
        if values.min() == values.max():
            raise ValueError(f"{name} are constant ({values[0]}): a correlation is undefined")
    rank_x, rank_y, scaled_x, scaled_y = _ranker(x), _ranker(y), _scaled(x), _scaled(y)

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        (ranks_x, constant_x), (ranks_y, constant_y) = rank_x(weights), rank_y(weights)
        defined = np.where((constant_x + constant_y) > 0, np.nan, 1.0)
        return {
            "spearman": _correlation(weights, ranks_x, ranks_y) * defined,
            "pearson": _correlation(weights, scaled_x, scaled_y) * defined,
        }

    result = scores_with_intervals(statistics, n_items, **resampling)
    result["kendall"] = float(kendalltau(x, y).statistic)
    return result
