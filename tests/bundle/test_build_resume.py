"""Building again, several at a time, and when things go wrong in the middle."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from seabed_datasets import catalogue
from seabed_datasets.bundle import build as bundle
from seabed_datasets.bundle import recipe, staging
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import read_manifest
from seabed_datasets.errors import SeabedError
from seabed_datasets.loaders.bitext_mining import ntrex
from tests.fake_raw import parquet_bytes
from tests.hub import Hub
from tests.hub.clients import environment, run

ROOT = Path(__file__).parents[2]
NTREX = list(catalogue.dataset("ntrex").seabed.configs)
SAMPLES = [c.name for c in catalogue.configs(sample=True)]


@pytest.fixture
def mirror(fake_mirror: Callable[[str], Path], tmp_path: Path) -> Path:
    shutil.copytree(fake_mirror("ntrex") / "ntrex", tmp_path / "mirror" / "ntrex")
    return tmp_path / "mirror"


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def touched(out: Path) -> dict[str, int]:
    return {p.parent.name: p.stat().st_mtime_ns for p in out.glob("data/*/test.parquet")}


def test_a_second_build_keeps_what_is_current(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert build(NTREX[:3], out, mirror=mirror).built == NTREX[:3]
    before = touched(out)
    told: list[tuple[str, str]] = []
    report = build(NTREX[:4], out, mirror=mirror, progress=lambda name, state: told.append((name, state)))
    assert (report.kept, report.built) == (NTREX[:3], NTREX[3:4])
    assert {n: t for n, t in touched(out).items() if n in before} == before
    assert told == [*((n, "kept") for n in NTREX[:3]), (NTREX[3], "built")]
    assert build(NTREX[:2], out, mirror=mirror, force=True).built == NTREX[:2]


def test_changed_raw_files_are_built_again(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(NTREX[:2], out, mirror=mirror)
    path = mirror / "ntrex" / "NTREX-128" / "newstest2019-ref.tha.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("\n", " อีก\n"), encoding="utf-8", newline="\n")
    report = build(NTREX[:2], out, mirror=mirror)
    assert (report.built, report.kept) == (["ntrex_tha"], ["ntrex_ind"])


def test_damaged_or_missing_files_of_the_bundle_are_built_again(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(NTREX[:3], out, mirror=mirror)
    before = files(out)
    (out / "data" / NTREX[0] / "test.parquet").write_bytes(b"damaged")
    (out / "data" / NTREX[1] / "test.parquet").unlink()
    assert build(NTREX[:3], out, mirror=mirror).built == NTREX[:2]
    assert files(out) == before


def test_a_changed_loader_card_or_version_is_built_again(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = catalogue.config("ntrex_tha")
    first = recipe.made_by(config)
    assert (
        first["recipe"]
        == recipe.made_by(config)["recipe"]
        != recipe.made_by(catalogue.config("casa_ind"))["recipe"]
    )
    assert recipe.made_by(config.model_copy(update={"version": 2}))["recipe"] != first["recipe"]
    # The code of a loader's neighbours counts too: MIRACL's two sets read the same files by the same function.
    code = {p.stem for p in recipe._code("loaders.retrieval.miracl_retrieval")}
    assert {"miracl_retrieval", "miracl_reranking", "shapes", "readers", "schemas", "staging"} <= code
    assert {"strict_json", "pickles"} <= code
    # Where files come from and how the bundle is written down decides nothing about rows.
    assert not {"raw_files", "fetching", "files", "manifest", "entries", "reading", "build"} & code
    assert "ntrex" not in code

    build(["ntrex_tha"], tmp_path / "out", mirror=mirror)
    monkeypatch.setattr(staging, "made_by", lambda c: {**first, "recipe": "0" * 16})
    assert build(["ntrex_tha"], tmp_path / "out", mirror=mirror).built == ["ntrex_tha"]


def test_another_way_of_making_is_another_config(mirror: Path) -> None:
    entry = {
        "made_by": recipe.made_by(catalogue.config("ntrex_tha")),
        "from": "release",
        "splits": {},
        "sources": [],
    }
    assert not staging.is_current(catalogue.config("ntrex_tha"), "upstream", mirror, entry, mirror)


def test_several_processes_make_the_same_bytes(mirror: Path, tmp_path: Path) -> None:
    names = [*NTREX, *SAMPLES, "casa_ind"]
    one = build(names, tmp_path / "one", mirror=mirror)
    several = build(names, tmp_path / "several", mirror=mirror, jobs=2)
    assert several == one
    assert (several.built, list(several.skipped)) == ([*NTREX, *SAMPLES], ["casa_ind"])
    assert several.why == {"casa_ind": "not in the mirror"}
    assert files(tmp_path / "several") == files(tmp_path / "one")
    again = build(names, tmp_path / "several", mirror=mirror, jobs=2)
    assert again.kept == [*NTREX, *SAMPLES]


def test_a_loader_that_breaks_unforeseen_does_not_stop_the_rest(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(raw: object, config: catalogue.Config) -> dict[str, object]:
        if config.name == "ntrex_tha":
            raise ZeroDivisionError("division by zero")
        return whole(raw, config)

    whole = ntrex.load
    monkeypatch.setattr(ntrex, "load", broken)
    report = build(NTREX[:2], tmp_path / "out", mirror=mirror)
    assert report.built == NTREX[1:2]
    assert report.failed["ntrex_tha"].startswith("ntrex_tha: unexpected ZeroDivisionError at ")
    assert "division by zero" in report.failed["ntrex_tha"]


def test_a_worker_that_dies_is_a_failure_with_advice(
    mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "_worker", _die)
    report = build(NTREX[:2], tmp_path / "out", mirror=mirror, jobs=2)
    assert report.built == []
    assert set(report.failed) == set(NTREX[:2])
    assert "--jobs 1" in report.failed["ntrex_tha"]
    assert not (tmp_path / "out").exists()


def _die() -> None:
    os._exit(9)


def test_two_builds_do_not_write_to_one_folder(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def second(name: str, state: str) -> None:
        with pytest.raises(SeabedError, match="another build is writing to"):
            build(NTREX[1:2], out, mirror=mirror)

    build(NTREX[:1], out, mirror=mirror, progress=second)
    assert list(read_manifest(out)) == NTREX[:1]


def test_an_interrupted_build_leaves_whole_configs_and_continues(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def stop(name: str, state: str) -> None:
        if name == NTREX[2]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(NTREX, out, mirror=mirror, progress=stop)
    assert sorted(read_manifest(out)) == sorted(NTREX[:3])
    assert not [p for p in out.iterdir() if p.name.startswith(".")]
    report = build(NTREX, out, mirror=mirror)
    assert (report.kept, report.built) == (NTREX[:3], NTREX[3:])


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGKILL")
def test_a_killed_build_leaves_nothing_half_written(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = ["build", *NTREX, "--mirror", str(mirror), "--out", str(out), "--jobs", "1"]
    process = subprocess.Popen([sys.executable, "-m", "seabed_evaluate", *command], cwd=ROOT)
    while not list(out.glob("data/*")) and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    for name, entry in (read_manifest(out) if (out / "manifest.json").exists() else {}).items():
        held = out / "data" / name / "test.parquet"
        assert held.stat().st_size == entry["splits"]["test"]["bytes"]
    report = build(NTREX, out, mirror=mirror)
    assert sorted(report.built + report.kept) == sorted(NTREX)
    assert not [p for p in out.iterdir() if p.name.startswith(".")]


def test_the_command_lists_every_config_with_its_state(mirror: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "seabed_evaluate", "build", "ntrex_tha", "casa_ind", "sample_sts_mya"]
    command += ["--mirror", str(mirror), "--out", str(tmp_path / "out"), "--report", str(tmp_path / "r.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.stdout.startswith("built 2, kept 0, skipped 1, failed 0 -> ")
    assert "built: ntrex_tha sample_sts_mya\n" in done.stderr
    assert "skipped casa_ind: the mirror has no" in done.stderr
    assert "skipped because: not in the mirror 1\n" in done.stderr
    states = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert {name: (s["state"], s["why"]) for name, s in states.items()} == {
        "ntrex_tha": ("built", ""),
        "casa_ind": ("skipped", "not in the mirror"),
        "sample_sts_mya": ("built", ""),
    }


def test_the_authors_copy_is_kept_until_it_has_a_new_commit(tmp_path: Path) -> None:
    rows = [{"source": f"line {i}", "target": f"บรรทัด {i}"} for i in range(3)]
    command = [
        "-m",
        "seabed_evaluate",
        "build",
        "ntrex_tha",
        "--from",
        "release",
        "--out",
        str(tmp_path / "out"),
    ]
    with Hub() as hub:
        env = environment(hub.url, tmp_path / "home")
        for n, said in ((3, "built 1, kept 0"), (3, "built 0, kept 1"), (2, "built 1, kept 0")):
            if said.startswith("built 1"):
                files = {"data/test-00000-of-00001.parquet": parquet_bytes(rows[:n])}
                hub.store.put("dataset", "kornwtp/ntrex-tha-bitextmining", files)
            out, _ = run(command, env)
            assert out.startswith(said)
            assert read_manifest(tmp_path / "out")["ntrex_tha"]["splits"]["test"]["rows"] == n
