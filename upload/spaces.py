"""The metric Spaces: self-contained folders, written to a place of one's own or published."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.errors import SeabedError
from seabed_datasets.files import replace_text
from upload.hub import check_token, look
from upload.plan import compare
from upload.publish import Published, check_version, publish

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from huggingface_hub import HfApi

ROOT = Path(__file__).parents[1]
METRICS = ROOT / "seabed_evaluate" / "metrics"
SHARED = re.compile(
    r"^from seabed_evaluate\.metrics\.shared\.(\w+) import ([^#\n]+?)(?:  # From: seabed)?$", re.M
)
HELPER = re.compile(r"^from \.(\w+) import", re.M)
OTHER = re.compile(r"^(?:from|import) ([a-z]\w*)", re.M)


def space(task: str, metrics: Path = METRICS) -> dict[str, bytes]:
    """The files of a Space: its page, the module, and the helpers the module needs, all in one flat folder.

    evaluate copies only what the module itself names, and only from its own folder: so imports of shared
    helpers become `from .name import`, and the module names every helper and every package it needs.

    Args:
        task: the metric.
        metrics: the folder of the metric folders.

    Returns:
        Path in the Space -> content.

    Raises:
        SeabedError: a file is missing, or evaluate could not load the module from the Hub.
    """
    folder, shared = metrics / task, metrics / "shared"
    module = SHARED.sub(r"from .\1 import \2", _read(folder / f"{task}.py"))
    files: dict[str, str] = {}
    todo = HELPER.findall(module)
    while todo:
        name = todo.pop(0)
        own = folder / f"{name}.py"
        text = files[f"{name}.py"] = SHARED.sub(
            r"from .\1 import \2", _read(own if own.is_file() else shared / f"{name}.py")
        )
        todo += [
            helper for helper in HELPER.findall(text) if f"{helper}.py" not in files and helper not in todo
        ]
    packages = _packages("\n".join(files.values()))
    unnamed = [name[:-3] for name in sorted(files) if name[:-3] not in HELPER.findall(module)]
    lines = [f"import {name}" for name in packages]
    lines += [f"from .{name} import __doc__ as _{name}" for name in unnamed]
    files[f"{task}.py"] = HELPER.sub(lambda m: "\n".join([*lines, m[0]]), module, count=1)
    for name, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if "seabed_evaluate" in line:
                raise SeabedError(
                    f"{name} of {task}, line {number}: a Space has no seabed_evaluate: {line.strip()}"
                )
            if re.match(r"\s+from \.|from \.(?!\w+ import )", line):
                raise SeabedError(
                    f"{name} of {task}, line {number}: evaluate takes only `from .file import name`: {line.strip()}"
                )
    files["README.md"], files["example.json"] = (
        _read(folder / name) for name in ("README.md", "example.json")
    )
    files["app.py"] = _read(shared / "app.py")
    files["requirements.txt"] = "".join(f"{line}\n" for line in packages.values())
    _check_page(task, files["README.md"])
    return {name: text.encode() for name, text in files.items()}


def _read(path: Path) -> str:
    if not path.is_file():
        raise SeabedError(f"{path} is missing")
    return path.read_text(encoding="utf-8")


def _packages(source: str) -> dict[str, str]:
    """Import name -> requirement, of the project's dependencies that a source imports."""
    project = tomllib.loads(_read(ROOT / "pyproject.toml"))["project"]
    known = {re.split(r"[^\w-]", line)[0]: line for line in project["dependencies"]}
    return {name: known[name] for name in sorted(set(OTHER.findall(source))) if name in known}


def write_spaces(out: Path, tasks: Iterable[str] = TASKS, metrics: Path = METRICS) -> None:
    """Write self-contained metric folders, which evaluate loads where seabed is not installed.

    Args:
        out: the folder that gets one folder per metric.
        tasks: which.
        metrics: the folder of the metric folders.
    """
    made = {task: space(task, metrics) for task in tasks}
    for task, files in made.items():
        for name, content in files.items():
            (out / task).mkdir(parents=True, exist_ok=True)
            replace_text(out / task / name, content.decode())


def _check_page(task: str, text: str) -> None:
    where = f"README.md of {task}"
    try:
        head = yaml.safe_load(text[4:].split("\n---\n", 1)[0]) if text.startswith("---\n") else None
    except yaml.YAMLError as error:
        raise SeabedError(f"{where}: front matter is not YAML: {error}") from None
    if not isinstance(head, dict) or head.get("sdk") != "gradio" or head.get("app_file") != "app.py":
        raise SeabedError(f"{where}: the front matter of a Space needs sdk: gradio and app_file: app.py")
    if f"seabed/{task}" not in text:
        raise SeabedError(f"{where}: does not say how to load seabed/{task}")


def chosen(only: Iterable[str] | None) -> list[str]:
    """The tasks asked for.

    Args:
        only: names of tasks; None for all nine.

    Returns:
        Their names, in the usual order.

    Raises:
        UnknownName: a task does not exist.
    """
    names = catalogue.check_names("task", only, TASKS)
    return [task for task in TASKS if names is None or task in names]


def publish_metrics(
    api: HfApi,
    namespace: str,
    *,
    version: str,
    only: Iterable[str] | None = None,
    metrics: Path = METRICS,
    dry_run: bool = False,
    say: Callable[[str], None] = print,
) -> list[Published]:
    """Publish the metrics, one Space and one commit each; what is there already is left alone.

    Args:
        api: the client.
        namespace: user or organisation, "seabed".
        version: the name of the tags.
        only: tasks; None for all nine.
        metrics: the folder of the metric folders.
        dry_run: stop after the plans.
        say: prints the plans.

    Returns:
        What was done, in the order of the tasks; nothing for a dry run.

    Raises:
        UnknownName: a task does not exist.
        SeabedError: the tag would mislead evaluate, a folder is not fit for a Space, or the Hub fails.
    """
    if re.fullmatch(r"v?\d+\.\d+\.\d+", version):
        # evaluate.load prefers a tag named like evaluate's own version to main, and reads such a revision so.
        raise SeabedError(
            f"--version {version} looks like a version of evaluate itself; use release-{version}"
        )
    tasks = chosen(only)
    files = {task: space(task, metrics) for task in tasks}
    plans = []
    for task in tasks:
        remote = look(api, "space", f"{namespace}/{task}")
        # All that is not needed goes, but for the file the Hub itself puts there.
        owned = tuple(path for path in remote.files if path != ".gitattributes")
        plan = compare(files[task], remote.files, owned)
        if not plan.empty:
            check_version(remote, version)
        say(f"{namespace}/{task} {f'at {remote.head[:10]}' if remote.head else '(to be created)'}: {plan}")
        plans.append((remote, plan, owned))
    if dry_run:
        return []
    if any(not plan.empty or version not in remote.tags for remote, plan, _ in plans):
        check_token(api, f"{namespace}/{tasks[0]}", pr=False)
    done = []
    for remote, plan, owned in plans:
        message = f"{remote.repo} {version}"
        done.append(publish(api, remote, plan, message=message, version=version, owned=owned))
        say(f"{remote.repo}: {'published' if done[-1].made else 'unchanged'} at {done[-1].commit[:10]}")
    return done
