"""``evaluate.load("seabed/sts")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import sts_scores


class SeabedSts(SeabedMetric):
    """Semantic textual similarity scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/sts")
        >>> scores = metric.compute(predictions=[0.1, 0.4, 0.3, 0.8], references=[1, 2, 3, 5])
        >>> round(scores["spearman"], 4), round(scores["pearson"], 4)
        (0.8, 0.9282)
    """

    function = staticmethod(sts_scores)
    summary = "Semantic textual similarity: Spearman (the main score), Pearson and Kendall correlation of predicted similarities with ratings."
