"""``evaluate.load("seabed/retrieval")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import HITS, SeabedMetric  # From: seabed

from .scores import retrieval_scores


class SeabedRetrieval(SeabedMetric):
    """Retrieval scores from predictions and references.

    Args:
        predictions: per query a list of {"id": string, "score": number}, in any order, higher scores are
            better.
        references: per query a list of {"id": string, "score": relevance}, whole numbers from 0.
        k: one cut-off or several (default 1, 3, 5, 10, 100).
        ties: "id", equal scores by document id ascending (default), or "trec", as trec_eval orders them.
        per_query: also return the value of every query (default False).

    Returns:
        ndcg_at_k, map_at_k, mrr_at_k, precision_at_k, recall_at_k, hit_rate_at_k for every k: fractions in
            [0, 1];
        num_queries, and num_queries_skipped for queries without a relevant document.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/retrieval")
        >>> hits = [[{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.8}]]
        >>> judged = [[{"id": "d2", "score": 1}]]
        >>> scores = metric.compute(predictions=hits, references=judged, k=[10])
        >>> scores["mrr_at_10"], round(scores["ndcg_at_10"], 4)
        (0.5, 0.6309)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=hits, references=judged, k=[10], n_bootstrap=100, confidence=0.9)
        >>> scores["ndcg_at_10_low"] <= scores["ndcg_at_10"] <= scores["ndcg_at_10_high"]
        True
    """

    summary = "Retrieval: nDCG, MAP, MRR, precision, recall and hit rate at every cut-off asked for; nDCG@10 is the main score."
    item = HITS

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return retrieval_scores(predictions, references, **options)
