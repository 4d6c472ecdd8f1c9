"""Reading from the Hub: requests a load costs, revisions, offline, and what a reader is told when it fails."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

from seabed_datasets.bundle.build import build
from tests.hub import Hub, storm
from tests.hub.clients import ROOT, ask, environment, run
from tests.hub.publishing import REPO
from upload.dataset import publish_bundle
from upload.spaces import publish_metrics

pytestmark = pytest.mark.slow

CONFIGS = ["sample_classification_ind", "sample_sts_mya", "sample_retrieval_tha"]

LOAD = """
import json, sys
from datasets import load_dataset
name, revision = json.loads(sys.argv[1])
loaded = load_dataset("seabed/SEA-BED", name, revision=revision)
print(json.dumps({split: loaded[split].num_rows for split in loaded}))
"""

LOAD_OFTEN = """
import json, os, sys
import requests
from datasets import load_dataset
name, revisions = json.loads(sys.argv[1])
for i, revision in enumerate(revisions):
    if i:
        requests.get(os.environ["HF_ENDPOINT"] + "/mark")
    loaded = load_dataset("seabed/SEA-BED", name, revision=revision)
print(json.dumps({split: loaded[split].num_rows for split in loaded}))
"""

OUR_LOAD = """
import json, sys
import seabed_datasets
from seabed_datasets.errors import SeabedError
name, options = json.loads(sys.argv[1])
try:
    loaded = seabed_datasets.load(name, **options)
    print(json.dumps({split: [loaded[split].num_rows, loaded[split][0]] for split in loaded}))
except SeabedError as error:
    print(json.dumps([error.exit_code, str(error)]))
"""

METRIC = """
import json, sys
import evaluate
metric = evaluate.load("seabed/sts", **json.loads(sys.argv[1]))
print(json.dumps(metric.compute(predictions=[0.1, 0.9, 0.4], references=[0, 5, 3])["spearman"]))
"""


@dataclass(frozen=True)
class World:
    hub: Hub
    first: str
    second: str
    rows: dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Two versions: the second has one config more."""
    folder = tmp_path_factory.mktemp("reading")
    disable_progress_bars()
    with pytest.MonkeyPatch.context() as patch, Hub() as hub:
        patch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        patch.setattr(constants, "HF_HUB_CACHE", str(folder / "cache"))
        api = HfApi(hub.url, "hf_writer")
        commits = []
        for version, configs in (("1", CONFIGS[:2]), ("2", CONFIGS)):
            build(configs, folder / "bundle")
            done = publish_bundle(
                api, folder / "bundle", REPO, version=version, samples=True, say=lambda _: None
            )
            assert done is not None
            commits.append(done.commit)
        publish_metrics(api, "seabed", version="release-1", only=["sts"], say=lambda _: None)
        manifest = json.loads((folder / "bundle" / "manifest.json").read_text(encoding="utf-8"))
        rows = {n: {s: v["rows"] for s, v in e["splits"].items()} for n, e in manifest.items()}
        yield World(hub, commits[0], commits[1], rows)


@pytest.fixture
def world(published: World) -> World:
    published.hub.clear()
    return published


def asked(world: World) -> list[str]:
    """The requests so far; one is about the client itself, once per process."""
    found = [f"{r.method} {r.path}" for r in world.hub.log if r.path != "/api/agent-harnesses"]
    world.hub.clear()
    return found


def test_a_load_costs_what_the_client_needs_at_least(world: World, tmp_path: Path) -> None:
    env = environment(world.hub.url, tmp_path)
    name = "sample_retrieval_tha"
    assert ask(LOAD_OFTEN, env, given=[name, [None, None, world.second, world.second]]) == world.rows[name]
    cold, warm, _, pinned = (part.split("\n") for part in "\n".join(asked(world)).split("\nGET /mark\n"))
    ask(LOAD, env, given=[name, None])
    fresh = asked(world)
    ask(LOAD, env, given=[name, world.second])
    fresh_pinned = asked(world)
    print(
        f"\nrequests of load_dataset: cold {len(cold)}, warm {len(warm)}, warm at a commit {len(pinned)}; "
        f"first in a new process: warm {len(fresh)}, at a commit {len(fresh_pinned)}"
    )
    assert len(cold) <= 13
    assert [r.split()[0] for r in warm] == ["HEAD"] * 4
    assert [r.split()[0] for r in pinned] == ["HEAD"] * 3
    # A new process also asks for the commit and lists the folders, of the first config and of this one.
    assert len(fresh) <= 7
    assert len(fresh_pinned) <= 6


def test_revisions_and_offline(world: World, tmp_path: Path) -> None:
    env = environment(world.hub.url, tmp_path)
    assert ask(LOAD, env, given=["sample_retrieval_tha", "2"]) == world.rows["sample_retrieval_tha"]
    asked(world)
    offline = environment(world.hub.url, tmp_path, HF_HUB_OFFLINE="1")
    assert ask(LOAD, offline, given=["sample_retrieval_tha", "2"]) == world.rows["sample_retrieval_tha"]
    assert not asked(world)


def test_our_load(world: World, tmp_path: Path) -> None:
    env = environment(world.hub.url, tmp_path)
    code, text = ask(OUR_LOAD, env, given=["sample_sts_mia", {}])
    assert (code, "Did you mean 'sample_sts_mya'" in text) == (2, True)
    assert not asked(world), "the package knows the names without asking the Hub"
    loaded = ask(OUR_LOAD, env, given=["sample_retrieval_tha", {}])
    assert {split: found[0] for split, found in loaded.items()} == world.rows["sample_retrieval_tha"]
    assert len(asked(world)) <= 2 + 2 * 3
    again = ask(OUR_LOAD, env, given=["sample_retrieval_tha", {"revision": world.second}])
    assert again == loaded
    assert not asked(world), "a commit that was fetched needs no question"
    code, text = ask(OUR_LOAD, env, given=["sample_retrieval_tha", {"revision": "1"}])
    assert "holds no sample_retrieval_tha; `seabed build sample_retrieval_tha" in text
    code, text = ask(OUR_LOAD, env, given=["sample_sts_mya", {"revision": "9"}])
    assert "has no revision '9'" in text
    code, text = ask(OUR_LOAD, env, given=["sample_sts_mya", {"data": "seabed/elsewhere"}])
    assert "is no dataset on the Hub" in text
    world.hub.clear()
    offline = environment("http://127.0.0.1:9", tmp_path)
    for options in (
        {"offline": True},
        {"offline": True, "revision": world.second},
        {"revision": world.second},
    ):
        assert ask(OUR_LOAD, offline, given=["sample_retrieval_tha", options]) == loaded
    variable = environment(world.hub.url, tmp_path, HF_HUB_OFFLINE="1")
    assert ask(OUR_LOAD, variable, given=["sample_retrieval_tha", {}]) == loaded
    code, text = ask(OUR_LOAD, variable, given=["sample_classification_ind", {}])
    assert code == 1
    assert "was not fetched before" in text
    assert not asked(world)
    code, text = ask(
        OUR_LOAD,
        environment(world.hub.url, tmp_path / "new", HF_HUB_OFFLINE="1"),
        given=["sample_sts_mya", {}],
    )
    assert "was not fetched before and the Hub cannot be reached" in text


def test_a_metric_by_name_by_version_and_offline(world: World, tmp_path: Path) -> None:
    env = environment(world.hub.url, tmp_path)
    # evaluate looks for ./seabed/sts first: an empty folder to work in.
    assert ask(METRIC, env, tmp_path, {}) == pytest.approx(1.0)
    asked(world)
    assert ask(METRIC, env, tmp_path, {}) == pytest.approx(1.0)
    assert len(asked(world)) <= 7
    assert ask(METRIC, env, tmp_path, {"revision": "release-1"}) == pytest.approx(1.0)
    asked(world)
    offline = environment(world.hub.url, tmp_path, HF_EVALUATE_OFFLINE="1")
    assert ask(METRIC, offline, tmp_path, {}) == pytest.approx(1.0)
    assert not asked(world)


RUN = ["-m", "seabed_evaluate", "run", "--model", "tests.toy:encode", "-q"]


def test_a_run_is_one_snapshot_and_then_needs_no_network(world: World, tmp_path: Path) -> None:
    env = environment(world.hub.url, tmp_path)
    out, _ = run([*RUN, "--data", REPO, "--revision", "2", "--out", str(tmp_path / "r")], env)
    assert "scored 3, kept 0, failed 0" in out
    first = asked(world)
    assert len([r for r in first if "/tree/" in r]) <= 2
    assert len([r for r in first if r.startswith("GET") and "/resolve/" in r]) == 1 + sum(
        map(len, world.rows.values())
    )
    assert all(f"/resolve/{world.second}/" in r for r in first if "/resolve/" in r)
    out, _ = run([*RUN, "--data", REPO, "--revision", world.second, "--out", str(tmp_path / "r")], env)
    assert "scored 0, kept 3, failed 0" in out
    assert not asked(world)
    down = environment("http://127.0.0.1:9", tmp_path)
    out, _ = run([*RUN, "--data", REPO, "--revision", "2", "--offline", "--out", str(tmp_path / "s")], down)
    assert "scored 3, kept 0, failed 0" in out


@pytest.mark.parametrize("fault", ["dropped", "500", "429", "full disk"])
def test_a_run_that_cannot_fetch_says_so_and_a_rerun_finishes(
    fault: str, world: World, tmp_path: Path
) -> None:
    env = environment(world.hub.url, tmp_path)
    command = [*RUN, "--data", REPO, "--out", str(tmp_path / "r")]

    if fault == "full disk":
        done = subprocess.run(
            [sys.executable, *command],
            env=env,
            cwd=ROOT,
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)),
        )
        assert done.returncode == 1, done.stderr
        error = done.stderr
    else:
        # From the second request on: the commit is known, nothing of it can be read.
        world.hub.fault = storm(0 if fault == "dropped" else int(fault), 1, None)
        _, error = run(command, env, code=1)
    assert error.startswith("error: ") or "\nerror: " in error
    assert "Traceback" not in error
    assert "run" in error.split("error: ")[-1]
    world.hub.clear()
    out, _ = run(command, env)
    assert "scored 3, kept 0, failed 0" in out
