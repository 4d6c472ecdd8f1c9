"""Label metrics agree with scikit-learn on random inputs, and bootstrap resamples agree with plain rescoring."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.preprocessing import MultiLabelBinarizer

from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.metrics.classification.scores import classification_scores
from seabed_evaluate.metrics.clustering.scores import clustering_scores
from seabed_evaluate.metrics.multilabel_classification.scores import multilabel_classification_scores

CASES = settings(max_examples=250, deadline=None)
Labels = list[tuple[int, int]]
LABELS = st.lists(st.tuples(st.integers(-3, 4), st.integers(-3, 4)), min_size=1, max_size=40)
ROWS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=40)
SETS = st.lists(
    st.tuples(st.sets(st.integers(0, 5)).map(sorted), st.sets(st.integers(0, 5)).map(sorted)),
    min_size=1,
    max_size=30,
)


def sklearn_labels(truths: Any, guesses: Any) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision, recall, f1, _ = metrics.precision_recall_fscore_support(
            truths, guesses, average="weighted"
        )
        macro = metrics.f1_score(truths, guesses, average="macro")
    accuracy = metrics.accuracy_score(truths, guesses)
    return {"f1": f1, "macro": macro, "accuracy": accuracy, "precision": precision, "recall": recall}


@CASES
@given(LABELS)
def test_classification_agrees_with_sklearn(pairs: Labels) -> None:
    guesses, truths = zip(*pairs, strict=True)
    ours, theirs = classification_scores(guesses, truths), sklearn_labels(truths, guesses)
    assert list(ours.values()) == pytest.approx(list(theirs.values()), abs=1e-9)


@CASES
@given(ROWS)
def test_bitext_agrees_with_sklearn(pairs: Labels) -> None:
    guesses, truths = zip(*pairs, strict=True)
    ours, theirs = bitext_mining_scores(guesses, truths, per_item=True), sklearn_labels(truths, guesses)
    for name in ("f1", "accuracy", "precision", "recall"):
        assert ours[name] == pytest.approx(theirs[name], abs=1e-9)
    for name, values in ours["per_item"].items():
        assert np.mean(values) == pytest.approx(ours[name], abs=1e-9)


@CASES
@given(SETS)
def test_multilabel_agrees_with_sklearn(pairs: list[tuple[list[int], list[int]]]) -> None:
    guesses, truths = (list(side) for side in zip(*pairs, strict=True))
    if not any(truths):
        with pytest.raises(ValueError, match="no label"):
            multilabel_classification_scores(guesses, truths)
        return
    binarizer = MultiLabelBinarizer(classes=range(6)).fit([[]])
    y_true, y_guess = binarizer.transform(truths), binarizer.transform(guesses)
    ours = multilabel_classification_scores(guesses, truths)
    support = y_true.sum(axis=0)
    by_label = [metrics.accuracy_score(y_true[:, i], y_guess[:, i]) for i in range(6)]
    expected = {
        "f1_weighted": metrics.f1_score(y_true, y_guess, average="weighted", zero_division=0),
        "f1_macro": metrics.f1_score(y_true, y_guess, average="macro", zero_division=np.nan),
        "f1_micro": metrics.f1_score(y_true, y_guess, average="micro", zero_division=0),
        "accuracy": metrics.accuracy_score(y_true, y_guess),
        "label_weighted_accuracy": np.average(by_label, weights=support),
    }
    assert ours == pytest.approx(expected, abs=1e-9)
    # Indicator arrays, on either side, mean the same.
    assert multilabel_classification_scores(y_guess, truths, 6) == pytest.approx(ours, abs=1e-12)
    assert multilabel_classification_scores(guesses, y_true) == pytest.approx(ours, abs=1e-12)


@CASES
@given(LABELS)
def test_clustering_agrees_with_sklearn(pairs: Labels) -> None:
    clusters, classes = zip(*pairs, strict=True)
    homogeneity, completeness, v_measure = metrics.homogeneity_completeness_v_measure(classes, clusters)
    expected = {
        "v_measure": v_measure,
        "homogeneity": homogeneity,
        "completeness": completeness,
        "ari": metrics.adjusted_rand_score(classes, clusters),
        "nmi": metrics.normalized_mutual_info_score(classes, clusters),
    }
    assert clustering_scores(clusters, classes) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("scores", [classification_scores, clustering_scores])
def test_one_class_only_is_defined(scores: Any) -> None:
    assert set(scores([1, 1, 1], [1, 1, 1]).values()) == {1.0}


def test_one_cluster_or_one_class() -> None:
    one_cluster = clustering_scores([0, 0, 0, 0], [0, 0, 1, 1])
    assert (one_cluster["homogeneity"], one_cluster["completeness"], one_cluster["v_measure"]) == (0, 1, 0)
    one_class = clustering_scores([0, 0, 1, 1], [0, 0, 0, 0])
    assert (one_class["homogeneity"], one_class["completeness"], one_class["v_measure"]) == (1, 0, 0)


def test_bitext_collision_counts_as_the_protocol_says() -> None:
    scores = bitext_mining_scores([0, 1, 2, 0], [0, 1, 2, 3])
    assert scores["f1"] == pytest.approx(2 / 3)
    assert scores["accuracy"] == 0.75


def test_label_lists_are_never_read_as_indicators() -> None:
    as_lists = multilabel_classification_scores([[0, 1], [0]], [[0, 1], [0]])
    assert as_lists["accuracy"] == 1.0
    assert multilabel_classification_scores(np.array([[0, 1], [1, 0]]), [[1], [0]])["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("predictions", "num_labels", "message"),
    [
        ([[0], [3]], 2, r"predictions\[1\] holds label 3"),
        ([[0], [1, 1]], None, r"predictions\[1\] repeats a label"),
        ([[0], [-1]], None, r"predictions\[1\]\[0\] is -1"),
        (np.array([[0, 1], [2, 0]]), None, r"predictions\[1, 0\] is 2"),
        (np.array([[0, 1, 0], [1, 0, 0]]), 2, "3 label columns"),
    ],
)
def test_bad_label_sets_are_named(predictions: Any, num_labels: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        multilabel_classification_scores(predictions, [[0], [1]], num_labels)
