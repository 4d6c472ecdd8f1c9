"""Ranking defined once: order, ties, cut-offs, and the six rank measures.

Order: score descending; equal scores by document id ascending, compared as plain strings (code point order).
Measures work on gains in rank order, so a caller that already has arrays can start at ``rank_measures``.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .bootstrap import FloatArray, scores_with_intervals
from .inputs import IntArray, integers, numbers, same_length

DEFAULT_K = (1, 3, 5, 10, 100)
TIES = ("id", "trec")


def cut_offs(k: Sequence[int]) -> list[int]:
    """Check the cut-offs asked for.

    Args:
        k: whole numbers from 1.

    Returns:
        The distinct cut-offs in ascending order.

    Raises:
        ValueError: none given, or one is not a whole number from 1.
    """
    result = sorted(set(integers(list(k), "k", 1).tolist()))
    if not result:
        raise ValueError("k is empty: give at least one cut-off")
    return result


def _column_sums(values: FloatArray, cuts: Sequence[int]) -> FloatArray:
    """Sum the first k columns for every k, shape (n, depth) to (n, cuts)."""
    if values.shape[1] == 0:
        return np.zeros((len(values), len(cuts)))
    return np.cumsum(values, axis=1)[:, [min(cut, values.shape[1]) - 1 for cut in cuts]]


def rank_measures(
    gains: FloatArray, ideal: FloatArray, k: Sequence[int] = DEFAULT_K
) -> dict[str, FloatArray]:
    """Compute every rank measure at every cut-off from gains in rank order.

    Args:
        gains: relevance of the document at each rank, best rank first, shape (queries, depth); pad with 0.
            Depth should reach max(k) or the end of every ranking.
        ideal: all relevance judgments of each query in descending order, ranked or not, shape
            (queries, most judgments); pad with 0.
        k: cut-offs.

    Returns:
        ``ndcg_at_k``, ``map_at_k``, ``mrr_at_k``, ``precision_at_k``, ``recall_at_k``, ``hit_rate_at_k``,
        each of shape (queries,). A document is relevant when its relevance is above 0. NaN for a query
        without relevant documents.

    Source:
        nDCG with linear gain: sum of rel_r / log2(r + 1) over the first k ranks, divided by the same sum for
        the ideal order (Jarvelin and Kekalainen 2002; trec_eval's ndcg_cut). MAP: precision at each relevant
        rank up to k, summed, over min(k, relevant documents), as in the benchmark's released evaluator;
        trec_eval's map_cut divides by all relevant documents. Precision divides by k, however short the
        ranking.

    >>> import numpy as np
    >>> scores = rank_measures(np.array([[0.0, 2.0]]), np.array([[2.0]]), k=[1, 2])
    >>> float(scores["mrr_at_2"][0]), round(float(scores["ndcg_at_2"][0]), 4)
    (0.5, 0.6309)
    """
    cuts = cut_offs(k)
    gains, ideal = gains[:, : cuts[-1]], ideal.astype(np.float64)
    hits = (gains > 0).astype(np.float64)
    relevant = (ideal > 0).sum(axis=1).astype(np.float64)
    relevant[relevant == 0] = np.nan
    ranks = np.arange(1, max(gains.shape[1], ideal.shape[1]) + 1)
    discount = 1 / np.log2(ranks + 1)
    found = _column_sums(hits, cuts)
    dcg = _column_sums(gains * discount[: gains.shape[1]], cuts)
    best = _column_sums(ideal * discount[: ideal.shape[1]], cuts)
    precisions = _column_sums(hits * np.cumsum(hits, axis=1) / ranks[: gains.shape[1]], cuts)
    first = np.argmax(hits, axis=1) + 1.0 if gains.shape[1] else np.ones(len(gains))
    result: dict[str, FloatArray] = {}
    defined = relevant * 0 + 1  # NaN where nothing is relevant, else 1
    for column, cut in enumerate(cuts):
        hit = (found[:, column] > 0) * defined
        result[f"ndcg_at_{cut}"] = np.divide(
            dcg[:, column], best[:, column], out=np.full(len(gains), np.nan), where=best[:, column] > 0
        )
        result[f"map_at_{cut}"] = precisions[:, column] / np.minimum(cut, relevant)
        result[f"mrr_at_{cut}"] = hit / first
        result[f"precision_at_{cut}"] = found[:, column] / cut * defined
        result[f"recall_at_{cut}"] = found[:, column] / relevant
        result[f"hit_rate_at_{cut}"] = hit
    return result


def to_rows(query: IntArray, values: FloatArray, n_queries: int, depth: int | None = None) -> FloatArray:
    """Lay flat values out as one row per query, padded with 0.

    Args:
        query: query number of each value, ascending, shape (n,).
        values: the values, in the order wanted inside each row, shape (n,).
        n_queries: number of rows.
        depth: keep at most this many values per row; None keeps all.

    Returns:
        Array of shape (n_queries, longest row kept).
    """
    length = np.bincount(query, minlength=n_queries)
    column = np.arange(len(query)) - np.repeat(np.cumsum(length) - length, length)
    width = int(length.max(initial=0))
    if depth is not None and depth < width:
        width, kept = depth, column < depth
        query, column, values = query[kept], column[kept], values[kept]
    rows = np.zeros((n_queries, width))
    rows[query, column] = values
    return rows


def _columns(entry: Any, where: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Split one query's hits or judgments into ids and values, and check the ids."""
    if isinstance(entry, Mapping):
        ids, values = tuple(entry), tuple(entry.values())
    elif len(entry) == 0:
        return (), ()
    else:
        try:
            if isinstance(entry[0], Mapping):
                ids, values = tuple(hit["id"] for hit in entry), tuple(hit["score"] for hit in entry)
            else:
                ids, values = zip(*entry, strict=True)
        except (KeyError, TypeError, ValueError):
            raise ValueError(
                f"{where} must hold (id, score) pairs or {{'id': ..., 'score': ...}} rows"
            ) from None
    try:
        "".join(ids)  # the quickest look at the type of every id
    except TypeError:
        index = next(i for i, name in enumerate(ids) if not isinstance(name, str))
        raise ValueError(f"{where}[{index}] has id {ids[index]!r}: document ids are strings") from None
    return ids, values


def _name_repeated(ids: tuple[str, ...], where: str) -> None:
    """Refuse the first id that is there twice, if any is."""
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise ValueError(f"{where} holds document id {name!r} more than once")
        seen.add(name)


def _flat(values: Any, lengths: list[int], name: str, check: Callable[[Any, str], Any]) -> FloatArray:
    """Check all queries' values in one pass; on failure again one by one, so the message names the query."""
    try:
        return np.asarray(check(values, name), dtype=np.float64)
    except ValueError:
        end = 0
        for index, length in enumerate(lengths):
            start, end = end, end + length
            check(values[start:end], f"{name}[{index}]")
        raise


def _order(scores: FloatArray, query: IntArray, predictions: Sequence[Any], ties: str) -> IntArray | None:
    """Positions of the hits in rank order inside each query; None where they are in that order already."""
    same_query = query[1:] == query[:-1]
    unordered = same_query & (scores[1:] >= scores[:-1])
    if not unordered.any():
        return None
    order = np.arange(len(scores))
    start = np.searchsorted(query, np.arange(len(predictions) + 1)).tolist()
    for number in np.flatnonzero(np.bincount(query[1:][unordered])).tolist():
        first, end = start[number], start[number + 1]
        order[first:end] = first + np.argsort(-scores[first:end], kind="stable")
    in_order = scores[order]
    tied = same_query & (in_order[1:] == in_order[:-1])
    for number in np.flatnonzero(np.bincount(query[1:][tied])).tolist():
        first, end = start[number], start[number + 1]
        names = _columns(predictions[number], "")[0]
        # Ids first, then a stable sort by score, so equal scores keep the order of their ids.
        by_id = np.array(sorted(range(end - first), key=names.__getitem__, reverse=ties == "trec")) + first
        order[first:end] = by_id[np.argsort(-scores[by_id], kind="stable")]
    return order


def rank_rows(
    predictions: Sequence[Any], references: Sequence[Any], depth: int, ties: str = "id"
) -> tuple[FloatArray, FloatArray]:
    """Rank hits, look up their relevance, and lay both out in arrays.

    Args:
        predictions: per query its hits in any order: (id, score) pairs, ``{"id", "score"}`` rows, or a dict
            of id to score. An empty ranking finds nothing.
        references: per query its judgments, in the same three forms, the score a relevance from 0. A document
            ranked but not judged is not relevant; one judged but not ranked is missed.
        depth: keep this many ranks.
        ties: ``"id"``, equal scores by id ascending; ``"trec"``, as trec_eval orders them: scores cut to
            float32, equal ones by id descending.

    Returns:
        ``gains`` (queries, at most depth) and ``ideal`` (queries, most judgments) for ``rank_measures``.

    Raises:
        ValueError: numbers of queries differ or are 0, an id is not a string or is repeated within a query, a
            score is NaN or infinite, a relevance is negative or not whole, or ``ties`` is unknown.
    """
    if ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}; found {ties!r}")
    n_queries = same_length(predictions, references)
    all_scores, all_grades = array("d"), array("d")
    found: list[int] = []  # where among all hits a judged document stands, and its place among all judgments
    found_grade: list[int] = []
    n_hits: list[int] = []
    n_judged: list[int] = []
    for index, (hits, judgments) in enumerate(zip(predictions, references, strict=True)):
        ids, values = _columns(hits, f"predictions[{index}]")
        judged_ids, grades = _columns(judgments, f"references[{index}]")
        place = dict(zip(ids, range(len(ids)), strict=True))
        if len(place) != len(ids) or len(set(judged_ids)) != len(judged_ids):
            _name_repeated(ids, f"predictions[{index}]")
            _name_repeated(judged_ids, f"references[{index}]")
        for number, name in enumerate(judged_ids, len(all_grades)):
            if name in place:
                found.append(len(all_scores) + place[name])
                found_grade.append(number)
        try:
            all_scores.extend(values)
            all_grades.extend(grades)
        except TypeError:
            numbers(values, f"predictions[{index}]")
            numbers(grades, f"references[{index}]")
            raise
        n_hits.append(len(ids))
        n_judged.append(len(judged_ids))
    scores = _flat(all_scores, n_hits, "predictions", numbers)
    grades_of = _flat(all_grades, n_judged, "references", lambda grades, name: integers(grades, name, 0))
    if ties == "trec":
        with np.errstate(over="ignore"):  # beyond float32 every score is equally infinite there
            scores = scores.astype(np.float32).astype(np.float64)
    query = np.repeat(np.arange(n_queries), n_hits)
    gains = np.zeros(len(scores))
    gains[found] = grades_of[found_grade]
    order = _order(scores, query, predictions, ties)
    rows = to_rows(query, gains if order is None else gains[order], n_queries, depth)
    query_of = np.repeat(np.arange(n_queries), n_judged)
    best_first = np.lexsort((-grades_of, query_of))
    return rows, to_rows(query_of, grades_of[best_first], n_queries)


def mean_scores(
    values: Mapping[str, FloatArray],
    scored: Any,
    *,
    per_query: bool,
    n_bootstrap: int,
    seed: int,
    confidence: float,
) -> dict[str, Any]:
    """Average per-query values over the queries that can be scored.

    Args:
        values: per measure one value per query, shape (queries,).
        scored: which queries count, boolean, shape (queries,).
        per_query: also return ``per_query``: per measure a list with None for a query that does not count.
        n_bootstrap: resamples of the queries that count; 0 for none.
        seed: seed of the resampling.
        confidence: coverage of the intervals.

    Returns:
        Every mean, with ``num_queries`` (averaged over) and ``num_queries_skipped``.

    Raises:
        ValueError: no query counts.
    """
    n_scored = int(np.sum(scored))
    if n_scored == 0:
        raise ValueError(
            "no query can be scored: each lacks a relevant document or, in reranking, one that is not"
        )
    table = np.stack([value[scored] for value in values.values()], axis=1)

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        return dict(zip(values, (weights @ table / n_scored).T, strict=True))

    result = scores_with_intervals(statistics, n_scored, n_bootstrap, seed, confidence)
    result["num_queries"], result["num_queries_skipped"] = n_scored, len(scored) - n_scored
    if per_query:
        result["per_query"] = {
            name: [v if keep else None for v, keep in zip(value.tolist(), scored, strict=True)]
            for name, value in values.items()
        }
    return result


def ranking_scores(
    predictions: Sequence[Any],
    references: Sequence[Any],
    k: Sequence[int] = DEFAULT_K,
    ties: str = "id",
    *,
    per_query: bool = False,
    n_bootstrap: int = 0,
    seed: int = 42,
    confidence: float = 0.95,
) -> dict[str, Any]:
    """Score ranked lists: ``rank_rows``, then ``rank_measures``, then the mean over queries.

    Args:
        predictions: per query its hits; see ``rank_rows``.
        references: per query its judgments; see ``rank_rows``.
        k: cut-offs.
        ties: ``"id"`` or ``"trec"``.
        per_query: also return the value of every query.
        n_bootstrap: resamples of the queries for percentile intervals; 0 for none.
        seed: seed of the resampling.
        confidence: coverage of the intervals.

    Returns:
        Mean of each measure, ``num_queries`` and ``num_queries_skipped`` (queries with nothing relevant).

    Raises:
        ValueError: as ``rank_rows`` and ``cut_offs``; or no query has a relevant document.
    """
    cuts = cut_offs(k)
    gains, ideal = rank_rows(predictions, references, cuts[-1], ties)
    return mean_scores(
        rank_measures(gains, ideal, cuts),
        (ideal > 0).any(axis=1),
        per_query=per_query,
        n_bootstrap=n_bootstrap,
        seed=seed,
        confidence=confidence,
    )
