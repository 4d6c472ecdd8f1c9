"""``evaluate.load("seabed/classification")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import classification_scores


class SeabedClassification(SeabedMetric):
    """Classification scores from predictions and references.

    Args:
        predictions: predicted label of each item, whole numbers.
        references: true label of each item, whole numbers.
        per_item: also return whether each item is right (default False).

    Returns:
        f1_weighted (main), f1_macro, accuracy, precision_weighted, recall_weighted: fractions in [0, 1].

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/classification")
        >>> scores = metric.compute(predictions=[0, 1, 1, 0], references=[0, 1, 0, 0])
        >>> round(scores["f1_weighted"], 4), scores["accuracy"]
        (0.7667, 0.75)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[0, 1, 1, 0], references=[0, 1, 0, 0], n_bootstrap=100, confidence=0.9)
        >>> scores["f1_weighted_low"] <= scores["f1_weighted"] <= scores["f1_weighted_high"]
        True
    """

    summary = "Single-label classification: weighted F1 (the main score), macro F1, accuracy, weighted precision and recall."

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return classification_scores(predictions, references, **options)
