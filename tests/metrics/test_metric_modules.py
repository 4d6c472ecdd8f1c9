"""The nine modules load through evaluate from wherever they lie, and score the same as the plain functions."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from upload.spaces import write_spaces

CHECKOUT = Path(__file__).resolve().parents[2]
ROOT = CHECKOUT / "seabed_evaluate" / "metrics"
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
    "reranking": ([[0.2, 0.9, 0.4], [0.5, 0.5], [0.1]], [[1, 0, 2], [1, 0], [1]], {"per_query": True}),
    "retrieval": (HITS, JUDGED, {"ties": "trec"}),
    "sts": ([0.1, 0.4, 0.3, 0.8], [1.0, 2.0, 3.0, 5.0], {}),
}
BOOTSTRAP = {"n_bootstrap": 50, "seed": 5}

# Runs in a process of its own: evaluate and huggingface_hub read their settings when they are imported.
START = """
import json, os, socket, sys
if os.environ.get("WITHOUT_SEABED"):
    sys.modules["seabed_evaluate"] = sys.modules["seabed_datasets"] = None
if os.environ.get("HF_HUB_OFFLINE"):
    def refuse(*args): raise AssertionError("the network was used")
    socket.socket.connect = refuse
import evaluate
job = json.load(sys.stdin)
answer = {}
"""
LOAD = (
    START
    + """
for task, (predictions, references, options) in job["cases"].items():
    metric = evaluate.load(job["path"] + "/" + task)
    answer[task] = metric.compute(predictions=predictions, references=references, **options)
    info = metric.info
    facts = [info.description[:1], info.citation[:5], info.inputs_description[:1], info.license, info.homepage]
    assert all(facts) and type(metric).__name__.startswith("Seabed"), facts
both = evaluate.combine([job["path"] + "/classification", evaluate.load(job["path"] + "/clustering")])
answer["combined"] = both.compute(predictions=[0, 1, 2, 0], references=[0, 1, 1, 2])
if "seabed_evaluate" in sys.modules and sys.modules["seabed_evaluate"]:
    assert sys.modules["seabed_evaluate"].__file__.startswith(os.environ["PYTHONPATH"])
json.dump(answer, sys.stdout)
"""
)
# One of three processes, each with every third item; the first gathers what all were given.
SHARE = (
    START
    + """
for task, (predictions, references, options) in job["cases"].items():
    number = job["number"]
    metric = evaluate.load(job["path"] + "/" + task, num_process=3, process_id=number, experiment_id="three")
    for prediction, reference in list(zip(predictions, references))[number::3]:
        metric.add(prediction=prediction, reference=reference)
    answer[task] = metric.compute(**options)
json.dump(answer, sys.stdout)
"""
)
# A clone that is not installed says how to install.
CLONE = f"""
for task in job["cases"]:
    try:
        evaluate.load({str(ROOT)!r} + "/" + task)
    except ImportError as error:
        assert "'pip install seabed'" in str(error), error
    else:
        raise AssertionError(task)
"""
DOCTEST = """
import doctest, importlib
for task in job["cases"]:
    module = importlib.import_module(f"seabed_evaluate.metrics.{task}.{task}")
    outcome = doctest.testmod(module)
    assert outcome.attempted >= 3 and not outcome.failed, (task, outcome)
"""


def start(script: str, tmp_path: Path, job: dict[str, Any], **variables: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment |= {"HF_HOME": str(tmp_path / "home"), "HF_MODULES_CACHE": str(tmp_path / "modules")}
    environment |= {"PYTHONPATH": str(CHECKOUT), "NO_PROXY": "127.0.0.1", "PYTHONUTF8": "1", **variables}
    (tmp_path / "cwd").mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        env=environment,
        cwd=variables.get("CWD", tmp_path / "cwd"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(job))
    process.stdin.close()
    process.stdin = None
    return process


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, errors = process.communicate(timeout=240)
    assert process.returncode == 0, out + errors
    answer: dict[str, Any] = json.loads(out)
    return answer


def run(script: str, tmp_path: Path, job: dict[str, Any], **variables: str) -> dict[str, Any]:
    return finish(start(script, tmp_path, job, **variables))


def plain_of(task: str) -> Any:
    return getattr(importlib.import_module(f"seabed_evaluate.metrics.{task}.scores"), f"{task}_scores")


def plain(task: str, options: dict[str, Any]) -> dict[str, Any]:
    predictions, references, _ = CASES[task]
    result: dict[str, Any] = plain_of(task)(predictions, references, **options)
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


OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
WITHOUT = {"WITHOUT_SEABED": "1"}


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `python -m upload metrics --out` writes."""
    folder = tmp_path_factory.mktemp("spaces")
    write_spaces(folder)
    return folder


def test_checkout_loads_by_absolute_and_relative_path_and_examples_run(tmp_path: Path) -> None:
    # The examples say evaluate.load("seabed/<task>"); a folder of that name stands in for the Hub.
    (tmp_path / "cwd").mkdir()
    (tmp_path / "cwd" / "seabed").symlink_to(ROOT, target_is_directory=True)
    relative = f"os.chdir({str(CHECKOUT)!r})\n" + (
        'for task in job["cases"]:\n'
        '    assert evaluate.load("./seabed_evaluate/metrics/" + task)._hash == evaluate.load(job["path"] + "/" + task)._hash\n'
    )
    check_same_numbers(run(LOAD + DOCTEST + relative, tmp_path, job(str(ROOT)), **OFFLINE))


@pytest.mark.slow
def test_three_processes_score_as_one(tmp_path: Path) -> None:
    # The first process gathers its own items, then those of the second, then of the third.
    cases = {}
    for task, (given, truth, options) in CASES.items():
        order = [i for number in range(3) for i in range(number, len(given), 3)]
        cases[task] = ([given[i] for i in order], [truth[i] for i in order], options | BOOTSTRAP)
    jobs = [
        {"path": str(ROOT), "number": n, "cases": {t: (*CASES[t][:2], cases[t][2]) for t in cases}}
        for n in range(3)
    ]
    processes = [start(SHARE, tmp_path, each, **OFFLINE) for each in jobs]
    first, second, third = map(finish, processes)
    assert set(second.values()) == set(third.values()) == {None}
    assert set(first) == set(cases)
    for task, (given, truth, options) in cases.items():
        assert first[task] == plain_of(task)(given, truth, **options), task


@pytest.mark.slow
def test_wheel_holds_all_nine(tmp_path: Path) -> None:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    wheels, target = tmp_path / "wheels", tmp_path / "installed"
    options = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "wheel", *options, "-w", str(wheels), str(CHECKOUT)], check=True, cwd=tmp_path)
    (wheel,) = wheels.iterdir()
    subprocess.run(
        [*pip, "install", "--no-deps", "--no-index", "--target", str(target), str(wheel)], check=True
    )
    path = target / "seabed_evaluate" / "metrics"
    check_same_numbers(run(LOAD, tmp_path, job(str(path)), PYTHONPATH=str(target), **OFFLINE))


def test_written_folders_load_without_seabed_and_a_bare_clone_says_how_to_install(
    tmp_path: Path, spaces: Path
) -> None:
    for path in spaces.rglob("*"):
        if path.is_file() and path.name != "README.md":
            assert "seabed_evaluate" not in path.read_text(encoding="utf-8"), path
    check_same_numbers(run(LOAD + CLONE, tmp_path, job(str(spaces)), **OFFLINE, **WITHOUT))


def test_spaces_load_from_a_hub_without_seabed_and_then_offline(tmp_path: Path, spaces: Path) -> None:
    command = [sys.executable, "-m", "tests.hub", "--spaces", str(spaces)]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        check_same_numbers(run(LOAD, tmp_path, job("seabed"), HF_ENDPOINT=address, **WITHOUT))
        server.terminate()
    check_same_numbers(run(LOAD, tmp_path, job("seabed"), HF_ENDPOINT=address, **OFFLINE, **WITHOUT))


@pytest.mark.parametrize("task", CASES)
def test_main_score_is_returned(task: str) -> None:
    scores = importlib.import_module(f"seabed_evaluate.metrics.{task}.scores")
    assert 0 <= plain(task, {})[scores.MAIN_SCORE] <= 1
