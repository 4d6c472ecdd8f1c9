"""Parallel rows from the real NTREX files, and the real small model, where they are there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seabed_datasets.bundle.build import build
from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.vector_cache import open_cache
from seabed_evaluate.runner.options import RunOptions

LANGUAGES = ("ind", "tha", "vie", "mya", "fil", "tam", "khm", "lao")


@pytest.fixture(scope="session")
def golden(golden_studies: dict[str, Any]) -> dict[str, Any]:
    return golden_studies


@pytest.fixture(scope="session")
def ntrex(real_mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle of the eight NTREX configs."""
    out = tmp_path_factory.mktemp("ntrex")
    build([f"ntrex_{lang}" for lang in LANGUAGES], out, mirror=real_mirror)
    return out


@pytest.fixture(scope="session")
def e5(e5_folder: Path) -> Any:
    """The model, with the same prompt on both sides."""
    prompts = dict.fromkeys(("query_prompt", "document_prompt", "prompt"), "query: ")
    return load_encoder(str(e5_folder), device="cpu", **prompts)


@pytest.fixture(scope="session")
def ntrex_options(ntrex: Path) -> RunOptions:
    # One cache for all studies, so that every sentence is encoded once.
    return RunOptions(data=str(ntrex), cache=open_cache(disk=False))
