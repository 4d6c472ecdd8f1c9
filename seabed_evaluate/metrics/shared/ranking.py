"""Ranking defined once: order, ties, cut-offs, and the six rank measures.

Order: score descending; equal scores by document id ascending, compared as plain strings (code point order).
Measures work on gains in rank order, so a caller that already has arrays can start at ``rank_measures``. Only
what is relevant is ever laid out, so memory follows the number of hits and judgments, not the longest list.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.inputs import (
    EXACT,
    AnyArray,
    FloatArray,
    IntArray,
    flag,
    integers,
    numbers,
    rows_of,
    same_length,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

DEFAULT_K = (1, 3, 5, 10, 100)
TIES = ("id", "trec")
NUMBERS = {float, int, bool, np.float64, np.float32, np.int64, np.int32}  # array("d") takes them as they are
NO_QUERY = "no query can be scored: each lacks a relevant document or, in reranking, one that is not"


class Gains(NamedTuple):
    """The relevant documents of all queries, by query and within it by rank.

    ``query``: number of the query; ``rank``: from 1; ``gain``: relevance, above 0; each of shape (n,).
    """

    query: IntArray
    rank: IntArray
    gain: FloatArray


def cut_offs(k: int | Iterable[int]) -> list[int]:
    """Check the cut-offs asked for.

    Args:
        k: one whole number from 1, or several.

    Returns:
        The distinct cut-offs in ascending order.

    Raises:
        ValueError: none given, or one is not a whole number from 1.

    >>> cut_offs(10), cut_offs([5, 1, 5])
    ([10], [1, 5])
    """
    if isinstance(k, str | bytes | Mapping):
        raise ValueError(f"k must be a whole number or a list of them; found {k!r}")
    given = list(k) if isinstance(k, Iterable) and getattr(k, "shape", None) != () else [k]
    result = sorted(set(integers(given, "k", 1).tolist()))
    if not result:
        raise ValueError("k is empty: give at least one cut-off")
    return result


def rank_measures(
    gains: FloatArray, ideal: FloatArray, k: int | Sequence[int] = DEFAULT_K
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
    return measures(_relevant(gains), _relevant(ideal), len(gains), cut_offs(k))


def _relevant(table: FloatArray) -> Gains:
    query, column = np.nonzero(table > 0)
    return Gains(query, column + 1, table[query, column].astype(np.float64))


def measures(found: Gains, ideal: Gains, n_queries: int, cuts: Sequence[int]) -> dict[str, FloatArray]:
    """Compute every rank measure at every cut-off; see ``rank_measures`` for the formulas.

    Args:
        found: the relevant documents that were ranked, at their ranks.
        ideal: all relevant documents, at their ranks in the ideal order.
        n_queries: number of queries.
        cuts: cut-offs, ascending.

    Returns:
        The measures by name, each of shape (queries,), NaN for a query without relevant documents.
    """
    limits = np.asarray(cuts)
    columns = len(cuts) + 1  # the last one takes what lies beyond the largest cut-off

    def sums(gains: Gains, values: FloatArray | None) -> FloatArray:
        """Sum over the first k ranks for every k, shape (queries, cuts)."""
        cell = gains.query * columns + np.searchsorted(limits, gains.rank)
        table = np.bincount(cell, values, minlength=n_queries * columns).reshape(n_queries, columns)
        summed: FloatArray = np.cumsum(table[:, :-1], axis=1, dtype=np.float64)
        return summed

    relevant = np.bincount(ideal.query, minlength=n_queries).astype(np.float64)
    relevant[relevant == 0] = np.nan
    first = np.ones(n_queries)
    nth = ranks(found.query)  # among the relevant documents of the query
    first[found.query[nth == 1]] = found.rank[nth == 1]
    hits, precisions = sums(found, None), sums(found, nth / found.rank)
    dcg = sums(found, found.gain / np.log2(found.rank + 1))
    best = sums(ideal, ideal.gain / np.log2(ideal.rank + 1))
    result: dict[str, FloatArray] = {}
    defined = relevant * 0 + 1  # NaN where nothing is relevant, else 1
    for column, cut in enumerate(cuts):
        hit = (hits[:, column] > 0) * defined
        result[f"ndcg_at_{cut}"] = np.divide(
            dcg[:, column], best[:, column], out=np.full(n_queries, np.nan), where=best[:, column] > 0
        )
        result[f"map_at_{cut}"] = precisions[:, column] / np.minimum(cut, relevant)
        result[f"mrr_at_{cut}"] = hit / first
        result[f"precision_at_{cut}"] = hits[:, column] / cut * defined
        result[f"recall_at_{cut}"] = hits[:, column] / relevant
        result[f"hit_rate_at_{cut}"] = hit
    return result


def best_first(query: IntArray, grades: FloatArray) -> Gains:
    """Put the relevant documents into the ideal order.

    Args:
        query: number of the query of each document, ascending, shape (n,).
        grades: relevance of each document, shape (n,).

    Returns:
        Those above 0, the most relevant first.
    """
    relevant = np.flatnonzero(grades > 0)
    query, grades = query[relevant], grades[relevant]
    order = np.lexsort((-grades, query))
    return Gains(query, ranks(query), grades[order])


def ranks(query: IntArray) -> IntArray:
    """Number the documents of each query from 1.

    Args:
        query: number of the query of each document, ascending, shape (n,).

    Returns:
        Whole numbers, shape (n,).
    """
    first = np.flatnonzero(np.diff(query, prepend=-1))
    return np.arange(1, len(query) + 1) - np.repeat(first, np.diff(first, append=len(query)))


def _columns(entry: Any, where: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Split one query's hits or judgments into ids and values, and check the ids."""
    try:
        if isinstance(entry, Mapping):
            ids, values = tuple(entry), tuple(entry.values())
        elif len(entry) == 0:
            return (), ()
        elif isinstance(next(iter(entry)), Mapping):
            ids, values = tuple(hit["id"] for hit in entry), tuple(hit["score"] for hit in entry)
        else:
            ids, values = zip(*entry, strict=True)
    except (KeyError, TypeError, ValueError):
        shown = "" if hasattr(entry, "__len__") else f", found {entry!r}"
        raise ValueError(
            f"{where} must hold (id, score) pairs or {{'id': ..., 'score': ...}} rows{shown}"
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


def _append(flat: array[float], values: tuple[Any, ...], where: str) -> None:
    try:
        flat.extend(values if NUMBERS.issuperset(map(type, values)) else numbers(values, where).tolist())
    except OverflowError:
        numbers(values, where)
        raise


def _checked(flat: array[float], rows: list[Any], name: str, grades: bool) -> FloatArray:
    """All values in one array; where one is wrong, the error names its query and place."""
    values = np.array(flat)
    wrong = ~(np.abs(values) < EXACT)  # NaN, infinite, or large enough to have been rounded
    if grades:
        wrong |= (values < 0) | (values != np.floor(values))
    if wrong.any():
        for index, row in enumerate(rows):
            where, column = f"{name}[{index}]", _columns(row, "")[1]
            numbers(column, where)
            if grades:
                integers(column, where, 0)
    return values


def ranked_gains(
    predictions: Sequence[Any], references: Sequence[Any], ties: str = "id"
) -> tuple[Gains, Gains, int]:
    """Rank hits and look up their relevance.

    Args:
        predictions: per query its hits in any order: (id, score) pairs, ``{"id", "score"}`` rows, or a dict
            of id to score. An empty ranking finds nothing.
        references: per query its judgments, in the same three forms, the score a relevance from 0. A document
            ranked but not judged is not relevant; one judged but not ranked is missed.
        ties: ``"id"``, equal scores by id ascending; ``"trec"``, as trec_eval orders them: scores cut to
            float32, equal ones by id descending.

    Returns:
        The relevant hits at their ranks, all relevant documents in the ideal order, and the number of queries.

    Raises:
        ValueError: numbers of queries differ or are 0, an id is not a string or is repeated within a query, a
            score is NaN or infinite, a relevance is negative or not whole, or ``ties`` is unknown.
    """
    if not isinstance(ties, str) or ties not in TIES:
        raise ValueError(f"ties must be one of {', '.join(TIES)}; found {ties!r}")
    runs, truths = rows_of(predictions, "predictions"), rows_of(references, "references")
    n_queries = same_length(runs, truths)
    flat_scores, flat_grades = array("d"), array("d")
    names: list[str] = []
    found: list[int] = []  # where among all hits a judged document stands, and its place among all judgments
    found_grade: list[int] = []
    n_hits: list[int] = []
    n_judged: list[int] = []
    for index, (hits, judgments) in enumerate(zip(runs, truths, strict=True)):
        ids, values = _columns(hits, f"predictions[{index}]")
        judged_ids, grades = _columns(judgments, f"references[{index}]")
        place = dict(zip(ids, range(len(names), len(names) + len(ids)), strict=True))
        if len(place) != len(ids) or len(set(judged_ids)) != len(judged_ids):
            _name_repeated(ids, f"predictions[{index}]")
            _name_repeated(judged_ids, f"references[{index}]")
        for number, name in enumerate(judged_ids, len(flat_grades)):
            if name in place:
                found.append(place[name])
                found_grade.append(number)
        _append(flat_scores, values, f"predictions[{index}]")
        _append(flat_grades, grades, f"references[{index}]")
        names.extend(ids)
        n_hits.append(len(ids))
        n_judged.append(len(judged_ids))
    scores = _checked(flat_scores, runs, "predictions", grades=False)
    judged = _checked(flat_grades, truths, "references", grades=True)
    if ties == "trec":
        with np.errstate(over="ignore"):  # beyond float32 every score is equally infinite there
            scores = scores.astype(np.float32)
    gains = np.zeros(len(scores))
    gains[found] = judged[found_grade]
    ends = np.cumsum(n_hits, dtype=np.int64)
    order = _order(scores, gains, ends)
    _settle_ties(order, scores, gains, ends, names, ties)
    placed = np.flatnonzero(gains[order])
    query = np.searchsorted(ends, placed, side="right")
    rank = placed - np.append(0, ends)[query] + 1
    ideal = best_first(np.repeat(np.arange(n_queries), n_judged), judged)
    return Gains(query, rank, gains[order[placed]]), ideal, n_queries


def _order(scores: FloatArray, gains: FloatArray, ends: IntArray) -> IntArray:
    """Positions of the hits by score descending inside each query; equal scores in any order.

    Queries without a relevant hit stay as they are: nothing depends on their order.
    """
    order = np.arange(len(scores))
    rising = np.append(False, scores[1:] > scores[:-1])[: len(scores)]
    rising[ends[ends < len(scores)]] = False  # the first hit of a query follows none
    unordered = np.searchsorted(ends, np.flatnonzero(rising), side="right")
    relevant = np.searchsorted(ends, np.flatnonzero(gains), side="right")
    queries = np.intersect1d(unordered, relevant)
    starts = np.append(0, ends)[queries]
    lengths = ends[queries] - starts
    for length in np.unique(lengths).tolist():  # all rankings of one length at once
        places = starts[lengths == length, None] + np.arange(length)
        order[places] = np.take_along_axis(places, np.argsort(-scores[places], axis=1), axis=1)
    return order


def _settle_ties(
    order: IntArray, scores: FloatArray, gains: FloatArray, ends: IntArray, names: list[str], ties: str
) -> None:
    """Order equal scores by id, in place, where a relevant document is among them: nowhere else does it matter."""
    ranked = scores[order]
    new = np.append(True, ranked[1:] != ranked[:-1]) if len(ranked) else np.zeros(0, dtype=bool)
    new[ends[ends < len(new)]] = True
    firsts = np.append(np.flatnonzero(new), len(ranked))
    runs = np.unique(np.searchsorted(firsts, np.flatnonzero(gains[order]), side="right"))
    begins, stops = firsts[runs - 1], firsts[runs]
    tied = stops - begins > 1
    for begin, stop in zip(begins[tied].tolist(), stops[tied].tolist(), strict=True):
        order[begin:stop] = sorted(order[begin:stop].tolist(), key=names.__getitem__, reverse=ties == "trec")


def mean_scores(
    values: Mapping[str, FloatArray],
    scored: AnyArray,
    per_query: bool,
    **resampling: Unpack[Resampling],
) -> dict[str, Any]:
    """Average per-query values over the queries that can be scored.

    Args:
        values: per measure one value per query, shape (queries,).
        scored: which queries count, boolean, shape (queries,).
        per_query: also return ``per_query``: per measure a list with None for a query that does not count.
        **resampling: of the queries that count; see ``bootstrap.Resampling``.

    Returns:
        Every mean, with ``num_queries`` (averaged over) and ``num_queries_skipped``.

    Raises:
        ValueError: no query counts.
    """
    per_query = flag(per_query, "per_query")
    n_scored = int(np.sum(scored))
    if n_scored == 0:
        raise ValueError(NO_QUERY)
    table = np.stack([value[scored] for value in values.values()], axis=1)

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        return dict(zip(values, (weights @ table / n_scored).T, strict=True))

    result = scores_with_intervals(statistics, n_scored, **resampling)
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
    k: int | Sequence[int] = DEFAULT_K,
    ties: str = "id",
    per_query: bool = False,
    **resampling: Unpack[Resampling],
) -> dict[str, Any]:
    """Score ranked documents against relevance judgments: the metrics retrieval and instruction_retrieval.

    Args:
        predictions: one ranked list per query: (id, score) pairs, ``{"id", "score"}`` rows, or a dict of id
            to score, in any order; ids are strings, higher scores are better.
        references: per query its judgments in the same three forms; the score is a whole relevance from 0.
        k: one cut-off or several.
        ties: ``"id"``: equal scores by id ascending; ``"trec"``: as trec_eval (float32, id descending).
        per_query: also return ``per_query``: per measure one value per query, None where it is skipped.
        **resampling: of the queries; see ``bootstrap.Resampling``.

    Returns:
        ``ndcg_at_k``, ``map_at_k``, ``mrr_at_k``, ``precision_at_k``, ``recall_at_k``, ``hit_rate_at_k`` for
        every k, fractions in [0, 1]; ``num_queries`` and ``num_queries_skipped`` (no relevant document).

    Raises:
        ValueError: numbers of queries differ or are 0, a bad or repeated id, NaN or infinity, a relevance
            that is negative or not whole, an option that is out of range or of a wrong type, or no query has a
            relevant document.

    Source:
        SEA-BED section 3.2 (nDCG@10, and nDCG@5 with instructions); formulas in ``rank_measures``.

    >>> hits = [[("d1", 0.9), ("d2", 0.8), ("d3", 0.1)]]
    >>> scores = ranking_scores(hits, [{"d2": 1}], k=10)
    >>> scores["mrr_at_10"], round(scores["ndcg_at_10"], 4)
    (0.5, 0.6309)
    """
    cuts = cut_offs(k)
    found, ideal, n_queries = ranked_gains(predictions, references, ties)
    scored = np.bincount(ideal.query, minlength=n_queries) > 0
    return mean_scores(measures(found, ideal, n_queries, cuts), scored, per_query, **resampling)
