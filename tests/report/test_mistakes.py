"""`seabed errors`: the items a model gets wrong, for every task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate import run
from seabed_evaluate.cli import app
from seabed_evaluate.report.mistakes import mistakes
from tests.toy_encoder import ToyEncoder

SAMPLES = [c.name for c in catalogue.configs(sample=True)]


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("scored")
    build(SAMPLES, place / "bundle")
    run(ToyEncoder(), data=place / "bundle", out=place / "results")
    return place


@pytest.mark.parametrize("config", SAMPLES)
def test_every_task_names_its_worst_items(scored: Path, config: str) -> None:
    (found,) = mistakes([scored / "results"], config, data=scored / "bundle", limit=3)
    assert len(found.rows) <= 3
    task = catalogue.config(config).task
    if task not in ("classification", "multilabel_classification"):
        assert found.rows
    for row in found.rows:
        assert row["id"]
        texts = [v for k, v in row.items() if k in ("text", "query", "sentence1")]
        assert texts
        assert all(str(t).strip() for t in texts)


def test_wrong_items_of_a_classifier_are_those_it_got_wrong(scored: Path) -> None:
    (config,) = (c for c in SAMPLES if catalogue.config(c).task == "classification")
    (found,) = mistakes([scored / "results"], config, data=scored / "bundle", limit=1000)
    (file,) = (scored / "results").rglob(f"{config}.json")
    result = json.loads(file.read_text(encoding="utf-8"))
    assert found.wrong == round((1 - result["scores"]["accuracy"]) * found.items) == len(found.rows)
    assert all(r["expected"] != r["found"] for r in found.rows)


def test_bitext_counts_the_wrong_rows(scored: Path) -> None:
    (config,) = (c for c in SAMPLES if catalogue.config(c).task == "bitext_mining")
    (found,) = mistakes([scored / "results"], config)
    (file,) = (scored / "results").rglob(f"{config}.json")
    accuracy = json.loads(file.read_text(encoding="utf-8"))["scores"]["accuracy"]
    assert found.wrong == round((1 - accuracy) * found.items)


def test_other_rows_than_those_scored_are_refused(scored: Path, tmp_path: Path) -> None:
    build(["sample_sts_mya"], tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    manifest["sample_sts_mya"]["splits"]["test"]["sha256"] = "0" * 64
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(SeabedError, match="not those that were scored"):
        mistakes([scored / "results"], "sample_sts_mya", data=tmp_path)
    with pytest.raises(UnknownName):
        mistakes([scored / "results"], "ntrex_tha")


def test_the_command_prints_every_format(scored: Path) -> None:
    for form in ("table", "md", "csv", "json"):
        options = ["errors", str(scored / "results"), "--config", "sample_sts_mya", "--format", form]
        done = CliRunner().invoke(app, [*options, "--data", str(scored / "bundle"), "--limit", "2"])
        assert done.exit_code == 0, done.output
        assert "spearman" in done.output or form == "csv"
