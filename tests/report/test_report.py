"""Tables: the paper's own figures, partial runs, mixtures, breakdowns, formats."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate.cli import app
from seabed_evaluate.report import formats
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.tables import BY, Table, published_rows, tables
from seabed_evaluate.report.units import all_units, cells, runs_of
from tests.conftest import SHARED
from tests.result_maker import make_result, make_run, write_run

AVERAGED = {5: ("task", None), 6: ("language", None), 8: ("language", "human"), 9: ("language", "machine")}


# ---- the paper's tables ----


@pytest.mark.parametrize("number", AVERAGED)
def test_every_printed_average_and_sd_comes_out_but_for_the_named_misprints(number: int) -> None:
    rows, table = published_rows(*AVERAGED[number])
    assert table is not None
    named = {(m.row, m.column): m for m in table.misprints}
    wrong = set()
    for row in rows:
        for column, computed in (("average", row.average), ("sd", row.sd)):
            printed = table.rows[row.model][column]
            assert computed is not None
            assert printed is not None
            if abs(100 * computed - printed) > 0.00501:
                wrong.add((row.model, column))
                assert named[row.model, column].computed == pytest.approx(100 * computed, abs=0.00501)
    averages = {k for k in named if k[1] in ("average", "sd")}
    # 14.6248 printed as 14.63: within half a cent of the computed value, yet rounded the wrong way.
    assert averages - wrong <= {("multilingual-e5-large", "sd")}
    assert wrong <= averages


def test_sd_of_the_paper_is_the_population_sd() -> None:
    row = paper_table(5).rows["bge-m3"]
    assert pstdev([row[t] or 0 for t in TASKS]) == pytest.approx(row["sd"], abs=0.005)


@pytest.mark.parametrize("number", [3, 5, 6, 7, 8, 9, 10])
def test_misprints_stand_in_the_data_as_printed(number: int) -> None:
    table = paper_table(number)
    for m in table.misprints:
        printed = table.parameters[m.row] if m.column == "parameters" else table.rows[m.row][m.column]
        assert printed == m.printed
        assert printed != m.computed


def test_the_paper_data_is_the_transcription() -> None:
    if not (SHARED / "paper").is_dir():
        pytest.skip("no transcription of the paper beside this checkout (shared/paper)")
    folder = Path(str(paper_table.__wrapped__.__code__.co_filename)).parent
    files = sorted(folder.glob("*.csv"))
    assert len(files) == 7
    for file in files:
        assert file.read_text() == (SHARED / "paper" / file.name).read_text()


def test_table_10_average_row_is_the_mean_but_for_the_named_misprint() -> None:
    table = paper_table(10)
    rows = [r for m, r in table.rows.items() if m != "Average"]
    means = {c: fmean(r[c] or 0 for r in rows) for c in table.columns}
    wrong = {c for c, v in means.items() if abs(v - (table.rows["Average"][c] or 0)) > 0.0051}
    named = [m for m in table.misprints if m.row == "Average"]
    assert wrong == {m.column for m in named}
    assert all(m.computed == pytest.approx(means[m.column], abs=0.005) for m in named)


def test_copies_of_table_10_are_copies() -> None:
    table = paper_table(10)
    assert {c.row for c in table.copies} == {"GritLM-7B", "e5-mistral-7b-instruct"}
    for c in table.copies:
        same = [n for n in table.columns if table.rows[c.row][n] == table.rows[c.of][n]]
        assert list(c.columns) == same
        assert len(same) == 7


def test_unknown_table() -> None:
    with pytest.raises(UnknownName, match="unknown table of the paper '4'"):
        paper_table(4)


# ---- units ----


def test_units_are_those_of_the_paper() -> None:
    """Table 6 prints how many datasets a language has; its means are over configs, ALTDialect counted once."""
    for average, expected in (
        ("datasets", [70, 55, 40, 33, 28, 18, 18, 14, 14, 4]),
        ("configs", [69, 55, 41, 35, 31, 18, 22, 19, 20, 4]),
    ):
        units = all_units(average=average).values()
        assert [sum(u.language == lang for u in units) for lang in LANGUAGES] == expected
    assert len(all_units()) == 314


def test_a_whole_run_is_averaged_as_the_paper_averages() -> None:
    scores = {t: 0.1 * i for i, t in enumerate(TASKS)}
    by_task, by_language = tables(make_run(lambda c: scores[c.task]))
    (own,) = [r for r in by_task.rows if not r.published]
    assert own.average == pytest.approx(0.4)
    assert own.sd == pytest.approx(pstdev(scores.values()))
    assert {t: own.cells[t].score for t in TASKS} == pytest.approx(scores)
    (own,) = [r for r in by_language.rows if not r.published]
    weights = {
        lang: [scores[u.task] for u in all_units().values() if u.language == lang] for lang in LANGUAGES
    }
    assert own.average == pytest.approx(fmean(fmean(w) for w in weights.values()))


def test_a_unit_of_pairs_is_the_mean_of_its_pairs_and_missing_pairs_leave_it_out() -> None:
    pairs = [c for c in catalogue.configs() if c.key == "altdialect" and "ind" in c.units]
    assert len(pairs) == 7
    run = make_run(lambda c: 0.1 * pairs.index(c), pairs)
    (unit,) = [u for u in runs_of(run, "datasets")[0].units if u.whole]
    assert (unit.facts.language, unit.score) == ("ind", pytest.approx(0.3))
    assert not [u for u in runs_of(run[:6], "datasets")[0].units if u.whole]
    assert cells(runs_of(run[:6], "datasets")[0], "task")["bitext_mining"].score is None


def test_a_config_counts_once_and_a_pair_under_its_second_language() -> None:
    pairs = [c for c in catalogue.configs() if c.key == "altdialect"]
    (run,) = runs_of(make_run(lambda c: 0.9 if c.units == ["ind", "khm"] else 0.2, pairs))
    by_language = cells(run, "language")
    assert (by_language["ind"].score, by_language["ind"].units) == (None, 0)
    assert by_language["khm"].units == 5  # with ind, tha, vie, mya and fil
    assert by_language["khm"].score == pytest.approx((0.9 + 4 * 0.2) / 5)
    assert sum(c.units for c in by_language.values()) == 28


# ---- partial, mixed, sample ----


def test_a_partial_run_has_no_average_and_no_rank() -> None:
    ntrex = [c for c in catalogue.configs() if c.key == "ntrex"]
    by_task, _ = tables(make_run(0.9, ntrex))
    own = by_task.rows[-1]
    assert (own.average, own.sd, own.rank, own.ranks) == (None, None, None, {})
    text = formats.text_rows(by_task)[-1]
    assert text["bitext"] == f"90.00 ({len(ntrex)}/114)"
    assert "n of" not in text["model"]
    assert any("covers 3 of 94 configs" in n for n in by_task.notes)


def test_one_missing_unit_is_enough() -> None:
    results = [r for r in make_run(0.99) if r["config"] != "ntrex_tha"]
    by_task, by_language = tables(results)
    assert by_task.rows[-1].average is None
    assert by_language.rows[-1].average is None
    assert by_task.rows[-1].ranks["sts"] == 1


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({"protocol_name": "paper-text"}, "MIXED protocol: paper-text: org/model"),
        ({"dtype": "fp16"}, "MIXED dtype: fp16: org/model"),
        ({"model": "org/other", "rows": "other rows"}, "MIXED data: abusive_ind"),
        ({"model": "org/other", "truncated": True}, "CUT FILES: org/other"),
        ({"model": "org/other", "se": None}, "without an interval"),
    ],
)
def test_nothing_is_mixed_silently(change: dict[str, Any], note: str) -> None:
    table = tables([*make_run(0.5), *make_run(0.6, **change)])[0]
    assert sum(not r.published for r in table.rows) == 2
    assert any(note in n for n in table.notes), table.notes
    assert not any("MIXED" in n for n in tables(make_run(0.5))[0].notes)


def test_other_versions_of_a_config_in_one_run_are_refused() -> None:
    config = catalogue.config("ntrex_tha")
    with pytest.raises(SeabedError, match="ntrex_tha is there twice"):
        tables([make_result(config, 0.5), make_result(config, 0.6, rows="other")])


def test_sample_results_never_stand_beside_the_benchmarks() -> None:
    samples = make_run(0.9, catalogue.configs(sample=True))
    made = tables([*make_run(0.5), *samples])
    assert len(made) == 4
    for table in made:
        assert len({r.sample for r in table.rows if not r.published}) == 1
    sample_rows = [r for t in made[2:] for r in t.rows]
    assert all("sample data" in r.name and not r.published for r in sample_rows)


def test_cut_configs_are_marked_in_the_row() -> None:
    by_task, _ = tables(make_run(0.5, [catalogue.config("ntrex_tha")], truncated=True))
    assert by_task.rows[-1].name.endswith("(1 config of cut files)")


# ---- ranks and breakdowns ----


def test_a_model_is_ranked_among_the_seventeen() -> None:
    table = tables(make_run(0.7))[0]
    (own,) = [r for r in table.rows if not r.published]
    printed = paper_table(5).rows.values()
    assert own.rank == 1 + sum((r["average"] or 0) > 70 for r in printed)
    assert own.ranks["sts"] == 1 + sum((r["sts"] or 0) > 70 for r in printed)
    assert any(n.startswith("Rank of org/model") and "17 published" in n for n in table.notes)


def test_origin_is_tables_8_and_9() -> None:
    human, machine = tables(make_run(lambda c: 0.6 if c.origin == "human" else 0.4), ["origin"])
    assert (human.title, machine.title) == (
        "Scores by language, human-made datasets",
        "Scores by language, machine-made datasets",
    )
    for table, score in ((human, 0.6), (machine, 0.4)):
        assert sum(r.published for r in table.rows) == 5
        (own,) = [r for r in table.rows if not r.published]
        assert all(c.score == pytest.approx(score) for c in own.cells.values() if c.of)


@pytest.mark.parametrize("by", BY)
def test_every_breakdown_covers_every_unit(by: str) -> None:
    for table in tables(make_run(0.5), [by], paper=False):
        (row,) = table.rows
        assert all(c.whole and c.score == pytest.approx(0.5) for n, c in row.cells.items() if c.of)
    if by not in ("domain", "origin"):
        assert sum(c.of for c in row.cells.values()) == (294 if by == "unit" else 314)


def test_intervals_are_narrower_for_averages_than_for_units() -> None:
    by_task, by_unit = tables(make_run(0.5, se=0.02), ["task", "unit"], paper=False)
    (row,), (units,) = by_task.rows, by_unit.rows
    assert all(c.se == pytest.approx(0.02) for c in units.cells.values())
    assert row.average_se is not None
    assert 0 < row.average_se < 0.02
    assert row.cells["bitext_mining"].interval() is not None


# ---- formats ----


@pytest.fixture(scope="module")
def made() -> list[Table]:
    return tables(make_run(0.7))


def test_csv_and_json_hold_the_same_numbers(made: list[Table]) -> None:
    lines = list(csv.DictReader(io.StringIO(formats.csv_text(made))))
    plain = json.loads(formats.json_text(made))
    assert [t["by"] for t in plain] == ["task", "language"]
    for table in plain:
        for row in table["rows"]:
            for column, cell in row["scores"].items():
                (line,) = [
                    x
                    for x in lines
                    if (x["table"], x["model"], x["source"], x["column"])
                    == (table["table"], row["model"], row["source"], column)
                ]
                assert float(line["score"]) == cell["score"]
                assert (line["units"], line["of"]) == (str(cell["units"]), str(cell["of"]))
    e5 = plain[0]["rows"][0]
    assert (e5["model"], e5["average"]["score"]) == ("multilingual-e5-large-instruct", pytest.approx(75.24))


def test_markdown_and_latex(made: list[Table]) -> None:
    text = formats.markdown(made, intervals=True)
    lines = text.splitlines()
    assert lines[0] == "### Scores by task (x100)"
    assert len({line.count("|") for line in lines if line.startswith("|") and "bitext" in lines[2]}) <= 2
    assert "| 1 | multilingual-e5-large-instruct (paper) | 87.86 |" in text
    assert "±" in text
    latex = formats.latex(made)
    assert latex.count(r"\begin{tabular}") == 2
    assert r"\textbf{75.24}" in latex
    assert "org/model" in latex


def test_latex_escapes() -> None:
    table = tables(make_run(0.5, [catalogue.config("ntrex_tha")], model="a_b&c"))[0]
    assert r"a\_b\&c" in formats.latex([table])


def test_command_line(tmp_path: Path) -> None:
    write_run(make_run(0.5, [c for c in catalogue.configs() if c.key == "ntrex"]), tmp_path)
    runner = CliRunner()
    out = runner.invoke(app, ["report", str(tmp_path)]).output
    assert "50.00 (8/114)" in out
    assert "bge-m3 (paper)" in out
    out = runner.invoke(
        app, ["report", str(tmp_path), "--compare", "none", "--by", "unit", "--by-config"]
    ).output
    assert "bge-m3" not in out
    assert "ntrex_tha" in out
    out = runner.invoke(app, ["report", str(tmp_path), "--format", "json"]).output
    assert json.loads(out)[0]["by"] == "task"
    other = tmp_path / "other"
    write_run(make_run(0.6, [catalogue.config("ntrex_tha")], model="org/other"), other)
    out = runner.invoke(app, ["report", str(tmp_path / "org-model-"), "--compare", str(other)])
    assert out.exit_code != 0
    found = runner.invoke(app, ["report", str(other), "--compare", "none", "--compare", str(tmp_path)]).output
    assert "org/model" in found
    assert "org/other" in found


def test_the_run_is_not_read_as_markup(tmp_path: Path) -> None:
    results = make_run(0.5, [catalogue.config("ntrex_tha")])
    write_run(results, tmp_path)
    out = CliRunner().invoke(app, ["report", str(tmp_path)]).output
    assert f"[{results[0]['run'][:8]}]" in out


def test_unknown_breakdown(tmp_path: Path) -> None:
    write_run(make_run(0.5, [catalogue.config("ntrex_tha")]), tmp_path)
    result = CliRunner().invoke(app, ["report", str(tmp_path), "--by", "tsak"])
    assert isinstance(result.exception, UnknownName)
    assert "Did you mean 'task'" in str(result.exception)


def test_a_unit_is_named_once_by_its_language() -> None:
    facts = all_units(average="datasets")
    assert facts["news_clustering_mya"].language == facts["ntrex_mya"].language == "mya"
    assert len(facts) == 294


def test_a_dataset_added_after_the_paper_changes_no_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    added = [
        d.model_copy(update={"seabed": d.seabed.model_copy(update={"in_paper": False})})
        if d.key == "ntrex"
        else d
        for d in catalogue.datasets()
    ]
    monkeypatch.setattr(catalogue, "datasets", lambda *, sample=False: added)
    all_units.cache_clear()
    try:
        facts = all_units()["ntrex_tha"]
        assert facts.groups("task") == facts.groups("language") == facts.groups("domain") == ()
        assert facts.groups("unit") == ("ntrex_tha",)
        assert all_units()["xquad_tha"].groups("task") == ("retrieval",)
    finally:
        all_units.cache_clear()
