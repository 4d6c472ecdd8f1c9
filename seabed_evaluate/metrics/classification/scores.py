"""Classification: weighted F1 (main), macro F1, accuracy, weighted precision and recall."""

from __future__ import annotations

from typing import Any

from .bootstrap import scores_with_intervals
from .confusion import confusion_statistics
from .inputs import integers, same_length

MAIN_SCORE = "f1_weighted"


def classification_scores(
    predictions: Any,
    references: Any,
    *,
    per_item: bool = False,
    n_bootstrap: int = 0,
    seed: int = 42,
    confidence: float = 0.95,
    draws: bool = False,
) -> dict[str, Any]:
    """Score predicted labels against true labels.

    Args:
        predictions: whole-number labels, shape (n,).
        references: whole-number labels, shape (n,).
        per_item: also return ``per_item``: whether each item is right.
        n_bootstrap: resamples of the items for percentile intervals; 0 for none.
        seed: seed of the resampling.
        confidence: coverage of the intervals.
        draws: with resampling, also return ``draws``: name -> the score of every resample.

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
    result = scores_with_intervals(statistics, n_items, n_bootstrap, seed, confidence, draws)
    if per_item:
        result["per_item"] = {"accuracy": (guesses == truths).astype(float).tolist()}
    return result
