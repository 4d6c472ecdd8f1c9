"""Pair classification: average precision (main), best F1 and best accuracy with their thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.inputs import FloatArray, integers, numbers, same_length

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAIN_SCORE = "ap"


def pair_classification_scores(
    predictions: Any,
    references: Any,
    **resampling: Unpack[Resampling],
) -> dict[str, Any]:
    """Score pair similarities against 0/1 labels.

    Args:
        predictions: one score per pair, higher means more likely positive, shape (n,).
        references: 1 for a positive pair, 0 for a negative one, shape (n,).
        **resampling: of the pairs; see ``bootstrap.Resampling``.

    Returns:
        ``ap``, ``best_f1``, ``best_accuracy`` in [0, 1], and ``best_f1_threshold``,
        ``best_accuracy_threshold`` in units of the predictions: a pair is positive when its score is at least
        the threshold. Of equally good thresholds the highest is given; for accuracy "no pair is positive"
        competes too, and its threshold is the next number above the highest score. Pairs of equal score
        always fall on the same side, so their order does not matter. With resampling ``<name>_low`` and
        ``<name>_high`` for all but the thresholds.

    Raises:
        ValueError: lengths differ, nothing to score, NaN or infinity, a label other than 0 and 1, or only one
            of the two labels present.

    Source:
        SEA-BED section 3.2; AP = sum over thresholds of (R_i - R_{i-1}) P_i, without interpolation.

    >>> scores = pair_classification_scores([0.9, 0.8, 0.3, 0.1], [1, 0, 1, 0])
    >>> scores["best_f1"], scores["best_f1_threshold"]
    (0.8, 0.3)
    """
    similarity, labels = numbers(predictions, "predictions"), integers(references, "references")
    n_items = same_length(similarity, labels)
    wrong = (labels != 0) & (labels != 1)
    if wrong.any():
        index = int(np.argmax(wrong))
        raise ValueError(f"references[{index}] is {labels[index]}: a pair's label is 0 or 1")
    if labels.min() == labels.max():
        raise ValueError(f"every reference is {labels[0]}: average precision needs both labels")
    order = np.argsort(-similarity)
    ranked = similarity[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]), n_items - 1)  # last pair at each threshold
    is_positive = labels[order].astype(np.float64)

    def curves(weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Average precision (b,), and F1 and accuracy (b, thresholds)."""
        sorted_weights = weights[:, order]
        taken = np.cumsum(sorted_weights, axis=1)[:, ends]
        true = np.cumsum(sorted_weights * is_positive, axis=1)[:, ends]
        positives, total = true[:, -1:], taken[:, -1:]
        precision = np.divide(true, taken, out=np.zeros_like(true), where=taken > 0)
        gained = np.diff(true, axis=1, prepend=0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ap = (gained * precision).sum(axis=1) / positives[:, 0]
            f1 = 2 * true / (taken + positives)
        accuracy = (2 * true - taken + total - positives) / total
        # A resample may hold one label only, and then none of the three is defined.
        one_label = (positives[:, 0] == 0) | (positives[:, 0] == total[:, 0])
        ap[one_label], f1[one_label], accuracy[one_label] = np.nan, np.nan, np.nan
        return ap, f1, accuracy

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        ap, f1, accuracy = curves(weights)
        none_positive = weights @ (labels == 0) / weights.sum(axis=1)
        return {
            "ap": ap,
            "best_f1": f1.max(axis=1),
            "best_accuracy": np.maximum(accuracy.max(axis=1), none_positive),
        }

    result = scores_with_intervals(statistics, n_items, **resampling)
    _, f1, accuracy = curves(np.ones((1, n_items)))
    thresholds = ranked[ends]
    result["best_f1_threshold"] = float(thresholds[np.argmax(f1[0])])
    if (labels == 0).mean() >= accuracy[0].max():
        result["best_accuracy_threshold"] = float(np.nextafter(ranked[0], np.inf))
    else:
        result["best_accuracy_threshold"] = float(thresholds[np.argmax(accuracy[0])])
    return result
