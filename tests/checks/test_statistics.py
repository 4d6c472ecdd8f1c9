"""Statistics: numbers that can be checked by hand, in the manifest and in the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import read_manifest
from seabed_datasets.checks.statistics import Statistics, describe, lines
from seabed_datasets.schemas import SPLITS
from seabed_evaluate.cli import app

CLASSES = catalogue.config("sample_classification_ind")


def counted(config: catalogue.Config, **splits: list[dict[str, Any]]) -> dict[str, Any]:
    statistics = Statistics(config)
    for split in SPLITS[config.task]:
        for row in splits[split]:
            statistics.see(split, row)
    return statistics.result({"test": {"empty": 2}})


def row(text: str, label: int = 0) -> dict[str, Any]:
    return {"id": text, "text": text, "label": label}


def test_numbers_counted_by_hand() -> None:
    train = [row("satu"), row("dua", 2), row("dua", 2), row("\u200bdua ")]
    test = [row("dua", 1), row("tiga ไทย")]
    found = counted(CLASSES, train=train, test=test)
    assert found["splits"]["train"] == {
        "rows": 4,
        "unique": 2,
        "duplicates": 2,
        "empty": 0,
        "dropped": 0,
        "characters": {"text": {"min": 3, "mean": 3.75, "p50": 3, "p95": 5, "max": 5}},
        "scripts": {"Latin": 1.0},
        "labels": {"negative": 2, "neutral": 0, "positive": 2},
    }
    assert found["leakage"] == {"rows": 1, "share": 0.5}
    assert found["splits"]["test"]["scripts"] == {"Latin": 0.7, "Thai": 0.3}
    assert found["splits"]["test"]["dropped"] == 2


def test_other_tasks_have_their_own_numbers() -> None:
    config = catalogue.config("sample_retrieval_tha")
    queries = [{"id": "q", "text": "ถาม", "instruction": None, "relevant": [{"id": "d", "score": 1}] * 2}]
    documents = [{"id": "d", "title": None, "text": "ตอบ", "instruction": None, "relevant": []}]
    found = counted(config, test=queries, corpus=documents)
    assert found["splits"]["test"]["relevant documents"]["mean"] == 2
    assert "relevant documents" not in found["splits"]["corpus"]
    pairs = [{"id": "1", "sentence1": "a", "sentence2": "bcd", "score": s} for s in (1.0, 4.0)]
    found = counted(catalogue.config("sample_sts_mya"), test=pairs)
    assert found["splits"]["test"]["score"]["mean"] == 2.5
    assert found["splits"]["test"]["characters"]["sentence2"]["max"] == 3
    assert found["splits"]["test"]["duplicates"] == 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60))
def test_distributions(values: list[int]) -> None:
    found = describe({v: values.count(v) for v in values})
    ordered = sorted(values)
    assert (found["min"], found["max"]) == (ordered[0], ordered[-1])
    assert found["mean"] == pytest.approx(sum(values) / len(values), abs=0.006)
    for share in (0.50, 0.95):
        quantile = found[f"p{share * 100:.0f}"]
        assert sum(v <= quantile for v in values) >= share * len(values) - 1e-9
        assert sum(v < quantile for v in values) < share * len(values)


def test_nothing_seen() -> None:
    found = counted(CLASSES, train=[], test=[])
    assert found["splits"]["train"]["rows"] == 0
    assert found["leakage"] == {"rows": 0, "share": 0.0}
    assert list(lines(found))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("b") / "bundle"
    build(["sample_classification_ind", "sample_sts_mya"], out)
    return out


def test_every_build_writes_them_into_the_manifest(bundle: Path) -> None:
    for name, entry in read_manifest(bundle).items():
        stats = entry["stats"]
        assert {s: n["rows"] for s, n in stats["splits"].items()} == {
            s: n["rows"] for s, n in entry["splits"].items()
        }, name
        assert stats["checks"] == {}


def invoke(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_the_commands_show_them(bundle: Path) -> None:
    shown = invoke("stats", "sample_classification", "--bundle", str(bundle))
    assert "negative 33%" in shown
    assert shown == invoke("stats", "sample_classification_ind")  # counted now, from the sample itself
    as_json = json.loads(invoke("stats", "sample_sts_mya", "--bundle", str(bundle), "--format", "json"))
    assert as_json["sample_sts_mya"] == read_manifest(bundle)["sample_sts_mya"]["stats"]
    assert "negative 33%" in invoke("show", "sample_classification_ind", "--bundle", str(bundle))
    assert "`seabed build sample_retrieval_tha" in invoke(
        "show", "sample_retrieval_tha", "--bundle", str(bundle)
    )
