"""Intervals: do they cover, do they follow from the stored items, do averages of them hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from seabed_datasets.errors import SeabedError
from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.metrics.clustering.scores import clustering_scores
from seabed_evaluate.report.units import Z, mean_error
from seabed_evaluate.runner.outcomes import (
    Outcomes,
    bitext_values,
    clustering_values,
    compact,
    outcomes_path,
    read_outcomes,
    write_outcomes,
)
from seabed_evaluate.runner.uncertainty import draws, interval

Simulator = Callable[[np.random.Generator, int], Outcomes]


def retrieval(g: np.random.Generator, n: int) -> Outcomes:
    return {"values": np.where(g.random(n) < 0.3, 0, g.beta(2, 1, n))}


def classification(g: np.random.Generator, n: int) -> Outcomes:
    truth = g.integers(0, 4, n)
    return {"predictions": np.where(g.random(n) < 0.7, truth, g.integers(0, 4, n)), "references": truth}


def multilabel(g: np.random.Generator, n: int) -> Outcomes:
    truth = g.random((n, 5)) < [0.1, 0.3, 0.2, 0.5, 0.4]
    guess = np.where(g.random((n, 5)) < 0.8, truth, ~truth)
    return {"predictions": guess.astype(int), "references": truth.astype(int)}


def sts(g: np.random.Generator, n: int) -> Outcomes:
    z = g.normal(size=n)
    return {"predictions": z + 0.7 * g.normal(size=n), "references": np.round(z + 0.7 * g.normal(size=n), 1)}


def pairs(g: np.random.Generator, n: int) -> Outcomes:
    truth = (g.random(n) < 0.5).astype(int)
    return {"predictions": g.normal(size=n) + truth, "references": truth}


def clustering(g: np.random.Generator, n: int) -> Outcomes:
    truth = g.integers(0, 6, n)
    found = np.where(g.random(n) < 0.7, truth, g.integers(0, 6, n))
    return {"values": clustering_values(found, truth)}


def bitext(g: np.random.Generator, n: int) -> Outcomes:
    rows = np.arange(n)
    return {"values": bitext_values(np.where(g.random(n) < 0.7, rows, g.integers(0, n, n)))}


SIMULATED: dict[tuple[str, str], Simulator] = {
    ("retrieval", "ndcg_at_10"): retrieval,
    ("classification", "f1_weighted"): classification,
    ("multilabel_classification", "f1_weighted"): multilabel,
    ("sts", "spearman"): sts,
    ("pair_classification", "ap"): pairs,
    ("clustering", "v_measure"): clustering,
    ("bitext_mining", "f1"): bitext,
}


@pytest.mark.parametrize(("measure", "simulate"), SIMULATED.items(), ids=[t for t, _ in SIMULATED])
def test_a_95_percent_interval_covers_93_to_97_percent(measure: tuple[str, str], simulate: Simulator) -> None:
    generator = np.random.default_rng(7)
    items, sets = 200, 500
    scores, intervals = [], []
    for _ in range(sets):
        outcomes = simulate(generator, items)
        found = interval(*measure, outcomes, resamples=400)
        assert found is not None
        intervals.append((found["low"], found["high"]))
        scores.append(draws(*measure, outcomes, resamples=1).score)
    truth = np.mean(scores)
    covered = np.mean([low <= truth <= high for low, high in intervals])
    assert 0.93 <= covered <= 0.97


@pytest.mark.parametrize("shared", [False, True], ids=["other sentences", "same sentences"])
def test_an_average_over_units_is_covered_too(shared: bool) -> None:
    """Twelve datasets of three languages; where the languages share sentences, their errors go together."""
    generator = np.random.default_rng(3)
    covered = []
    for _ in range(300):
        means, errors = [], []
        for dataset in range(12):
            one = generator.normal(size=100)
            for _ in range(3):
                values = 0.5 + 0.1 * (one if shared else generator.normal(size=100))
                means.append(values.mean())
                errors.append((str(dataset), float(values.std() / 10)))
        error = mean_error(errors)
        assert error is not None
        covered.append(abs(np.mean(means) - 0.5) < Z * error)
    assert np.mean(covered) >= 0.93
    if shared:
        assert np.mean(covered) <= 0.97


@given(arrays(np.int64, st.integers(1, 30), elements=st.integers(0, 29)))
def test_bitext_values_average_to_the_f1(chosen: Any) -> None:
    chosen = chosen % len(chosen)
    f1 = bitext_mining_scores(chosen, np.arange(len(chosen)))["f1"]
    assert bitext_values(chosen).mean() == pytest.approx(f1, abs=1e-12)


@given(arrays(np.int64, st.tuples(st.just(2), st.integers(2, 25)), elements=st.integers(0, 4)))
def test_clustering_values_are_the_jackknife(labels: Any) -> None:
    def v(keep: Any) -> float:
        return float(clustering_scores(labels[0][keep], labels[1][keep])["v_measure"])

    n = labels.shape[1]
    whole, without = v(slice(None)), np.array([v(np.arange(n) != i) for i in range(n)])
    values = clustering_values(labels[0], labels[1])
    assert values.mean() == pytest.approx(whole, abs=1e-9)
    assert values == pytest.approx((n - 1) * (without.mean() - without) + whole, abs=1e-7)


@pytest.mark.parametrize(("measure", "simulate"), SIMULATED.items(), ids=[t for t, _ in SIMULATED])
def test_stored_items_give_the_score_again(
    measure: tuple[str, str], simulate: Simulator, tmp_path: Path
) -> None:
    outcomes = simulate(np.random.default_rng(1), 500)
    path = outcomes_path(tmp_path / "x.json")
    write_outcomes(path, compact(**outcomes), "abc")
    stored = read_outcomes(path, "abc")
    before, after = draws(*measure, outcomes, resamples=50), draws(*measure, stored, resamples=50)
    assert after.score == pytest.approx(before.score, abs=1e-5)
    assert after.resampled == pytest.approx(before.resampled, abs=1e-5)
    assert [p.name for p in tmp_path.iterdir()] == ["x.items.npz"]


def test_items_are_small(tmp_path: Path) -> None:
    outcomes = compact(**classification(np.random.default_rng(1), 10_000))
    assert {str(a.dtype) for a in outcomes.values()} == {"uint8"}
    write_outcomes(tmp_path / "x.items.npz", outcomes, "abc")
    assert (tmp_path / "x.items.npz").stat().st_size < 10_000


def test_a_constant_score_has_no_width() -> None:
    found = interval("retrieval", "ndcg_at_10", {"values": np.ones(20)})
    assert found is not None
    assert (found["low"], found["high"], found["se"]) == (1.0, 1.0, 0.0)


def test_a_query_that_does_not_count_is_left_out() -> None:
    found = interval("retrieval", "ndcg_at_10", {"values": np.array([1.0, np.nan, 0.0])})
    assert found is not None
    assert found["items"] == 2


def test_an_undefined_score_has_no_interval() -> None:
    one = {"predictions": np.array([0.1, 0.2]), "references": np.array([3.0, 3.0])}
    assert interval("sts", "spearman", one) is None


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda p: p.unlink(), "is missing"),
        (lambda p: p.write_bytes(p.read_bytes()[:50]), "cannot be read"),
        (lambda p: p.write_bytes(b""), "cannot be read"),
        (lambda p: write_outcomes(p, {"values": np.ones(2)}, "other"), "belongs to another result"),
    ],
    ids=["missing", "cut", "empty", "other"],
)
def test_damaged_items_are_named(damage: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "x.items.npz"
    write_outcomes(path, {"values": np.ones(3)}, "abc")
    damage(path)
    with pytest.raises(SeabedError, match=message):
        read_outcomes(path, "abc")
