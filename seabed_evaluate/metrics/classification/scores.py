"""Classification: weighted F1 (main), macro F1, accuracy, weighted precision and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.confusion import confusion_statistics
from seabed_evaluate.metrics.shared.inputs import flag, integers, same_length

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAIN_SCORE = "f1_weighted"


def classification_scores(
    predictions: Any, references: Any, *, per_item: bool = False, **resampling: Unpack[Resampling]
) -> dict[str, Any]:
    """Score predicted labels against true labels.

    Args:
        predictions: whole-number labels, shape (n,).
        references: whole-number labels, shape (n,).
        per_item: also return ``per_item``: name of a score -> one value per item, here whether the item is
            right.
        **resampling: of the items; see ``bootstrap.Resampling``.

    Returns:
        ``f1_weighted``, ``f1_macro``, ``accuracy``, ``precision_weighted``, ``recall_weighted``, fractions in
        [0, 1]; with resampling ``<name>_low`` and ``<name>_high``.

    Raises:
        ValueError: lengths differ, nothing to score, or a label is not a whole number.

    Source:
        SEA-BED section 3.2; class scores weighted by the number of true items.

    >>> classification_scores([0, 1, 1, 0], [0, 1, 0, 0])["accuracy"]
    0.75
    """
    guesses, truths = integers(predictions, "predictions"), integers(references, "references")
    n_items = same_length(guesses, truths)
    statistics, _ = confusion_statistics(guesses, truths)
    result = scores_with_intervals(statistics, n_items, **resampling)
    if flag(per_item, "per_item"):
        result["per_item"] = {"accuracy": (guesses == truths).astype(float).tolist()}
    return result
