"""Bitext mining: weighted F1 over matched rows (main), accuracy, precision, recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.confusion import confusion_statistics
from seabed_evaluate.metrics.shared.inputs import FloatArray, flag, integers, same_length

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAIN_SCORE = "f1"


def bitext_mining_scores(
    predictions: Any,
    references: Any,
    *,
    per_item: bool = False,
    **resampling: Unpack[Resampling],
) -> dict[str, Any]:
    """Score the target row chosen for each source sentence.

    Args:
        predictions: index of the chosen target row, whole numbers from 0, shape (n,).
        references: index of the true target row, shape (n,).
        per_item: also return ``per_item``: per row ``f1`` (its mean is the weighted F1) and ``accuracy``.
        **resampling: of the rows; see ``bootstrap.Resampling``.

    Returns:
        ``f1``, ``accuracy``, ``precision``, ``recall``, fractions in [0, 1]; with resampling ``<name>_low``
        and ``<name>_high``. Row indices are the class labels and classes are weighted by support, so a right
        row that c other rows also chose counts 2 / (2 + c), and recall equals accuracy.

    Raises:
        ValueError: lengths differ, nothing to score, or an index is negative or not whole.

    Source:
        SEA-BED section 3.2 ("F1"), averaged as in the benchmark's released evaluator.

    Three of four rows are right, but row 0 was also chosen for the last sentence:

    >>> bitext_mining_scores([0, 1, 2, 0], [0, 1, 2, 3])
    {'f1': 0.6666666666666666, 'accuracy': 0.75, 'precision': 0.625, 'recall': 0.75}
    """
    chosen, truths = integers(predictions, "predictions", 0), integers(references, "references", 0)
    n_items = same_length(chosen, truths)
    label_statistics, row_f1 = confusion_statistics(chosen, truths)

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        scores = label_statistics(weights)
        return {
            "f1": scores["f1_weighted"],
            "accuracy": scores["accuracy"],
            "precision": scores["precision_weighted"],
            "recall": scores["recall_weighted"],
        }

    result = scores_with_intervals(statistics, n_items, **resampling)
    if flag(per_item, "per_item"):
        result["per_item"] = {"f1": row_f1.tolist(), "accuracy": (chosen == truths).astype(float).tolist()}
    return result
