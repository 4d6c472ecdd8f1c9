"""Cosine search with bounded memory and one rule for ties: the lower index first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from seabed_evaluate.encoders.batching import Vectors

if TYPE_CHECKING:
    import torch

# A block of scores is QUERY_BLOCK x CORPUS_BLOCK: small enough to stay near the processor, large enough for the
# matrix product to run at its full rate (measured with tests/benchmarks/search.py).
QUERY_BLOCK = 1024
CORPUS_BLOCK = 8192
# The product rounds differently in other blocks; so many more are kept than asked for, then scored one by one.
MARGIN = 8
GROUP = 128

Indices = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


def unit(vectors: Vectors) -> Vectors:
    """Scale vectors to unit length; a zero vector stays zero, so its cosine with anything is 0.

    Args:
        vectors: shape (n, dimension).

    Returns:
        float32 array of the same shape.
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)
    return scaled


def cosines(one: Vectors, two: Vectors) -> Scores:
    """Cosine of row i of one with row i of two.

    Args:
        one: shape (n, dimension).
        two: shape (n, dimension).

    Returns:
        float64 array of shape (n,).
    """
    result: Scores = np.einsum("ij,ij->i", unit(one), unit(two), dtype=np.float64)
    return result


def pair_similarities(one: Vectors, two: Vectors) -> dict[str, Scores]:
    """How alike row i of one and row i of two are, in four ways; higher is more alike.

    Args:
        one: shape (n, dimension).
        two: shape (n, dimension).

    Returns:
        `cosine`, `dot`, and minus the `euclidean` and `manhattan` distance: float64 arrays of shape (n,).

    >>> {name: float(s[0]) for name, s in pair_similarities(np.float32([[0, 3]]), np.float32([[4, 0]])).items()}
    {'cosine': 0.0, 'dot': 0.0, 'euclidean': -5.0, 'manhattan': -7.0}
    """
    n = len(one)
    found = {name: np.empty(n) for name in ("dot", "euclidean", "manhattan")}
    step = max(1, 2**22 // max(1, one.shape[1]))
    for rows in (slice(start, start + step) for start in range(0, n, step)):
        apart = np.abs(one[rows].astype(np.float64) - two[rows])
        found["dot"][rows] = np.einsum("ij,ij->i", one[rows], two[rows], dtype=np.float64)
        found["euclidean"][rows] = -np.sqrt((apart * apart).sum(axis=1))
        found["manhattan"][rows] = -apart.sum(axis=1)
    return {"cosine": cosines(one, two), **found}


def top_k(
    queries: Vectors, corpus: Vectors, k: int, *, corpus_block: int = CORPUS_BLOCK, device: str | None = None
) -> tuple[Indices, Scores]:
    """The k most similar corpus rows of every query.

    Args:
        queries: shape (q, dimension).
        corpus: shape (n, dimension).
        k: how many; at most n are returned.
        corpus_block: corpus rows scored at once; memory depends on it and not on n.
        device: where, e.g. "cuda:0"; default: the CPU.

    Returns:
        Indices and cosines, both of shape (q, min(k, n)): best first, equal cosines by index.
    """
    return top_k_of_parts(queries, [corpus], k, corpus_block=corpus_block, device=device)


def top_k_of_parts(
    queries: Vectors,
    parts: Iterable[Vectors],
    k: int,
    *,
    corpus_block: int = CORPUS_BLOCK,
    device: str | None = None,
) -> tuple[Indices, Scores]:
    """As `top_k`, for a corpus that arrives part by part and is never held whole.

    Args:
        queries: shape (q, dimension).
        parts: arrays of shape (n_i, dimension), in order.
        k: how many.
        corpus_block: corpus rows scored at once.
        device: where.

    Returns:
        Indices, counted over all parts, and cosines, both of shape (q, min(k, n)).
    """
    scaled = unit(queries)
    indices, scores = np.empty((len(queries), 0), np.int64), np.empty((len(queries), 0), np.float64)
    first = 0
    for part in parts:
        # Nothing below the worst of the k best so far can enter, but for the product's rounding.
        least = scores[:, -1] - 1e-5 if scores.shape[1] == k else np.full(len(queries), -np.inf)
        found = _candidates(scaled, part, min(k + MARGIN, len(part)), least, corpus_block, device)
        for start in range(0, len(queries), QUERY_BLOCK):
            rows = slice(start, start + QUERY_BLOCK)
            exact = _exact(scaled[rows], part, found[rows])
            both_i = np.concatenate([indices[rows], found[rows] + first], axis=1)
            both_s = np.concatenate([scores[rows], exact], axis=1)
            order = np.lexsort((both_i, -both_s), axis=1)[:, :k]
            if start == 0:
                new_i = np.empty((len(queries), order.shape[1]), np.int64)
                new_s = np.empty((len(queries), order.shape[1]), np.float64)
            new_i[rows] = np.take_along_axis(both_i, order, 1)
            new_s[rows] = np.take_along_axis(both_s, order, 1)
        indices, scores = new_i, new_s
        first += len(part)
    return indices, scores


def _exact(queries: Vectors, part: Vectors, found: Indices) -> Scores:
    """Cosines of candidates, each computed alone, so that no block size or other candidate changes them."""
    out: Scores = np.full(found.shape, -np.inf)
    rows, columns = np.nonzero(found >= 0)
    step = max(1, 2**24 // max(1, part.shape[1]))
    for start in range(0, len(rows), step):
        r, c = rows[start : start + step], columns[start : start + step]
        out[r, c] = np.einsum("ij,ij->i", queries[r], unit(part[found[r, c]]), dtype=np.float64)
    return out


def _candidates(
    queries: Vectors, part: Vectors, k: int, least: Scores, corpus_block: int, device: str | None
) -> Indices:
    """About the k best rows of a part for every query, by blocks; -1 where fewer reach `least`."""
    import torch

    where = torch.device(device or "cpu")
    n = len(part)
    held = torch.from_numpy(queries).to(where)
    best_s = torch.full((len(held), k), -torch.inf, device=where)
    best_i = torch.full((len(held), k), -1, dtype=torch.long, device=where)
    floor = torch.from_numpy(least.astype(np.float32)).to(where)
    room = torch.empty(min(QUERY_BLOCK, len(held)) * min(corpus_block, n), device=where)
    with torch.inference_mode():
        for first in range(0, n, corpus_block):
            block = torch.from_numpy(unit(part[first : first + corpus_block])).to(where)
            for start in range(0, len(held), QUERY_BLOCK):
                rows = held[start : start + QUERY_BLOCK]
                scores = room[: len(rows) * len(block)].view(len(rows), len(block))
                torch.mm(rows, block.T, out=scores)
                _enter(
                    scores,
                    best_s[start : start + QUERY_BLOCK],
                    best_i[start : start + QUERY_BLOCK],
                    floor[start : start + QUERY_BLOCK],
                    first,
                )
    found: Indices = best_i.cpu().numpy()
    return found


def _enter(
    scores: torch.Tensor, best_s: torch.Tensor, best_i: torch.Tensor, floor: torch.Tensor, first: int
) -> None:
    """Put the scores of a block that are among the k best in their places."""
    import torch

    k, width = best_s.shape[1], scores.shape[1]
    worst = torch.maximum(best_s[:, -1], floor)
    if width > 4 * k and bool((best_s[:, -1] == -torch.inf).any()):
        # Nothing to beat yet: what the block's own k-th best reaches.
        least = torch.topk(scores, k, dim=1).values[:, -1]
        worst = torch.maximum(worst, torch.nextafter(least, torch.full_like(least, -torch.inf)))
    # Most scores are too low; their groups' highest ones show it in one fast pass.
    grouped = (
        torch.nn.functional.pad(scores, (0, -width % GROUP), value=-torch.inf) if width % GROUP else scores
    )
    grouped = grouped.view(len(scores), -1, GROUP)
    row, group = (grouped.amax(dim=2) > worst[:, None]).nonzero(as_tuple=True)
    if not len(row):
        return
    near = grouped[row, group]
    entry, column = (near > worst[row][:, None]).nonzero(as_tuple=True)
    row, column, new = row[entry], group[entry] * GROUP + column, near[entry, column]
    # Left-aligned, columns in order, for the rows that gain something.
    rows, place, counts = torch.unique_consecutive(row, return_inverse=True, return_counts=True)
    position = torch.arange(len(row), device=row.device) - (counts.cumsum(0) - counts)[place]
    most = int(counts.max())
    both_s = torch.full((len(rows), k + most), -torch.inf, device=scores.device)
    both_i = torch.full((len(rows), k + most), -1, dtype=torch.long, device=scores.device)
    both_s[:, :k], both_i[:, :k] = best_s[rows], best_i[rows]
    both_s[place, k + position], both_i[place, k + position] = new, column + first
    # Stable, and earlier rows of the corpus stand first: the lower index wins a tie.
    both_s, order = torch.sort(both_s, dim=1, descending=True, stable=True)
    best_s[rows], best_i[rows] = both_s[:, :k], both_i.gather(1, order[:, :k])
