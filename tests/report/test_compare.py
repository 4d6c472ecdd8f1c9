"""Comparisons: pairing, tests, correction, what cannot be compared; rank changes and slope charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate.cli import app
from seabed_evaluate.report.compare import (
    Difference,
    compare,
    corrected,
    one_run,
    permutation_p,
)
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.rank_groups import normal_p
from seabed_evaluate.report.ranks import rank_changes, scores_of
from seabed_evaluate.report.units import all_units
from seabed_evaluate.runner.uncertainty import draws
from tests.result_maker import make_run, write_run

RETRIEVAL = [c for c in catalogue.configs() if c.task == "retrieval"]
FACTS = next(iter(all_units().values()))


def values_of(shift: dict[str, float]) -> Any:
    """Per-item values: the same for every model, moved up by a config's shift."""

    def values(result: dict[str, Any]) -> Any:
        seed = int.from_bytes(result["config"].encode(), "little") % 2**32
        base = np.random.default_rng(seed).uniform(0.2, 0.6, 200)
        own = np.random.default_rng([seed, len(result["model"]["model"])]).normal(0, 0.02, 200)
        return base + own + shift.get(result["config"], 0.0)

    return values


def two_runs(tmp_path: Path, shift: dict[str, float], **options: Any) -> tuple[Path, Path]:
    a = write_run(make_run(0.5, RETRIEVAL, model="a/one"), tmp_path / "a", values_of(shift))
    b = write_run(make_run(0.5, RETRIEVAL, model="b/other", **options), tmp_path / "b", values_of({}))
    return a, b


# ---- the comparison ----


def test_real_differences_are_found_and_chance_is_a_tie(tmp_path: Path) -> None:
    names = [c.name for c in RETRIEVAL]
    shift = dict.fromkeys(names[:4], 0.05) | dict.fromkeys(names[4:7], -0.05)
    found = compare(*two_runs(tmp_path, shift), resamples=200)
    assert "wins on 4, loses on 3, ties on 16 configs" in found.verdict
    by_name = {u.facts.configs[0]: u for u in found.units}
    for name in names[:4]:
        assert by_name[name].difference == pytest.approx(0.05, abs=0.01)
        assert by_name[name].low < by_name[name].difference < by_name[name].high
        assert by_name[name].test == "permutation"
    (mean,) = [m for m in found.means if m.name == "retrieval"]
    assert (mean.units, mean.of, mean.wins, mean.losses, mean.ties) == (23, 23, 4, 3, 16)
    assert not [m for m in found.means if m.name == "all nine tasks"]


def test_swapping_the_models_swaps_the_verdict(tmp_path: Path) -> None:
    a, b = two_runs(tmp_path, {RETRIEVAL[0].name: 0.05})
    one, other = compare(a, b, resamples=200), compare(b, a, resamples=200)
    assert [u.difference for u in one.units] == [-u.difference for u in other.units]
    swapped = {"A": "B", "B": "A", "tie": "tie"}
    assert [u.verdict for u in one.units] == [swapped[u.verdict] for u in other.units]


def test_pairing_makes_the_difference_sharper_than_the_scores(tmp_path: Path) -> None:
    found = compare(*two_runs(tmp_path, {}), resamples=200)
    values = values_of({})
    for unit in found.units[:3]:
        alone = draws("retrieval", "ndcg_at_10", {"values": values(make_run(0.5, [RETRIEVAL[0]])[0])})
        assert unit.se < 0.5 * alone.resampled.std()


def test_a_model_against_itself_is_all_ties(tmp_path: Path) -> None:
    a, _ = two_runs(tmp_path, {})
    found = compare(a, a, resamples=100)
    assert {(u.p, u.verdict, u.difference) for u in found.units} == {(1.0, "tie", 0.0)}


def test_other_rows_are_not_compared(tmp_path: Path) -> None:
    a = write_run(make_run(0.5, RETRIEVAL[:2], model="a/one"), tmp_path / "a", values_of({}))
    other = make_run(0.5, RETRIEVAL[:1], model="b/x") + make_run(0.5, RETRIEVAL[1:2], model="b/x", rows="z")
    b = write_run(other, tmp_path / "b", values_of({}))
    found = compare(a, b, resamples=100)
    assert len(found.units) == 1
    (reason,) = found.skipped.values()
    assert "different rows" in reason
    assert any("MIXED data" in n for n in found.notes)


def test_a_unit_one_run_lacks_is_named(tmp_path: Path) -> None:
    a = write_run(make_run(0.5, RETRIEVAL[:2], model="a/one"), tmp_path / "a", values_of({}))
    b = write_run(make_run(0.5, RETRIEVAL[:1], model="b/other"), tmp_path / "b", values_of({}))
    (reason,) = compare(a, b, resamples=100).skipped.values()
    assert reason == f"the second run has no result of {RETRIEVAL[1].name}"


def test_results_without_items_cannot_be_compared(tmp_path: Path) -> None:
    a = write_run(make_run(0.5, RETRIEVAL[:1], model="a/one"), tmp_path / "a")
    with pytest.raises(SeabedError, match=r"nothing of .* can be compared: .*items\.npz is missing"):
        compare(a, a)


def test_different_protocols_are_noted(tmp_path: Path) -> None:
    a, b = two_runs(tmp_path, {}, protocol_name="paper-text")
    assert any(n.startswith("MIXED protocol") for n in compare(a, b, resamples=100).notes)


def test_a_folder_of_several_runs_is_refused(tmp_path: Path) -> None:
    two_runs(tmp_path, {})
    with pytest.raises(SeabedError, match="holds several runs; name the folder of one of them"):
        one_run(tmp_path)


# ---- its parts ----


def test_permutation_p_is_exact_on_few_items() -> None:
    """Five items that all favour A: 2 of the 32 sign patterns are as extreme."""
    assert permutation_p([np.ones(5)]) == pytest.approx(2 / 32, abs=0.01)
    assert permutation_p([-np.ones(5)]) == pytest.approx(2 / 32, abs=0.01)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_equal_models_differ_by_chance_in_about_5_percent(test: str) -> None:
    generator, wrong = np.random.default_rng(5), 0
    for _ in range(400):
        d = generator.normal(size=80) * generator.choice([0.1, 1.0], 80)
        if test == "permutation":
            p = permutation_p([d], permutations=500)
        else:
            found = draws("retrieval", "ndcg_at_10", {"values": d}, resamples=300)
            p = normal_p(found.score, float(found.resampled.std()))
        wrong += p < 0.05
    assert 0.02 <= wrong / 400 <= 0.08


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_holm(ps: list[float]) -> None:
    units = corrected(Difference(FACTS, 0.6, 0.5, 0, 0, 0.1, p, "bootstrap") for p in ps)
    assert [u.p for u in units] == ps
    assert all(u.p <= u.p_holm <= min(1.0, len(ps) * u.p) + 1e-12 for u in units)
    ordered = sorted(units, key=lambda u: u.p)
    assert [u.p_holm for u in ordered] == sorted(u.p_holm for u in ordered)
    assert ordered[0].p_holm == pytest.approx(min(1.0, len(ps) * min(ps)))


def test_holm_by_hand() -> None:
    units = corrected(Difference(FACTS, 0.6, 0.5, 0, 0, 0.1, p, "bootstrap") for p in (0.01, 0.04, 0.03))
    assert [u.p_holm for u in units] == pytest.approx([0.03, 0.06, 0.06])


def test_compare_on_the_command_line(tmp_path: Path) -> None:
    a, b = two_runs(tmp_path, {RETRIEVAL[0].name: 0.05})
    runner = CliRunner()
    out = runner.invoke(app, ["compare", str(a), str(b), "--units", "--resamples", "100", "--quiet"]).output
    assert "wins on 1, loses on 0, ties on 22 configs" in out
    assert "permutation" in out
    arguments = ["compare", str(a), str(b), "--format", "json", "--resamples", "100", "--quiet"]
    assert len(json.loads(runner.invoke(app, arguments).output)["units"]) == 23


# ---- ranks ----


def test_ranks_of_table_3_are_the_printed_ones() -> None:
    table = paper_table(3)
    changes = rank_changes(scores_of("table3:full"), scores_of("table3:sample_30pct"))
    assert {c.model: c.change for c in changes} == {m: r["rank_change"] for m, r in table.rows.items()}


def test_ranks_from_a_file_and_from_results(tmp_path: Path) -> None:
    file = tmp_path / "mmteb.csv"
    file.write_text("model,rank\nbge-m3,2\nLaBSE,1\nelse,3\n", encoding="utf-8")
    (labse, bge) = rank_changes(scores_of(str(file)), scores_of("table5"))
    assert (labse.model, labse.change, bge.change) == ("LaBSE", -1, 1)
    write_run(make_run(0.5, model="BAAI/bge-m3"), tmp_path / "r")
    write_run(make_run(0.6, model="sentence-transformers/LaBSE"), tmp_path / "r")
    for column in ("", ":sts", ":tha"):
        changes = rank_changes(scores_of("table5"), scores_of(f"{tmp_path / 'r'}{column}"))
        assert {c.model: c.change for c in changes} == {"bge-m3": -1, "LaBSE": 1}


def test_a_partial_run_has_no_rank(tmp_path: Path) -> None:
    write_run(make_run(0.5, RETRIEVAL), tmp_path)
    with pytest.raises(SeabedError, match="no run whose average score covers every unit"):
        scores_of(str(tmp_path))
    assert scores_of(f"{tmp_path}:retrieval")


def test_equal_scores_share_the_better_rank() -> None:
    changes = rank_changes({"a": 1.0, "b": 1.0, "c": 0.0}, {"a": 0.0, "b": 1.0, "c": 0.5})
    assert [(c.model, c.rank_a, c.rank_b) for c in changes] == [("b", 1, 1), ("a", 1, 3), ("c", 3, 2)]


def test_bad_sources(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'average'"):
        scores_of("table5:averge")
    (tmp_path / "x.csv").write_text("name,points\na,1\n", encoding="utf-8")
    with pytest.raises(SeabedError, match="needs the columns model and score"):
        scores_of(str(tmp_path / "x.csv"))
    with pytest.raises(SeabedError, match="ranks need two"):
        rank_changes({"a": 1.0}, {"a": 1.0})
