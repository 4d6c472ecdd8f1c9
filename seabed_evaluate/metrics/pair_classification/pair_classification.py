"""``evaluate.load("seabed/pair_classification")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import pair_classification_scores


class SeabedPairClassification(SeabedMetric):
    """Pair classification scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/pair_classification")
        >>> scores = metric.compute(predictions=[0.9, 0.8, 0.3, 0.1], references=[1, 0, 1, 0])
        >>> round(scores["ap"], 4), scores["best_f1"], scores["best_f1_threshold"]
        (0.8333, 0.8, 0.3)
    """

    function = staticmethod(pair_classification_scores)
    summary = "Pair classification from similarity scores: average precision (the main score), best F1 and best accuracy with the thresholds that give them."
