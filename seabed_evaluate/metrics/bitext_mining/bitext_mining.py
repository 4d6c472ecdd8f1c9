"""``evaluate.load("seabed/bitext_mining")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import bitext_mining_scores


class SeabedBitextMining(SeabedMetric):
    """Bitext mining scores from predictions and references.

    Args:
        predictions: index of the target row chosen for each source sentence, whole numbers from 0.
        references: index of the true target row for each source sentence.
        per_item: also return the F1 share and correctness of each row (default False).

    Returns:
        f1 (main), accuracy, precision, recall: fractions in [0, 1].

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/bitext_mining")
        >>> scores = metric.compute(predictions=[0, 1, 2, 0], references=[0, 1, 2, 3])
        >>> {name: round(value, 4) for name, value in scores.items()}
        {'f1': 0.6667, 'accuracy': 0.75, 'precision': 0.625, 'recall': 0.75}

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[0, 1, 2, 0], references=[0, 1, 2, 3], n_bootstrap=100, confidence=0.9)
        >>> scores["f1_low"] <= scores["f1"] <= scores["f1_high"]
        True
    """

    summary = "Bitext mining: for every source sentence, which target row was chosen. Weighted F1 over row indices (the main score), accuracy, precision and recall."

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return bitext_mining_scores(predictions, references, **options)
