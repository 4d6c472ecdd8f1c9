"""What a table shows besides its default: other scores, aspects, whose origin, cut texts, other protocols."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate.cli import app
from seabed_evaluate.report import formats
from seabed_evaluate.report.leaderboard import page_data
from seabed_evaluate.report.measures import chosen_measures, with_measures
from seabed_evaluate.report.mteb_export import write_mteb_results
from seabed_evaluate.report.ranks import misprints_of, scores_of
from seabed_evaluate.report.tables import Row, tables
from seabed_evaluate.runner.cut_texts import cut_line
from tests.result_maker import make_run, write_run

MULTILABEL = [c for c in catalogue.configs() if c.task == "multilabel_classification"]


def both(score: float, f1: float, **options: Any) -> list[dict[str, Any]]:
    """A run that carries both numbers of multi-label classification."""
    made = make_run(score, **options)
    for r in made:
        if r["task"] == "multilabel_classification":
            r["scores"]["f1_weighted"] = f1
            r["intervals"] = {"f1_weighted": {"low": f1, "high": f1, "se": 0.03}}
    return made


def own(table: Any) -> Row:
    (row,) = [r for r in table.rows if not r.published]
    return row  # type: ignore[no-any-return]


# ---- other scores ----


def test_another_score_is_shown_with_its_interval_and_said_to_be_another() -> None:
    shown = with_measures(both(0.8, 0.5), {"multilabel_classification": "f1_weighted"})
    table = tables(shown)[0]
    cell = own(table).cells["multilabel_classification"]
    assert cell.score == pytest.approx(0.5)
    assert cell.se is not None
    assert own(table).cells["sts"].score == pytest.approx(0.8)
    assert any("is f1_weighted; the paper's column is label_weighted_accuracy" in n for n in table.notes)
    assert not any("f1_weighted" in n for n in tables(both(0.8, 0.5))[0].notes)


def test_scores_of_two_kinds_in_one_column_are_named() -> None:
    results = [
        *both(0.8, 0.5),
        *with_measures(both(0.8, 0.5, model="org/other"), {"multilabel_classification": "f1_weighted"}),
    ]
    assert any(n.startswith("MIXED measure of multilabel_classification") for n in tables(results)[0].notes)


def test_measures_on_the_command_line(tmp_path: Path) -> None:
    write_run(both(0.8, 0.5, configs=MULTILABEL), tmp_path)
    arguments = ["report", str(tmp_path), "--format", "json", "--compare", "none", "--by", "task"]
    for extra, expected in (([], 80.0), (["--measure", "multilabel_classification=f1_weighted"], 50.0)):
        found = json.loads(CliRunner().invoke(app, [*arguments, *extra]).output)
        assert found[0]["rows"][0]["scores"]["multilabel_classification"]["score"] == expected


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["f1_weighted"], "write TASK=SCORE"),
        (["st=pearson"], "Did you mean 'sts'"),
        (["sts=pearson", "sts=kendall"], "two measures for sts"),
    ],
)
def test_bad_measures(texts: list[str], message: str) -> None:
    with pytest.raises(SeabedError, match=message):
        chosen_measures(texts)


def test_a_score_that_a_result_does_not_have() -> None:
    results = both(0.8, 0.5, configs=MULTILABEL[:1])
    with pytest.raises(UnknownName, match="Did you mean 'f1_weighted'"):
        with_measures(results, {"multilabel_classification": "f1_wieghted"})
    results[0]["scores"]["iterations"] = 12
    with pytest.raises(UnknownName, match="unknown score of"):
        with_measures(results, {"multilabel_classification": "iterations"})


# ---- averages, aspects, origins ----


def test_the_mean_over_datasets_is_another_and_says_so() -> None:
    results = make_run(lambda c: 0.9 if c.key == "altdialect" else 0.5)
    by_config, by_dataset = (tables(results, ["task"], average=a)[0] for a in ("configs", "datasets"))
    assert own(by_config).cells["bitext_mining"].score == pytest.approx((28 * 0.9 + 86 * 0.5) / 114)
    assert own(by_dataset).cells["bitext_mining"].score == pytest.approx((8 * 0.9 + 86 * 0.5) / 94)
    assert by_config.notes[0].startswith("Means are over configs, as in the paper's tables: 314")
    assert by_dataset.notes[0].startswith("Means are over dataset-language units (--average datasets): 294")
    assert any("314 of 314" in n for n in by_config.notes)
    assert any("294 of 294" in n for n in by_dataset.notes)
    assert own(by_config).average_se != own(by_dataset).average_se


def test_aspects_are_means_over_their_tasks_configs() -> None:
    scores = {"retrieval": 0.9, "reranking": 0.7, "instruction_retrieval": 0.5}
    (table,) = tables(make_run(lambda c: scores.get(c.task, 0.1)), ["aspect"])
    assert len(table.columns) == 4
    cell = own(table).cells["information retrieval"]
    assert (cell.units, cell.of) == (29, 29)
    assert cell.score == pytest.approx((23 * 0.9 + 2 * 0.7 + 4 * 0.5) / 29)


def test_origin_by_the_papers_column() -> None:
    results = make_run(lambda c: 0.6 if c.origin_paper == "human" else 0.4)
    human, machine = tables(results, ["origin"], origin_by="paper")
    for table, score in ((human, 0.6), (machine, 0.4)):
        assert all(c.score == pytest.approx(score) for c in own(table).cells.values() if c.of)
        assert "annotation column" in table.title
    counted = sum(c.of for t in (human, machine) for c in own(t).cells.values())
    assert counted == 314 - sum(c.origin_paper == "not printed" for c in catalogue.configs())
    by_card = tables(results, ["origin"])[0]
    assert {c.score for c in own(by_card).cells.values() if c.of} != {0.6}


# ---- cut texts ----


def cut_run(**options: Any) -> list[dict[str, Any]]:
    made = make_run(0.5, **options)
    for r in made:
        n = 50 if "mya" in r["units"] else 0
        r["cut"] = {"query": {"texts": 100, "cut": n, "tokens_lost": 0.1 if n else 0.0}}
    return made


def test_cut_texts_are_shown_by_language_and_on_the_page() -> None:
    _, by_language = tables([*cut_run(), *make_run(0.4, model="org/other")])
    rows = {r.model: r for r in by_language.rows}
    assert rows["org/model"].cells["mya"].cut == pytest.approx(0.5)
    assert rows["org/model"].cells["tha"].cut == 0
    assert 0 < (rows["org/model"].cut or 0) < 0.5
    text = {r["model"].split(" [")[0]: r for r in formats.text_rows(by_language)}
    assert text["org/model"]["cut texts"].endswith(" %")
    assert text["org/other"]["cut texts"] == ""
    assert any(
        "Texts longer than the limit of org/model" in n and "mya 50.0 %" in n for n in by_language.notes
    )
    found = {m["name"]: m for m in page_data(cut_run(), paper=True)["models"]}
    assert 0 < found["org/model"]["cutTexts"] < 0.5
    assert found["org/model"]["units"][0][3:] == [0, 100]


def test_a_run_says_what_was_cut_and_where_most() -> None:
    line = cut_line(cut_run())
    assert line is not None
    assert "_mya 50.0 % (10.0 % of tokens lost)" in line
    assert cut_line(make_run(0.5)) is None
    unknown = make_run(0.5, MULTILABEL[:1])
    unknown[0]["cut"] = {"query": {"texts": 100, "cut": None, "tokens_lost": None}}
    assert cut_line(unknown) is None
    assert tables(unknown)[0].rows[-1].cut is None


def test_without_the_field_nothing_is_said_of_cut_texts() -> None:
    _, by_language = tables(make_run(0.5))
    assert own(by_language).cut is None
    assert "cut texts" not in formats.text_rows(by_language)[0]


# ---- protocols ----


def test_another_protocol_is_named_in_its_row_and_apart_from_the_papers() -> None:
    table = tables([*make_run(0.5), *make_run(0.6, protocol_name="paper-text")])[0]
    names = [r.name for r in table.rows if not r.published]
    assert len(names) == 2
    assert names[0].endswith("(protocol paper-text)")
    assert any("was scored by another protocol than the one behind the paper" in n for n in table.notes)


def test_settings_that_changed_under_one_name_are_named() -> None:
    other = make_run(0.6, model="org/other")
    for r in other:
        r["protocol"] = r["protocol"] | {"kmeans_init": 1}
    notes = tables([*make_run(0.5), *other])[0].notes
    assert any(n.startswith("MIXED settings of protocol published") for n in notes)


def test_protocols_are_not_exported_together(tmp_path: Path) -> None:
    with pytest.raises(SeabedError, match=r"2 protocols \(paper-text, published\)"):
        write_mteb_results(
            [*make_run(0.5), *make_run(0.6, model="org/other", protocol_name="paper-text")], tmp_path
        )
    assert not list(tmp_path.iterdir())
    written = write_mteb_results(make_run(0.5, [catalogue.config("ntrex_tha")]), tmp_path)
    meta = json.loads((written[0].parent / "model_meta.json").read_text(encoding="utf-8"))
    assert meta["protocol"]["name"] == "published"


def test_two_runs_of_one_model_have_no_common_rank(tmp_path: Path) -> None:
    write_run(make_run(0.5, model="BAAI/bge-m3"), tmp_path)
    write_run(make_run(0.6, model="BAAI/bge-m3", protocol_name="paper-text"), tmp_path)
    with pytest.raises(SeabedError, match="several runs of bge-m3"):
        scores_of(str(tmp_path))


# ---- ranks of the paper's tables ----


def test_ranks_use_computed_averages_and_name_misprints() -> None:
    assert scores_of("table8")["multilingual-e5-large-instruct"] == pytest.approx(77.753)
    assert misprints_of("table8") == misprints_of("results/:sts") == []
    assert any(
        "prints mya 0.45 for bge-multilingual-gemma2, not 0.05" in n for n in misprints_of("table10:mya")
    )
    assert any("for GritLM-7B" in n for n in misprints_of("table10:fil"))
    assert len(misprints_of("table6:zsm")) == 1
    found = CliRunner().invoke(app, ["ranks", "table6:zsm", "table8:zsm"])
    assert "19 T6 = 15 T8 + 4 T9" in found.stderr
