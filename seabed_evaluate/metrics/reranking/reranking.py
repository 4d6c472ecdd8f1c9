"""``evaluate.load("seabed/reranking")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import NUMBERS, SeabedMetric  # From: seabed

from .scores import reranking_scores


class SeabedReranking(SeabedMetric):
    """Reranking scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/reranking")
        >>> scores = metric.compute(predictions=[[0.2, 0.9, 0.4]], references=[[1, 0, 0]])
        >>> round(scores["map"], 4), scores["ndcg_at_10"]
        (0.3333, 0.5)
    """

    function = staticmethod(reranking_scores)
    summary = "Reranking of candidate lists: MAP (the main score), MRR@10 and nDCG@10."
    item = NUMBERS
