"""What CONTRIBUTING.md and the templates of .github say is true of the commands and the files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer.main
import yaml

from seabed_datasets.catalogue import Exemption
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.checks.rules import RULES
from seabed_evaluate.cli import app

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TEMPLATES = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
COMMANDS = sorted(set(re.findall(r"(?:^|[`$ ])seabed ([a-z]+[^`\n]*)", GUIDE)))


def test_the_guide_has_ten_steps() -> None:
    assert re.findall(r"^(\d+)\. \*\*", GUIDE, re.MULTILINE) == [str(n) for n in range(1, 11)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_guide_exists_with_its_options(command: str) -> None:
    name, *words = command.split()
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert name in known
    options = {o for parameter in known[name].params for o in (*parameter.opts, *parameter.secondary_opts)}
    assert {w for w in words if w.startswith("--")} <= options


def test_the_exception_of_the_guide_is_one() -> None:
    block = re.search(r"( +exceptions:\n(?: {5,}.*\n)+)", GUIDE)
    assert block is not None
    (entry,) = yaml.safe_load(block[1])["exceptions"]
    assert Exemption(**entry).rule in RULES


def test_files_the_guide_names_are_there() -> None:
    named = re.findall(r"`((?:seabed_datasets|tests|cards)/[\w/.]+)`", GUIDE)
    assert [n for n in named if "laoqa" not in n and not (ROOT / n).exists()] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.name)
def test_issue_templates(path: Path) -> None:
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    if path.name == "config.yml":
        return
    assert {"name", "description", "body"} <= form.keys()
    for field in form["body"]:
        assert set(field) <= {"type", "id", "attributes", "validations"}
        assert set(field["attributes"]) <= {"label", "description", "placeholder", "options", "render"}
        assert field["type"] in ("input", "textarea", "dropdown", "checkboxes")


def test_tasks_of_the_dataset_form() -> None:
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "dataset.yml").read_text(encoding="utf-8"))
    (task,) = (f for f in form["body"] if f.get("id") == "task")
    assert tuple(task["attributes"]["options"]) == TASKS


def test_patterns_of_codeowners_match_files() -> None:
    text = (ROOT / ".github" / "CODEOWNERS").read_text(encoding="utf-8")
    patterns = re.findall(r"(?<=\s)/(\S+)", text)
    assert len(patterns) > 10
    assert [p for p in patterns if not list(ROOT.glob(p))] == []
