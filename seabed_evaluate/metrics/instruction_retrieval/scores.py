"""Instruction retrieval: nDCG, MAP, MRR, precision, recall and hit rate at every k (main: nDCG@5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .ranking import DEFAULT_K, ranking_scores

MAIN_SCORE = "ndcg_at_5"


def instruction_retrieval_scores(
    predictions: Sequence[Any],
    references: Sequence[Any],
    k: Sequence[int] = DEFAULT_K,
    ties: str = "id",
    per_query: bool = False,
    *,
    n_bootstrap: int = 0,
    seed: int = 42,
    confidence: float = 0.95,
) -> dict[str, Any]:
    """Score ranked documents against relevance judgments.

    Args:
        predictions: one ranked list per query: (id, score) pairs, ``{"id", "score"}`` rows, or a dict of id
            to score, in any order; ids are strings, higher scores are better. How the
            instruction joined the query is the encoder's business, not the metric's.
        references: per query its judgments in the same three forms; the score is a whole relevance from 0.
        k: cut-offs.
        ties: ``"id"``: equal scores by id ascending; ``"trec"``: as trec_eval (float32, id descending).
        per_query: also return ``per_query``: per measure one value per query, None where it is skipped.
        n_bootstrap: resamples of the queries for percentile intervals; 0 for none.
        seed: seed of the resampling.
        confidence: coverage of the intervals.

    Returns:
        ``ndcg_at_k``, ``map_at_k``, ``mrr_at_k``, ``precision_at_k``, ``recall_at_k``, ``hit_rate_at_k`` for
        every k, fractions in [0, 1]; ``num_queries`` and ``num_queries_skipped`` (no relevant document); with
        resampling ``<name>_low`` and ``<name>_high``. A caller with arrays can use ``ranking.rank_measures``.

    Raises:
        ValueError: numbers of queries differ or are 0, a bad or repeated id, NaN or infinity, a relevance
            that is negative or not whole, a bad k or ties, or no query has a relevant document.

    Source:
        SEA-BED section 3.2 (nDCG@5); formulas in ``ranking.rank_measures``.

    >>> hits = [[("d1", 0.9), ("d2", 0.8), ("d3", 0.1)]]
    >>> scores = instruction_retrieval_scores(hits, [{"d2": 1}], k=[5])
    >>> scores["mrr_at_5"], round(scores["ndcg_at_5"], 4)
    (0.5, 0.6309)
    """
    return ranking_scores(
        predictions,
        references,
        k,
        ties,
        per_query=per_query,
        n_bootstrap=n_bootstrap,
        seed=seed,
        confidence=confidence,
    )
