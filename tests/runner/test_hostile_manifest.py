"""Manifests of others, through open_bundle: an entry that can be relied on, or one line; no file outside the folder."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import DataError, SeabedError
from seabed_datasets.files import file_sha256
from seabed_evaluate.runner.bundles import data_bytes, open_bundle, read_splits
from tests.runner.test_result_schema import VALUES, places

CONFIG = catalogue.config("sample_sts_mya")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("hostile") / "bundle"
    build([CONFIG.name], out)
    (out.parent / "outside").mkdir()
    shutil.copy(out / "data" / CONFIG.name / "test.parquet", out.parent / "outside" / "test.parquet")
    return out


def used(folder: Path) -> str:
    """Read a bundle as a run does; the reason where it is refused."""
    try:
        found = open_bundle(folder)
        for name in found.manifest:
            data_bytes(found, name)
        if CONFIG.name in found.manifest:
            rows = read_splits(found, CONFIG)
            assert set(rows) == {"test"}
    except SeabedError as error:
        assert len(str(error)) < 3000  # noqa: PT017
        return str(error)
    return ""


def rewrite(folder: Path, manifest: Any) -> None:
    (folder / "manifest.json").write_bytes(json.dumps(manifest).encode("utf-8", "surrogatepass"))


@pytest.fixture
def copied(bundle: Path, tmp_path: Path) -> Path:
    shutil.copytree(bundle.parent, tmp_path / "x")
    return tmp_path / "x" / "bundle"


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "3", "[" * 100_000, '{"a":' * 100_000, '{"a": NaN}', "\ufeff{}"]
)
def test_what_is_no_manifest(text: str, copied: Path) -> None:
    (copied / "manifest.json").write_text(text, encoding="utf-8")
    assert "manifest" in used(copied)


@pytest.mark.parametrize("entry", [{}, [], None, 3, "x", {"splits": {}}, {"splits": {"test": {}}}])
def test_what_is_no_entry(entry: Any, copied: Path) -> None:
    rewrite(copied, {CONFIG.name: entry})
    assert "manifest" in used(copied)


@pytest.mark.parametrize("split", ["../../../outside/test", "/abs/test", "..", "a\\b", "a\0b", ""])
def test_a_split_outside_the_folder_is_not_read(split: str, copied: Path) -> None:
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    manifest[CONFIG.name]["splits"][split] = manifest[CONFIG.name]["splits"]["test"]
    rewrite(copied, manifest)
    assert used(copied)


def test_a_link_out_of_the_folder_is_not_read(copied: Path) -> None:
    path = copied / "data" / CONFIG.name / "test.parquet"
    path.unlink()
    path.symlink_to(copied.parent / "outside" / "test.parquet")
    assert "outside" in used(copied)


@pytest.mark.parametrize("columns", [{"id": ["1"]}, {"id": ["1"], "sentence1": ["a"], "score": [1.0]}])
def test_a_file_without_the_columns_of_its_task_is_refused(columns: dict[str, Any], copied: Path) -> None:
    path = copied / "data" / CONFIG.name / "test.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    manifest[CONFIG.name]["splits"]["test"]["sha256"] = file_sha256(path)
    rewrite(copied, manifest)
    assert "has no column" in used(copied)
    path.write_bytes(b"PAR1 no parquet PAR1")
    manifest[CONFIG.name]["splits"]["test"]["sha256"] = file_sha256(path)
    rewrite(copied, manifest)
    with pytest.raises(DataError, match="is no Parquet file"):
        read_splits(open_bundle(copied), CONFIG)


@given(data=st.data(), value=VALUES, remove=st.booleans())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_part_of_a_manifest_may_be_anything(
    data: st.DataObject, value: Any, remove: bool, bundle: Path, tmp_path: Path
) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    folder = tmp_path / "bundle"
    if not folder.exists():
        shutil.copytree(bundle, folder)
    made = copy.deepcopy(manifest)
    way = data.draw(st.sampled_from(places(made)[1:]))
    part = made
    for step in way[:-1]:
        part = part[step]
    if remove:
        del part[way[-1]]
    else:
        part[way[-1]] = value
    rewrite(folder, made)
    used(folder)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bundle"]
