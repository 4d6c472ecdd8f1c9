"""Precision, recall and F1 of single-label predictions, as functions of item weights."""

from __future__ import annotations

import numpy as np

from seabed_evaluate.metrics.shared.bootstrap import Statistics
from seabed_evaluate.metrics.shared.groups import membership, numbered
from seabed_evaluate.metrics.shared.inputs import FloatArray, IntArray


def ratio(top: FloatArray, bottom: FloatArray, otherwise: float) -> FloatArray:
    """Divide, with a stated value where the divisor is 0.

    Args:
        top: numerators, any shape.
        bottom: divisors, same shape, 0 or more.
        otherwise: the value where ``bottom`` is 0.

    Returns:
        Array of the same shape.
    """
    return np.divide(top, bottom, out=np.full_like(top, otherwise), where=bottom > 0)


def confusion_statistics(predictions: IntArray, references: IntArray) -> tuple[Statistics, FloatArray]:
    """Prepare label scores for any item weights.

    Args:
        predictions: predicted labels, shape (n,).
        references: true labels, shape (n,).

    Returns:
        A function of weights (b, n) that gives ``f1_weighted``, ``f1_macro``, ``accuracy``,
        ``precision_weighted`` and ``recall_weighted`` (weights: class support); and, per item, the F1 of its
        true class, shape (n,), whose mean is the weighted F1. Precision of a class never predicted is 0; a
        class seen in neither labels nor predictions is left out of the macro mean.

    Source:
        F1 of class j = 2 TP / (predicted + true); weighted mean: sum of support_j F1_j / n.
    """
    n_items = len(references)
    codes, n_classes = numbered(np.concatenate([references, predictions]))
    true, guess = codes[:n_items], codes[n_items:]
    right = true == guess
    is_true, is_guess = membership(true, n_classes), membership(guess, n_classes)

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        support, guessed, hits = weights @ is_true, weights @ is_guess, (weights * right) @ is_true
        f1 = ratio(2 * hits, support + guessed, 0.0)
        total = weights.sum(axis=1)
        return {
            "f1_weighted": (support * f1).sum(axis=1) / total,
            "f1_macro": f1.sum(axis=1) / (support + guessed > 0).sum(axis=1),
            "accuracy": hits.sum(axis=1) / total,
            "precision_weighted": (support * ratio(hits, guessed, 0.0)).sum(axis=1) / total,
            "recall_weighted": (support * ratio(hits, support, 0.0)).sum(axis=1) / total,
        }

    support, guessed = np.bincount(true, minlength=n_classes), np.bincount(guess, minlength=n_classes)
    hits = np.bincount(true[right], minlength=n_classes)
    item_f1: FloatArray = (2 * hits / (support + guessed))[true]
    return statistics, item_f1
