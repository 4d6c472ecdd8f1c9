"""The whole way over real HTTP: every config built, published, read back by name, scored, reported.

Each step is a process of its own with empty caches; the Hub is `tests.hub`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets import catalogue
from seabed_datasets.catalogue.licences import held_back
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.checks.rules import RULES
from seabed_datasets.schemas import SPLITS
from tests.fake_raw import materialise
from tests.hub import Hub
from tests.hub.clients import ask, environment, run

pytestmark = pytest.mark.slow

REPO = "seabed/SEA-BED"
REASON = "rows written for the tests"
# What the fake files break on purpose: cut files, few rows, rows without text, copies, mojibake. The rules about
# cards, label names (SB206) and hashes (SB406) hold for them too.
ACCEPT = ["truncated", *(r for r in RULES if not r.startswith("SB1") and r not in ("SB206", "SB406"))]

LOAD_ALL = """
import json, sys
from datasets import load_dataset
seen = {}
for name in json.loads(sys.argv[1]):
    loaded = load_dataset("seabed/SEA-BED", name)
    seen[name] = {split: [rows.num_rows, repr(rows.features)] for split, rows in loaded.items()}
print(json.dumps(seen))
"""

STREAM = """
import json, sys
from datasets import load_dataset
seen = {}
for name, split in json.loads(sys.argv[1]):
    seen[name] = list(load_dataset("seabed/SEA-BED", name, split=split, streaming=True))
print(json.dumps(seen))
"""

LOCAL = """
import json, sys
import pyarrow.parquet
from datasets import Features
bundle, names = json.loads(sys.argv[1])
seen = {}
for name, splits in names.items():
    seen[name] = {}
    for split in splits:
        table = pyarrow.parquet.read_table(f"{bundle}/data/{name}/{split}.parquet")
        seen[name][split] = [table.num_rows, repr(Features.from_arrow_schema(table.schema))]
print(json.dumps(seen))
"""

METRICS = """
import json, sys
import evaluate
answer = {}
for task, given in json.loads(sys.argv[1]).items():
    answer[task] = evaluate.load(f"seabed/{task}").compute(**given)
print(json.dumps(answer))
"""


@dataclass(frozen=True)
class World:
    hub: Hub
    bundle: Path
    folder: Path
    plan: str

    def client(self, name: str, **more: str) -> dict[str, str]:
        return environment(self.hub.url, self.folder / name, **more)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("hub")
    mirror, bundle = folder / "mirror", folder / "bundle"
    for dataset in catalogue.datasets():
        materialise(dataset.key, mirror)
    with Hub() as hub:
        builder = environment(hub.url, folder / "builder")
        made, _ = run(
            ["-m", "seabed_evaluate", "build", "--all", "-q", "--mirror", str(mirror), "--out", str(bundle)],
            builder,
        )
        assert re.search(r"built 3\d\d,.* skipped 0, failed 0", made), made
        assert not hub.log
        publisher = environment(hub.url, folder / "publisher", token="hf_writer")
        keep_back = [d.key for d in catalogue.datasets() if held_back(d)]
        include = [word for key in keep_back for word in ("--include", key)]
        accept = [word for rule in ACCEPT for word in ("--accept", rule)]
        plan, _ = run(
            [
                "-m",
                "upload",
                "dataset",
                "--bundle",
                str(bundle),
                "--include-samples",
                *include,
                "--reason",
                REASON,
                *accept,
            ],
            publisher,
        )
        run(["-m", "upload", "metrics"], publisher)
        yield World(hub, bundle, folder, plan)


def test_one_commit_holds_the_bundle(world: World) -> None:
    repo = world.hub.store.repo("dataset", REPO)
    assert next(c.message for c in repo.history()) == "initial commit"
    assert len(repo.history()) == 2
    manifest = json.loads(repo.file("manifest.json"))
    assert {c.name for c in catalogue.configs()} <= set(manifest)
    for name, entry in manifest.items():
        for split in entry["splits"]:
            path = f"data/{name}/{split}.parquet"
            assert repo.file(path) == (world.bundle / path).read_bytes()
    assert len(repo.file("README.md")) < 100_000
    assert "read back and tagged" in world.plan


def test_every_config_loads_by_name(world: World) -> None:
    names = [c.name for c in catalogue.configs()]
    assert len(names) >= 314
    world.hub.clear()
    loaded = ask(LOAD_ALL, world.client("reader"), given=names)
    cold = len(world.hub.log)
    local = ask(
        LOCAL,
        world.client("reader"),
        given=[str(world.bundle), {n: list(SPLITS[catalogue.config(n).task]) for n in names}],
    )
    assert loaded == local
    # 4c: 13 requests for the first config of a process, 9 for each further one (7 with one file).
    assert cold <= 15 + 9 * 313
    print(f"\n314 configs loaded by name: {cold} requests cold")


def test_each_task_streams(world: World) -> None:
    chosen = [
        (next(c.name for c in catalogue.configs(tasks=[task])), split)
        for task in TASKS
        for split in SPLITS[task][-1:]
    ]
    streamed = ask(STREAM, world.client("streamer"), given=chosen)
    manifest = json.loads((world.bundle / "manifest.json").read_text(encoding="utf-8"))
    for name, split in chosen:
        assert len(streamed[name]) == manifest[name]["splits"][split]["rows"] > 0


def test_all_metrics_load_by_name(world: World, tmp_path: Path) -> None:
    given: dict[str, dict[str, Any]] = {
        "bitext_mining": {"predictions": [0, 1], "references": [0, 1]},
        "classification": {"predictions": [0, 1], "references": [0, 1]},
        "clustering": {"predictions": [0, 1], "references": [0, 1]},
        "multilabel_classification": {"predictions": [[0], [1]], "references": [[0], [1]]},
        "pair_classification": {"predictions": [0.1, 0.9], "references": [0, 1]},
        "sts": {"predictions": [0.1, 0.9, 0.4], "references": [0, 5, 3]},
    }
    from tests.metrics.test_metric_modules import CASES

    for task in ("retrieval", "instruction_retrieval", "reranking"):
        predictions, references, _ = CASES[task]
        given[task] = {"predictions": predictions, "references": references}
    # evaluate looks for ./seabed/<task> first: an empty folder to work in.
    answer = ask(METRICS, world.client("scorer"), cwd=tmp_path, given=given)
    assert set(answer) == set(TASKS)
    assert answer["sts"]["spearman"] == pytest.approx(1.0)


def test_a_model_is_scored_from_the_hub_and_again_offline(world: World, tmp_path: Path) -> None:
    chosen = ",".join(
        next(c.name for c in catalogue.configs(tasks=[task], origin="human" if task != "reranking" else None))
        for task in TASKS
    )
    commit = world.hub.store.repo("dataset", REPO).refs["refs/tags/v0.1.0"]
    command = [
        "-m",
        "seabed_evaluate",
        "run",
        "--model",
        "tests.toy:encode",
        "--configs",
        chosen,
        "-q",
        "--data",
        REPO,
    ]
    world.hub.clear()
    said, _ = run([*command, "--revision", "v0.1.0", "--out", str(tmp_path / "a")], world.client("runner"))
    assert "scored 9, kept 0, failed 0" in said
    asked = [r for r in world.hub.log if "/resolve/" not in r.path]
    assert all(f"/{commit}/" in r.path for r in world.hub.log if "/resolve/" in r.path), (
        "all files are of one commit"
    )
    assert len([r for r in asked if "/tree/" in r.path]) <= 2, asked
    table, _ = run(["-m", "seabed_evaluate", "report", str(tmp_path / "a")], world.client("runner"))
    assert "tests.toy:encode" in table
    results = [json.loads(p.read_text(encoding="utf-8")) for p in (tmp_path / "a").rglob("*.json")]
    assert {r["data"]["revision"] for r in results if "data" in r} == {commit}
    world.hub.clear()
    said, _ = run(
        [*command, "--revision", "v0.1.0", "--offline", "--out", str(tmp_path / "b")],
        world.client("runner", HF_HUB_OFFLINE="1"),
    )
    assert "scored 9, kept 0, failed 0" in said
    assert not world.hub.log


def test_a_run_over_all_configs_makes_one_snapshot(world: World, tmp_path: Path) -> None:
    script = """
import json, sys
from seabed_evaluate.runner.bundles import fetch_configs, open_bundle
bundle = open_bundle("seabed/SEA-BED")
fetch_configs(bundle, list(bundle.manifest))
print(len(bundle.manifest))
"""
    world.hub.clear()
    held = ask(script, world.client("all"))
    files = sum(
        len(e["splits"]) for e in json.loads((world.bundle / "manifest.json").read_text("utf-8")).values()
    )
    listing = [r for r in world.hub.log if r.path.startswith("/api/datasets")]
    assert len(listing) <= 4, listing
    # HEAD and GET of each file once, and nothing per config.
    assert len(world.hub.log) <= 2 * (files + 1) + len(listing) + 1
    world.hub.clear()
    ask(script, world.client("all"))
    print(f"\n{held} configs in one snapshot: {files} files; warm again: {len(world.hub.log)} requests")
    assert len(world.hub.log) <= 8
