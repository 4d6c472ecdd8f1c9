"""Plots: files are written, are pictures, and repeat themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_evaluate.cli import app
from tests.result_maker import make_run, write_run

pytest.importorskip("matplotlib", reason='matplotlib is not installed (pip install "seabed[plots]")')


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("results")
    write_run(make_run(0.7, model="BAAI/bge-m3"), out)
    return out


def test_plots_are_written_and_repeat_themselves(results: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        found = CliRunner().invoke(app, ["plot", str(results), "--out", str(tmp_path / folder)])
        assert found.exit_code == 0, found.output
    for kind in ("radar", "heatmap", "size"):
        first = (tmp_path / "one" / f"{kind}.svg").read_bytes()
        assert b"<svg" in first
        assert first == (tmp_path / "two" / f"{kind}.svg").read_bytes()
    assert len(list((tmp_path / "one").iterdir())) == 3


def test_png_and_slopes(tmp_path: Path) -> None:
    path = tmp_path / "ranks.png"
    found = CliRunner().invoke(app, ["ranks", "table5", "table6", "--plot", str(path)])
    assert found.exit_code == 0, found.output
    assert path.read_bytes().startswith(b"\x89PNG")
    found = CliRunner().invoke(app, ["ranks", "table5", "table6", "--plot", str(tmp_path / "x.pdf")])
    assert isinstance(found.exception, SeabedError)


def test_too_little_to_draw_is_said(tmp_path: Path) -> None:
    write_run(make_run(0.5, [catalogue.config("ntrex_tha")]), tmp_path)
    found = CliRunner().invoke(app, ["plot", str(tmp_path), "--no-paper", "--out", str(tmp_path / "p")])
    assert isinstance(found.exception, SeabedError)
    assert "three tasks" in str(found.exception)
