"""Cosine search with bounded memory and one rule for ties: the lower index first."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from seabed_evaluate.encoders import Vectors

QUERY_BLOCK = 1024
CORPUS_BLOCK = 16384

Indices = npt.NDArray[np.int64]


def unit(vectors: Vectors) -> Vectors:
    """Scale vectors to unit length; a zero vector stays zero, so its cosine with anything is 0.

    Args:
        vectors: shape (n, dimension).

    Returns:
        float32 array of the same shape.
    """
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def cosines(one: Vectors, two: Vectors) -> npt.NDArray[np.float64]:
    """Cosine of row i of one with row i of two.

    Args:
        one: shape (n, dimension).
        two: shape (n, dimension).

    Returns:
        float64 array of shape (n,).
    """
    result: npt.NDArray[np.float64] = np.einsum("ij,ij->i", unit(one), unit(two), dtype=np.float64)
    return result


def top_k(
    queries: Vectors, corpus: Vectors, k: int, *, corpus_block: int = CORPUS_BLOCK
) -> tuple[Indices, Vectors]:
    """The k most similar corpus rows of every query.

    Args:
        queries: shape (q, dimension).
        corpus: shape (n, dimension).
        k: how many; at most n are returned.
        corpus_block: corpus rows scored at once; memory depends on it and not on n.

    Returns:
        Indices and cosines, both of shape (q, min(k, n)): best first, equal cosines by index.
    """
    q, c = unit(queries), unit(corpus)
    k = min(k, len(c))
    indices, scores = np.empty((len(q), k), np.int64), np.empty((len(q), k), np.float32)
    for start in range(0, len(q), QUERY_BLOCK):
        rows = slice(start, start + QUERY_BLOCK)
        best_i: Indices = np.empty((len(q[rows]), 0), np.int64)
        best_s: Vectors = np.empty((len(q[rows]), 0), np.float32)
        for first in range(0, len(c), corpus_block):
            found_i, found_s = _block_top(q[rows] @ c[first : first + corpus_block].T, k)
            best_i = np.concatenate([best_i, found_i + first], axis=1)
            best_s = np.concatenate([best_s, found_s], axis=1)
            order = np.lexsort((best_i, -best_s), axis=1)[:, :k]
            best_i, best_s = np.take_along_axis(best_i, order, 1), np.take_along_axis(best_s, order, 1)
        indices[rows], scores[rows] = best_i, best_s
    return indices, scores


def _block_top(scores: Vectors, k: int) -> tuple[Indices, Vectors]:
    """Up to k best columns of each row, in any order; among equals at the border the lowest columns."""
    if scores.shape[1] <= k:
        return np.broadcast_to(np.arange(scores.shape[1]), scores.shape).astype(np.int64), scores
    chosen = np.argpartition(scores, scores.shape[1] - k, axis=1)[:, -k:].astype(np.int64)
    values = np.take_along_axis(scores, chosen, 1)
    border = values.min(axis=1, keepdims=True)
    tied = (scores == border).sum(axis=1) > (values == border).sum(axis=1)
    for row in np.flatnonzero(tied):
        above = np.flatnonzero(scores[row] > border[row])
        equal = np.flatnonzero(scores[row] == border[row])[: k - len(above)]
        chosen[row] = np.concatenate([above, equal])
        values[row] = scores[row, chosen[row]]
    return chosen, values
