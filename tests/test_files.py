"""Paths out of files that somebody else wrote stay inside the folder given."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabed_datasets.errors import SeabedError, SourceError
from seabed_datasets.files import inside


@pytest.mark.parametrize(
    "name", ["a.csv", "a/b.csv", "./a", "...", "a b/ไทย.csv", "a..b", "c/d:e", "~", "x?y=1"]
)
def test_a_name_inside_is_joined(tmp_path: Path, name: str) -> None:
    assert inside(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        (".", "is empty"),
        ("./", "is empty"),
        ("..", "leads out"),
        ("a/../../b", "leads out"),
        ("a/..", "leads out"),
        ("..\\x", "leads out"),
        ("a\\..\\..\\x", "leads out"),
        ("/etc/passwd", "is absolute"),
        ("//server/share/x", "is absolute"),
        ("\\\\server\\share\\x", "is absolute"),
        ("\\x", "is absolute"),
        ("C:\\x", "is absolute"),
        ("C:x", "is absolute"),
        ("a\0b", "holds a NUL"),
        (None, "is no text"),
        (["a"], "is no text"),
    ],
)
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(SourceError, match=said) as refusal:
        inside(tmp_path, name, "file", SourceError)
    assert repr(name) in str(refusal.value)


@given(
    st.lists(st.sampled_from(["..", ".", "a", "b", "/", "\\", "C:", "", " ", "\0", "~"]), max_size=6).map(
        "".join
    )
)
def test_whatever_is_joined_lies_inside(name: str) -> None:
    folder = Path("/some/folder")
    try:
        path = inside(folder, name)
    except SeabedError:
        return
    assert folder in path.resolve().parents


def test_a_link_that_leads_out_is_refused_and_one_that_stays_is_not(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    (home / "sub").mkdir(parents=True)
    away.mkdir()
    (home / "out").symlink_to(away, target_is_directory=True)
    (home / "file").symlink_to(away / "x.csv")
    (home / "round").symlink_to("sub")
    for name in ("out/new.csv", "file"):
        with pytest.raises(SeabedError, match=r"is a link to .*away"):
            inside(home, name)
    assert inside(home, "round/x.csv") == home / "round/x.csv"
    assert inside(home, "out/new.csv", links=True) == home / "out/new.csv"


def test_a_folder_that_is_itself_a_link_is_the_users_choice(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "raw").symlink_to("disk", target_is_directory=True)
    assert inside(tmp_path / "raw", "x.csv") == tmp_path / "raw/x.csv"


def test_files_of_the_hubs_cache_are_links_into_the_same_repository(tmp_path: Path) -> None:
    repo, other = tmp_path / "datasets--a--b", tmp_path / "other"
    snapshot = repo / "snapshots" / "abc"
    for folder in (repo / "blobs", snapshot, other):
        folder.mkdir(parents=True)
    (snapshot / "manifest.json").symlink_to("../../blobs/123")
    (snapshot / "stolen").symlink_to(other / "x")
    assert inside(snapshot, "manifest.json")
    with pytest.raises(SeabedError, match="is a link"):
        inside(snapshot, "stolen")
