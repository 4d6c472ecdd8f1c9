"""Search against a plain full sort, with ties, whatever the block size."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seabed_evaluate.similarity import cosines, top_k, unit


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 12), st.integers(1, 40), st.integers(1, 50), st.integers(1, 45), st.integers(0, 10**6))
def test_top_k_is_a_full_sort_with_lower_indices_first(q: int, n: int, k: int, block: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # One-hot directions: cosines are exactly 0 or 1, so most of them tie.
    queries = np.eye(4, dtype=np.float32)[rng.integers(0, 4, q)]
    corpus = np.eye(4, dtype=np.float32)[rng.integers(0, 4, n)]
    indices, scores = top_k(queries, corpus, k, corpus_block=block)
    full = queries @ corpus.T
    for row in range(q):
        order = sorted(range(n), key=lambda i: (-full[row, i], i))[:k]
        assert indices[row].tolist() == order
        assert scores[row].tolist() == full[row, order].tolist()


def test_zero_vectors_have_cosine_zero() -> None:
    vectors = np.array([[0, 0], [3, 4]], dtype=np.float32)
    assert unit(vectors).tolist() == [[0, 0], [np.float32(0.6), np.float32(0.8)]]
    assert cosines(vectors, vectors[::-1]).tolist() == [0, 0]
