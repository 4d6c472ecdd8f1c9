"""The nine modules load through evaluate, from folders without a network and from a Hub, and score the same."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2] / "seabed_evaluate" / "metrics"
HITS = [
    [{"id": "d1", "score": 0.9}, {"id": "ขค", "score": 0.7}],
    [{"id": "d2", "score": 0.1234567890123}, {"id": "d1", "score": 0.1234567890124}],
    [],
]
JUDGED = [
    [{"id": "ขค", "score": 2}, {"id": "x", "score": 1}],
    [{"id": "d2", "score": 1}],
    [{"id": "z", "score": 1}],
]
CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "bitext_mining": ([0, 1, 2, 0], [0, 1, 2, 3], {"per_item": True}),
    "classification": ([0, 1, 2, 0], [0, 1, 1, 2], {"per_item": True}),
    "clustering": ([0, 0, 1, 1, 2], [3, 3, 4, 5, 5], {}),
    "instruction_retrieval": (HITS, JUDGED, {"k": [1, 5], "per_query": True}),
    "multilabel_classification": ([[0], [], [1, 2]], [[0], [1], [2]], {"num_labels": 4}),
    "pair_classification": ([0.9, 0.8, 0.1234567890123, 0.1], [1, 0, 1, 0], {}),
    "reranking": ([[0.2, 0.9, 0.4], [0.5, 0.5]], [[1, 0, 2], [1, 0]], {"per_query": True}),
    "retrieval": (HITS, JUDGED, {"ties": "trec"}),
    "sts": ([0.1, 0.4, 0.3, 0.8], [1.0, 2.0, 3.0, 5.0], {}),
}
BOOTSTRAP = {"n_bootstrap": 50, "seed": 5}

# Runs in a process of its own: evaluate and huggingface_hub read their settings when they are imported.
LOAD = """
import json, os, socket, sys
if os.environ.get("HF_HUB_OFFLINE"):
    def refuse(*args): raise AssertionError("the network was used")
    socket.socket.connect = refuse
import evaluate
job = json.load(sys.stdin)
answer = {}
for task, (predictions, references, options) in job["cases"].items():
    metric = evaluate.load(job["path"] + "/" + task)
    answer[task] = metric.compute(predictions=predictions, references=references, **options)
    names = [type(metric).__name__, metric.description[:1], metric.citation[:5], metric.inputs_description[:1]]
    assert all(names), names
both = evaluate.combine([evaluate.load(job["path"] + "/" + task) for task in ("classification", "clustering")])
answer["combined"] = both.compute(predictions=[0, 1, 2, 0], references=[0, 1, 1, 2])
json.dump(answer, sys.stdout)
"""
DOCTEST = """
import doctest, importlib
for task in job["cases"]:
    module = importlib.import_module(f"seabed_evaluate.metrics.{task}.{task}")
    outcome = doctest.testmod(module)
    assert outcome.attempted >= 5 and not outcome.failed, (task, outcome)
"""


def run(script: str, tmp_path: Path, job: dict[str, Any], **variables: str) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment |= {"HF_HOME": str(tmp_path / "home"), "HF_MODULES_CACHE": str(tmp_path / "modules")}
    environment |= {"PYTHONPATH": str(ROOT.parent), "NO_PROXY": "127.0.0.1", "PYTHONUTF8": "1", **variables}
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(job),
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def plain(task: str, options: dict[str, Any]) -> dict[str, Any]:
    function = getattr(importlib.import_module(f"seabed_evaluate.metrics.{task}.scores"), f"{task}_scores")
    predictions, references, _ = CASES[task]
    result: dict[str, Any] = function(predictions, references, **options)
    return result


def check_same_numbers(answer: dict[str, Any]) -> None:
    combined = answer.pop("combined")
    for name in ("f1_weighted", "v_measure"):
        assert name in combined
    assert set(answer) == set(CASES)
    for task, scores in answer.items():
        assert scores == plain(task, CASES[task][2] | BOOTSTRAP), task


def job(path: str) -> dict[str, Any]:
    cases = {task: (given, truth, options | BOOTSTRAP) for task, (given, truth, options) in CASES.items()}
    return {"path": path, "cases": cases}


@pytest.fixture
def hub() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.hub", "--spaces", str(ROOT)]
    server = subprocess.Popen(command, cwd=ROOT.parent, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield server.stdout.readline().strip()
    server.terminate()
    server.wait()


def test_folders_load_and_examples_run_without_network(tmp_path: Path) -> None:
    # The examples say evaluate.load("seabed/<task>"); a folder of that name stands in for the Hub.
    (tmp_path / "seabed").symlink_to(ROOT, target_is_directory=True)
    offline = {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    check_same_numbers(run(LOAD + DOCTEST, tmp_path, job(str(ROOT)), **offline))


def test_spaces_load_from_a_hub(tmp_path: Path, hub: str) -> None:
    check_same_numbers(run(LOAD, tmp_path, job("seabed"), HF_ENDPOINT=hub))


@pytest.mark.parametrize("task", CASES)
def test_main_score_is_returned(task: str) -> None:
    scores = importlib.import_module(f"seabed_evaluate.metrics.{task}.scores")
    assert 0 <= plain(task, {})[scores.MAIN_SCORE] <= 1
