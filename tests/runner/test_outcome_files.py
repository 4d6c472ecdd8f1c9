"""Outcome files of others: no pickles, no memory by header, nothing missing, the number of items of the result."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError
from seabed_evaluate import run
from seabed_evaluate.report.compare import compare
from seabed_evaluate.runner.outcomes import check_outcomes, outcomes_path, read_outcomes, write_outcomes
from seabed_evaluate.runner.results import find_results, result_files
from tests.result_maker import make_run, write_run

HASH = "0123456789abcdef"
VALUES = np.linspace(0, 1, 20, dtype=np.float32)


class Trap:
    def __reduce__(self) -> Any:
        return (pytest.fail, ("a pickle was run",))


def npz(path: Path, **arrays: Any) -> Path:
    np.savez_compressed(path, settings_hash=np.array(HASH), **arrays)
    return path


def with_header(path: Path, shape: str, descr: str = "'<f4'", version: bytes = b"\x01\x00") -> Path:
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode("latin-1")
    size = struct.pack("<H" if version[0] == 1 else "<I", len(header))
    with zipfile.ZipFile(path, "w") as archive:
        stamp = io.BytesIO()
        np.save(stamp, np.array(HASH))
        archive.writestr("settings_hash.npy", stamp.getvalue())
        archive.writestr("values.npy", b"\x93NUMPY" + version + size + header + b"\0" * 80)
    return path


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.items.npz"
    write_outcomes(path, {"values": VALUES}, HASH)
    assert (read_outcomes(path, HASH)["values"] == VALUES).all()
    two = {"predictions": np.zeros((3, 2), np.uint8), "references": np.ones((3, 2), np.uint8)}
    write_outcomes(path, two, HASH)
    assert set(read_outcomes(path, HASH)) == set(two)
    assert [p.name for p in tmp_path.iterdir()] == ["x.items.npz"]


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, "nothing"),
        ({"predictions": VALUES}, "predictions"),
        ({"values": VALUES, "references": VALUES}, "references"),
        ({"predictions": VALUES, "references": VALUES[1:]}, "20"),
        ({"values": VALUES, "extra": VALUES}, "extra"),
        ({"values": VALUES[:0]}, "empty"),
        ({"values": np.float32(1)}, "empty"),
        ({"values": VALUES.reshape(4, 5)}, "2 dimensions"),
        ({"values": VALUES.astype(str)}, "<U"),
        ({"values": VALUES + np.inf}, "infinity"),
        ({"predictions": VALUES * np.nan, "references": VALUES}, "NaN"),
        ({"values": np.array([Trap()])}, "object"),
    ],
)
def test_what_is_missing_or_strange_is_refused(arrays: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(SeabedError, match=said):
        read_outcomes(npz(tmp_path / "x.items.npz", **arrays), HASH)


@pytest.mark.parametrize(
    ("shape", "descr"),
    [
        ("(10**12,)", "'<f4'"),
        ("(1000000000000,)", "'<f4'"),
        ("(4611686018427387904, 4)", "'<f4'"),
        ("(-1,)", "'<f4'"),
        ("(20,)", "'|O'"),
        ("(20,)", "[('a', '<f4')]"),
        ("(" + "1," * 60 + ")", "'<f4'"),
        ("(" * 3000 + ")" * 3000, "'<f4'"),
    ],
)
@pytest.mark.parametrize("version", [b"\x01\x00", b"\x02\x00", b"\x09\x00"])
def test_a_header_takes_no_memory(shape: str, descr: str, version: bytes, tmp_path: Path) -> None:
    import tracemalloc

    path = with_header(tmp_path / "x.items.npz", shape, descr, version)
    tracemalloc.start()
    with pytest.raises(SeabedError, match=r"x\.items\.npz cannot be read"):
        read_outcomes(path, HASH)
    assert tracemalloc.get_traced_memory()[1] < 20e6
    tracemalloc.stop()


@given(at=st.integers(0, 900), junk=st.binary(max_size=8), cut=st.integers(0, 300))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file_is_an_explained_error(at: int, junk: bytes, cut: int, tmp_path: Path) -> None:
    path = npz(tmp_path / "x.items.npz", values=VALUES)
    data = path.read_bytes()
    path.write_bytes(data[:at] + junk + data[at + cut :])
    try:
        found = read_outcomes(path, HASH)
    except SeabedError:
        return
    assert found["values"].dtype == np.float32


def test_the_number_of_items_is_the_results(tmp_path: Path) -> None:
    result = {"data": {"rows": {"test": 20}}, "interval": {"items": 18}}
    values = VALUES.copy()
    values[:2] = np.nan
    check_outcomes(tmp_path, {"values": values}, result)
    for other in (VALUES, values[1:], values * np.nan):
        with pytest.raises(SeabedError, match="its result says 20 and 18"):
            check_outcomes(tmp_path, {"values": other}, result)


def test_outcomes_of_another_size_are_named_and_left_out_of_a_comparison(tmp_path: Path) -> None:
    configs = [c for c in catalogue.configs() if c.task == "retrieval"][:2]
    rng = np.random.default_rng(0)
    folders = [
        write_run(make_run(0.5, configs, model=m), tmp_path / m, lambda _: rng.uniform(0, 1, 50))
        for m in ("a", "b")
    ]
    (path,) = folders[1].glob(f"{configs[0].name}.items.npz")
    settings_hash = next(r for p, r in result_files(folders[1:]) if outcomes_path(p) == path)["settings_hash"]
    write_outcomes(path, {"values": VALUES}, settings_hash)
    found = compare(*folders, resamples=100)
    assert [u.facts.configs for u in found.units] == [(configs[1].name,)]
    (reason,) = found.skipped.values()
    assert str(path) in reason
    assert "20 items" in reason


def test_every_task_writes_outcomes_that_fit_its_result(tmp_path: Path) -> None:
    names = [c.name for c in catalogue.configs(sample=True)]
    build(names, tmp_path / "bundle")
    run("tests.toy:dense", data=tmp_path / "bundle", out=tmp_path / "results")
    found = find_results([tmp_path / "results"])
    assert len(found.results) == len(names)
    assert not found.left_out
    for path, result in found.results.items():
        place = outcomes_path(path)
        check_outcomes(place, read_outcomes(place, result["settings_hash"]), result)
