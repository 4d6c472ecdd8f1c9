"""``evaluate.load("seabed/sts")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import sts_scores


class SeabedSts(SeabedMetric):
    """Semantic textual similarity scores from predictions and references.

    Args:
        predictions: one similarity per pair, any scale.
        references: one rating per pair, any scale.

    Returns:
        spearman (main), pearson, kendall: in [-1, 1].

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/sts")
        >>> scores = metric.compute(predictions=[0.1, 0.4, 0.3, 0.8], references=[1, 2, 3, 5])
        >>> round(scores["spearman"], 4), round(scores["pearson"], 4)
        (0.8, 0.9282)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[0.1, 0.4, 0.3, 0.8], references=[1, 2, 3, 5], n_bootstrap=100, confidence=0.9)
        >>> scores["spearman_low"] <= scores["spearman"] <= scores["spearman_high"]
        True
    """

    summary = "Semantic textual similarity: Spearman (the main score), Pearson and Kendall correlation of predicted similarities with ratings."

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return sts_scores(predictions, references, **options)
