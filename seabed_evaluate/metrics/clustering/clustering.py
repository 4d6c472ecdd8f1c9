"""``evaluate.load("seabed/clustering")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import SeabedMetric  # From: seabed

from .scores import clustering_scores


class SeabedClustering(SeabedMetric):
    """Clustering scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/clustering")
        >>> scores = metric.compute(predictions=[1, 1, 0, 0], references=[0, 0, 1, 1])
        >>> scores["v_measure"], scores["ari"]
        (1.0, 1.0)
    """

    function = staticmethod(clustering_scores)
    summary = "Clustering against true classes: V-measure (the main score), homogeneity, completeness, adjusted Rand index and normalised mutual information."
