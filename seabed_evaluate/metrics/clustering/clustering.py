"""``evaluate.load("seabed/clustering")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import clustering_scores


class SeabedClustering(SeabedMetric):
    """Clustering scores from predictions and references.

    Args:
        predictions: cluster of each item, whole numbers; names of clusters do not matter.
        references: true class of each item, whole numbers.

    Returns:
        v_measure (main), homogeneity, completeness, nmi in [0, 1]; ari in [-0.5, 1].

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/clustering")
        >>> scores = metric.compute(predictions=[1, 1, 0, 0], references=[0, 0, 1, 1])
        >>> scores["v_measure"], scores["ari"]
        (1.0, 1.0)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[1, 1, 0, 0], references=[0, 0, 1, 1], n_bootstrap=100, confidence=0.9)
        >>> scores["v_measure_low"] <= scores["v_measure"] <= scores["v_measure_high"]
        True
    """

    summary = "Clustering against true classes: V-measure (the main score), homogeneity, completeness, adjusted Rand index and normalised mutual information."

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return clustering_scores(predictions, references, **options)
