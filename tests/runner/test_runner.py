"""Runs: what a result holds, resuming, changed settings, failures, bad vectors."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate import run
from seabed_evaluate.cli import app
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.runner.options import RunOptions, split
from seabed_evaluate.runner.outcomes import RESAMPLED, outcomes_path, read_outcomes
from seabed_evaluate.runner.results import read_results, result_files
from seabed_evaluate.runner.run import run_all
from seabed_evaluate.runner.uncertainty import draws
from tests import toy
from tests.toy_encoder import ToyEncoder

SAMPLES = [c.name for c in catalogue.configs(sample=True)]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build(SAMPLES, out)
    return out


def score(
    bundle: Path, out: Path | None, model: str = "tests.toy:encode", **options: Any
) -> list[dict[str, Any]]:
    return run(model, data=bundle, out=out, **options)


def test_every_task_is_scored_and_a_result_repeats_itself(bundle: Path, tmp_path: Path) -> None:
    results = score(bundle, tmp_path)
    assert sorted(r["config"] for r in results) == sorted(SAMPLES)
    for r in results:
        assert 0 <= r["score"] <= 1
        assert r["score"] == r["scores"][r["main_score"]]
    again = score(bundle, None)
    assert [r["scores"] for r in again] == [r["scores"] for r in results]
    assert read_results([tmp_path]) == sorted(results, key=lambda r: str(r["config"]))


def test_a_result_holds_what_is_needed_to_repeat_it(bundle: Path, tmp_path: Path) -> None:
    (r,) = score(
        bundle, tmp_path, configs=["sample_retrieval_tha"], query_prompt="ask: ", document_prompt="doc: "
    )
    assert r["prompts"]["query"] == "ask: {text}"
    assert r["prompts"]["document"] == "doc: {text}"
    assert set(r["data"]["splits"]) == {"test", "corpus"}
    assert r["protocol"]["name"] == "published"
    assert r["environment"]["packages"]["numpy"]
    assert r["counts"]["texts"] == 24 + 36


def test_prompts_reach_the_model(bundle: Path) -> None:
    toy.calls.clear()
    score(
        bundle,
        None,
        configs=["sample_instruction_retrieval_vie"],
        protocol_name="paper-text",
        query_prompt="ask: ",
        document_prompt="doc: ",
    )
    queries, documents = toy.calls
    assert all(t.startswith("doc: ") for t in documents)
    # The query's own instruction stands before it, on a line of its own.
    assert all(t.startswith("ask: ") and t.count("\n") == 1 for t in queries)
    toy.calls.clear()
    score(
        bundle,
        None,
        configs=["sample_instruction_retrieval_vie"],
        protocol_name="paper-text",
        query_prompt="{instruction} | {text}",
    )
    assert all(" | " in t and "\n" not in t for t in toy.calls[0])
    toy.calls.clear()
    score(bundle, None, configs=["sample_instruction_retrieval_vie"])
    assert all("\n" not in t for t in toy.calls[0])


def test_a_finished_config_is_not_scored_again(bundle: Path, tmp_path: Path) -> None:
    score(bundle, tmp_path)
    toy.calls.clear()
    outcome = _all(bundle, tmp_path)
    assert sorted(outcome.reused) == sorted(SAMPLES)
    assert toy.calls == []


@pytest.mark.parametrize("change", [{"prompt": "query: "}, {"protocol_name": "paper-text"}])
def test_changed_settings_reuse_nothing_and_lose_nothing(
    bundle: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    score(bundle, tmp_path, configs=["sample_sts_mya"])
    assert _all(bundle, tmp_path, configs=["sample_sts_mya"], **change).reused == []
    assert len(read_results([tmp_path])) == 2


def test_changed_data_is_scored_again(bundle: Path, tmp_path: Path) -> None:
    other = tmp_path / "bundle"
    build(["sample_sts_mya"], other)
    score(other, tmp_path / "results")
    manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
    manifest["sample_sts_mya"]["version"] = 2
    (other / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert _all(other, tmp_path / "results").reused == []


def test_a_killed_run_goes_on_where_it_was(bundle: Path, tmp_path: Path) -> None:
    slow = tmp_path / "slow_model.py"
    slow.write_text(
        "import time\nfrom tests.toy import encode as toy\n\n\ndef encode(texts):\n"
        "    time.sleep(0.4)\n    return toy(texts)\n",
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "seabed_evaluate",
        "run",
        "--model",
        "slow_model:encode",
        "--data",
        str(bundle),
    ]
    command += ["--out", str(tmp_path / "killed"), "--quiet"]
    env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while len(list((tmp_path / "killed").rglob("sample_*.json"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    finished = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "killed").rglob("sample_*.json")}
    assert 3 <= len(finished) < len(SAMPLES)
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert f"kept {len(finished)}" in done.stdout
    now = {p.name: p.stat().st_mtime_ns for p in (tmp_path / "killed").rglob("sample_*.json")}
    assert len(now) == len(SAMPLES)
    assert {n: t for n, t in now.items() if n in finished} == finished
    undisturbed = {r["config"]: r["scores"] for r in score(bundle, None)}
    assert {r["config"]: r["scores"] for r in read_results([tmp_path / "killed"])} == undisturbed


def test_a_failing_config_is_reported_and_the_others_go_on(bundle: Path, tmp_path: Path) -> None:
    outcome = _all(
        bundle, tmp_path, model="tests.toy:broken", configs=["sample_sts_mya", "sample_reranking_ind"]
    )
    assert list(outcome.failed) == ["sample_sts_mya", "sample_reranking_ind"]
    assert "NaN or infinity for 1 of" in outcome.failed["sample_sts_mya"]
    assert not list(tmp_path.rglob("*.json"))
    with pytest.raises(SeabedError, match="2 configs failed"):
        score(bundle, None, "tests.toy:broken", configs=["sample_sts_mya", "sample_reranking_ind"])


def test_a_wrong_number_of_vectors_is_no_score(bundle: Path) -> None:
    with pytest.raises(SeabedError, match="returned shape"):
        score(bundle, None, "tests.toy:short", configs=["sample_sts_mya"])


def test_a_bundle_file_changed_by_hand_is_refused(tmp_path: Path) -> None:
    build(["sample_sts_mya", "sample_reranking_ind"], tmp_path)
    (tmp_path / "data" / "sample_sts_mya" / "test.parquet").write_bytes(
        (tmp_path / "data" / "sample_reranking_ind" / "test.parquet").read_bytes()
    )
    with pytest.raises(SeabedError, match="the file was changed"):
        score(tmp_path, None, configs=["sample_sts_mya"])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"configs": ["sample_sts_may"]}, UnknownName, "Did you mean 'sample_sts_mya'"),
        ({"configs": ["ntrex_tha"]}, UnknownName, "unknown config in this bundle 'ntrex_tha'"),
        ({"tasks": ["st"]}, UnknownName, "Did you mean 'sts'"),
        ({"languages": ["burmese"]}, UnknownName, "unknown language"),
        ({"tasks": ["sts"], "languages": ["lao"]}, SeabedError, "no config of .* fits"),
        ({"protocol_name": "publshed"}, UnknownName, "Did you mean 'published'"),
        ({"protocol_name": "paper"}, UnknownName, "is now called 'paper-text'"),
        ({"protocol_name": "released-code"}, UnknownName, "is now called 'published'"),
        ({"data": "no/such/folder"}, SeabedError, "no such folder"),
        ({"model": "tests.toy:nothing"}, SeabedError, "cannot import it"),
        ({"model": "multilingual-e5-smal"}, UnknownName, "Did you mean 'multilingual-e5-small'"),
        ({"query_prompt": "{txt}: {text}"}, SeabedError, "needs {text} once"),
    ],
)
def test_bad_input(bundle: Path, options: dict[str, Any], error: type[Exception], message: str) -> None:
    given = {"model": "tests.toy:encode", "data": bundle, "out": None} | options
    with pytest.raises(error, match=message):
        run(**given)


def test_intervals_and_items_are_kept_beside_the_result(bundle: Path, tmp_path: Path) -> None:
    results = score(bundle, tmp_path)
    for r in results:
        i = r["interval"]
        assert i["low"] <= r["score"] + 1e-9
        assert r["score"] <= i["high"] + 1e-9
    for path, r in result_files([tmp_path]):
        outcomes = read_outcomes(outcomes_path(path), r["settings_hash"])
        found = draws(r["task"], r["main_score"], outcomes, resamples=10)
        assert found.score == pytest.approx(r["score"], abs=1e-5)
        kept = outcomes[RESAMPLED]
        assert kept[:10].std() == pytest.approx(found.resampled.std(), abs=1e-5)
        assert kept.std() == pytest.approx(r["interval"]["se"], abs=1e-5)


def test_both_numbers_of_multilabel_classification_have_intervals(bundle: Path) -> None:
    for protocol, main in (("published", "label_weighted_accuracy"), ("paper-text", "f1_weighted")):
        (r,) = score(bundle, None, tasks=["multilabel_classification"], protocol_name=protocol)
        assert r["main_score"] == main
        assert r["interval"] == r["intervals"][main]
        for name in ("label_weighted_accuracy", "f1_weighted"):
            assert r["intervals"][name]["low"] <= r["scores"][name] <= r["intervals"][name]["high"]


def _all(bundle: Path, out: Path, model: str = "tests.toy:encode", **options: Any) -> Any:
    return run_all(*split(model, {"data": bundle, "out": out} | options))


def test_configs_of_a_newer_bundle_are_left_out_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    build(["sample_sts_mya"], tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    manifest["newer_tha"] = manifest["sample_sts_mya"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    assert [r["config"] for r in score(tmp_path, None)] == ["sample_sts_mya"]
    assert "newer_tha" in caplog.text


def test_options_are_written_once_and_a_wrong_one_is_named(bundle: Path) -> None:
    with pytest.raises(UnknownName, match=r"unknown option 'max_lenght'. Did you mean 'max_length'"):
        run("tests.toy:encode", data=bundle, max_lenght=3)
    with pytest.raises(SeabedError, match="loaded already; pooling cannot be set"):
        run(ToyEncoder(), data=bundle, pooling="cls")
    what, model = split("m", {"tasks": ["sts"], "dtype": "bf16", "out": "r"})
    assert (what.tasks, what.out, model.given()) == (("sts",), Path("r"), {"dtype": "bf16"})


def test_the_command_takes_every_field_of_both_records() -> None:
    done = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "200"}, terminal_width=200)
    shown = set(re.findall(r"--([a-z-]+)", done.output))
    names = {"protocol_name": "protocol", "languages": "langs", "cache": "cache"}
    expected = {
        names.get(f.name, f.name).replace("_", "-") for r in (RunOptions, ModelOptions) for f in fields(r)
    }
    assert expected <= shown
    panels = re.findall(r"─ (Options|Model|Data|Speed|Output) ─", done.output)
    assert panels == ["Options", "Model", "Data", "Speed", "Output"]
