"""The catalogue as a whole: how many datasets, configs and units there are, and what they are called."""

from __future__ import annotations

import json
import statistics
from collections import Counter
from pathlib import Path

import pytest

from seabed_datasets import catalogue, loaders
from seabed_datasets.catalogue.coverage import printed, units
from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from tests.conftest import SHARED

# The paper's Table 6 and Table 5, headers; 26 bitext datasets with ALTDialect.
UNITS = dict(zip(LANGUAGES, (70, 55, 40, 33, 28, 18, 18, 14, 14, 4), strict=True))
DATASETS = dict(zip(TASKS, (26, 73, 10, 4, 11, 13, 1, 20, 11), strict=True))


def test_datasets_configs_and_units() -> None:
    datasets = catalogue.paper_datasets()
    assert len(datasets) == 169
    assert sum(len(d.seabed.configs) for d in datasets) == 314
    assert sum(len(units(d)) for d in datasets) == 294


def test_units_per_language() -> None:
    assert Counter(u for d in catalogue.paper_datasets() for u in units(d)) == UNITS
    assert list(UNITS) == list(LANGUAGES)
    assert {r["language"]: int(r["units"]) for r in printed("table6_units")} == UNITS


def test_datasets_per_task() -> None:
    assert Counter(d.seabed.task for d in catalogue.paper_datasets()) == DATASETS
    assert {r["task"]: int(r["datasets"]) for r in printed("table5_datasets")} == DATASETS


def test_altdialect_and_embassy_count_as_the_paper_counts() -> None:
    dialects = catalogue.dataset("altdialect")
    assert (len(dialects.seabed.configs), len(units(dialects))) == (28, 8)
    assert units(catalogue.dataset("embassy")) == {"tha"}


def test_a_card_says_nothing_twice_about_languages() -> None:
    for d in catalogue.datasets():
        spoken = {lang for c in d.seabed.configs for lang in d.config(c).languages}
        assert spoken == set(d.language), d.key


def test_names_equal_the_index() -> None:
    path = SHARED / "catalogue" / "index.json"
    if not path.is_file():
        pytest.skip("no index of the paper's datasets beside this checkout (shared/catalogue)")
    index = {row["key"]: row for row in json.loads(path.read_text(encoding="utf-8"))}
    cards = {d.key: d for d in catalogue.paper_datasets()}
    assert cards.keys() == index.keys()
    for key, row in index.items():
        assert sorted(cards[key].seabed.configs) == sorted(row["configs"]), key
        assert units(cards[key]) == set(row["languages"]), key
        assert cards[key].seabed.task == row["task"], key


def test_one_card_and_one_small_loader_per_dataset(capsys: pytest.CaptureFixture[str]) -> None:
    folder = next(iter(loaders.__path__))
    found = {(p.parent.name, p.stem): p for p in Path(folder).glob("*/*.py") if p.stem != "__init__"}
    assert found.keys() == {(d.seabed.task, d.key) for d in catalogue.datasets()}
    lengths = [len(p.read_text(encoding="utf-8").splitlines()) for p in found.values()]
    with capsys.disabled():
        print(f"\nloaders: median {statistics.median(lengths):g} lines, longest {max(lengths)}")
    assert statistics.median(lengths) <= 25
