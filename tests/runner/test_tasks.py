"""Task functions on vectors made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from seabed_datasets.errors import DataError
from seabed_evaluate.runner.protocols import protocol
from seabed_evaluate.runner.tasks import (
    _fitted,
    bitext_mining,
    classification,
    clustering,
    multilabel_classification,
    pair_classification,
    reranking,
    retrieval,
    sts,
)

PUBLISHED = protocol("published")


def embed_by(table: dict[str, list[float]]) -> Any:
    def embed(texts: Sequence[str], side: str, instructions: Any = None) -> Any:
        return np.array([table[t] for t in texts], dtype=np.float32)

    return embed


def test_equal_targets_count_for_the_first_of_them() -> None:
    table = {"a": [1.0, 0.0], "b": [0.0, 1.0], "x": [1.0, 0.0], "y": [0.0, 1.0]}
    data = {"test": {"sentence1": ["a", "b", "b"], "sentence2": ["x", "y", "y"]}}
    scores = bitext_mining(data, embed_by(table), PUBLISHED)
    # Row 2 chose row 1's equal text: accuracy 2/3; rows 1 and 2 chose row 1, so its F1 is 2/3.
    assert scores["accuracy"] == pytest.approx(2 / 3)
    assert scores["f1"] == pytest.approx((1 + 2 / 3) / 3)


def test_retrieval_ties_go_to_the_lower_id_whatever_the_order_of_the_corpus() -> None:
    table = {"q": [1.0, 0.0], "one": [1.0, 0.0], "two": [1.0, 0.0]}
    for order in (["d1", "d2"], ["d2", "d1"]):
        text = {"d1": "one", "d2": "two"}
        data = {
            "corpus": {"id": order, "text": [text[d] for d in order]},
            "test": {"text": ["q"], "relevant": [[{"id": "d2", "score": 1}]]},
        }
        assert retrieval(data, embed_by(table), PUBLISHED)["mrr_at_10"] == 0.5


def test_a_scorer_that_tells_nothing_apart_gains_nothing_from_the_order_of_candidates() -> None:
    table = {t: [1.0, 0.0] for t in ("q", "a", "b", "c")}
    found = [
        reranking(
            {"test": {"query": ["q"], "documents": [["a", "b", "c"]], "relevance": [relevance]}},
            embed_by(table),
            PUBLISHED,
        )["map"]
        for relevance in ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    ]
    assert found == [pytest.approx(1 / 3)] * 3


def test_one_class_is_no_task() -> None:
    table = {"a": [1.0, 0.0], "b": [0.0, 1.0]}
    one = {"text": ["a", "b"], "label": [1, 1]}
    with pytest.raises(DataError, match="single class"):
        classification({"train": one, "test": one}, embed_by(table), PUBLISHED)
    with pytest.raises(DataError, match="single class"):
        clustering({"test": one}, embed_by(table), PUBLISHED)
    none = {"text": ["a", "b"], "labels": [[], []]}
    with pytest.raises(DataError, match="no row of the train split has a label"):
        multilabel_classification({"train": none, "test": none}, embed_by(table), PUBLISHED)


@pytest.mark.parametrize("name", ["published", "paper-text"])
def test_separable_classes_are_separated(name: str) -> None:
    table = {f"{c}{i}": [5.0 * (c == "a"), 5.0 * (c == "b"), 0.1 * i] for c in "abc" for i in range(8)}
    texts = list(table)
    split = {"text": texts, "label": ["abc".index(t[0]) for t in texts]}
    scores = classification({"train": split, "test": split}, embed_by(table), protocol(name))
    assert scores["f1_weighted"] == 1
    tags = {"text": texts, "labels": [[] if t[0] == "c" else ["ab".index(t[0]), 2] for t in texts]}
    scores = multilabel_classification({"train": tags, "test": tags}, embed_by(table), protocol(name))
    assert scores["f1_weighted"] == 1


def test_other_similarities_of_the_same_vectors_stand_beside_the_main_score() -> None:
    from scipy.spatial.distance import cityblock, euclidean
    from scipy.stats import spearmanr
    from sklearn.metrics import average_precision_score

    rng = np.random.default_rng(3)
    table = {f"{side}{i}": rng.standard_normal(6).tolist() for side in "ab" for i in range(40)}
    one, two = ([f"{side}{i}" for i in range(40)] for side in "ab")
    gold, labels = rng.uniform(0, 5, 40).tolist(), rng.integers(0, 2, 40).tolist()
    vectors = [(np.float32(table[a]), np.float32(table[b])) for a, b in zip(one, two, strict=True)]
    distances = {
        "euclidean": [-euclidean(a, b) for a, b in vectors],
        "manhattan": [-cityblock(a, b) for a, b in vectors],
        "dot": [float(a @ b) for a, b in vectors],
    }
    found = sts({"test": {"sentence1": one, "sentence2": two, "score": gold}}, embed_by(table), PUBLISHED)
    for name in ("euclidean", "manhattan"):
        expected = spearmanr(distances[name], gold).statistic
        assert found[f"{name}_spearman"] == pytest.approx(expected, abs=1e-6)
    assert "dot_spearman" not in found
    data = {"test": {"sentence1": one, "sentence2": two, "label": labels}}
    found = pair_classification(data, embed_by(table), PUBLISHED)
    for name, values in distances.items():
        assert found[f"{name}_ap"] == pytest.approx(average_precision_score(labels, values), abs=1e-6)
    # All pairs equally far apart: there is no correlation, and no number.
    apart = {f"a{i}": [float(i), 0.0] for i in range(3)} | {f"b{i}": [float(i), 1.0] for i in range(3)}
    same = {"sentence1": ["a0", "a1", "a2"], "sentence2": ["b0", "b1", "b2"], "score": [1.0, 2.0, 3.0]}
    found = sts({"test": same}, embed_by(apart), PUBLISHED)
    assert "spearman" in found
    assert "euclidean_spearman" not in found


def test_clusters_are_found_and_the_spread_over_seeds_is_kept() -> None:
    table = {f"{c}{i}": [10.0 * (c == "a"), 10.0 * (c == "b"), 0.1 * i] for c in "ab" for i in range(8)}
    texts = list(table)
    data = {"test": {"text": texts, "label": ["ab".index(t[0]) for t in texts]}}
    scores = clustering(data, embed_by(table), PUBLISHED)
    assert scores["v_measure"] == pytest.approx(1)
    assert list(scores["v_measure_seeds"]) == ["42", "43", "44", "45", "46"]


@pytest.mark.parametrize("classes", [2, 5])
def test_the_logistic_solver_reaches_the_same_optimum_as_one_run_far_longer(classes: int) -> None:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(classes)
    labels = rng.integers(0, classes, 600)
    vectors = rng.standard_normal((classes, 32))[labels] * 0.5 + rng.standard_normal((600, 32))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    def loss(model: Any) -> float:
        own = np.log(model.predict_proba(vectors)[np.arange(600), labels]).sum()
        return float(-own + (model.coef_**2).sum() / 2)

    fast = _fitted("logistic", 42, vectors, labels)
    exact = LogisticRegression(C=1.0, solver="lbfgs", tol=1e-10, max_iter=100_000).fit(vectors, labels)
    assert loss(fast) == pytest.approx(loss(exact), rel=1e-4)
    assert (fast.predict(vectors) == exact.predict(vectors)).mean() > 0.995
    # A solver that stops early is told apart.
    with pytest.warns(ConvergenceWarning):
        early = LogisticRegression(C=1.0, max_iter=2).fit(vectors, labels)
    assert loss(early) != pytest.approx(loss(exact), rel=1e-4)


def test_the_portion_of_the_corpus_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    table = {f"t{i:03d}": rng.standard_normal(8).tolist() for i in range(150)}
    names = list(table)
    data = {
        "corpus": {"id": names[:140], "text": names[:140]},
        "test": {"text": names[140:], "relevant": [[{"id": n, "score": 1}] for n in names[:10]]},
    }

    class Embed:
        def __init__(self, chunk: int) -> None:
            self.corpus_chunk, self.most = chunk, 0

        def __call__(self, texts: Sequence[str], side: str, instructions: Any = None) -> Any:
            self.most = max(self.most, len(texts))
            return np.array([table[t] for t in texts], dtype=np.float32)

    found = []
    for chunk in (1000, 37, 1):
        embed = Embed(chunk)
        scores = retrieval(data, embed, PUBLISHED)
        found.append({k: v for k, v in scores.items() if k != "outcomes"})
        assert embed.most <= max(chunk, 10)
    assert found[0] == found[1] == found[2]
