"""A small published bundle, and what must hold of a repository whatever went wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.hub.store import MAIN, Blob, Repo, Store

REPO = "seabed/SEA-BED"
OLD = ["sample_sts_mya", "sample_reranking_ind"]
NEW = ["sample_sts_mya", "sample_classification_ind", "sample_bitext_mining_tha"]


def broken(tree: Mapping[str, Blob]) -> list[str]:
    """What a reader of one commit would stumble over."""
    if "README.md" not in tree:
        return [] if set(tree) <= {".gitattributes"} else ["data without README.md"]
    head = yaml.safe_load(tree["README.md"].data.decode().split("\n---\n")[0][4:])
    listed = {f["path"] for c in head["configs"] for f in c["data_files"]}
    manifest: dict[str, Any] = json.loads(tree["manifest.json"].data)
    said = {
        f"data/{name}/{split}.parquet": s["sha256"]
        for name, entry in manifest.items()
        for split, s in entry["splits"].items()
    }
    there = {path for path in tree if path.startswith("data/")}
    faults = [f"{path} is listed and not there" for path in listed - there]
    faults += [f"{path} is there and not listed" for path in there - listed]
    faults += [
        f"{path} is not what the manifest says"
        for path in listed & there
        if tree[path].sha256 != said.get(path)
    ]
    faults += [f"no card {e['key']}" for e in manifest.values() if f"cards/{e['key']}.md" not in tree]
    return faults


def copy(repo: Repo) -> Store:
    """A store that holds a copy of one repository."""
    made = Repo(
        repo.kind,
        repo.name,
        dict(repo.commits),
        dict(repo.refs),
        dict(repo.uploads),
        [dict(p) for p in repo.pulls],
    )
    return Store(repos={(repo.kind, repo.name): made})


def content(repo: Repo, revision: str = MAIN) -> dict[str, bytes]:
    """Path -> bytes of one commit."""
    return {path: blob.data for path, blob in repo.find(revision).tree.items()}


def files(folder: Path) -> dict[str, bytes]:
    """Path -> bytes of a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
