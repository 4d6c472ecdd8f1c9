"""Human-made and machine-made sets: the paper's gaps, matched gaps, and other labels."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.units import all_units
from seabed_evaluate.studies.origin import Item, gaps, origin_of, origin_sheets, raw_gaps

LANGUAGES = ("ind", "tha", "vie", "mya", "fil", "tam", "khm", "zsm", "lao", "tet")


def items(score: Any, origin: Any = lambda c: c.origin) -> list[Item]:
    return [Item(c.name, c.task, lang, origin(c), score(c)) for c in catalogue.configs() for lang in c.units]


def test_the_papers_gaps(golden: dict[str, Any]) -> None:
    human, machine = paper_table(8).rows, paper_table(9).rows
    for model, known in golden["origin"]["printed"].items():
        h = {lang: v for lang in LANGUAGES if (v := human[model][lang]) is not None}
        m = {lang: v for lang in LANGUAGES if (v := machine[model][lang]) is not None}
        found = raw_gaps(h, m)
        assert found == pytest.approx(known["gap_by_language"], abs=0.005)
        assert fmean(found.values()) == pytest.approx(known["gap"], abs=0.006)
        without = [v for lang, v in found.items() if lang != "tet"]
        assert fmean(without) == pytest.approx(known["gap_without_tet"], abs=0.006)


def test_scores_that_depend_on_the_task_alone_have_no_matched_gap() -> None:
    tasks = {"bitext_mining": 0.9, "sts": 0.4}
    found = gaps("m", items(lambda c: tasks.get(c.task, 0.6)))
    assert found.matched == 0
    assert (found.low, found.high) == (0, 0)
    assert found.raw is not None
    assert abs(found.raw) > 0.01
    assert found.raw == pytest.approx(found.mix)
    assert found.cells < found.of
    assert found.matched_items[1] > 0


def test_a_gap_inside_the_cells_is_found_with_its_interval() -> None:
    found = gaps("m", items(lambda c: 0.8 if c.origin == "human" else 0.7))
    assert found.matched == pytest.approx(0.1)
    assert found.low == pytest.approx(0.1)
    sheets = origin_sheets([found], "our cards")
    assert sheets[0].rows[0]["matched gap"] == pytest.approx(10)
    assert set(sheets[1].rows[0]) == {"model", *found.by_language}


def test_labels_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(
        "key,language,origin\nstsbenchmark,mya,human\nstsbenchmark,,machine\nntrex_tha,,machine\n", "utf-8"
    )
    look = origin_of(file, "ours")
    assert look(catalogue.config("stsbenchmark_mya"), "mya") == "human"
    assert look(catalogue.config("stsbenchmark_tha"), "tha") == "machine"
    assert look(catalogue.config("ntrex_tha"), "tha") == "machine"
    assert look(catalogue.config("ntrex_vie"), "vie") is None
    paper = origin_of(None, "paper")
    assert paper(catalogue.config("ntrex_tha"), "tha") == catalogue.config("ntrex_tha").origin_paper
    file.write_text("key,language,origin\nntrex,,people\n", "utf-8")
    with pytest.raises(SeabedError, match="line 2: key 'ntrex' with origin 'people'"):
        origin_of(file, "ours")


def test_nothing_to_compare_is_no_number() -> None:
    with pytest.raises(SeabedError, match="no scores"):
        gaps("m", [])
    one = gaps("m", [Item("a", "sts", "tha", "human", 0.5)])
    assert (one.raw, one.matched, one.low, one.machine) == (None, None, None, None)


def test_the_gap_that_the_task_mix_alone_gives(golden: dict[str, Any]) -> None:
    # Computed when these three sets counted otherwise: our labels have changed since, the rule has not.
    before = {"cyberbullyinglgbt": "human", "burmeseprachathai67k": "machine", "stsbenchmark": "machine"}
    units = [f for f in all_units(average="datasets").values() if f.counted]
    cells: dict[tuple[str, str], set[str]] = {}
    for f in units:
        cells.setdefault((f.task, f.language), set()).add(before.get(f.dataset, f.origin))
    assert [sum(len(c) == 2 for c in cells.values()), len(cells)] == golden["origin"][
        "cells_with_both_origins"
    ]
    tasks = paper_table(5).rows
    for model, known in golden["origin"]["printed"].items():
        own = [
            Item(f.name, f.task, f.language, before.get(f.dataset, f.origin), tasks[model][f.task] or 0.0)
            for f in units
            if f.language != "tet"
        ]
        found = gaps(model, own)
        assert found.mix == pytest.approx(known["gap_without_tet_from_task_mix_alone"], abs=0.051)
        assert found.matched == 0
