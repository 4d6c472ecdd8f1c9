"""What is declared: bounds of dependencies at both ends, and a source archive that holds what its tests read."""

from __future__ import annotations

import re
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DECLARED = [
    Requirement(line)
    for line in [
        *PROJECT["project"]["dependencies"],
        *(line for extra in PROJECT["project"]["optional-dependencies"].values() for line in extra),
    ]
    if not line.startswith("seabed[")
]
PINNED = {
    name: Version(number)
    for name, number in re.findall(
        r"(?m)^([\w-]+)==([\w.]+)$", (ROOT / "constraints-lowest.txt").read_text(encoding="utf-8")
    )
}


@pytest.mark.parametrize("one", DECLARED, ids=lambda one: one.name)
def test_a_dependency_has_both_bounds_and_what_is_installed_lies_between(one: Requirement) -> None:
    assert {s.operator for s in one.specifier} == {">=", "<"}, one
    try:
        assert one.specifier.contains(version(one.name)), f"{one}, installed {version(one.name)}"
    except PackageNotFoundError:
        pytest.skip(f"{one.name} is not installed")


def test_the_lowest_versions_are_the_lower_bounds() -> None:
    lowest = {
        one.name: min(Version(s.version) for s in one.specifier if s.operator == ">=")
        for one in map(Requirement, PROJECT["project"]["dependencies"])
    }
    # Below torch 2.13 nothing is tested; pandas and pyarrow come with datasets.
    both = (set(PINNED) & set(lowest)) - {"torch"}
    assert {"datasets", "huggingface-hub", "sentence-transformers", "transformers"} <= both
    assert {name: PINNED[name].release[:2] for name in both} == {n: (*lowest[n].release, 0)[:2] for n in both}


def test_no_bound_keeps_out_the_torch_that_is_tested() -> None:
    (torch,) = [one for one in DECLARED if one.name == "torch"]
    assert all(torch.specifier.contains(v) for v in ("2.13.0", "2.14.0"))


def test_the_source_archive_holds_what_its_tests_read() -> None:
    included = {
        Path(name).parts[1] for name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    }
    always = {"pyproject.toml", ".gitignore"}  # hatchling adds them
    read = set()
    for path in (ROOT / "tests").rglob("*.py"):
        read |= set(re.findall(r'ROOT / "([\w.-]+)"', path.read_text(encoding="utf-8")))
    assert {".github", "README.md", "CONTRIBUTING.md"} <= read
    assert {name for name in read if (ROOT / name).exists()} <= included | always
