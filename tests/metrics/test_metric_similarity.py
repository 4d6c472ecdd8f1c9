"""Pair and similarity metrics agree with scikit-learn and scipy, ties included."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
from seabed_evaluate.metrics.sts.scores import sts_scores

CASES = settings(max_examples=250, deadline=None)
COARSE = st.integers(-3, 3).map(lambda value: value / 4)  # many ties
FINE = st.floats(-1e6, 1e6, allow_nan=False)
Pairs = list[tuple[float, float]]


@CASES
@given(st.lists(st.tuples(COARSE | FINE, st.integers(0, 1)), min_size=2, max_size=40))
def test_pairs_agree_with_sklearn(pairs: Pairs) -> None:
    scores, labels = (np.array(side) for side in zip(*pairs, strict=True))
    if labels.min() == labels.max():
        with pytest.raises(ValueError, match="needs both labels"):
            pair_classification_scores(scores, labels)
        return
    ours = pair_classification_scores(scores, labels)
    assert ours["ap"] == pytest.approx(metrics.average_precision_score(labels, scores), abs=1e-9)
    thresholds = [*np.unique(scores), np.inf]
    f1 = [metrics.f1_score(labels, scores >= t, zero_division=0) for t in thresholds]
    accuracy = [metrics.accuracy_score(labels, scores >= t) for t in thresholds]
    assert ours["best_f1"] == pytest.approx(max(f1), abs=1e-9)
    assert ours["best_accuracy"] == pytest.approx(max(accuracy), abs=1e-9)
    chosen = scores >= ours["best_f1_threshold"]
    assert metrics.f1_score(labels, chosen) == pytest.approx(ours["best_f1"], abs=1e-9)
    chosen = scores >= ours["best_accuracy_threshold"]
    assert metrics.accuracy_score(labels, chosen) == pytest.approx(ours["best_accuracy"], abs=1e-9)


@CASES
@given(
    st.lists(st.tuples(COARSE, COARSE), min_size=2, max_size=40)
    | st.lists(st.tuples(FINE, COARSE), min_size=2, max_size=40)
)
def test_correlations_agree_with_scipy(pairs: Pairs) -> None:
    x, y = zip(*pairs, strict=True)
    if len(set(x)) == 1 or len(set(y)) == 1:
        with pytest.raises(ValueError, match="constant"):
            sts_scores(x, y)
        return
    ours = sts_scores(x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ours["spearman"] == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-9)
        assert ours["pearson"] == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
        assert ours["kendall"] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-9)


def test_constant_scores_give_the_base_rate() -> None:
    scores = pair_classification_scores([0.5] * 4, [1, 0, 0, 0])
    assert scores["ap"] == 0.25
    assert scores["best_f1_threshold"] == 0.5
    assert scores["best_accuracy"] == 0.75
    assert scores["best_accuracy_threshold"] == np.nextafter(0.5, 1)  # no pair is called positive


def test_equally_good_thresholds_give_the_highest() -> None:
    # Accuracy 0.75 at 0.9 and again at 0.4.
    assert pair_classification_scores([0.9, 0.6, 0.4, 0.1], [1, 0, 1, 0])["best_accuracy_threshold"] == 0.9


def test_pair_labels_are_zero_or_one() -> None:
    with pytest.raises(ValueError, match=r"references\[2\] is 2"):
        pair_classification_scores([0.1, 0.2, 0.3], [0, 1, 2])


def test_one_pair_has_no_correlation() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        sts_scores([0.1], [1.0])


def test_correlation_survives_extreme_scales() -> None:
    assert sts_scores([1e-300, 2e-300, 4e-300], [1e300, 2e300, 4e300])["pearson"] == pytest.approx(1.0)
