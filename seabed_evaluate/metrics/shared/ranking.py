"""Ranking defined once: order, ties, cut-offs, and the six rank measures.

Order: score descending; equal scores by document id ascending, compared as plain strings (code point order).
Measures work on gains in rank order, so a caller that already has arrays can start at ``rank_measures``. Only
what is relevant is ever laid out, so memory follows the number of hits and judgments, not the longest list.
"""

from __future__ import annotations

import reprlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.inputs import (
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
    if any(isinstance(cut, bool) for cut in given):
        raise ValueError(f"k must be a whole number or a list of them; found {k!r}")
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


def _by_id(entry: Any, where: str) -> dict[str, Any]:
    """One query's hits or judgments as a dict of id to value."""
    if isinstance(entry, Mapping):
        return dict(entry)
    try:
        len(entry)  # a generator would be empty at a second look
        pairs = list(entry)  # never as it is: a pandas column would pass as a mapping of its index
        if pairs and isinstance(pairs[0], Mapping):
            pairs = [(hit["id"], hit["score"]) for hit in pairs]
        found = dict(pairs)
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            f"{where} must hold (id, score) pairs or {{'id': ..., 'score': ...}} rows; found {reprlib.repr(entry)}"
        ) from None
    if len(found) != len(pairs):
        name = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"{where} holds document id {name!r} more than once")
    return found


def _check_ids(names: list[Any], lengths: Sequence[int], argument: str) -> None:
    if {str}.issuperset(map(type, names)):
        return
    for number, name in enumerate(names):
        if not isinstance(name, str):
            query = int(np.searchsorted(np.cumsum(lengths), number, side="right"))
            place = number - sum(lengths[:query])
            raise ValueError(f"{argument}[{query}][{place}] has id {name!r}: document ids are strings")


def _checked(
    values: list[Any], lengths: Sequence[int], argument: str, check: Callable[[Any, str], AnyArray]
) -> FloatArray:
    """Check the values of all queries at once; where one is wrong, again by query, so that the message names it."""
    try:
        found: FloatArray = check(values, argument).astype(np.float64)
        return found
    except ValueError:
        end = 0
        for query, length in enumerate(lengths):
            start, end = end, end + length
            check(values[start:end], f"{argument}[{query}]")
        raise


def _grades(values: Any, name: str) -> AnyArray:
    numbers(values, name)  # which also refuses what float64 cannot hold
    return integers(values, name, 0)


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
    names: list[str] = []  # of all hits, one query behind the other, and their scores; then of all judgments
    all_scores: list[Any] = []
    judged_names: list[str] = []
    all_grades: list[Any] = []
    n_hits: list[int] = []
    n_judged: list[int] = []
    found: list[int] = []  # the judgments whose document was ranked, and the score it got
    found_scores: list[Any] = []
    for index, (hits, judgments) in enumerate(zip(runs, truths, strict=True)):
        run = hits if type(hits) is dict else _by_id(hits, f"predictions[{index}]")
        truth = judgments if type(judgments) is dict else _by_id(judgments, f"references[{index}]")
        for number, name in enumerate(truth, len(judged_names)):
            if name in run:
                found.append(number)
                found_scores.append(run[name])
        names.extend(run)
        all_scores.extend(run.values())
        judged_names.extend(truth)
        all_grades.extend(truth.values())
        n_hits.append(len(run))
        n_judged.append(len(truth))
    _check_ids(names, n_hits, "predictions")
    _check_ids(judged_names, n_judged, "references")
    keys = -_checked(all_scores, n_hits, "predictions", numbers)  # the best score has the smallest key
    grades = _checked(all_grades, n_judged, "references", _grades)
    query_of = np.repeat(np.arange(n_queries), n_judged)
    place = np.array(found, dtype=np.int64)
    relevant = grades[place] > 0
    place, key = place[relevant], -numbers(found_scores, "predictions")[relevant]
    if ties == "trec":
        with np.errstate(over="ignore"):  # beyond float32 every score is equally infinite there
            keys, key = keys.astype(np.float32), key.astype(np.float32)
    ends = np.cumsum(n_hits, dtype=np.int64)
    query = query_of[place]
    rank = _ranks(keys, ends, key, query, [judged_names[i] for i in place.tolist()], names, ties)
    order = np.lexsort((rank, query))
    gains = Gains(query[order], rank[order], grades[place[order]])
    return gains, best_first(query_of, grades), n_queries


def _ranks(
    keys: AnyArray,
    ends: IntArray,
    key: AnyArray,
    query: IntArray,
    wanted: list[str],
    names: list[str],
    ties: str,
) -> IntArray:
    """Ranks of some hits, given by key and name, among all hits of their queries."""
    starts = np.append(0, ends)[query]
    ordered = _ordered(keys, ends, query)
    first, behind = (_bisect(ordered, starts, ends[query], key, right) for right in (False, True))
    rank: IntArray = first - starts + 1
    tied = np.flatnonzero(behind - first > 1)  # others share the score: the ids decide
    columns = (tied, first[tied], starts[tied], ends[query[tied]], key[tied])
    before: list[int] = []
    run: list[str] = []
    at = -1
    for number, place, start, end, shared in zip(*(column.tolist() for column in columns), strict=True):
        if at != place:
            at, hits = place, names[start:end]
            run = sorted([hits[i] for i in (keys[start:end] == shared).nonzero()[0].tolist()])
        below = bisect_left(run, wanted[number])
        before.append(below if ties == "id" else len(run) - 1 - below)
    rank[tied] += np.array(before, dtype=np.int64)
    return rank


def _ordered(keys: AnyArray, ends: IntArray, wanted: IntArray) -> AnyArray:
    """Sort the keys inside each query; queries that are not wanted may stay as they are."""
    falling = np.append(False, keys[1:] < keys[:-1])[: len(keys)]
    falling[ends[ends < len(keys)]] = False  # the first hit of a query follows none
    unordered = np.searchsorted(ends, np.flatnonzero(falling), side="right")
    queries = np.intersect1d(unordered, wanted)
    if not len(queries):
        return keys
    ordered: AnyArray = keys.copy()
    starts = np.append(0, ends)[queries]
    lengths = ends[queries] - starts
    for length in np.unique(lengths).tolist():  # all rankings of one length at once
        places = starts[lengths == length, None] + np.arange(length)
        ordered[places] = np.sort(keys[places], axis=1)
    return ordered


def _bisect(ordered: AnyArray, low: IntArray, high: IntArray, key: AnyArray, right: bool) -> IntArray:
    """Where each key would stand in its own part, from low to high, of the ordered values."""
    while (low < high).any():
        middle = np.minimum((low + high) // 2, len(ordered) - 1)
        value = ordered[middle]
        after = ((value <= key) if right else (value < key)) & (low < high)
        low, high = np.where(after, middle + 1, low), np.where(after | (low >= high), high, middle)
    return low


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
