"""Down-sampling: draws are the same for every model, and real rows give the golden figures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.ranks import rank_changes, scores_of
from seabed_evaluate.runner.options import RunOptions
from seabed_evaluate.runner.similarity import unit
from seabed_evaluate.studies.sample import drawn_rows, sample, sample_sheets, sampled_scores
from seabed_evaluate.studies.vectors import language_vectors, open_session
from tests.studies.conftest import LANGUAGES
from tests.toy_encoder import ToyEncoder


def noisy(n: int = 300) -> tuple[Any, Any, list[str]]:
    rng = np.random.default_rng(3)
    a = unit(rng.normal(size=(n, 6)).astype(np.float32))
    b = unit(a + rng.normal(size=a.shape).astype(np.float32) * 0.35)
    return a, b, [str(i) for i in range(n)]


def test_the_whole_is_the_full_score_exactly() -> None:
    a, b, texts = noisy()
    whole = sampled_scores("c", a, b, texts, 1.0, 3, 42)
    assert whole.f1 == (whole.full_f1,) * 3
    assert whole.accuracy_sources == (whole.full_accuracy,) * 3


def test_fewer_candidates_raise_scores_and_fewer_sources_do_not() -> None:
    a, b, texts = noisy()
    found = sampled_scores("c", a, b, texts, 0.3, 50, 42)
    assert np.mean(found.f1) > found.full_f1
    assert np.mean(found.accuracy) > found.full_accuracy
    error = np.std(found.accuracy_sources, ddof=1) / np.sqrt(50)
    assert abs(np.mean(found.accuracy_sources) - found.full_accuracy) < 3 * error


def test_draws_depend_on_config_seed_and_number_alone() -> None:
    one = drawn_rows("x", 100, 0.3, 0)
    assert (one == drawn_rows("x", 100, 0.3, 0)).all()
    assert len(set(one.tolist())) == 30
    others = [
        drawn_rows("y", 100, 0.3, 0),
        drawn_rows("x", 100, 0.3, 1),
        drawn_rows("x", 100, 0.3, 0, seed=1),
    ]
    assert all(set(o.tolist()) != set(one.tolist()) for o in others)
    assert len(drawn_rows("x", 2, 0.1, 0)) == 1


def test_the_papers_arrows(golden: dict[str, Any]) -> None:
    printed = golden["sample"]["printed"]
    full, part = scores_of("table3:full"), scores_of("table3:sample_30pct")
    assert {c.model: c.change for c in rank_changes(full, part)} == printed["arrows"]
    changes = {m: part[m] - full[m] for m in full}
    assert sum(c > 0 for c in changes.values()) == printed["rises"]
    assert np.mean(list(changes.values())) == pytest.approx(printed["mean_change"], abs=0.005)
    assert {m: [full[m], part[m]] for m, c in changes.items() if c < 0} == printed["falls"]


def test_two_models_are_ranked_and_the_reason_has_its_numbers(tmp_path: Any) -> None:
    from seabed_datasets.bundle.build import build

    build(["sample_bitext_mining_tha"], tmp_path)
    what = RunOptions(data=str(tmp_path))
    found = [sample(open_session(what, ToyEncoder(), task="bitext_mining"), draws=4) for _ in range(2)]
    assert found[0] == found[1]  # the same seed gives the same rows
    (sheet,) = sample_sheets(found, 0.3, False)
    assert [r["rank 100 %"] for r in sheet.rows] == [1, 1]
    assert sheet.rows[0]["draws with another rank, %"] == 0
    assert "accuracy is" in sheet.notes[1]
    assert len(sample_sheets(found[:1], 0.3, True)) == 2
    with pytest.raises(SeabedError, match="a share of the rows"):
        sample(open_session(what, ToyEncoder(), task="bitext_mining"), fraction=0)


@pytest.mark.slow
def test_real_rows_give_the_golden_figures(
    golden: dict[str, Any], ntrex_options: RunOptions, e5: Any
) -> None:
    known = golden["sample"]["real"]
    what = replace(ntrex_options, configs=tuple(f"ntrex_{lang}" for lang in LANGUAGES))
    session = open_session(what, e5, task="bitext_mining")
    vectors = language_vectors(session)
    texts = [str(i) for i in range(len(vectors["eng"]))]
    for pair, expected in known["pairs"].items():
        a, b = pair.split("_")
        found = sampled_scores(f"ntrex_{pair}", vectors[a], vectors[b], texts, 0.3, 20, 42)
        full = known["tolerance"]["full"]
        assert found.full_f1 * 100 == pytest.approx(expected["full_f1"], abs=full)
        assert found.full_accuracy * 100 == pytest.approx(expected["full_accuracy"], abs=full)
        mean = known["tolerance"]["mean_both"]
        assert np.mean(found.f1) * 100 == pytest.approx(expected["both_sides_30pct_f1_mean"], abs=mean)
        assert np.mean(found.f1) > found.full_f1
        sources = np.mean(found.accuracy_sources) * 100
        error = expected["sources_only_30pct_accuracy_standard_error"]
        assert sources == pytest.approx(expected["sources_only_30pct_accuracy_mean"], abs=mean)
        assert abs(sources - found.full_accuracy * 100) < 3 * error + full
