"""``evaluate.load("seabed/retrieval")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import HITS, SeabedMetric  # From: seabed

from .scores import retrieval_scores


class SeabedRetrieval(SeabedMetric):
    """Retrieval scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/retrieval")
        >>> hits = [[{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.8}]]
        >>> judged = [[{"id": "d2", "score": 1}]]
        >>> scores = metric.compute(predictions=hits, references=judged, k=[10])
        >>> scores["mrr_at_10"], round(scores["ndcg_at_10"], 4)
        (0.5, 0.6309)
    """

    function = staticmethod(retrieval_scores)
    summary = "Retrieval: nDCG, MAP, MRR, precision, recall and hit rate at every cut-off asked for; nDCG@10 is the main score."
    item = HITS
