"""What the loopback Hub keeps: repositories with commits, refs, pull requests and uploaded LFS objects."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any

import yaml

MAIN = "refs/heads/main"
LFS_ENDINGS = (".parquet", ".arrow", ".zip", ".gz", ".bin", ".npy")
REGULAR_LIMIT = 10 * 1024 * 1024
# "fineGrained" is what whoami says of a token whose rights show only when it is used (see Store.rights).
TOKENS = {"hf_writer": "write", "hf_reader": "read", "hf_fine": "fineGrained"}
SPACE_COLOURS = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
SPACE_SDKS = {"gradio", "docker", "static", "streamlit"}
GITATTRIBUTES = b"".join(f"*{e} filter=lfs diff=lfs merge=lfs -text\n".encode() for e in LFS_ENDINGS)


class Refused(Exception):
    """An answer that is not a success."""

    def __init__(self, status: int, message: str, code: str | None = None, body: Any = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code
        self.body = body if body is not None else {"error": message}


@dataclass(frozen=True)
class Blob:
    """One version of a file."""

    data: bytes
    lfs: bool

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def pointer(self) -> bytes:
        text = (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\nsize {len(self.data)}\n"
        )
        return text.encode()

    @cached_property
    def oid(self) -> str:
        stored = self.pointer if self.lfs else self.data
        return hashlib.sha1(b"blob %d\0" % len(stored) + stored).hexdigest()

    def entry(self, path: str) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "file", "oid": self.oid, "size": len(self.data), "path": path}
        if self.lfs:
            found["lfs"] = {"oid": self.sha256, "size": len(self.data), "pointerSize": len(self.pointer)}
        return found


@dataclass(frozen=True)
class Commit:
    oid: str
    parent: str | None
    tree: Mapping[str, Blob]
    message: str
    description: str = ""


@dataclass
class Repo:
    kind: str
    name: str
    commits: dict[str, Commit] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    uploads: dict[str, bytes] = field(default_factory=dict)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    private: bool = False
    gated: bool = False

    @property
    def size(self) -> int:
        """Bytes of all versions of all large files, which is what counts as storage."""
        return sum(
            {b.sha256: len(b.data) for c in self.commits.values() for b in c.tree.values() if b.lfs}.values()
        )

    def find(self, revision: str) -> Commit:
        """The commit a branch, tag, ref or commit id names."""
        for ref in (revision, f"refs/heads/{revision}", f"refs/tags/{revision}"):
            if ref in self.refs:
                return self.commits[self.refs[ref]]
        if revision in self.commits:
            return self.commits[revision]
        raise Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")

    def history(self) -> list[Commit]:
        """All commits that were ever the head of main, oldest first."""
        chain, oid = [], self.refs.get(MAIN)
        while oid:
            chain.append(self.commits[oid])
            oid = self.commits[oid].parent
        return chain[::-1]

    def add(
        self, ref: str, parent: str | None, tree: Mapping[str, Blob], message: str, description: str = ""
    ) -> Commit:
        listing = sorted((path, blob.oid) for path, blob in tree.items())
        digest = hashlib.sha1(json.dumps([parent, listing, message, len(self.commits)]).encode()).hexdigest()
        made = Commit(digest, parent, dict(tree), message, description)
        self.commits[digest] = made
        self.refs[ref] = digest
        return made

    def file(self, path: str, revision: str = "main") -> bytes:
        return self.find(revision).tree[path].data


@dataclass
class Store:
    """All repositories, and the rules.

    `tokens`: token -> role; `rights`: what a fine-grained token may do, token -> repository -> role, nothing
    where it is not named. `moved`: (kind, old name) -> new name. `yaml_limit`: bytes of a README;
    `storage_limit`: bytes of large files in a repository; `operations_limit`: files of one commit.
    """

    tokens: dict[str, str] = field(default_factory=lambda: dict(TOKENS))
    rights: dict[str, dict[str, str]] = field(default_factory=dict)
    moved: dict[tuple[str, str], str] = field(default_factory=dict)
    yaml_limit: int = 100_000
    storage_limit: int | None = None
    operations_limit: int | None = None
    repos: dict[tuple[str, str], Repo] = field(default_factory=dict)
    blocks: dict[str, list[bytes]] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)

    def repo(self, kind: str, name: str) -> Repo:
        if (kind, name) not in self.repos:
            raise Refused(404, "Repository not found", "RepoNotFound")
        return self.repos[kind, name]

    def role(self, token: str, name: str | None) -> str | None:
        """What a token may do in a repository (None: anywhere): "write", "read", "fineGrained" or nothing."""
        role = self.tokens.get(token)
        if role == "fineGrained" and name is not None:
            return self.rights.get(token, {}).get(name, role)
        return role

    def weigh(self, repo: Repo, new: int) -> None:
        """Refuse large files for which there is no storage left."""
        if self.storage_limit is not None and repo.size + new > self.storage_limit:
            kind = "Private repository" if repo.private else "Public repository"
            raise Refused(403, f"{kind} storage limit reached, upgrade your plan or free some storage")

    def create(self, kind: str, name: str) -> Repo:
        with self.lock:
            if (kind, name) in self.repos:
                raise Refused(409, "You already created this repo")
            repo = self.repos[kind, name] = Repo(kind, name)
            repo.add(MAIN, None, {".gitattributes": Blob(GITATTRIBUTES, False)}, "initial commit")
            return repo

    def put(self, kind: str, name: str, files: Mapping[str, bytes], message: str = "by hand") -> Commit:
        """Commit files without asking a client, for tests that need a repository to be there."""
        repo = self.repos.get((kind, name)) or self.create(kind, name)
        head = repo.find("main")
        new = {path: Blob(data, is_lfs(path, len(data))) for path, data in files.items()}
        return repo.add(MAIN, head.oid, {**head.tree, **new}, message)

    def commit(self, repo: Repo, revision: str, lines: Iterable[bytes], *, pull: bool) -> dict[str, Any]:
        """Apply one commit request, all of it or nothing."""
        with self.lock:
            head = repo.find(revision)
            header: dict[str, Any] = {}
            tree = dict(head.tree)
            operations = 0
            for line in lines:
                item = json.loads(line)
                value = item["value"]
                if item["key"] == "header":
                    header = value
                else:
                    operations += 1
                    _apply(self, repo, tree, item["key"], value)
            if self.operations_limit is not None and operations > self.operations_limit:
                raise Refused(
                    400, f"Too many files in one commit: {operations} (limit {self.operations_limit})"
                )
            if header.get("parentCommit") not in (None, head.oid):
                raise Refused(412, "A commit has happened since. Please refresh and try again.")
            if not header.get("summary"):
                raise Refused(400, "summary is required")
            if "README.md" in tree and tree["README.md"] != head.tree.get("README.md"):
                check_yaml(tree["README.md"].data.decode(), repo.kind)
            ref = next((r for r in (revision, f"refs/heads/{revision}") if r in repo.refs), None)
            if ref is None:
                raise Refused(400, f"{revision} is not a branch")
            if pull and ref.startswith("refs/pr/"):
                raise Refused(400, "a pull request is made from a branch")
            if pull:
                number = len(repo.pulls) + 1
                ref = f"refs/pr/{number}"
                repo.pulls.append({"num": number, "title": header["summary"], "status": "open"})
            made = repo.add(ref, head.oid, tree, header["summary"], header.get("description") or "")
            return {"commitOid": made.oid, "number": len(repo.pulls)}

    def merge(self, repo: Repo, number: int) -> None:
        with self.lock:
            pull = repo.commits[repo.refs[f"refs/pr/{number}"]]
            before = pull.parent
            while before not in (None, repo.refs[MAIN]):
                before = repo.commits[before].parent
            if before is None:
                raise Refused(409, "the pull request conflicts with main")
            repo.refs[MAIN] = pull.oid
            repo.pulls[number - 1]["status"] = "merged"


def _apply(store: Store, repo: Repo, tree: dict[str, Blob], key: str, value: dict[str, Any]) -> None:
    path = value["path"]
    if path.startswith(("/", ".git/")) or ".." in path.split("/"):
        raise Refused(400, f"Invalid path: {path}")
    if key == "file":
        data = base64.b64decode(value["content"], validate=True)
        if is_lfs(path, len(data)):
            raise Refused(400, f"{path} must be uploaded through LFS")
        tree[path] = Blob(data, False)
    elif key == "lfsFile":
        known = {b.sha256: b.data for b in tree.values() if b.lfs} | repo.uploads | store.objects
        if value["oid"] not in known:
            raise Refused(400, f"Your push was rejected: LFS pointer of {path} names no uploaded file")
        tree[path] = Blob(known[value["oid"]], True)
    elif key == "deletedFile":
        if path not in tree:
            raise Refused(404, "A file with this name doesn't exist", "EntryNotFound")
        del tree[path]
    elif key == "deletedFolder":
        inside = [p for p in tree if p.startswith(path.rstrip("/") + "/")]
        if not inside:
            raise Refused(404, "A folder with this name doesn't exist", "EntryNotFound")
        for p in inside:
            del tree[p]
    else:
        raise Refused(400, f"unknown operation {key}")


def is_lfs(path: str, size: int) -> bool:
    """Whether the Hub wants a file through LFS: by its ending, or because it is large."""
    return size > 0 and (path.endswith(LFS_ENDINGS) or size > REGULAR_LIMIT)


class _NoDuplicates(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(k, deep=True) for k, _ in node.value]
        if len(keys) != len(set(map(str, keys))):
            raise yaml.YAMLError("duplicated mapping key")
        return super().construct_mapping(node, deep)


def check_yaml(text: str, kind: str) -> list[str]:
    """Refuse front matter that the Hub refuses; returns its warnings."""

    def refuse(message: str) -> Refused:
        return Refused(
            400, message, body={"error": message, "errors": [{"message": message}], "warnings": []}
        )

    if not text.startswith("---\n") or "\n---\n" not in text[3:]:
        if kind == "space":
            raise refuse("Missing configuration in README")
        return ["empty or missing yaml metadata in repo card"]
    try:
        data = yaml.load(text[4:].split("\n---\n", 1)[0], Loader=_NoDuplicates)
    except yaml.YAMLError as error:
        raise refuse(f"YAML metadata is invalid: {error}") from None
    if not isinstance(data, dict):
        raise refuse("YAML metadata is not a mapping")
    for config in data.get("configs") or []:
        name = config.get("config_name") if isinstance(config, dict) else None
        if not isinstance(name, str) or set(name) & set('<>:/\\|?*"'):
            raise refuse(f'"configs.config_name" must be a name, found {name!r}')
    if kind == "space":
        if data.get("sdk") not in SPACE_SDKS:
            raise refuse(f'"sdk" must be one of {sorted(SPACE_SDKS)}')
        for key in ("colorFrom", "colorTo"):
            if data.get(key, "gray") not in SPACE_COLOURS:
                raise refuse(f'"{key}" must be one of {sorted(SPACE_COLOURS)}')
        if len(data.get("short_description") or "") > 60:
            raise refuse('"short_description" length must be less than or equal to 60 characters long')
    return []
