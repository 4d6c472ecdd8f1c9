"""Broken bundles: each way of reading says what to do, and building again does repair."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seabed_datasets
from seabed_datasets.bundle import build as building
from seabed_datasets.bundle import manifest as manifests
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.entries import checked_entries
from seabed_datasets.bundle.manifest import read_manifest
from seabed_datasets.bundle.reading import parquet_file, stored_rows
from seabed_datasets.errors import SeabedError
from tests.hub.clients import ROOT

NAMES = ["sample_sts_mya", "sample_retrieval_tha"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("whole") / "bundle"
    assert build(NAMES, out).built == NAMES
    return out


@pytest.fixture
def bundle(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "bundle"))


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def entries(bundle: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    return found


DAMAGE: dict[str, Callable[[str], bytes]] = {
    "cut": lambda text: text[:-100].encode(),
    "empty": lambda text: b"",
    "a list": lambda text: b"[]",
    "a number": lambda text: b"3",
    "no UTF-8": lambda text: b"\xff\xfe" + text.encode(),
    "deep": lambda text: b'{"a":' * 100_000,
    "deep inside": lambda text: (text[:-3] + ',"x":' + "[" * 400 + "]" * 400 + "}\n").encode(),
    "a config twice": lambda text: text.replace('"sample_sts_mya"', '"sample_retrieval_tha"').encode(),
    "an entry is a list": lambda text: b'{"sample_sts_mya": []}',
    "an entry is empty": lambda text: b'{"sample_sts_mya": {}}',
    "NaN": lambda text: text.replace('"mean": ', '"mean": NaN, "m": ', 1).encode(),
    "1e999": lambda text: text.replace('"mean": ', '"mean": 1e999, "m": ', 1).encode(),
    "no sha256": lambda text: text.replace('"sha256"', '"md5"').encode(),
    "no stats": lambda text: text.replace('"stats"', '"figures"').encode(),
    "rows are negative": lambda text: text.replace('"rows": ', '"rows": -', 1).encode(),
    "rows are text": lambda text: text.replace('"rows": ', '"rows": "many", "r": ', 1).encode(),
    "rows are true": lambda text: text.replace('"rows": ', '"rows": true, "r": ', 1).encode(),
    "a name with dots": lambda text: text.replace('"sample_sts_mya": {', '"../../x": {', 1).encode(),
    "a split with dots": lambda text: text.replace('"corpus": {', '"../../../x": {').encode(),
    "a split of another task": lambda text: text.replace('"corpus": {', '"train": {').encode(),
    "a task nobody knows": lambda text: text.replace('"task": "sts"', '"task": "magic"').encode(),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_manifest_says_what_to_do_and_that_repairs_it(bundle: Path, damage: str) -> None:
    path, before = bundle / "manifest.json", files(bundle)
    path.write_bytes(DAMAGE[damage](path.read_text(encoding="utf-8")))
    with pytest.raises(SeabedError) as refusal:
        read_manifest(bundle)
    said = str(refusal.value)
    assert "manifest.json" in said
    assert f"`seabed build sample_retrieval_tha sample_sts_mya --out {bundle}` writes it anew" in said
    assert len(said) < 1000
    with pytest.raises(SeabedError, match="writes it anew"):
        seabed_datasets.load("sample_sts_mya", bundle)
    assert build(NAMES, bundle).built == NAMES  # without --force
    assert files(bundle) == before


def test_configs_that_are_not_named_are_told_of(bundle: Path, caplog: pytest.LogCaptureFixture) -> None:
    (bundle / "manifest.json").write_text("{", encoding="utf-8")
    build(NAMES[:1], bundle)
    assert list(read_manifest(bundle)) == NAMES[:1]
    assert "no longer listed until it is built again" in caplog.text
    assert build(NAMES, bundle).built == NAMES[1:]


def test_keys_of_a_later_version_are_left_alone(bundle: Path) -> None:
    value = entries(bundle)
    value["sample_sts_mya"] |= {"later": {"x": [1]}}
    value["sample_sts_mya"]["splits"]["test"]["later"] = 1
    assert checked_entries(value, "manifest.json") is value


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_change_of_a_value_is_accepted_or_one_line(whole: Path, data: st.DataObject) -> None:
    value = entries(whole)
    part: Any = value
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        key = data.draw(st.sampled_from(keys))
        if isinstance(part[key], dict | list) and part[key] and data.draw(st.integers(0, 4)):
            part = part[key]
            continue
        part[key] = data.draw(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats()
            | st.text(max_size=3)
            | st.just([])
            | st.just({})
        )
        break
    try:
        checked = checked_entries(value, "manifest.json")
    except SeabedError as error:
        said = str(error)
    else:
        said = ""
        for entry in checked.values():  # what readers rely on
            assert all(
                isinstance(s["rows"], int) and len(s["sha256"]) == 64 for s in entry["splits"].values()
            )
            assert entry["stats"]["splits"].keys() == entry["splits"].keys()
    assert not said or (said.startswith("manifest.json is not a manifest") and "\n" not in said)


def test_a_cut_parquet_file_says_what_to_do_and_that_repairs_it(bundle: Path) -> None:
    before, path = files(bundle), bundle / "data" / "sample_sts_mya" / "test.parquet"
    for data in (path.read_bytes()[:-100], b"", b"PAR1" * 5):
        path.write_bytes(data)
        again = f"`seabed build sample_sts_mya --out {bundle}`"
        with pytest.raises(SeabedError, match=r"is not the file that manifest\.json describes") as refusal:
            seabed_datasets.load("sample_sts_mya", bundle)
        assert again in str(refusal.value)
        with pytest.raises(SeabedError, match="is missing or damaged") as refusal:
            parquet_file(path)
        assert again in str(refusal.value)
        assert build(NAMES, bundle).built == NAMES[:1]
        assert files(bundle) == before
    whole = bytearray(path.read_bytes())
    whole[20:60] = bytes(40)
    path.write_bytes(whole)
    with pytest.raises(SeabedError, match="is missing or damaged"):
        list(stored_rows(parquet_file(path), path))
    path.unlink()
    with pytest.raises(SeabedError, match="is missing"):
        seabed_datasets.load("sample_sts_mya", bundle)


@pytest.mark.parametrize("name", ["data [v2]", "a*b", "[!a]", "q?x", "{x}"])
def test_a_folder_name_is_no_pattern(whole: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(whole, tmp_path / name / "bundle")
    shutil.copytree(whole, tmp_path / "aXb" / "bundle")  # what "a*b" would match as well
    rows = seabed_datasets.load("sample_sts_mya", tmp_path / name / "bundle")
    assert rows["test"].num_rows == entries(whole)["sample_sts_mya"]["splits"]["test"]["rows"]


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    "step", ["write_text", "mkdtemp", "replace-1", "replace-2", "replace-3", "replace-4"]
)
def test_a_disk_that_is_full_while_publishing_loses_nothing(
    bundle: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(bundle)
    renames = 0

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise FULL

    def rename(source: Any, target: Any) -> None:
        nonlocal renames
        if ".staging" in str(source) or ".staging" in str(target):
            renames += 1
            if f"replace-{renames}" == step:
                raise FULL
        os.rename(source, target)

    with monkeypatch.context() as patch:
        if step == "write_text":
            patch.setattr(Path, "write_text", fail)
        elif step == "mkdtemp":
            patch.setattr(manifests.tempfile, "mkdtemp", _fail_for_old(manifests.tempfile.mkdtemp))
        else:
            patch.setattr(manifests.os, "replace", rename)
        with pytest.raises(SeabedError, match=r"cannot write to .*No space left.*run the same command again"):
            build(NAMES[:1], bundle, force=True)
    assert not [p for p in bundle.iterdir() if p.name.startswith(".")]
    assert seabed_datasets.load(NAMES[1], bundle)["test"].num_rows
    assert files(bundle) == before  # the same rows: what was published already is the same, too
    build(NAMES, bundle, force=True)
    assert files(bundle) == before


def _fail_for_old(real: Callable[..., str]) -> Callable[..., str]:
    def mkdtemp(prefix: str = "", **more: Any) -> str:
        if "-old-" in prefix:
            raise FULL
        return real(prefix=prefix, **more)

    return mkdtemp


def test_a_full_disk_in_the_middle_of_a_config_is_its_failure_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = building.stage

    def stage(config: Any, *args: Any) -> Any:
        if config.name == NAMES[0]:
            raise FULL
        return whole(config, *args)

    monkeypatch.setattr(building, "stage", stage)
    report = build(NAMES, tmp_path / "out")
    assert report.built == NAMES[1:]
    assert report.failed == {
        NAMES[0]: f"{NAMES[0]}: cannot read or write: [Errno 28] No space left on device"
    }


def test_an_upstream_file_that_changed_is_a_failure(tmp_path: Path) -> None:
    for path in ("train_preprocess.csv", "test_preprocess.csv", "valid_preprocess.csv"):
        file = tmp_path / "raw/emot/dataset/emot_emotion-twitter" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("label,tweet\nhappy,apa\n", encoding="utf-8")
    report = build(["emot_ind"], tmp_path / "out", mirror=tmp_path / "raw")
    assert "the card says" in report.failed["emot_ind"]
    assert not report.skipped


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes in /proc")
def test_workers_end_with_a_build_that_was_killed(tmp_path: Path) -> None:
    code = (
        "import os, time\nfrom pathlib import Path\nfrom seabed_datasets.bundle import build as b\n"
        "def slow(group, mirror, staging):\n    Path(os.environ['PIDS'], str(os.getpid())).touch()\n    time.sleep(120)\n"
        "b._attempt_all = slow\n"
        "if __name__ == '__main__':\n    b.build(['sample_sts_mya', 'sample_retrieval_tha'], 'out', jobs=2)\n"
    )
    (tmp_path / "slow.py").write_text(code, encoding="utf-8")
    pids = tmp_path / "pids"
    pids.mkdir()
    env = os.environ | {"PIDS": str(pids), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "slow.py"], cwd=tmp_path, env=env) as parent:
        _wait(lambda: len(list(pids.iterdir())) == 2, 60)
        parent.send_signal(signal.SIGKILL)
    workers = [int(p.name) for p in pids.iterdir()]
    assert len(workers) == 2
    _wait(lambda: not any(map(_alive, workers)), 20)
    assert not any(map(_alive, workers))


def _wait(ready: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while not ready() and time.monotonic() < until:
        time.sleep(0.1)


def _alive(pid: int) -> bool:
    try:
        return (
            Path(f"/proc/{pid}/stat")
            .read_text(encoding="ascii", errors="replace")
            .rsplit(")", 1)[1]
            .split()[0]
            != "Z"
        )
    except OSError:
        return False
