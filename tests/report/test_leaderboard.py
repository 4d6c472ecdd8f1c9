"""The leaderboard page as a file: what it holds, how large it is, what it never asks for."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_evaluate.cli import app
from seabed_evaluate.encoders.prompts import read_toml
from seabed_evaluate.report import leaderboard
from seabed_evaluate.report.leaderboard import page, page_data, write_leaderboard
from tests.result_maker import make_run, write_run

FOLDER = Path(leaderboard.__file__).parent


def embedded(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def test_seventeen_whole_runs_stay_under_the_limit(tmp_path: Path) -> None:
    results = [r for i in range(17) for r in make_run(0.3 + i / 50, model=f"org/model-{i}")]
    path = write_leaderboard(results, tmp_path)
    assert path.stat().st_size < 1_500_000
    data = embedded(path.read_text(encoding="utf-8"))
    assert len(data["models"]) == 34
    assert len(data["units"]) == 314
    assert all(len(m["units"]) == 314 for m in data["models"] if not m["published"])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["README.md", "index.html"]
    assert "sdk: static" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_page_asks_for_nothing(tmp_path: Path) -> None:
    """Statically; that no request is made either is watched in the browser."""
    html = write_leaderboard([], tmp_path).read_text(encoding="utf-8")
    outside = re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL)
    assert "{{" not in outside
    assert not re.findall(r"""<(?:script|img|iframe|link)[^>]+(?:src|href)=["'](?!data:)""", outside)
    assert not re.findall(r"url\((?!data:)|@import", outside)
    own = (FOLDER / "page.js").read_text(encoding="utf-8")
    assert not re.findall(r"\bimport\(|\bfetch\(|XMLHttpRequest|sendBeacon|eval\(", own)


def test_names_cannot_end_the_script() -> None:
    data = page_data(make_run(0.5, model="x/</script><script>alert(1)</script>"), paper=False)
    html = page(data)
    assert "</script><script>alert(1)" not in html
    assert embedded(html)["models"][0]["name"] == "x/</script><script>alert(1)</script>"


def test_sample_results_are_shown_alone_and_said_to_be_samples() -> None:
    samples = make_run(0.9, catalogue.configs(sample=True))
    data = page_data(samples, paper=True)
    assert (data["sample"], len(data["models"]), len(data["units"])) == (True, 1, 9)
    mixed = page_data([*samples, *make_run(0.5)], paper=False)
    assert (mixed["sample"], len(mixed["models"]), len(mixed["units"])) == (False, 1, 314)


def test_marks_reach_the_page() -> None:
    config = catalogue.config("ntrex_tha")
    results = [
        *make_run(0.5, [config], truncated=True),
        *make_run(0.6, [config], protocol_name="paper-text", dtype="fp16"),
    ]
    data = page_data(results, paper=False)
    assert [m["cut"] for m in data["models"]] == [["ntrex_tha"], []]
    assert [(m["protocol"], m["dtype"]) for m in data["models"]] == [
        ("published", "fp32"),
        ("paper-text", "fp16"),
    ]
    assert {n.split(":")[0] for n in data["notes"]} >= {"MIXED protocol", "MIXED dtype", "CUT FILES"}


def test_published_models_have_their_facts() -> None:
    models = {m["name"]: m for m in page_data([], paper=True)["models"]}
    assert len(models) == 17
    assert models["bge-m3"]["tasks"][0] == 861_800
    assert models["bge-m3"]["human"][0] == 812_800
    assert models["LaBSE"]["human"] is None
    assert models["voyage-3"]["access"] == "api"
    assert models["LaBSE"]["size"] == 470_926_848
    assert models["LaBSE"]["hub"] == "sentence-transformers/LaBSE"


def test_nothing_to_show() -> None:
    with pytest.raises(SeabedError, match="nothing to show"):
        page_data([], paper=False)


def test_command_line(tmp_path: Path) -> None:
    write_run(make_run(0.5, [catalogue.config("ntrex_tha")]), tmp_path / "r")
    found = CliRunner().invoke(app, ["leaderboard", str(tmp_path / "r"), "--out", str(tmp_path / "site")])
    assert found.exit_code == 0, found.output
    assert (tmp_path / "site" / "index.html").is_file()
    found = CliRunner().invoke(app, ["leaderboard", "--out", str(tmp_path / "paper")])
    assert found.exit_code == 0, found.output


def test_fonts_have_every_letter_they_are_for() -> None:
    ttlib = pytest.importorskip("fontTools.ttLib", reason="fonttools is not installed")
    pytest.importorskip("brotli", reason="brotli is not installed")
    languages = read_toml(FOLDER / "languages.toml")
    fonts = {"tha": "thai", "mya": "myanmar", "khm": "khmer", "lao": "lao", "tam": "tamil"}
    for language, script in fonts.items():
        data = (FOLDER / "vendor" / f"{script}.woff2").read_bytes()
        letters = ttlib.TTFont(io.BytesIO(data)).getBestCmap()
        for text in (languages[language]["native"], languages[language]["greeting"]):
            assert {ord(c) for c in text} <= set(letters), language


def test_vendored_libraries_are_the_pinned_ones_and_have_their_licences() -> None:
    pinned = json.loads((FOLDER / "vendor" / "package.json").read_text())["dependencies"]
    assert f"DataTables {pinned['datatables.net']}" in (FOLDER / "vendor" / "datatables.js").read_text()[:200]
    licences = (FOLDER / "vendor" / "LICENSES.md").read_text()
    for name in ("DataTables", "Observable Plot", "D3", "Noto Sans Thai", "Noto Sans Myanmar"):
        assert f"# {name}" in licences
