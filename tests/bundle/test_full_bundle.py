"""The whole of SEA-BED from fake raw files: it builds, it loads, it is small to list, and it is reproducible."""

from __future__ import annotations

from pathlib import Path

import datasets
import pytest
from datasets import ClassLabel, get_dataset_config_names, load_dataset

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import read_manifest
from seabed_datasets.bundle.staging import BATCH_ROWS
from seabed_datasets.schemas import SPLITS, features
from tests.fake_raw import RAW, materialise

pytestmark = pytest.mark.slow
SAMPLES = [c.name for c in catalogue.configs(sample=True)]
ALL = [*SAMPLES, *(c.name for c in catalogue.configs())]


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mirror")
    datasets.disable_progress_bars()
    for key in sorted(p.name for p in RAW.iterdir()):
        materialise(key, folder)
    return folder


@pytest.fixture(scope="module")
def bundle(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("b") / "bundle"
    report = build(ALL, out, mirror=mirror, jobs=2)
    assert (report.skipped, report.failed) == ({}, {})
    assert report.built == ALL
    return out


def test_all_configs_are_listed(bundle: Path) -> None:
    assert len(SAMPLES) == 9
    names = get_dataset_config_names(str(bundle))
    assert len(names) == len(catalogue.configs()) + 9 >= 314 + 9
    assert sorted(names) == sorted(ALL) == sorted(read_manifest(bundle))


def test_the_front_page_is_small_and_has_files_only(bundle: Path) -> None:
    text = (bundle / "README.md").read_bytes()
    assert len(text) < 60_000
    assert b"dataset_info" not in text
    assert not list(bundle.rglob("*.py"))
    assert {p.name for p in bundle.iterdir()} == {"README.md", "manifest.json", "cards", "data"}
    keys = {c.key for c in catalogue.configs()} | {c.key for c in catalogue.configs(sample=True)}
    assert {p.stem for p in (bundle / "cards").iterdir()} == keys


def test_every_config_loads_in_the_schema_of_its_task(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = read_manifest(bundle)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ALL:
        config = catalogue.config(name)
        loaded = load_dataset(str(bundle), name, cache_dir=str(tmp_path))
        assert set(loaded) == set(SPLITS[config.task]), name
        for split, rows in loaded.items():
            assert rows.num_rows == manifest[name]["splits"][split]["rows"] > 0, name
            known = (
                features(config.model_copy(update={"labels": _names(rows)}))
                if _names(rows)
                else features(config)
            )
            assert rows.features == known, name
            if config.labels and _names(rows):
                assert _names(rows) == config.labels, name


def _names(rows: datasets.Dataset) -> list[str] | None:
    """The names of a label column, where there is one; cards of unseen data name none."""
    column = rows.features.get("label") or rows.features.get("labels")
    label = column if column is None or isinstance(column, ClassLabel) else column.feature
    return None if label is None else list(label.names)


def test_a_rebuild_gives_equal_bytes(bundle: Path, mirror: Path, tmp_path: Path) -> None:
    build(reversed(ALL), tmp_path / "again", mirror=mirror)
    first, second = (
        {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*") if p.is_file()}
        for out in (bundle, tmp_path / "again")
    )
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("rows", [BATCH_ROWS - 1, BATCH_ROWS, BATCH_ROWS + 1, 2 * BATCH_ROWS + 1])
def test_no_row_is_lost_where_a_batch_ends(rows: int, tmp_path: Path) -> None:
    folder = tmp_path / "mirror" / "ntrex" / "NTREX-128"
    folder.mkdir(parents=True)
    for name, word in (("src.eng", "line"), ("ref.tha", "บรรทัด")):
        lines = "".join(f"{word} {i}\n" for i in range(rows))
        (folder / f"newstest2019-{name}.txt").write_text(lines, encoding="utf-8", newline="\n")
    assert build(["ntrex_tha"], tmp_path / "out", mirror=tmp_path / "mirror").built == ["ntrex_tha"]
    loaded = load_dataset(str(tmp_path / "out"), "ntrex_tha", split="test", cache_dir=str(tmp_path / "cache"))
    assert loaded["id"][:] == [str(i) for i in range(rows)]
    assert loaded["sentence2"][:] == [f"บรรทัด {i}" for i in range(rows)]
