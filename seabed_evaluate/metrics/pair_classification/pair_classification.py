"""``evaluate.load("seabed/pair_classification")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import pair_classification_scores


class SeabedPairClassification(SeabedMetric):
    """Pair classification scores from predictions and references.

    Args:
        predictions: one score per pair, higher means more likely positive.
        references: 1 for a positive pair, 0 for a negative one.

    Returns:
        ap (main), best_f1, best_accuracy: fractions in [0, 1]; best_f1_threshold, best_accuracy_threshold: in
            units of
        the predictions, a pair being positive when its score is at least the threshold.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/pair_classification")
        >>> scores = metric.compute(predictions=[0.9, 0.8, 0.3, 0.1], references=[1, 0, 1, 0])
        >>> round(scores["ap"], 4), scores["best_f1"], scores["best_f1_threshold"]
        (0.8333, 0.8, 0.3)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[0.9, 0.8, 0.3, 0.1], references=[1, 0, 1, 0], n_bootstrap=100, confidence=0.9)
        >>> scores["ap_low"] <= scores["ap"] <= scores["ap_high"]
        True
    """

    summary = "Pair classification from similarity scores: average precision (the main score), best F1 and best accuracy with the thresholds that give them."

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return pair_classification_scores(predictions, references, **options)
