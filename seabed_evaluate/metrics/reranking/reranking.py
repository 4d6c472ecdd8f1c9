"""``evaluate.load("seabed/reranking")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import NUMBERS, SeabedMetric  # From: seabed

from .scores import reranking_scores


class SeabedReranking(SeabedMetric):
    """Reranking scores from predictions and references.

    Args:
        predictions: per query one score per candidate, higher is better.
        references: per query one relevance per candidate, whole numbers from 0.
        per_query: also return the value of every query (default False).

    Returns:
        map (main), mrr_at_10, ndcg_at_10: fractions in [0, 1]; num_queries, and num_queries_skipped for
            queries whose
        candidates are all relevant or all not.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/reranking")
        >>> scores = metric.compute(predictions=[[0.2, 0.9, 0.4]], references=[[1, 0, 0]])
        >>> round(scores["map"], 4), scores["ndcg_at_10"]
        (0.3333, 0.5)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[[0.2, 0.9, 0.4]], references=[[1, 0, 0]], n_bootstrap=100, confidence=0.9)
        >>> scores["map_low"] <= scores["map"] <= scores["map_high"]
        True
    """

    summary = "Reranking of candidate lists: MAP (the main score), MRR@10 and nDCG@10."
    item = NUMBERS

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return reranking_scores(predictions, references, **options)
