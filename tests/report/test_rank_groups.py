"""Which averages cannot be told apart: simulated models, and groups in tables and on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_evaluate.cli import app
from seabed_evaluate.report import formats
from seabed_evaluate.report.leaderboard import page_data
from seabed_evaluate.report.rank_groups import Drawn, drawn, holm, same_groups, table_groups
from seabed_evaluate.report.tables import tables
from seabed_evaluate.report.units import average_error, config_weights, runs_of
from seabed_evaluate.runner.outcomes import outcomes_path, read_outcomes, write_outcomes
from seabed_evaluate.runner.results import result_files
from seabed_evaluate.runner.uncertainty import draws
from tests.result_maker import make_run, write_run

# ---- simulated models ----

# The average over nine tasks as it is: 314 configs of 169 datasets. Few items, so that the test is quick.
IN_AVERAGE = config_weights("task")
DATASETS = [catalogue.config(name).key for name in IN_AVERAGE]
WEIGHTS = list(IN_AVERAGE.values())
ITEMS, RESAMPLES, DRAWS = 30, 100, 200
_, DATASET = np.unique(DATASETS, return_inverse=True)
RESAMPLE = np.random.default_rng(42).multinomial(ITEMS, [1 / ITEMS] * ITEMS, size=RESAMPLES) / ITEMS


def simulate(generator: np.random.Generator, skills: list[float]) -> list[Drawn]:
    """Models of given skill on the same items, which all find hard alike; half of a model's own variance is the
    same in all languages of a dataset. Every resample is drawn alike for all."""
    hard = generator.normal(0, 0.2, (len(WEIGHTS), ITEMS))
    runs = []
    for skill in skills:
        shared = generator.normal(0, 0.1, (DATASET.max() + 1, ITEMS))[DATASET]
        values = 0.5 + skill + hard + shared + generator.normal(0, 0.1, (len(WEIGHTS), ITEMS))
        runs.append(Drawn(values.mean(axis=1), values @ RESAMPLE.T))
    return runs


def told_apart(skill: float) -> float:
    """How often two models with a difference in skill are told apart."""
    generator = np.random.default_rng(13)
    apart = 0
    for _ in range(DRAWS):
        first, _ = same_groups(simulate(generator, [0.0, skill]), WEIGHTS, DATASETS)
        apart += first == {0}
    return apart / DRAWS


def test_two_models_of_equal_skill_share_a_group() -> None:
    assert told_apart(0.0) <= 0.05


def test_a_difference_of_three_standard_errors_separates() -> None:
    """The standard error that a report prints: of an average, the errors of a dataset's languages added."""
    (run,) = simulate(np.random.default_rng(13), [0.0])
    errors = run.resampled.std(axis=1) * WEIGHTS
    se = float(np.sqrt((np.bincount(DATASET, errors) ** 2).sum()))
    assert told_apart(3 * se) >= 0.9


def test_many_equal_models_are_rarely_told_apart() -> None:
    """Holm: of ten equal models, any pair is told apart in no more than 5 % of families."""
    generator = np.random.default_rng(7)
    families = [same_groups(simulate(generator, [0.0] * 10), WEIGHTS, DATASETS) for _ in range(20)]
    assert sum(any(len(g) < 10 for g in groups) for groups in families) <= 2


def test_a_run_without_items_and_one_of_other_items_are_in_no_group() -> None:
    a, b = simulate(np.random.default_rng(1), [0.0, 0.0])
    other = Drawn(b.scores, b.resampled, ("other rows",))
    assert same_groups([a, None, other], WEIGHTS, DATASETS) == [{0}, set(), {2}]


def test_identical_models_share_a_group_and_far_ones_do_not() -> None:
    a, far = simulate(np.random.default_rng(1), [0.0, 0.3])
    assert same_groups([a, a, far], WEIGHTS, DATASETS) == [{0, 1}, {0, 1}, {2}]


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


# ---- real files ----

CONFIGS = catalogue.configs()


def values_of(skill: float) -> Any:
    def values(result: dict[str, Any]) -> Any:
        seed = sum(result["config"].encode())
        hard = np.random.default_rng(seed).normal(0, 0.2, 60)
        own = np.random.default_rng([seed, len(result["model"]["model"])]).normal(0, 0.1, 60)
        return 0.5 + skill + hard + own

    return values


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three whole runs with items, of which the first two are alike, and one without items."""
    out = tmp_path_factory.mktemp("results")
    for model, skill in (("a/one", 0.0), ("b/other", 0.0), ("c/better1", 0.2)):
        made = make_run(0.0, model=model)
        for r in made:
            r["score"] = r["scores"][r["main_score"]] = float(np.float32(values_of(skill)(r)).mean())
        write_run(made, out, values_of(skill))
    write_run(make_run(0.6, model="d/without"), out)
    return out


def test_groups_stand_beside_ranks_in_tables(results: Path) -> None:
    files = result_files([results])
    for paper in (False, True):
        for table in tables([r for _, r in files], files=files, paper=paper):
            rows = {r.model: r for r in table.rows}
            assert rows["a/one"].rank is not None
            assert rows["b/other"].rank is not None
            low, high = sorted((rows["a/one"].rank, rows["b/other"].rank))
            assert rows["a/one"].group == rows["b/other"].group == (low, high)
            assert rows["c/better1"].group == (rows["c/better1"].rank,) * 2
            assert rows["d/without"].group is None
            assert all(r.group is None for r in table.rows if r.published)
            text = {r["model"].split(" [")[0]: r for r in formats.text_rows(table)}
            assert text["a/one"]["group"] == f"{low}-{high}"
            assert text["d/without"]["group"] == ""
            assert any("cannot be told apart" in n for n in table.notes)


def test_groups_are_on_the_page_and_on_the_command_line(results: Path) -> None:
    files = result_files([results])
    data = page_data([r for _, r in files], paper=False, files=files)
    ids = {m["name"]: m["id"] for m in data["models"]}
    same = {m["name"]: m["same"] for m in data["models"]}
    for view in ("tasks", "languages"):
        assert same["a/one"][view] == sorted([ids["a/one"], ids["b/other"]])
        assert same["d/without"][view] is None
    out = CliRunner().invoke(app, ["report", str(results), "--compare", "none", "--format", "csv"]).output
    assert ",3-4," in out


def test_one_run_has_no_group_and_no_column() -> None:
    table = tables(make_run(0.5))[0]
    assert all(r.group is None for r in table.rows)
    assert "group" not in formats.text_rows(table)[0]


def test_kept_resamples_are_used_and_others_drawn(tmp_path: Path) -> None:
    config = next(c for c in CONFIGS if c.task == "retrieval")
    write_run(make_run(0.5, [config]), tmp_path, values_of(0.0))
    ((path, r),) = result_files([tmp_path])
    outcomes = read_outcomes(outcomes_path(path), r["settings_hash"])
    of_items = draws("retrieval", r["main_score"], outcomes)

    def resampled(**changes: Any) -> Any:
        found = drawn({config.name: (path, r | changes)}, [config.name])
        return None if found is None else found.resampled[0]

    assert resampled() == pytest.approx(of_items.resampled, abs=1e-6)
    # What is kept is used as it is, unless it is not of this score.
    outcomes["resampled"] = np.full(1000, of_items.score, dtype=np.float32)
    write_outcomes(outcomes_path(path), outcomes, r["settings_hash"])
    assert resampled(score=of_items.score).std() == 0
    assert resampled(score=of_items.score + 0.1).std() > 0
    # Its items' values are of another measure than the one asked for, or of other rows.
    assert resampled(main_score="mrr_at_10") is None
    assert resampled(data=r["data"] | {"rows": {"test": 7}}) is None


def test_standard_errors_are_those_of_the_report() -> None:
    """What separates models is made by the same rule as the +- of an average."""
    (run,) = runs_of(make_run(0.5, se=0.02))
    by_task = average_error(run, "task")
    assert by_task is not None
    assert table_groups([run.key], [], {}) == {}
    assert 0 < by_task < 0.02
