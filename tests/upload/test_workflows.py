"""The workflows: a stranger's pull request reaches no token, a failing step fails the job, actions stay what they are."""

from __future__ import annotations

import copy
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from seabed_datasets.bundle.build import build
from seabed_evaluate.cli import app as seabed_app  # type: ignore[attr-defined]
from tests.hub import Hub
from tests.hub.clients import ROOT, ask, environment
from upload.__main__ import app as upload_app

FOLDER = ROOT / ".github" / "workflows"
# Events whose jobs see the secrets of this repository although a stranger can set them off.
UNSAFE = {
    "pull_request_target",
    "workflow_run",
    "issue_comment",
    "issues",
    "discussion",
    "discussion_comment",
}
SECRET = re.compile(r"secrets\b|github\s*\.\s*token|GITHUB_TOKEN|HF_TOKEN")
Workflow = dict[Any, Any]


def workflows() -> dict[str, Workflow]:
    return {path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.iterdir())}


def events(workflow: Workflow) -> dict[str, Any]:
    # YAML 1.1 reads the word "on" as true.
    given = workflow.get("on", workflow.get(True))
    return given if isinstance(given, dict) else dict.fromkeys([given] if isinstance(given, str) else given)


def steps(workflow: Workflow) -> Iterator[tuple[str, int, dict[str, Any]]]:
    for name, job in workflow["jobs"].items():
        for number, step in enumerate(job.get("steps", [])):
            yield name, number, step


def holders(workflow: Workflow) -> list[str]:
    """Where a secret is named: "job/step number", or the job or the workflow where it is not in a step."""
    found = [f"{name}/{number}" for name, number, step in steps(workflow) if SECRET.search(repr(step))]
    for name, job in workflow["jobs"].items():
        if SECRET.search(repr({k: v for k, v in job.items() if k != "steps"})):
            found.append(name)
    if SECRET.search(repr({k: v for k, v in workflow.items() if k != "jobs"})):
        found.append("workflow")
    return found


def faults(name: str, workflow: Workflow) -> set[str]:
    """What would let a stranger's pull request reach a token, or a failure pass for a success."""
    found = set()
    if UNSAFE & set(events(workflow)):
        found.add("event")
    given = [workflow.get("permissions"), *(job.get("permissions") for job in workflow["jobs"].values())]
    if given[0] != {"contents": "read"} or any(p not in (None, {"contents": "read"}) for p in given[1:]):
        found.add("permissions")
    if any("uses" in job or "secrets" in job for job in workflow["jobs"].values()):
        found.add("called workflow")
    last = {f"{job}/{len(workflow['jobs'][job]['steps']) - 1}" for job in list(workflow["jobs"])[-1:]}
    where = set(holders(workflow))
    if where and (name != "publish.yml" or where != last):
        found.add("secret")
    pushes = events(workflow).get("push")
    if where and (
        set(events(workflow)) - {"push", "workflow_dispatch"} or (pushes or {}).get("branches") != ["main"]
    ):
        found.add("secret on another event")
    if workflow.get("defaults") != {"run": {"shell": "bash"}}:
        found.add("pipefail")
    for _, _, step in steps(workflow):
        line = step.get("run", "")
        if "${{" in line:
            found.add("interpolation")
        if re.search(r"(echo|printf|export|\|\||;\s*true)[^\n]*(\$\(|`)|\|\|\s*(true|:)", line) or step.get(
            "continue-on-error"
        ):
            found.add("lost failure")
        if re.search(r"(?<![\"\w{])\$\{?[A-Za-z_]", re.sub(r'"[^"\n]*"|<<< "[^"\n]*"', "", line)):
            found.add("unquoted")
        uses = step.get("uses", "")
        if uses and not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", uses):
            found.add("unpinned")
        if (
            uses.startswith("actions/checkout@")
            and (step.get("with") or {}).get("persist-credentials") is not False
        ):
            found.add("credentials kept")
    return found


@pytest.mark.parametrize("name", workflows())
def test_no_workflow_has_a_fault(name: str) -> None:
    assert faults(name, workflows()[name]) == set()


def test_a_strangers_pull_request_that_changes_a_loader_cannot_reach_a_token() -> None:
    all_of_them = workflows()
    asked = {name for name, w in all_of_them.items() if any("pull_request" in event for event in events(w))}
    assert asked == {"check.yml"}
    assert set(events(all_of_them["check.yml"])) == {"pull_request"}
    assert not holders(all_of_them["check.yml"])
    # And where a token is, no loader runs: building is another job, on another machine.
    publish = all_of_them["publish.yml"]
    assert holders(publish) == [f"propose/{len(publish['jobs']['propose']['steps']) - 1}"]
    commands = "\n".join(step.get("run", "") for job, _, step in steps(publish) if job == "propose")
    assert "seabed build" not in commands
    assert "pytest" not in commands


def spoil(name: str, change: Callable[[Workflow], object]) -> tuple[str, Workflow]:
    workflow = copy.deepcopy(workflows()[name])
    change(workflow)
    return name, workflow


def first_job(workflow: Workflow) -> dict[str, Any]:
    return next(iter(workflow["jobs"].values()))  # type: ignore[no-any-return]


SPOILT: list[tuple[str, str, Callable[[Workflow], object]]] = [
    ("event", "check.yml", lambda w: w.update({True: {"pull_request_target": None}})),
    ("event", "check.yml", lambda w: w.update({True: ["pull_request", "issue_comment"]})),
    ("permissions", "check.yml", lambda w: w.pop("permissions")),
    ("permissions", "check.yml", lambda w: first_job(w).update(permissions={"contents": "write"})),
    ("secret", "check.yml", lambda w: first_job(w).update(env={"HF_TOKEN": "${{ secrets.HF_TOKEN }}"})),
    ("secret", "check.yml", lambda w: first_job(w)["steps"][-1].update(env={"T": "${{ github.token }}"})),
    ("secret", "publish.yml", lambda w: first_job(w).update(env={"T": "${{ secrets['HF_TOKEN'] }}"})),
    ("secret", "publish.yml", lambda w: w.update(env={"T": "${{ secrets.HF_TOKEN }}"})),
    ("secret", "publish.yml", lambda w: w["jobs"]["propose"]["steps"].append({"run": "seabed list"})),
    ("secret on another event", "publish.yml", lambda w: w[True].update(pull_request=None)),
    ("secret on another event", "publish.yml", lambda w: w[True].update(push={"branches": ["**"]})),
    ("pipefail", "publish.yml", lambda w: w.pop("defaults")),
    (
        "interpolation",
        "check.yml",
        lambda w: first_job(w)["steps"].append({"run": "echo ${{ github.head_ref }}"}),
    ),
    (
        "lost failure",
        "publish.yml",
        lambda w: first_job(w)["steps"].append({"run": 'echo "A=$(false)" >> "$B"'}),
    ),
    ("lost failure", "check.yml", lambda w: first_job(w)["steps"].append({"run": "mypy || true"})),
    ("lost failure", "check.yml", lambda w: first_job(w)["steps"][-1].update({"continue-on-error": True})),
    (
        "unquoted",
        "publish.yml",
        lambda w: first_job(w)["steps"].append({"run": "seabed build $CONFIGS --out b"}),
    ),
    ("unpinned", "check.yml", lambda w: first_job(w)["steps"].append({"uses": "actions/cache@v4"})),
    ("credentials kept", "check.yml", lambda w: first_job(w)["steps"][0].pop("with")),
]


@pytest.mark.parametrize(("fault", "name", "change"), SPOILT)
def test_a_spoilt_workflow_is_seen(fault: str, name: str, change: Callable[[Workflow], object]) -> None:
    assert fault in faults(*spoil(name, change))


def step_named(words: str) -> dict[str, Any]:
    (found,) = [s for _, _, s in steps(workflows()["publish.yml"]) if s.get("name") == words]
    return found


def run_step(
    words: str, folder: Path, programs: dict[str, str], **env: str
) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run a step as GitHub does, with programs in place of the real ones; also what it wrote for later steps."""
    places = folder / "bin"
    places.mkdir()
    for name, script in programs.items():
        (places / name).write_text(f"#!/bin/bash\n{script}\n", encoding="utf-8")
        (places / name).chmod(stat.S_IRWXU)
    told = folder / "env"
    told.touch()
    done = subprocess.run(
        [
            shutil.which("bash") or "bash",
            "--noprofile",
            "--norc",
            "-eo",
            "pipefail",
            "-c",
            step_named(words)["run"],
        ],
        cwd=folder,
        env={
            "PATH": f"{places}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ENV": str(told),
            "GITHUB_OUTPUT": str(told),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            **env,
        },
        capture_output=True,
        text=True,
    )
    return done, told.read_text(encoding="utf-8")


def test_a_command_that_fails_fails_its_step(tmp_path: Path) -> None:
    done, told = run_step("Find what changed", tmp_path, {"python": "echo half_a_name; exit 1"}, SINCE="x")
    assert done.returncode == 1
    assert told == ""


def test_names_reach_the_commands_as_words(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    done, told = run_step(
        "Find what changed", tmp_path / "a", {"python": 'echo "$5|a_tha b_mya"'}, SINCE="v1 --x"
    )
    assert (done.returncode, told) == (0, "CONFIGS=v1 --x|a_tha b_mya\nconfigs=v1 --x|a_tha b_mya\n")
    done, _ = run_step("Build", tmp_path / "b", {"seabed": "printf '<%s>' \"$@\""}, CONFIGS="a_tha b_mya *")
    assert done.stdout == "<build><a_tha><b_mya><*><--out><bundle><--quiet>"


def test_the_workflows_use_commands_that_exist() -> None:
    commands = {"upload": typer.main.get_command(upload_app), "seabed": typer.main.get_command(seabed_app)}
    found = []
    for workflow in workflows().values():
        for _, _, step in steps(workflow):
            for program, name, rest in re.findall(
                r"(?:-m )?(upload|seabed) ([a-z]+) ([^>)|\n]*)", step.get("run", "")
            ):
                known = {o for p in commands[program].commands[name].params for o in p.opts}  # type: ignore[attr-defined]
                assert set(re.findall(r"--[a-z-]+", rest)) <= known, step
                found.append(f"{program} {name}")
    assert found == ["seabed check", "upload changed", "seabed build", "seabed check", "upload dataset"]


def test_publishing_runs_no_loader(tmp_path: Path) -> None:
    """The job that has the token checks the bundle it was given and never imports a contributor's loader."""
    assert not build(["sample_sts_mya"], tmp_path / "bundle").failed
    script = (
        "import json, sys\n"
        "from huggingface_hub import HfApi\n"
        "from upload.dataset import publish_bundle\n"
        "from pathlib import Path\n"
        "done = publish_bundle(HfApi(), Path(json.loads(sys.argv[1])), 'seabed/SEA-BED', version='1', samples=True)\n"
        "print(json.dumps([m for m in sys.modules if m.startswith('seabed_datasets.loaders.')]))\n"
    )
    with Hub() as hub:
        env = environment(hub.url, tmp_path / "home", token="hf_writer")
        loaded = ask(script, env, given=str(tmp_path / "bundle"))
        assert hub.store.repo("dataset", "seabed/SEA-BED").refs["refs/tags/1"]
    assert [m for m in loaded if m.count(".") > 2] == []
