"""Reranking: MAP (main), MRR@10 and nDCG@10 of candidate lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from seabed_evaluate.metrics.shared.bootstrap import Resampling
from seabed_evaluate.metrics.shared.inputs import integers, nested, numbers, rows_of, same_length
from seabed_evaluate.metrics.shared.ranking import Gains, best_first, mean_scores, measures, ranks

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAIN_SCORE = "map"


def reranking_scores(
    predictions: Sequence[Any],
    references: Sequence[Any],
    *,
    per_query: bool = False,
    **resampling: Unpack[Resampling],
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
        **resampling: of the queries; see ``bootstrap.Resampling``.

    Returns:
        ``map``, ``mrr_at_10``, ``ndcg_at_10`` (linear gain), fractions in [0, 1]; ``num_queries`` and
        ``num_queries_skipped`` (all candidates relevant, or none).

    Raises:
        ValueError: numbers of queries or candidates differ or there is no query, NaN or infinity, a
            relevance that is negative or not whole, or every query is skipped.

    Source:
        SEA-BED section 3.2; queries without both kinds of candidates are dropped as in the benchmark's
        released evaluator.

    >>> reranking_scores([[0.2, 0.9, 0.4]], [[1, 0, 0]])["map"]
    0.3333333333333333
    """
    score_rows, grade_rows = rows_of(predictions, "predictions"), rows_of(references, "references")
    n_queries = same_length(score_rows, grade_rows)
    scores, size = nested(score_rows, "predictions", numbers)
    whole, n_grades = nested(grade_rows, "references", lambda row, name: integers(row, name, 0))
    if (size != n_grades).any():
        index = int(np.argmax(size != n_grades))
        raise ValueError(f"query {index} has {size[index]} predictions but {n_grades[index]} references")
    query, grades = np.repeat(np.arange(n_queries), size), whole.astype(np.float64)
    order = np.lexsort((grades, -scores, query))
    gains, rank = grades[order], ranks(query)
    hit = gains > 0
    found, ideal = Gains(query[hit], rank[hit], gains[hit]), best_first(query, grades)
    values = measures(found, ideal, n_queries, [10])

    # Average precision with one threshold per distinct score: precision is read at the last of equal scores.
    ranked = scores[order]
    last = np.append((ranked[1:] != ranked[:-1]) | (query[1:] != query[:-1]), True)[: len(query)]
    end = np.flatnonzero(last)[np.cumsum(last) - last] if len(query) else order
    before = np.concatenate([[0], np.cumsum(hit)])  # hits among the first i of all candidates
    start = np.arange(len(query)) - rank + 1
    precision = (before[end + 1] - before[start]) / (end + 1 - start)
    relevant = np.bincount(ideal.query, minlength=n_queries)
    summed = np.bincount(query, weights=precision * hit, minlength=n_queries)
    average = np.divide(summed, relevant, out=np.full(n_queries, np.nan), where=relevant > 0)
    return mean_scores(
        {"map": average, "mrr_at_10": values["mrr_at_10"], "ndcg_at_10": values["ndcg_at_10"]},
        (relevant > 0) & (relevant < size),
        per_query,
        **resampling,
    )
