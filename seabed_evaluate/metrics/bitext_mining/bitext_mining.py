"""``evaluate.load("seabed/bitext_mining")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import bitext_mining_scores


class SeabedBitextMining(SeabedMetric):
    """Bitext mining scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/bitext_mining")
        >>> scores = metric.compute(predictions=[0, 1, 2, 0], references=[0, 1, 2, 3])
        >>> {name: round(value, 4) for name, value in scores.items()}
        {'f1': 0.6667, 'accuracy': 0.75, 'precision': 0.625, 'recall': 0.75}
    """

    function = staticmethod(bitext_mining_scores)
    summary = "Bitext mining: for every source sentence, which target row was chosen. Weighted F1 over row indices (the main score), accuracy, precision and recall."
