"""Groups of items: numbering their distinct values, and summing weights by group."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from seabed_evaluate.metrics.shared.inputs import IntArray


def numbered(values: IntArray) -> tuple[IntArray, int]:
    """Number the distinct values from 0, in ascending order; memory follows how many there are, not how large.

    Args:
        values: whole numbers, shape (n,).

    Returns:
        The number of each value, shape (n,), and how many there are.

    >>> codes, count = numbered(np.array([7, -1, 7, 10**15]))
    >>> codes.tolist(), count
    ([1, 0, 1, 2], 3)
    """
    if values.size == 0:
        return values, 0
    low, high = int(values.min()), int(values.max())
    if high - low < 8 * values.size:
        there = np.zeros(high - low + 1, dtype=bool)
        there[values - low] = True
        place = np.cumsum(there) - 1
        return place[values - low], int(place[-1]) + 1
    distinct, codes = np.unique(values, return_inverse=True)
    return codes.reshape(-1), len(distinct)


def membership(group: IntArray, n_groups: int) -> csr_array:
    """Say which group each item is in, as a matrix: weights (b, n) times it are the weights (b, groups).

    Args:
        group: number of each item's group, shape (n,).
        n_groups: how many there are.

    Returns:
        Sparse, since each item may be a group of its own; shape (n, groups).

    >>> membership(np.array([1, 0, 1]), 2).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    n_items = len(group)
    return csr_array((np.ones(n_items), group, np.arange(n_items + 1)), shape=(n_items, n_groups))
