"""Building: what load_dataset returns, equal bytes on a rebuild, and nothing half-written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from datasets import ClassLabel, get_dataset_config_names, load_dataset

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import read_manifest
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_datasets.schemas import SPLITS, features

SAMPLES = [c.name for c in catalogue.configs(sample=True)]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("b") / "bundle"
    report = build(SAMPLES, out)
    assert sorted(report.built) == sorted(SAMPLES)
    return out


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("name", SAMPLES)
def test_load_dataset_returns_the_schema(
    name: str, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = catalogue.config(name)
    loaded = load_dataset(str(bundle), name, cache_dir=str(tmp_path))
    assert set(loaded) == set(SPLITS[config.task])
    manifest = read_manifest(bundle)[name]
    for split, rows in loaded.items():
        assert rows.features == features(config)
        assert rows.num_rows == manifest["splits"][split]["rows"] > 0
    if config.labels:
        column = loaded["test"].features["labels" if config.task.startswith("multi") else "label"]
        assert (column if isinstance(column, ClassLabel) else column.feature).names == config.labels


def test_config_names_and_no_scripts(bundle: Path) -> None:
    assert sorted(get_dataset_config_names(str(bundle))) == sorted(SAMPLES)
    assert not list(bundle.rglob("*.py"))
    assert (bundle / "cards" / "sample_sts.md").is_file()


def test_a_rebuild_gives_equal_bytes(bundle: Path, tmp_path: Path) -> None:
    build(SAMPLES, tmp_path / "again")
    assert files(tmp_path / "again") == files(bundle)


def test_configs_are_added_and_replaced_one_by_one(tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    build(SAMPLES[:2], out)
    build(SAMPLES[1:3], out)
    assert list(read_manifest(out)) == sorted(SAMPLES[:3])
    assert not [p for p in out.iterdir() if p.name.startswith(".")]


def test_unknown_names_build_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean"):
        build([SAMPLES[0], "ntrex_tah"], tmp_path / "bundle")
    assert not (tmp_path / "bundle").exists()


def test_a_changed_header_fails_with_both_headers_and_leaves_nothing(
    fake_mirror: Callable[[str], Path], tmp_path: Path
) -> None:
    mirror = tmp_path / "mirror"
    shutil.copytree(fake_mirror("casa") / "casa", mirror / "casa")
    for path in mirror.rglob("train_preprocess.csv"):
        path.write_text(path.read_text(encoding="utf-8").replace("sentence,", "text,", 1), encoding="utf-8")
    report = build(["casa_ind"], tmp_path / "out", mirror=mirror)
    assert "'sentence'" in report.failed["casa_ind"]
    assert "found ['text'" in report.failed["casa_ind"]
    assert not (tmp_path / "out").exists()


def test_a_failed_rebuild_keeps_the_old_config(fake_mirror: Callable[[str], Path], tmp_path: Path) -> None:
    mirror, out = tmp_path / "mirror", tmp_path / "out"
    shutil.copytree(fake_mirror("ntrex") / "ntrex", mirror / "ntrex")
    build(["ntrex_tha"], out, mirror=mirror)
    before = files(out)
    (mirror / "ntrex" / "NTREX-128" / "newstest2019-ref.tha.txt").write_text(
        "one line only\n", encoding="utf-8"
    )
    report = build(["ntrex_tha"], out, mirror=mirror)
    assert "stop being aligned at line 2" in report.failed["ntrex_tha"]
    assert files(out) == before


def test_a_missing_raw_file_is_skipped_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "mirror").mkdir()
    report = build(["ntrex_tha"], tmp_path / "out", mirror=tmp_path / "mirror")
    assert "`seabed fetch ntrex --to" in report.skipped["ntrex_tha"]


def test_choices_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(SeabedError, match="expected 'upstream' or 'release'"):
        build(["ntrex_tha"], tmp_path / "out", source="upstraem")
    with pytest.raises(SeabedError, match="cannot go with"):
        build(["ntrex_tha"], tmp_path / "out", source="release", mirror=tmp_path)
    with pytest.raises(SeabedError, match="does not exist"):
        build(["ntrex_tha"], tmp_path / "out", mirror=tmp_path / "nowhere")
    with pytest.raises(SeabedError, match="is not a bundle"):
        read_manifest(tmp_path)


def test_manifest_says_what_was_used(fake_mirror: Callable[[str], Path], tmp_path: Path) -> None:
    build(["ntrex_tha"], tmp_path / "out", mirror=fake_mirror("ntrex"))
    entry = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))["ntrex_tha"]
    assert entry["from"] == "upstream"
    assert [s["path"] for s in entry["sources"]] == [
        "NTREX-128/newstest2019-src.eng.txt",
        "NTREX-128/newstest2019-ref.tha.txt",
    ]
    assert all(len(s["sha256"]) == 64 and s["revision"] for s in entry["sources"])
