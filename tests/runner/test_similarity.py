"""Search against a plain full sort, with ties, whatever the blocks and parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from seabed_evaluate.runner.similarity import cosines, top_k, top_k_of_parts, unit


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 12), st.integers(1, 60), st.integers(1, 50), st.integers(1, 45), st.integers(0, 10**6))
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


@settings(deadline=None, max_examples=60)
@given(
    st.integers(1, 400), st.integers(1, 30), st.integers(1, 64), st.integers(1, 150), st.integers(0, 10**6)
)
def test_blocks_and_parts_change_nothing(n: int, k: int, block: int, part: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    queries = rng.standard_normal((7, 24)).astype(np.float32)
    corpus = rng.standard_normal((n, 24)).astype(np.float32)
    # Some documents stand in the corpus twice.
    corpus[rng.integers(0, n, n // 4)] = corpus[rng.integers(0, n, n // 4)]
    parts = [corpus[start : start + part] for start in range(0, n, part)]
    found, scores = top_k_of_parts(queries, parts, k, corpus_block=block)
    full = np.stack([cosines(np.repeat(q[None], n, axis=0), corpus) for q in queries])
    order = np.stack([np.lexsort((np.arange(n), -row))[:k] for row in full])
    assert found.tolist() == order.tolist()
    assert np.array_equal(scores, np.take_along_axis(full, order, 1))


def test_a_model_that_tells_nothing_apart_finds_the_first_documents() -> None:
    corpus = np.ones((30_000, 3), dtype=np.float32)
    indices, _ = top_k(corpus[:2], corpus, 5)
    assert indices.tolist() == [[0, 1, 2, 3, 4]] * 2


def test_zero_vectors_have_cosine_zero() -> None:
    vectors = np.array([[0, 0], [3, 4]], dtype=np.float32)
    assert unit(vectors).tolist() == [[0, 0], [np.float32(0.6), np.float32(0.8)]]
    assert cosines(vectors, vectors[::-1]).tolist() == [0, 0]
