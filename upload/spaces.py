"""Publishing each metric folder as a Space, with the files it needs and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.errors import SeabedError
from upload.hub import check_token, look
from upload.plan import Content, compare
from upload.publish import Published, check_version, publish

if TYPE_CHECKING:
    from huggingface_hub import HfApi

METRICS = Path(__file__).parents[1] / "seabed_evaluate" / "metrics"
PAGE = ("README.md", "app.py", "requirements.txt")


def needed(task: str, metrics: Path = METRICS) -> dict[str, Path]:
    """The files of a Space: its page, the module, and the helpers the module imports.

    Args:
        task: the metric.
        metrics: the folder of the metric folders.

    Returns:
        Path in the Space -> local file.

    Raises:
        SeabedError: a file is missing, or evaluate could not load the module from the Hub.
    """
    folder = metrics / task
    names, todo = [*PAGE, f"{task}.py"], [f"{task}.py"]
    direct = _imports(folder / f"{task}.py")
    while todo:
        for helper in _imports(folder / todo.pop()):
            # evaluate copies what the module itself imports, so helpers of helpers must be named there.
            if helper not in direct:
                raise SeabedError(
                    f"{folder / task}.py must import .{helper[:-3]} itself: evaluate copies no other"
                )
            if helper not in names:
                names.append(helper)
                todo.append(helper)
    files = {name: folder / name for name in names}
    missing = [name for name, path in files.items() if not path.is_file()]
    if missing:
        raise SeabedError(f"{folder} lacks {', '.join(missing)}")
    _check_page(task, files["README.md"])
    return files


def _imports(path: Path) -> list[str]:
    if not path.is_file():
        raise SeabedError(f"{path} is missing")
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            if node.level > 1 or not node.module or "." in node.module:
                raise SeabedError(f"{path}, line {node.lineno}: evaluate takes only `from .file import name`")
            found.append(f"{node.module}.py")
    return list(dict.fromkeys(found))


def _check_page(task: str, readme: Path) -> None:
    text = readme.read_text(encoding="utf-8")
    try:
        head = yaml.safe_load(text[4:].split("\n---\n", 1)[0]) if text.startswith("---\n") else None
    except yaml.YAMLError as error:
        raise SeabedError(f"{readme}: front matter is not YAML: {error}") from None
    if not isinstance(head, dict) or head.get("sdk") != "gradio" or head.get("app_file") != "app.py":
        raise SeabedError(f"{readme}: the front matter of a Space needs sdk: gradio and app_file: app.py")
    if f"seabed/{task}" not in text:
        raise SeabedError(f"{readme}: does not say how to load seabed/{task}")


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
    chosen = catalogue.check_names("task", only, TASKS)
    tasks = [task for task in TASKS if chosen is None or task in chosen]
    files = {task: needed(task, metrics) for task in tasks}
    plans = []
    for task in tasks:
        remote = look(api, "space", f"{namespace}/{task}")
        wanted: dict[str, Content] = {path: local.read_bytes() for path, local in files[task].items()}
        # All that is not needed goes, but for the file the Hub itself puts there.
        owned = tuple(path for path in remote.files if path != ".gitattributes")
        plan = compare(wanted, remote.files, owned)
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
