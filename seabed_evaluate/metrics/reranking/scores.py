"""Reranking: MAP (main), MRR@10 and nDCG@10 of candidate lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .inputs import integers, numbers, same_length
from .ranking import mean_scores, rank_measures, to_rows

MAIN_SCORE = "map"


def reranking_scores(
    predictions: Sequence[Any],
    references: Sequence[Any],
    *,
    per_query: bool = False,
    n_bootstrap: int = 0,
    seed: int = 42,
    confidence: float = 0.95,
) -> dict[str, Any]:
    """Score candidate lists that are ordered anew by score.

    Candidates have no ids, and data sets often store the relevant ones first, so a tie broken by position
    would favour a model that tells nothing apart. Equal scores are therefore ordered against the model: for
    MRR and nDCG the less relevant candidate comes first, and for MAP equal scores share one threshold, as in
    scikit-learn's average precision. No score depends on the order of the candidates.

    Args:
        predictions: per query one score per candidate, higher is better; lists or arrays (two-dimensional
            arrays are fine), shape (queries, candidates of that query).
        references: per query one whole relevance from 0 per candidate, same shape.
        per_query: also return ``per_query``: per measure one value per query, None where it is skipped.
        n_bootstrap: resamples of the queries for percentile intervals; 0 for none.
        seed: seed of the resampling.
        confidence: coverage of the intervals.

    Returns:
        ``map``, ``mrr_at_10``, ``ndcg_at_10`` (linear gain), fractions in [0, 1]; ``num_queries`` and
        ``num_queries_skipped`` (all candidates relevant, or none); with resampling ``<name>_low`` and
        ``<name>_high``.

    Raises:
        ValueError: numbers of queries or candidates differ or there is no query, NaN or infinity, a
            relevance that is negative or not whole, or every query is skipped.

    Source:
        SEA-BED section 3.2; queries without both kinds of candidates are dropped as in the benchmark's
        released evaluator.

    >>> reranking_scores([[0.2, 0.9, 0.4]], [[1, 0, 0]])["map"]
    0.3333333333333333
    """
    n_queries = same_length(predictions, references)
    score_rows, grade_rows = [], []
    for index in range(n_queries):
        score_rows.append(numbers(predictions[index], f"predictions[{index}]"))
        grade_rows.append(integers(references[index], f"references[{index}]", 0))
        if len(score_rows[-1]) != len(grade_rows[-1]):
            raise ValueError(
                f"query {index} has {len(score_rows[-1])} predictions but {len(grade_rows[-1])} references"
            )
    scores, grades = np.concatenate(score_rows), np.concatenate(grade_rows).astype(np.float64)
    query = np.repeat(np.arange(n_queries), [len(row) for row in score_rows])
    order = np.lexsort((grades, -scores, query))
    gains = to_rows(query, grades[order], n_queries)
    ideal = to_rows(query, grades[np.lexsort((-grades, query))], n_queries)
    measures = rank_measures(gains, ideal, [10])

    # Average precision with one threshold per distinct score: precision is read at the last of equal scores.
    ranked, hit = scores[order], grades[order] > 0
    last = np.append((ranked[1:] != ranked[:-1]) | (query[1:] != query[:-1]), True)[: len(query)]
    ends = np.flatnonzero(last)
    end = ends[np.cumsum(last) - last] if len(ends) else ends
    before = np.concatenate([[0], np.cumsum(hit)])  # hits among the first i of all candidates
    start = np.searchsorted(query, query)
    precision = (before[end + 1] - before[start]) / (end + 1 - start)
    relevant, size = (ideal > 0).sum(axis=1), np.array([len(row) for row in score_rows])
    summed = np.bincount(query, weights=precision * hit, minlength=n_queries)
    average = np.divide(summed, relevant, out=np.full(n_queries, np.nan), where=relevant > 0)
    return mean_scores(
        {"map": average, "mrr_at_10": measures["mrr_at_10"], "ndcg_at_10": measures["ndcg_at_10"]},
        (relevant > 0) & (relevant < size),
        per_query=per_query,
        n_bootstrap=n_bootstrap,
        seed=seed,
        confidence=confidence,
    )
