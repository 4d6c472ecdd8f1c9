"""`seabed fetch`: into a mirror by real HTTP, once, resumable, each file whole or not there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import read_manifest
from seabed_datasets.errors import SeabedError, SourceError, UnknownName
from seabed_datasets.sources import raw_files as sources
from seabed_datasets.sources.fetching import chosen, fetch_all
from tests.loopback import Loopback

NTREX = "NTREX-128/newstest2019-"
SOURCE = catalogue.dataset("ntrex").seabed.upstream[0]
URL = f"/{SOURCE.id}/{SOURCE.revision}/"


@pytest.fixture
def web(
    tmp_path: Path, fake_mirror: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Loopback]:
    """GitHub on loopback, with the fake raw files of NTREX; caches are empty, waits are skipped."""
    monkeypatch.setenv("SEABED_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    root = fake_mirror("ntrex") / "ntrex"
    with Loopback() as server:
        monkeypatch.setattr(sources, "GITHUB", server.url)
        for path in root.rglob("*.txt"):
            server.files[URL + path.relative_to(root).as_posix()] = path.read_bytes()
        yield server


def note(to: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((to / "ntrex" / "SOURCE.json").read_text(encoding="utf-8"))
    return found


def test_a_dataset_is_fetched_once_and_builds_without_network(
    web: Loopback, tmp_path: Path, fake_mirror: Callable[[str], Path]
) -> None:
    to = tmp_path / "raw"
    report = fetch_all(["ntrex"], to)
    configs = list(catalogue.dataset("ntrex").seabed.configs)
    assert sorted(report.complete) == sorted(configs)
    assert len(report.fetched) == len(web.asked) == 9  # eight languages and the English side, which all share
    for path in report.fetched:
        assert (to / path).read_bytes() == (fake_mirror("ntrex") / path).read_bytes()
    assert note(to)["fetched"][f"{NTREX}src.eng.txt"]["revision"] == SOURCE.revision
    assert report.bytes == sum((to / p).stat().st_size for p in report.fetched)

    web.asked.clear()
    again = fetch_all(["ntrex", "ntrex_tha"], to)
    assert (again.fetched, sorted(again.kept), again.bytes) == ([], report.fetched, 0)
    built = build(configs, tmp_path / "out", mirror=to)
    assert built.built == configs
    assert web.asked == []
    used = read_manifest(tmp_path / "out")["ntrex_tha"]["sources"]
    assert {s["revision"] for s in used} == {SOURCE.revision}
    assert not [p for p in to.rglob("*") if p.name.startswith(".")]


def test_a_config_fetches_its_own_files_only(web: Loopback, tmp_path: Path) -> None:
    report = fetch_all(["ntrex_tha"], tmp_path)
    assert report.fetched == [f"ntrex/{NTREX}ref.tha.txt", f"ntrex/{NTREX}src.eng.txt"]
    assert report.complete == ["ntrex_tha"]


def test_a_file_that_is_gone_does_not_stop_the_others(web: Loopback, tmp_path: Path) -> None:
    del web.files[f"{URL}{NTREX}ref.mya.txt"]
    report = fetch_all(["ntrex"], tmp_path)
    assert len(report.complete) == 7
    assert report.skipped["ntrex_mya"].startswith(f"ntrex_mya: cannot get {web.url}{URL}{NTREX}ref.mya.txt")
    assert report.why == {"ntrex_mya": "gone"}
    assert report.states()["ntrex_mya"] == ("skipped", report.skipped["ntrex_mya"])
    assert not (tmp_path / "ntrex" / f"{NTREX}ref.mya.txt").exists()
    # Back again: only what is missing is asked for.
    web.files[f"{URL}{NTREX}ref.mya.txt"] = b"x\n"
    web.asked.clear()
    assert fetch_all(["ntrex"], tmp_path).fetched == [f"ntrex/{NTREX}ref.mya.txt"]
    assert web.asked == [f"GET {URL}{NTREX}ref.mya.txt"]


def test_a_dead_file_that_all_configs_share_is_tried_once(web: Loopback, tmp_path: Path) -> None:
    path = f"{URL}{NTREX}src.eng.txt"
    del web.files[path]
    report = fetch_all(["ntrex"], tmp_path)
    assert report.complete == []
    assert set(report.why.values()) == {"gone"}
    assert web.asked.count(f"GET {path}") == sources.ATTEMPTS


@pytest.mark.parametrize(("status", "why"), [(403, "forbidden or needs login"), (500, "unreachable")])
def test_the_reason_in_a_few_words(web: Loopback, tmp_path: Path, status: int, why: str) -> None:
    web.faults[f"{URL}{NTREX}ref.tha.txt"] = [status] * sources.ATTEMPTS
    assert fetch_all(["ntrex_tha"], tmp_path).why == {"ntrex_tha": why}


def test_a_damaged_file_is_fetched_again_and_others_are_left(web: Loopback, tmp_path: Path) -> None:
    fetch_all(["ntrex_tha"], tmp_path)
    thai, english = (tmp_path / "ntrex" / f"{NTREX}{n}.txt" for n in ("ref.tha", "src.eng"))
    whole = thai.read_bytes()
    thai.write_bytes(b"damaged")
    assert fetch_all(["ntrex_tha"], tmp_path).fetched == [f"ntrex/{NTREX}ref.tha.txt"]
    assert thai.read_bytes() == whole
    report = fetch_all(["ntrex_tha"], tmp_path, force=True)
    assert (len(report.fetched), report.kept) == (2, [])
    assert english.is_file()


def test_what_a_person_noted_stays(web: Loopback, tmp_path: Path) -> None:
    (tmp_path / "ntrex").mkdir()
    cut = {f"{NTREX}ref.tha.txt": "first 400 lines", f"{NTREX}ref.mya.txt": "first 400 lines"}
    path = tmp_path / "ntrex" / "SOURCE.json"
    path.write_text(json.dumps({"license": "CC BY-SA", "truncated": cut}), encoding="utf-8")
    fetch_all(["ntrex_tha"], tmp_path)
    assert note(tmp_path)["license"] == "CC BY-SA"
    assert note(tmp_path)["truncated"] == {
        f"{NTREX}ref.mya.txt": "first 400 lines"
    }  # the Thai one is whole now
    path.write_text("{", encoding="utf-8")
    assert "SOURCE.json is damaged" in fetch_all(["ntrex_tha"], tmp_path).skipped["ntrex_tha"]


@pytest.mark.parametrize(
    ("key", "files"),
    [
        ("vlsp2016sentiment", None),
        ("liputan6", ["data/clean/test/1.json", "data/clean/test/2.json"]),  # its card names a pattern
    ],
)
def test_what_must_be_obtained_by_hand(tmp_path: Path, key: str, files: list[str] | None) -> None:
    (name,) = catalogue.dataset(key).seabed.configs
    report = fetch_all([key], tmp_path)
    assert report.why == {name: "by hand"}
    assert "must be obtained by hand" in report.skipped[name]
    assert f"under DIR/{key}/" in report.skipped[name]
    (need,) = sources.needs(catalogue.config(name))
    placed = files or [path for paths in need.files.values() for path in paths]
    for path in placed:
        (tmp_path / key / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key / path).write_bytes(b"put here by a person")
    report = fetch_all([key], tmp_path)
    assert (report.kept, report.complete) == (sorted(f"{key}/{path}" for path in placed), [name])
    assert all((tmp_path / key / path).read_bytes() == b"put here by a person" for path in placed)


def test_names_are_checked_before_anything(tmp_path: Path) -> None:
    assert [c.name for c in chosen(["casa", "ntrex_tha", "casa_ind"])] == ["casa_ind", "ntrex_tha"]
    for wrong, close in (("ntrex_tah", "ntrex_tha"), ("ntrx", "ntrex")):
        with pytest.raises(UnknownName, match=f"unknown dataset or config '{wrong}'. Did you mean '{close}'"):
            fetch_all(["casa", wrong], tmp_path / "raw")
    assert not (tmp_path / "raw").exists()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(SeabedError, match="cannot write to"):
        fetch_all(["casa"], tmp_path / "file")
    assert SourceError("x").why == "unavailable"
