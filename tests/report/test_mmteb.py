"""Scores of mteb's benchmarks: shipped, and averaged from result files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets.errors import SeabedError
from seabed_evaluate.report import mmteb
from seabed_evaluate.report.mmteb import BenchmarkTask, read_mteb, shipped_scores, source
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.ranks import rank_changes

TASKS = [
    BenchmarkTask("A", "Retrieval", ("test",), None),
    BenchmarkTask("B", "Retrieval", ("test", "validation"), frozenset({"th"})),
    BenchmarkTask("C", "STS", ("test",), None),
]


def write(folder: Path, model: str, revision: str, task: str, scores: dict[str, Any]) -> None:
    path = folder / "results" / model / revision / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = {s: [{"hf_subset": k, "main_score": v} for k, v in own.items()] for s, own in scores.items()}
    path.write_text(json.dumps({"task_name": task, "scores": plain}), encoding="utf-8")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(mmteb, "benchmark_tasks", lambda name: TASKS)
    for model, base in (("BAAI__bge-m3", 0.5), ("x__other", 0.6)):
        write(tmp_path, model, "r1", "A", {"test": {"default": base}, "dev": {"default": 0.0}})
        write(
            tmp_path,
            model,
            "r1",
            "B",
            {"test": {"th": base + 0.1, "en": 0}, "validation": {"th": base + 0.3}},
        )
        write(tmp_path, model, "r1", "C", {"test": {"a": 0.2, "b": 0.4}})
    write(tmp_path, "BAAI__bge-m3", "r0", "A", {"test": {"default": 0.9}})
    write(tmp_path, "y__few", "r", "A", {"test": {"default": 0.99}})
    return tmp_path


def test_means_are_over_the_benchmarks_own_splits_and_subsets(results: Path) -> None:
    found = read_mteb(results)
    # A 50, B (60 + 80) / 2, C (20 + 40) / 2
    assert found.scores == pytest.approx({"bge-m3": 50.0, "x/other": (60 + 80 + 30) / 3})
    assert found.left_out == {"y/few": 1}
    assert found.notes == ("BAAI/bge-m3: revision r1, which has most tasks (3).",)
    assert read_mteb(results, aggregate="task_type").scores["bge-m3"] == pytest.approx((60 + 30) / 2)
    assert read_mteb(results, aggregate="borda").scores == {"bge-m3": 0.0, "x/other": 2.0}
    assert source(f"mteb:{results}:MTEB(tha, v1):borda").scores == {"bge-m3": 0.0, "x/other": 2.0}


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "{",
        '{"scores": {"test": [{"hf_subset": "th"}]}}',
        '{"scores": {"test": [{"hf_subset": "th", "main_score": NaN}]}}',
    ],
)
def test_a_broken_file_is_named_and_left_out(results: Path, text: str) -> None:
    (results / "results" / "x__other" / "r1" / "A.json").write_text(text, encoding="utf-8")
    found = read_mteb(results)
    assert "x/other" in found.left_out
    assert "A.json" in " ".join(found.notes)


def test_nothing_there_is_said(tmp_path: Path, results: Path) -> None:
    with pytest.raises(SeabedError, match="does not exist"):
        read_mteb(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SeabedError, match="holds no result"):
        read_mteb(tmp_path / "empty")
    with pytest.raises(SeabedError, match="aggregate"):
        read_mteb(results, aggregate="best")


def test_the_shipped_ranks_are_the_papers(golden_studies: dict[str, Any]) -> None:
    golden = golden_studies["mmteb"]
    found = shipped_scores()
    assert found.left_out == golden["not_ranked"]
    order = sorted(found.scores, key=lambda m: -found.scores[m])
    open_models = [m for m in order if m in golden["ranked"]]
    assert {m: open_models.index(m) + 1 for m in open_models} == {
        m: k["mmteb_rank"] for m, k in golden["ranked"].items()
    }
    table5 = {m: r["average"] for m, r in paper_table(5).rows.items() if m != "Average"}
    apis = {"embed-multilingual-v3.0", "voyage-3", "text-embedding-3-small", "jina-embeddings-v3"}
    ours = sorted((m for m in table5 if m not in apis), key=lambda m: -(table5[m] or 0))
    for model, known in golden["ranked"].items():
        assert found.scores[model] == pytest.approx(known["mean_task"], abs=0.005)
        assert ours.index(model) + 1 == known["seabed_rank_among_13_open"]
    moves = {c.model: c.change for c in rank_changes(found.scores, {m: s for m, s in table5.items() if s})}
    assert moves["Qwen3-Embedding-0.6B"] < 0


def test_mtebs_own_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mteb", reason='mteb is not installed (pip install "seabed[mteb]")')
    assert {t.name for t in mmteb.benchmark_tasks(mmteb.MMTEB)} == set(mmteb.benchmark_list())
    thai = mmteb.benchmark_tasks("MTEB(tha, v1)")
    assert len(thai) > 5
    with pytest.raises(SeabedError, match=r"MTEB\(tha, v1\)"):
        mmteb.benchmark_tasks("MTEB(thai, v1)")
