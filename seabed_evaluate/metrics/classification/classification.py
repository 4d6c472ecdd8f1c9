"""``evaluate.load("seabed/classification")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import classification_scores


class SeabedClassification(SeabedMetric):
    """Classification scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/classification")
        >>> scores = metric.compute(predictions=[0, 1, 1, 0], references=[0, 1, 0, 0])
        >>> round(scores["f1_weighted"], 4), scores["accuracy"]
        (0.7667, 0.75)
    """

    function = staticmethod(classification_scores)
    summary = "Single-label classification: weighted F1 (the main score), macro F1, accuracy, weighted precision and recall."
