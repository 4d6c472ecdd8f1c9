"""The loopback Hub refuses what the real one refuses, and keeps real commits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from huggingface_hub import CommitInfo, CommitOperationAdd, CommitOperationDelete, HfApi, constants
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
)

from tests.hub import Hub, storm, xet
from tests.hub.store import Blob, Refused, Store

REPO = "somebody/things"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with Hub() as running:
        running.store.create("dataset", REPO)
        yield running


def commit(
    hub: Hub, path: str, data: bytes, token: str | bool = "hf_writer", parent: str | None = None
) -> str:
    made = HfApi(hub.url, token).create_commit(
        REPO,
        [CommitOperationAdd(path, data)],
        commit_message=f"add {path}",
        repo_type="dataset",
        parent_commit=parent,
    )
    return str(made.oid)


def test_commits_are_kept_and_readable_by_id_branch_and_tag(hub: Hub, tmp_path: Path) -> None:
    api = HfApi(hub.url, "hf_writer")
    first = commit(hub, "a/b.parquet", b"PAR1 one")
    api.create_tag(REPO, tag="one", repo_type="dataset")
    second = commit(hub, "a/b.parquet", b"PAR1 two", parent=first)
    for revision, text in ((first, b"one"), ("one", b"one"), ("main", b"two"), (second, b"two")):
        local = api.hf_hub_download(
            REPO, "a/b.parquet", repo_type="dataset", revision=revision, cache_dir=tmp_path
        )
        assert Path(local).read_bytes() == b"PAR1 " + text
    assert [c.message for c in hub.store.repo("dataset", REPO).history()] == [
        "initial commit",
        "add a/b.parquet",
        "add a/b.parquet",
    ]
    (file,) = [f for f in api.list_repo_tree(REPO, "a", repo_type="dataset") if f.path == "a/b.parquet"]
    assert file.lfs.sha256 == Blob(b"PAR1 two", True).sha256
    part = requests.get(
        f"{hub.url}/datasets/{REPO}/resolve/main/a/b.parquet", headers={"Range": "bytes=5-"}, timeout=9
    )
    assert (part.status_code, part.content) == (206, b"two")


def test_a_commit_is_all_or_nothing(hub: Hub) -> None:
    before = hub.store.repo("dataset", REPO).find("main")
    with pytest.raises(RemoteEntryNotFoundError):
        HfApi(hub.url, "hf_writer").create_commit(
            REPO,
            [CommitOperationAdd("new.txt", b"new"), CommitOperationDelete("missing.txt")],
            commit_message="half",
            repo_type="dataset",
        )
    assert hub.store.repo("dataset", REPO).find("main") == before


@pytest.mark.parametrize(
    "front",
    [
        "configs: [\n",
        "a: 1\na: 2\n",
        "configs:\n- config_name: no\n- config_name: false\n",
        "configs:\n- config_name: a/b\n",
    ],
)
def test_bad_yaml(front: str, hub: Hub) -> None:
    with pytest.raises(ValueError, match=r"Invalid metadata in README.md"):
        commit(hub, "README.md", f"---\n{front}---\n# Things\n".encode())
    # And where a client sends it without asking first.
    lines = [
        {"key": "header", "value": {"summary": "readme"}},
        {
            "key": "file",
            "value": {"path": "README.md", "encoding": "base64", "content": _base64(f"---\n{front}---\n")},
        },
    ]
    answer = _send(hub, lines)
    assert answer.status_code == 400
    assert "README.md" not in hub.store.repo("dataset", REPO).find("main").tree


def _base64(text: str) -> str:
    import base64

    return base64.b64encode(text.encode()).decode()


def _send(hub: Hub, lines: list[dict[str, object]]) -> requests.Response:
    return requests.post(
        f"{hub.url}/api/datasets/{REPO}/commit/main",
        data="\n".join(map(json.dumps, lines)),
        headers={"Authorization": "Bearer hf_writer"},
        timeout=9,
    )


def test_a_readme_over_the_limit(hub: Hub) -> None:
    hub.store.yaml_limit = 5000
    with pytest.raises(json.JSONDecodeError):
        commit(hub, "README.md", b"x" * 5000)


def test_a_wrong_parent(hub: Hub) -> None:
    first = commit(hub, "a.txt", b"a")
    commit(hub, "b.txt", b"b", parent=first)
    with pytest.raises(HfHubHTTPError, match="412"):
        commit(hub, "c.txt", b"c", parent=first)
    assert "c.txt" not in hub.store.repo("dataset", REPO).find("main").tree


def test_tokens(hub: Hub) -> None:
    with pytest.raises(RepositoryNotFoundError):
        commit(hub, "a.txt", b"a", token=False)
    with pytest.raises(HfHubHTTPError, match="403"):
        commit(hub, "a.txt", b"a", token="hf_reader")
    with pytest.raises(HfHubHTTPError, match="401"):
        commit(hub, "a.txt", b"a", token="hf_wrong")
    with pytest.raises(HfHubHTTPError, match="403"):
        HfApi(hub.url, "hf_reader").create_repo("somebody/else", repo_type="dataset")


def test_a_large_file_that_was_not_uploaded(hub: Hub) -> None:
    pointer = {"path": "a.parquet", "algo": "sha256", "oid": "0" * 64, "size": 3}
    header = {"key": "header", "value": {"summary": "a"}}
    assert _send(hub, [header, {"key": "lfsFile", "value": pointer}]).status_code == 400
    inline = {"path": "a.parquet", "encoding": "base64", "content": _base64("PAR1")}
    assert _send(hub, [header, {"key": "file", "value": inline}]).status_code == 400


def test_too_many_requests_pass(hub: Hub) -> None:
    hub.fault = storm(429, 0, 3, Retry_After="1")
    assert HfApi(hub.url).list_repo_files(REPO, repo_type="dataset") == [".gitattributes"]
    assert len(hub.log) >= 4


def test_a_space_needs_its_front_matter(hub: Hub) -> None:
    api = HfApi(hub.url, "hf_writer")
    api.create_repo("somebody/app", repo_type="space", space_sdk="gradio")
    for front in (
        "sdk: flask\n",
        "sdk: gradio\ncolorFrom: brown\n",
        f"sdk: gradio\nshort_description: {'x' * 61}\n",
    ):
        with pytest.raises(ValueError, match=r"Invalid metadata in README.md"):
            api.create_commit(
                "somebody/app",
                [CommitOperationAdd("README.md", f"---\n{front}---\n".encode())],
                commit_message="page",
                repo_type="space",
            )


@pytest.mark.parametrize("kind", ["model", "dataset"])
def test_a_pull_request_takes_further_commits(kind: str, hub: Hub) -> None:
    hub.store.create(kind, "somebody/other")
    api = HfApi(hub.url, "hf_reader")

    def send(text: str, **options: object) -> CommitInfo:
        return api.create_commit(
            "somebody/other",
            [CommitOperationAdd("results.yaml", text.encode())],
            commit_message=text,
            repo_type=kind,
            **options,  # type: ignore[arg-type]
        )

    first = send("one", create_pr=True)
    assert first.pr_revision == "refs/pr/1"
    assert first.pr_url == f"{hub.url}/{'datasets/' if kind == 'dataset' else ''}somebody/other/discussions/1"
    second = send("two", revision=first.pr_revision, parent_commit=first.oid)
    repo = hub.store.repo(kind, "somebody/other")
    assert repo.refs["refs/pr/1"] == second.oid
    assert "results.yaml" not in repo.find("main").tree
    with pytest.raises(HfHubHTTPError, match="403"):
        send("three")
    HfApi(hub.url, "hf_writer").merge_pull_request("somebody/other", 1, repo_type=kind)
    assert repo.file("results.yaml") == b"two"


def test_private_gated_and_renamed_repositories(hub: Hub, tmp_path: Path) -> None:
    commit(hub, "a.txt", b"a")
    hub.store.rights = {"hf_fine": {"somebody/else": "write"}}
    repo = hub.store.repo("dataset", REPO)
    repo.private = True
    for token in (False, "hf_fine"):
        with pytest.raises(RepositoryNotFoundError):
            HfApi(hub.url, token).repo_info(REPO, repo_type="dataset")
    assert HfApi(hub.url, "hf_reader").repo_info(REPO, repo_type="dataset").private
    repo.private, repo.gated = False, True
    assert HfApi(hub.url, False).repo_info(REPO, repo_type="dataset").gated == "manual"
    assert HfApi(hub.url, "hf_reader").get_paths_info(REPO, ["a.txt"], repo_type="dataset")
    with pytest.raises(GatedRepoError):
        HfApi(hub.url, "hf_reader").hf_hub_download(REPO, "a.txt", repo_type="dataset", cache_dir=tmp_path)
    repo.gated = False
    hub.store.repos["dataset", "somebody/new"] = hub.store.repos.pop(("dataset", REPO))
    repo.name = hub.store.moved["dataset", REPO] = "somebody/new"
    assert HfApi(hub.url).repo_info(REPO, repo_type="dataset").id == "somebody/new"
    answer = requests.get(f"{hub.url}/api/datasets/{REPO}", allow_redirects=False, timeout=9)
    assert (answer.status_code, answer.headers["Location"]) == (307, "/api/datasets/somebody/new")
    commit(hub, "b.txt", b"b")
    assert repo.file("b.txt") == b"b"


def test_every_answer_says_what_is_left_of_the_rate(hub: Hub) -> None:
    hub.rate = (2, 60)
    for left in (1, 0, 0):
        answer = requests.get(f"{hub.url}/api/datasets/{REPO}", timeout=9)
        assert answer.headers["RateLimit"] == f'"api";r={left};t=60'
    assert answer.status_code == 429


def test_xet_gives_back_what_was_sent_however_it_was_packed() -> None:
    """Each way of packing a chunk: as it is, LZ4, and LZ4 after every fourth byte was put into one group."""
    import pyarrow

    store, text = Store(), bytes(range(256)) * 41 + b"tail"

    def chunk(scheme: int) -> bytes:
        data = b"".join(text[first::4] for first in range(4)) if scheme == 2 else text
        if scheme:
            data = pyarrow.compress(data, codec="lz4", asbytes=True)
        head = bytes([0, *len(data).to_bytes(3, "little"), scheme, *len(text).to_bytes(3, "little")])
        return head + data

    name = bytes(range(32))
    shown = "".join(name[o : o + 8][::-1].hex() for o in range(0, 32, 8))
    block = chunk(0) + chunk(1) + chunk(2)
    xet.answer(store, "POST", f"/v1/xorbs/default/{shown}", "xet_write", block)
    file = b"f" * 32 + (0).to_bytes(4, "little") + (1).to_bytes(4, "little") + bytes(8)
    part = name + bytes(8) + (1).to_bytes(4, "little") + (3).to_bytes(4, "little")
    xet.answer(store, "POST", "/v1/shards", "xet_write", bytes(48) + file + part + b"\xff" * 32 + bytes(16))
    assert list(store.objects) == [Blob(text * 2, True).sha256]
    with pytest.raises(Refused):
        xet.answer(store, "POST", "/v1/shards", "hf_writer", b"")
