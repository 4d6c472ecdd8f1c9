"""Languages x tasks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError
from seabed_evaluate.cli import app
from seabed_evaluate.report.landscape import as_plain, landscape, landscape_sheets
from seabed_evaluate.report.plots import landscape_plot, save
from tests.result_maker import make_run


def test_every_config_counts_in_one_cell() -> None:
    found = landscape(make_run(0.5))
    assert sum(found.of.values()) == 314
    assert sum(n for cell in found.scores.values() for _, n in cell.values()) == 314
    assert len({lang for lang, _ in found.of}) == len(LANGUAGES)
    (sheet,) = landscape_sheets(found)
    assert len(sheet.rows) == 10
    assert len(sheet.rows[0]) == 1 + len(TASKS)
    assert any(v == "-" for row in sheet.rows for v in row.values())


def test_the_best_model_has_all_configs_of_a_cell() -> None:
    low = make_run(0.4, model="a/low")
    high = [r for r in make_run(0.9, model="b/high") if r["config"] != "ntrex_tha"]
    found = landscape([*low, *high])
    best = found.best(("tha", "bitext_mining"))
    assert best is not None
    assert best[0].startswith("a/low")
    other = found.best(("vie", "bitext_mining"))
    assert other is not None
    assert other[0].startswith("b/high")
    assert len(landscape_sheets(found)) == 3
    cell = next(c for c in as_plain(found) if (c["language"], c["task"]) == ("tha", "bitext_mining"))
    assert cell["best"] == best[0]


def test_nothing_of_the_benchmark_is_said() -> None:
    with pytest.raises(SeabedError, match="sample sets have no place"):
        landscape([])


def test_the_command_and_the_picture(tmp_path: Path) -> None:
    for r in make_run(0.5):
        path = tmp_path / "r" / f"{r['config']}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(r), encoding="utf-8")
    done = CliRunner().invoke(
        app, ["report", str(tmp_path / "r"), "--by", "language-task", "--format", "json"]
    )
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.stdout)["cells"]) == len(landscape(make_run(0.5)).of)
    save(landscape_plot(landscape(make_run(0.5))), tmp_path / "l.png")
    assert (tmp_path / "l.png").stat().st_size > 10_000
