"""Bootstrap intervals: the same as rescoring each resample, repeatable, and refusing bad settings."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.metrics.classification.scores import classification_scores
from seabed_evaluate.metrics.clustering.scores import clustering_scores
from seabed_evaluate.metrics.multilabel_classification.scores import multilabel_classification_scores
from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
from seabed_evaluate.metrics.reranking.scores import reranking_scores
from seabed_evaluate.metrics.retrieval.scores import retrieval_scores
from seabed_evaluate.metrics.shared.bootstrap import resamples, scores_with_intervals
from seabed_evaluate.metrics.sts.scores import sts_scores

N = 60
RANDOM = np.random.default_rng(7)
LABELS, OTHER = RANDOM.integers(0, 4, (2, N))
COARSE, RATINGS = np.round(RANDOM.random((2, N)), 1)
SETS, OTHER_SETS = ([np.flatnonzero(row) for row in RANDOM.random((N, 5)) < 0.4] for _ in range(2))
GRADES = [np.array([1, 0, *row]) for row in RANDOM.integers(0, 3, (N, 4))]
HITS = [[(f"d{i}", float(RANDOM.random())) for i in range(6)] for _ in range(N)]
JUDGED = [{f"d{i}": int(g) for i, g in enumerate(row)} for row in GRADES]
CASES: list[tuple[Callable[..., dict[str, Any]], Any, Any]] = [
    (bitext_mining_scores, np.where(COARSE < 0.6, np.arange(N), LABELS), np.arange(N)),
    (classification_scores, LABELS, OTHER),
    (clustering_scores, LABELS, OTHER),
    (multilabel_classification_scores, SETS, OTHER_SETS),
    (pair_classification_scores, COARSE, LABELS % 2),
    (sts_scores, COARSE, RATINGS),
    (reranking_scores, list(np.round(RANDOM.random((N, 6)), 1)), GRADES),
    (retrieval_scores, HITS, JUDGED),
]


@pytest.mark.parametrize(("score", "predictions", "references"), CASES)
def test_interval_equals_rescoring_every_resample(score: Any, predictions: Any, references: Any) -> None:
    ours = score(predictions, references, n_bootstrap=50, seed=3, confidence=0.8)
    rescored = []
    for counts in np.concatenate(list(resamples(N, 50, 3))):
        drawn = np.repeat(np.arange(N), counts.astype(int))
        rescored.append(score([predictions[i] for i in drawn], [references[i] for i in drawn]))
    assert ours["bootstrap_undefined"] == 0
    with_interval = [name.removesuffix("_low") for name in ours if name.endswith("_low")]
    assert with_interval
    for name in with_interval:
        low, high = np.quantile([row[name] for row in rescored], [0.1, 0.9])
        assert (ours[f"{name}_low"], ours[f"{name}_high"]) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(("score", "predictions", "references"), CASES)
def test_interval_repeats_and_leaves_the_score_alone(score: Any, predictions: Any, references: Any) -> None:
    plain = score(predictions, references)
    once = score(predictions, references, n_bootstrap=20)
    assert once == score(predictions, references, n_bootstrap=20)
    assert once != score(predictions, references, n_bootstrap=20, seed=1)
    assert {name: once[name] for name in plain} == plain


def test_fewer_resamples_are_the_first_of_more() -> None:
    few, many = (np.concatenate(list(resamples(300_000, n, 0))) for n in (3, 9))
    assert (few == many[:3]).all()
    assert (many.sum(axis=1) == 300_000).all()


def test_undefined_resamples_are_counted() -> None:
    scores = pair_classification_scores([0.9, 0.1], [1, 0], n_bootstrap=200)
    assert 50 < scores["bootstrap_undefined"] < 150  # half of them draw one label only
    assert (scores["ap_low"], scores["ap_high"]) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_bootstrap": -1}, "n_bootstrap"),
        ({"n_bootstrap": 1.5}, "n_bootstrap"),
        ({"n_bootstrap": 10, "confidence": 1.0}, "confidence"),
        ({"n_bootstrap": 10, "confidence": 95}, "confidence"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        classification_scores([0, 1], [0, 1], **settings)


def test_undefined_score_is_an_error() -> None:
    with pytest.raises(ValueError, match="ratio is undefined"):
        scores_with_intervals(lambda weights: {"ratio": weights[:, 0] * np.nan}, 1)
