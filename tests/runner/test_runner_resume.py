"""Runs that are killed, shared out, or planned: the results are those of an undisturbed run."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_evaluate import run
from seabed_evaluate.runner.options import RunOptions, split
from seabed_evaluate.runner.plan import Plan, duration
from seabed_evaluate.runner.results import Result, read_results
from seabed_evaluate.runner.run import run_all
from tests.toy_encoder import ToyEncoder

SAMPLES = [c.name for c in catalogue.configs(sample=True)]
ROOT = Path(__file__).parents[2]
FORK = multiprocessing.get_context("fork")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build(SAMPLES, out)
    return out


@pytest.fixture(scope="module")
def undisturbed(bundle: Path) -> dict[str, Any]:
    return scores(run(ToyEncoder(), data=bundle, out=None))


def scores(results: list[Result]) -> dict[str, Any]:
    return {r["config"]: (r["scores"], r["settings_hash"]) for r in results}


def whole_run(bundle: Path, folder: Path, pause: float) -> None:
    encoder = ToyEncoder(pause=pause)
    run(encoder, data=bundle, out=folder / "results", cache=folder / "cache")


def test_killed_at_ten_random_moments(bundle: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    rng = random.Random(7)
    reached = 0
    for _ in range(10):
        process = FORK.Process(target=whole_run, args=(bundle, tmp_path, 0.05))
        process.start()
        time.sleep(rng.uniform(0.1, 1.5))
        assert process.pid is not None
        os.kill(process.pid, signal.SIGKILL)
        process.join(60)
        done = len(list(tmp_path.glob("results/*/*.json")))
        assert done >= reached, "a finished config was lost"
        reached = done
    encoder = ToyEncoder()
    results = run(encoder, data=bundle, out=tmp_path / "results", cache=tmp_path / "cache")
    assert scores(results) == undisturbed
    assert scores(read_results([tmp_path / "results"])) == undisturbed
    # The kills came while there was something to do, and nothing done before was done again.
    assert reached < len(SAMPLES) or not encoder.seen


@pytest.mark.parametrize("seed", range(3))
def test_order_cache_and_corpus_chunk_change_nothing(
    bundle: Path, undisturbed: dict[str, Any], tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    order = rng.sample(SAMPLES, len(SAMPLES))
    run(ToyEncoder(), data=bundle, configs=order[:3], out=None, cache=tmp_path)
    results = run(
        ToyEncoder(), data=bundle, configs=order, out=None, cache=tmp_path, corpus_chunk=rng.randint(1, 20)
    )
    assert [r["config"] for r in results] == order
    assert scores(results) == undisturbed


def options(bundle: Path, **more: Any) -> RunOptions:
    return split("", {"data": bundle, "out": None} | more)[0]


def test_a_plan_counts_what_a_run_does(bundle: Path, tmp_path: Path) -> None:
    plans: list[Plan] = []
    encoder = ToyEncoder()
    dry = run_all(options(bundle, out=tmp_path / "r"), encoder, show_plan=plans.append, dry_run=True)
    assert (dry.results, dry.failed) == ([], {})
    assert not list(tmp_path.rglob("*.json"))
    results = run(ToyEncoder(), data=bundle, out=tmp_path / "r", cache=tmp_path / "c")
    assert {c.config: c.texts for c in plans[0].configs} == {
        r["config"]: r["counts"]["texts"] for r in results
    }
    new = sum(r["counts"]["unique_texts"] - r["counts"]["cached_texts"] for r in results)
    assert plans[0].new == new
    assert plans[0].tokens > 0
    assert plans[0].line().startswith(f"plan: {len(SAMPLES)} configs, {plans[0].texts:,} texts, ")
    # Another protocol of the same model finds the vectors of the first run.
    later = options(bundle, out=tmp_path / "r", cache=tmp_path / "c")
    dry_run: dict[str, Any] = {"show_plan": plans.append, "dry_run": True}
    run_all(later, ToyEncoder(), **dry_run)
    other = replace(later, protocol_name="paper-text", tasks=("sts", "clustering"))
    run_all(other, ToyEncoder(), **dry_run)
    assert (plans[1].configs, plans[1].done) == ((), len(SAMPLES))
    assert len(plans[2].configs) == 2
    assert plans[2].new == 0


def test_a_plan_says_where_it_has_not_counted_every_text(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []
    encoder: Any = ToyEncoder()
    encoder.count_tokens = lambda texts: [len(t.text) for t in texts]
    wanted = options(bundle)
    dry_run: dict[str, Any] = {"show_plan": plans.append, "dry_run": True}
    run_all(wanted, encoder, **dry_run)
    monkeypatch.setattr("seabed_evaluate.runner.plan.SAMPLE", 5)
    run_all(wanted, encoder, **dry_run)
    monkeypatch.delattr(encoder, "count_tokens")
    run_all(wanted, encoder, **dry_run)
    assert [p.counted for p in plans] == [True, False, False]
    assert ["about" in p.line().split(" tokens")[0] for p in plans] == [False, True, True]


def test_durations() -> None:
    assert [duration(s) for s in (0.4, 59.4, 60, 3599, 3600)] == [
        "0 s",
        "59 s",
        "1 min 0 s",
        "59 min 59 s",
        "1 h 0 min",
    ]


def test_two_processes_share_the_configs_out(bundle: Path, tmp_path: Path) -> None:
    lines = ["import os, time", "from pathlib import Path", "from tests import toy", "", ""]
    lines += ["def encode(texts):", "    time.sleep(0.2)"]
    lines += [f"    Path({str(tmp_path)!r}, 'rank' + os.environ['RANK']).touch()"]
    # Burmese texts get no numbers.
    lines += ["    burmese = any('\\u1000' <= c <= '\\u109f' for c in texts[0])"]
    lines += ["    return (toy.broken if burmese else toy.encode)(texts)", ""]
    (tmp_path / "my_model.py").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    command += ["-m", "seabed_evaluate", "run", "--model", "my_model:encode", "--data", str(bundle)]
    command += ["--out", str(tmp_path / "results"), "--cache", str(tmp_path / "cache")]
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode != 0, "a config failed"
    assert {p.name for p in tmp_path.glob("rank*")} == {"rank0", "rank1"}
    # The first process tells about all of them, once.
    assert done.stdout.count("scored 8, kept 0, failed 1") == 1
    assert done.stderr.count("failed sample_sts_mya: the model returned NaN") == 1
    assert done.stderr.count("plan: 9 configs") == 1
    alone = run("tests.toy:encode", data=bundle, out=None)
    found = read_results([tmp_path / "results"])
    expected = {r["config"]: r["scores"] for r in alone if r["config"] != "sample_sts_mya"}
    assert {r["config"]: r["scores"] for r in found} == expected


def test_a_process_that_dies_and_starts_anew_loses_no_config(bundle: Path, tmp_path: Path) -> None:
    lines = [
        "import os, signal, time",
        "from tests import toy",
        "",
        "",
        "def encode(texts):",
        "    time.sleep(0.1)",
    ]
    lines += ["    if os.environ['RANK'] == '1' and os.environ['TORCHELASTIC_RESTART_COUNT'] == '0':"]
    lines += ["        os.kill(os.getpid(), signal.SIGKILL)", "    return toy.encode(texts)", ""]
    (tmp_path / "dying_model.py").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    command += ["--max-restarts", "2", "-m", "seabed_evaluate", "run", "--model", "dying_model:encode"]
    command += ["--data", str(bundle), "--out", str(tmp_path / "results"), "--no-cache"]
    env = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert {r["config"] for r in read_results([tmp_path / "results"])} == set(SAMPLES)
    assert "failed 0" in done.stdout


def test_a_config_that_nobody_finished_is_a_failure(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seabed_evaluate.runner.sharing.Share.take", lambda self, jobs: iter(jobs[1:]))
    found = run_all(options(bundle, out=tmp_path / "r"), ToyEncoder())
    assert len(found.failed) == 1
    assert "no process has finished it" in next(iter(found.failed.values()))
