"""load_dataset gives the rows that are on disk: after a rebuild, in a second folder of the same name, from the Hub.

With the default cache, as users have it: a cache of the test's own would hide that `datasets` names it by the
folder's last name and never looks at the files. Every load is a process of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import read_manifest, readme
from seabed_datasets.schemas import SPLITS
from tests.hub.clients import ask, environment

LOAD = """
import json
from datasets import load_dataset
rows = load_dataset("bundle", "ntrex_tha", split="test")
print(json.dumps([rows.num_rows, rows[0]["sentence2"]]))
"""
REF = "ntrex/NTREX-128/newstest2019-ref.tha.txt"
SRC = "ntrex/NTREX-128/newstest2019-src.eng.txt"


@pytest.fixture
def mirror(fake_mirror: Callable[[str], Path], tmp_path: Path) -> Path:
    shutil.copytree(fake_mirror("ntrex") / "ntrex", tmp_path / "mirror" / "ntrex")
    return tmp_path / "mirror"


def write(mirror: Path, *thai: str) -> None:
    (mirror / REF).write_text("".join(f"{t}\n" for t in thai), encoding="utf-8")
    (mirror / SRC).write_text("".join(f"line {i}\n" for i, _ in enumerate(thai)), encoding="utf-8")


def test_a_rebuild_and_a_second_project_give_their_own_rows(mirror: Path, tmp_path: Path) -> None:
    env = environment("http://127.0.0.1:9", tmp_path / "home", HF_HUB_OFFLINE="1")
    one, two = tmp_path / "one", tmp_path / "two"
    for project, thai in (
        (one, ["หนึ่ง", "สอง", "สาม"]),
        (one, ["เปลี่ยน", "สอง", "สาม"]),  # as many rows, as many bytes almost: nothing but the texts differ
        (two, ["อื่น"]),
        (one, ["กลับ", "มา"]),
    ):
        project.mkdir(exist_ok=True)
        write(mirror, *thai)
        assert build(["ntrex_tha"], project / "bundle", mirror=mirror).built == ["ntrex_tha"]
        assert ask(LOAD, env, cwd=project) == [len(thai), thai[0]]
    assert ask(LOAD, env, cwd=two) == [1, "อื่น"]


def test_the_page_follows_the_rows_only(mirror: Path, tmp_path: Path) -> None:
    def lines(folder: Path) -> dict[str, str]:
        head = (folder / "README.md").read_text(encoding="utf-8").split("---\n")[1]
        return {c["config_name"]: c["description"] for c in yaml.safe_load(head)["configs"]}

    names = ["ntrex_tha", "ntrex_ind"]
    build(names, tmp_path / "a", mirror=mirror)
    build(names, tmp_path / "b", mirror=mirror)
    assert lines(tmp_path / "a") == lines(tmp_path / "b")
    before = lines(tmp_path / "a")
    thai = (mirror / REF).read_text(encoding="utf-8").splitlines()
    (mirror / REF).write_text("\n".join(["ใหม่", *thai[1:]]) + "\n", encoding="utf-8")
    build(names, tmp_path / "a", mirror=mirror)
    after = lines(tmp_path / "a")
    assert after["ntrex_tha"] != before["ntrex_tha"]
    assert after["ntrex_ind"] == before["ntrex_ind"]
    assert all(text.startswith("sha256 ") for text in after.values())  # a text to every reader of YAML


def test_a_page_that_was_not_rewritten_is_by_the_next_build(mirror: Path, tmp_path: Path) -> None:
    """A build may be killed between the manifest and the page; the config is current then."""
    build(["ntrex_tha", "ntrex_ind"], tmp_path, mirror=mirror)
    page = tmp_path / "README.md"
    whole = page.read_text(encoding="utf-8")
    page.write_text(readme({"ntrex_tha": read_manifest(tmp_path)["ntrex_tha"]}), encoding="utf-8")
    assert build(["ntrex_tha"], tmp_path, mirror=mirror).kept == ["ntrex_tha"]
    assert page.read_text(encoding="utf-8") == whole


def test_the_page_of_all_configs_stays_small() -> None:
    split = {"rows": 1, "bytes": 1, "sha256": "0" * 64}
    manifest = {
        c.name: {"key": c.key, "splits": dict.fromkeys(SPLITS[c.task], split)} for c in catalogue.configs()
    }
    assert len(manifest) >= 314
    text = readme(manifest)
    assert len(text.encode()) < 100_000
    assert "`datasets` 4.0 or later" in text
