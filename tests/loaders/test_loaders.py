"""Every loader on fake raw files in upstream's format, and on real ones where they are present."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from seabed_datasets import catalogue
from tests.fake_raw import EXPECTED, RAW, made
from tests.golden_rows import GOLDEN, facts, without_ids

FAKE = sorted(p.name for p in RAW.iterdir()) if RAW.is_dir() else []
GOLD = sorted(p.stem for p in GOLDEN.glob("*.json"))


@pytest.mark.parametrize("key", [d.key for d in catalogue.datasets()])
def test_every_dataset_has_fake_raw_files(key: str) -> None:
    assert (RAW / key / EXPECTED).is_file(), f"write tests/raw/{key}/ and its {EXPECTED}"


@pytest.mark.parametrize("key", FAKE)
def test_loader_makes_the_expected_rows(key: str, fake_mirror: Callable[[str], Path]) -> None:
    expected = json.loads((RAW / key / EXPECTED).read_text(encoding="utf-8"))
    assert expected
    for name, splits in expected.items():
        assert made(catalogue.config(name), fake_mirror(key)) == splits, name


@pytest.mark.parametrize("key", FAKE)
def test_every_config_builds_from_fake_raw_files(key: str, fake_mirror: Callable[[str], Path]) -> None:
    ds = catalogue.dataset(key)
    for name in ds.seabed.configs:
        splits = made(ds.config(name), fake_mirror(key))
        assert all(splits.values()), name


@pytest.mark.parametrize("key", GOLD)
def test_loader_agrees_with_an_independent_reading(key: str, request: pytest.FixtureRequest) -> None:
    golden = json.loads((GOLDEN / f"{key}.json").read_text(encoding="utf-8"))
    assert golden
    mirror: Path = request.getfixturevalue("real_mirror")
    if not (mirror / key).is_dir():
        mirror = request.getfixturevalue("faulty_mirror")
    for name, splits in golden.items():
        rows = without_ids(made(catalogue.config(name), mirror))
        for split, known in splits.items():
            assert facts(rows[split]) == known, f"{name} {split}"
