"""Multi-label classification: weighted F1 (main), macro and micro F1, and two accuracies."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bootstrap import FloatArray, scores_with_intervals
from .inputs import integers, same_length

MAIN_SCORE = "f1_weighted"


def indicators(rows: Any, name: str, width: int | None) -> FloatArray:
    """Turn label sets into a 0/1 matrix.

    Args:
        rows: n lists of label indices; or a two-dimensional array of 0 and 1, one column per label. Nested
            Python lists are always label indices, since ``[[0, 1]]`` could be read either way.
        name: what to call the argument in an error.
        width: number of labels, or None to take the highest label seen plus 1.

    Returns:
        float64 array of shape (n, width).

    Raises:
        ValueError: a label is repeated, not a whole number, or outside 0 ... width - 1.
    """
    if isinstance(rows, np.ndarray) and rows.ndim == 2:
        wrong = np.argwhere((rows != 0) & (rows != 1))
        if len(wrong):
            row, column = wrong[0]
            raise ValueError(f"{name}[{row}, {column}] is {rows[row, column]}: an indicator is 0 or 1")
        if width is not None and rows.shape[1] > width:
            raise ValueError(f"{name} has {rows.shape[1]} label columns, but num_labels is {width}")
        lists = [np.flatnonzero(row) for row in rows]
        width = rows.shape[1] if width is None else width
    else:
        lists = [integers(row, f"{name}[{index}]", 0) for index, row in enumerate(rows)]
        if width is None:
            width = 1 + max((int(row.max()) for row in lists if len(row)), default=-1)
    matrix = np.zeros((len(lists), width))
    for index, row in enumerate(lists):
        if len(row) and row.max() >= width:
            raise ValueError(f"{name}[{index}] holds label {row.max()}, but num_labels is {width}")
        if len(np.unique(row)) != len(row):
            raise ValueError(f"{name}[{index}] repeats a label: {row.tolist()}")
        matrix[index, row] = 1
    return matrix


def multilabel_classification_scores(
    predictions: Any,
    references: Any,
    num_labels: int | None = None,
    *,
    per_item: bool = False,
    n_bootstrap: int = 0,
    seed: int = 42,
    confidence: float = 0.95,
    draws: bool = False,
) -> dict[str, Any]:
    """Score predicted label sets against true label sets.

    Args:
        predictions: n lists of label indices (an empty list is "no label"), or a 0/1 numpy array (n, labels).
        references: the same, shape independent of that of ``predictions``.
        num_labels: number of labels; None takes the highest label seen plus 1. No score depends on it: it
            only refuses labels out of range.
        per_item: also return ``per_item``: whether each item's whole set is right.
        n_bootstrap: resamples of the items for percentile intervals; 0 for none.
        seed: seed of the resampling.
        confidence: coverage of the intervals.
        draws: with resampling, also return ``draws``: name -> the score of every resample.

    Returns:
        Fractions in [0, 1]: ``f1_weighted`` (label F1 weighted by true items), ``f1_macro`` (over labels seen
        in references or predictions), ``f1_micro``, ``accuracy`` (share of items whose set is exactly right)
        and ``label_weighted_accuracy`` (per-label accuracy weighted by true items); with resampling
        ``<name>_low`` and ``<name>_high``.

    Raises:
        ValueError: lengths differ, nothing to score, a bad label, or no reference has any label.

    Source:
        SEA-BED section 3.2. Which F1 average or accuracy the paper prints is not stated, so all are given.

    >>> scores = multilabel_classification_scores([[0], [1, 2]], [[0], [1]])
    >>> scores["f1_weighted"], scores["f1_micro"], scores["accuracy"]
    (1.0, 0.8, 0.5)
    """
    n_items = same_length(predictions, references)
    guesses, truths = (
        indicators(rows, name, num_labels)
        for rows, name in ((predictions, "predictions"), (references, "references"))
    )
    width = max(guesses.shape[1], truths.shape[1])
    guesses, truths = (np.pad(m, ((0, 0), (0, width - m.shape[1]))) for m in (guesses, truths))
    if not truths.any():
        raise ValueError("references hold no label at all: F1 is undefined")
    exact = (guesses == truths).all(axis=1).astype(np.float64)
    agreed, hit = (guesses == truths).astype(np.float64), guesses * truths

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        support, guessed, hits = weights @ truths, weights @ guesses, weights @ hit
        total, all_support = weights.sum(axis=1), support.sum(axis=1)
        seen = support + guessed > 0
        f1 = np.divide(2 * hits, support + guessed, out=np.zeros_like(hits), where=seen)
        with np.errstate(divide="ignore", invalid="ignore"):  # a resample without labels: NaN, counted
            return {
                "f1_weighted": (support * f1).sum(axis=1) / all_support,
                "f1_macro": f1.sum(axis=1) / seen.sum(axis=1),
                "f1_micro": 2 * hits.sum(axis=1) / (all_support + guessed.sum(axis=1)),
                "accuracy": weights @ exact / total,
                "label_weighted_accuracy": (support * (weights @ agreed)).sum(axis=1) / all_support / total,
            }

    result = scores_with_intervals(statistics, n_items, n_bootstrap, seed, confidence, draws)
    if per_item:
        result["per_item"] = {"accuracy": exact.tolist()}
    return result
