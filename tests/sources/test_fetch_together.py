"""Several fetches into one folder, killed fetches, damaged notes, and paths that lead out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from seabed_datasets import catalogue
from seabed_datasets.catalogue import read_card
from seabed_datasets.errors import SourceError
from seabed_datasets.sources import raw_files as sources
from seabed_datasets.sources.fetching import fetch_all
from seabed_datasets.sources.raw_files import alone, mirror_note
from tests.hub.clients import ROOT
from tests.loopback import Loopback
from tests.toy_card import write_card

SOURCE = catalogue.dataset("ntrex").seabed.upstream[0]
URL = f"/{SOURCE.id}/{SOURCE.revision}/NTREX-128/newstest2019-"
CONFIGS = list(catalogue.dataset("ntrex").seabed.configs)
FETCH = """
import sys
from seabed_datasets.sources import raw_files
from seabed_datasets.sources.fetching import fetch_all
raw_files.GITHUB = sys.argv[1]
print(len(fetch_all(sys.argv[3:], sys.argv[2]).fetched))
"""


@pytest.fixture
def web() -> Iterator[Loopback]:
    with Loopback() as server:
        for need in (n for c in CONFIGS for n in sources.needs(catalogue.config(c))):
            for paths in need.files.values():
                for path in paths:
                    server.files[f"/{SOURCE.id}/{SOURCE.revision}/{path}"] = path.encode() * 2000
        yield server


def start(web: Loopback, to: Path, cache: Path, *names: str) -> subprocess.Popen[bytes]:
    env = os.environ | {"SEABED_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", FETCH, web.url, str(to), *names], env=env)


def test_two_processes_keep_each_others_notes(web: Loopback, tmp_path: Path) -> None:
    to = tmp_path / "raw"
    for _ in range(2):
        both = [start(web, to, tmp_path / "cache", *CONFIGS[i::2]) for i in (0, 1)]
        assert [p.wait(120) for p in both] == [0, 0]
    there = {p.relative_to(to / "ntrex").as_posix() for p in to.rglob("*") if p.is_file()} - {"SOURCE.json"}
    assert set(mirror_note(to / "ntrex")["fetched"]) == there
    assert len(there) == 9
    assert not [p for p in to.rglob("*") if p.name.startswith(".")]


def test_what_a_killed_fetch_left_goes_and_what_a_person_put_there_stays(
    web: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEABED_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sources, "GITHUB", web.url)
    to = tmp_path / "raw"
    fetch_all(["ntrex_tha"], to)
    thai = to / "ntrex/NTREX-128/newstest2019-ref.tha.txt"
    (half,) = (p for p in (tmp_path / "cache").rglob("*.txt") if "tha" in p.name)
    stray = [thai.with_name(f".{thai.name}.4711"), to / "ntrex/.SOURCE.json.4711", half.with_name("tmpabcd")]
    mine = [thai.with_name(".notes.2024"), thai.with_name(f".{thai.name}.swp")]
    for path in [*stray, *mine]:
        path.write_bytes(b"half")
    half.unlink()
    fetch_all(["ntrex_tha"], to, force=True)
    assert not [p for p in stray if p.exists()]
    assert all(p.exists() for p in mine)
    assert thai.read_bytes() == half.read_bytes()


def test_a_killed_download_holds_nobody_up(web: Loopback, tmp_path: Path) -> None:
    """The system lets go of a dead process's locks."""
    code = "import time\nfrom seabed_datasets.sources.raw_files import alone\nwith alone('x'):\n    print('in', flush=True)\n    time.sleep(99)"
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"in\n"
        other.send_signal(signal.SIGKILL)
        other.wait()
    began = time.monotonic()
    with alone("x"), alone("y"):
        pass
    assert time.monotonic() - began < 60


@pytest.mark.parametrize(
    "note",
    [
        "[]",
        "{",
        "3",
        '{"fetched": []}',
        '{"fetched": {"a": {}}}',
        '{"fetched": {"a": 1}}',
        '{"truncated": "x"}',
        '{"same_as": 1}',
        '{"a": 1, "a": 2}',
        '{"a":' * 9999,
    ],
)
def test_a_damaged_note_is_one_line(tmp_path: Path, note: str) -> None:
    (tmp_path / "SOURCE.json").write_text(note, encoding="utf-8")
    with pytest.raises(SourceError, match=r"is damaged: .*; delete it and `seabed fetch` again") as refusal:
        mirror_note(tmp_path)
    assert refusal.value.why == "changed"


@pytest.mark.parametrize("path", ["../../out/x.csv", "/etc/x.csv", "a/../../x.csv", "C:/x.csv", "..\\x.csv"])
@pytest.mark.parametrize("kind", ["url", "github", "hf", "manual"])
def test_a_path_that_leads_out_is_refused_before_anything_is_asked(
    tmp_path: Path, path: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Loopback() as web:
        upstream = {"kind": kind, "id": f"{web.url}/a" if kind == "url" else "a/b", "files": {"data": path}}
        card = read_card(write_card(tmp_path, "toy", upstream=[upstream]))
        monkeypatch.setattr(sources, "dataset", {"toy": card}.__getitem__)
        monkeypatch.setattr("seabed_datasets.sources.fetching.chosen", lambda names: [card.config("toy_tha")])
        monkeypatch.setattr(sources, "GITHUB", web.url)
        report = fetch_all(["toy"], tmp_path / "deep" / "raw")
        assert not web.asked
    (said,) = report.skipped.values()
    assert "only a path inside" in said
    assert not list(tmp_path.rglob("x.csv"))


def test_a_note_may_share_another_keys_files_but_not_leave_the_mirror(tmp_path: Path) -> None:
    (tmp_path / "raw" / "ntrex").mkdir(parents=True)
    note = {"same_as": "../../elsewhere"}
    (tmp_path / "raw" / "ntrex" / "SOURCE.json").write_text(json.dumps(note), encoding="utf-8")
    with pytest.raises(SourceError, match=r"same_as '\.\./\.\./elsewhere' leads out of its folder"):
        sources.fetch(catalogue.config("ntrex_tha"), tmp_path / "raw")
