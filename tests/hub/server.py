"""The HTTP side of the loopback Hub: the endpoints that datasets, evaluate and huggingface_hub call."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.hub import xet
from tests.hub.store import Blob, Commit, Refused, Repo, Store, check_yaml, is_lfs

API = re.compile(r"/api/(model|dataset|space)s/([^/]+/[^/]+)(?:/([a-z-]+)(?:/([^/]+)(?:/(.*))?)?)?")
RESOLVE = re.compile(r"/(?:(dataset|space)s/)?([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
LFS_BATCH = re.compile(r"/(?:(dataset|space)s/)?([^/]+/[^/]+)\.git/info/lfs/objects/batch")
XET = re.compile(r"/v[12]/(xorbs|shards|chunks|xorb-grants|telemetry)(/.*)?")
LFS_PUT = re.compile(r"/upload/(model|dataset|space)/([^/]+/[^/]+)/([0-9a-f]{64})")


@dataclass(frozen=True)
class Request:
    """One request, as the log keeps it; `index` counts from 0 since the log was last cleared."""

    index: int
    method: str
    path: str


@dataclass(frozen=True)
class Drop:
    """Close the connection instead of answering: before the request takes effect, or after."""

    after: bool = False


@dataclass(frozen=True)
class Cut:
    """Close the connection in the middle of the answer's body."""


@dataclass(frozen=True)
class Status:
    """Answer with an error status."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)
    text: str = '{"error": "as the test asked"}'


Fault = Drop | Cut | Status
Decide = Callable[[Request], Fault | None]


def storm(code: int, first: int, length: int | None, **headers: str) -> Decide:
    """A fault for `length` requests from index `first` on (None: for good): error `code`, or 0 to drop them."""

    def decide(request: Request) -> Fault | None:
        if request.index < first or (length is not None and request.index >= first + length):
            return None
        return Status(code, {k.replace("_", "-"): v for k, v in headers.items()}) if code else Drop()

    return decide


@dataclass(frozen=True)
class _Answer:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class _Moved(Exception):
    """The repository has another name now."""


class Hub:
    """A running loopback Hub."""

    def __init__(self, store: Store | None = None, page: int = 1000) -> None:
        self.store = store or Store()
        self.page = page
        self.log: list[Request] = []
        self.fault: Decide | None = None
        self.before_commit: Callable[[], None] | None = None
        # As the real Hub: how many requests are left in a window, and how many seconds the window lasts.
        self.rate: tuple[int, int] = (100_000, 300)
        self._lock = Lock()
        hub = self

        class Handler(_Handler):
            pass

        Handler.hub = hub
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Hub:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve(self) -> None:
        self._server.serve_forever()

    def clear(self) -> None:
        """Forget the requests so far and stop going wrong."""
        self.log, self.fault, self.before_commit = [], None, None

    def note(self, method: str, path: str) -> tuple[Request, Fault | None]:
        with self._lock:
            request = Request(len(self.log), method, path)
            self.log.append(request)
            fault = self.fault(request) if self.fault else None
            left, window = self.rate
            if fault is None and not left:
                fault = Status(429)
            self.rate = max(0, left - 1), window
            return request, fault


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _run(self) -> None:
        body = self._body()
        _, fault = self.hub.note(self.command, self.path)
        if isinstance(fault, Drop) and not fault.after:
            return self._drop()
        if isinstance(fault, Status):
            return self._send(_Answer(fault.text.encode(), fault.code, fault.headers))
        try:
            answer = self._answer(body)
        except _Moved as moved:
            answer = _Answer(b"", 307, {"Location": moved.args[0]})
        except Refused as error:
            headers = {"X-Error-Message": error.message.replace("\n", " ")[:500]}
            if error.code:
                headers["X-Error-Code"] = error.code
            answer = _json(error.body, error.status, headers)
        if isinstance(fault, Drop):
            return self._drop()
        return self._send(answer, cut=isinstance(fault, Cut))

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _run

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, answer: _Answer, *, cut: bool = False) -> None:
        self.send_response(answer.status)
        left, window = self.hub.rate
        headers = {
            "RateLimit": f'"api";r={left};t={window}',
            "RateLimit-Policy": f'"fixed window";"api";q=100000;w={window}',
            "Content-Length": str(len(answer.body)),
        }
        for name, value in (headers | answer.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer.body[: len(answer.body) // 2] if cut else answer.body)
        self.close_connection = self.close_connection or cut

    def _token(self) -> str:
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if given and given not in self.hub.store.tokens:
            raise Refused(401, "Invalid credentials in Authorization header")
        return given

    def _require(self, *roles: str, repo: Repo | None = None) -> str:
        role = self.hub.store.role(self._token(), repo.name if repo else None)
        if role is None:
            raise Refused(401, "Invalid username or password.", "RepoNotFound")
        if role not in roles:
            raise Refused(403, "You don't have the required permissions to perform this action")
        return role

    def _repo(self, kind: str, name: str, *, files: bool = False) -> Repo:
        """A repository that whoever asks may see; what is private does not exist for others."""
        if (kind, name) in self.hub.store.moved:
            # The real Hub answers with a relative address.
            raise _Moved(self.path.replace(name, self.hub.store.moved[kind, name], 1))
        repo = self.hub.store.repo(kind, name)
        role = self.hub.store.role(self._token(), name)
        if repo.private and role not in ("read", "write"):
            if role is None:
                raise Refused(401, "Invalid username or password.", "RepoNotFound")
            raise Refused(404, "Repository not found", "RepoNotFound")
        if files and repo.gated and role != "write":
            raise Refused(
                403, f"Access to {kind} {name} is restricted: ask for access on its page", "GatedRepo"
            )
        return repo

    def _may_push(self, repo: Repo, *, pull: bool) -> None:
        """A pull request, and a further commit to one, needs no write access."""
        self._require("write", *(["read"] if pull else []), repo=repo)

    def _answer(self, body: bytes) -> _Answer:
        url = urlsplit(self.path)
        query = {k: v[0] for k, v in parse_qs(url.query).items()}
        if XET.fullmatch(url.path):
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            return _json(xet.answer(self.hub.store, self.command, url.path, token, body))
        if match := RESOLVE.fullmatch(url.path):
            kind, name, revision, path = match.groups()
            repo = self._repo(kind or "model", name, files=True)
            return self._file(repo.find(unquote(revision)), unquote(path))
        if match := LFS_BATCH.fullmatch(url.path):
            kind, name = match.groups()
            repo = self._repo(kind or "model", name)
            # Whether a commit will be a pull request is not said here, so reading is enough.
            self._require("write", "read", repo=repo)
            return self._lfs_batch(repo, json.loads(body))
        if match := LFS_PUT.fullmatch(url.path):
            kind, name, oid = match.groups()
            if Blob(body, True).sha256 != oid:
                raise Refused(400, "the content does not have this hash")
            self.hub.store.repo(kind, name).uploads[oid] = body
            return _Answer()
        if url.path == "/api/whoami-v2":
            role = self._require("write", "read", "fineGrained")
            return _json({"type": "user", "name": role, "orgs": [], "auth": {"accessToken": {"role": role}}})
        if url.path == "/api/repos/create":
            self._require("write", "fineGrained")
            wanted = json.loads(body)
            name = f"{wanted.get('organization') or 'user'}/{wanted['name']}"
            kind = wanted.get("type") or "model"
            if kind == "space" and not wanted.get("sdk"):
                raise Refused(400, "sdk is required")
            if self.hub.store.role(self._token(), name) != "write":
                raise Refused(403, f"You don't have the rights to create a {kind} under the namespace {name}")
            self.hub.store.create(kind, name)
            return _json({"url": self._page(kind, name)})
        if url.path == "/api/validate-yaml":
            if len(body) > self.hub.store.yaml_limit:
                # A proxy answers here, in HTML: the client must not expect JSON.
                return _Answer(
                    b"<html>413 Request Entity Too Large</html>", 413, {"Content-Type": "text/html"}
                )
            given = json.loads(body)
            warnings = check_yaml(given["content"], given["repoType"])
            return _json({"errors": [], "warnings": [{"message": w} for w in warnings]})
        if match := API.fullmatch(url.path):
            kind, name, action, first, rest = match.groups()
            repo = self._repo(kind, name)
            return self._api(repo, action, unquote(first or ""), unquote(rest or ""), query, body)
        raise Refused(404, "Not found")

    def _api(
        self, repo: Repo, action: str | None, first: str, rest: str, query: dict[str, str], body: bytes
    ) -> _Answer:
        pull = query.get("create_pr") == "1"
        if action in (None, "revision"):
            return _json(_info(repo, repo.find(first or "main"), blobs="blobs" in query))
        if action == "tree":
            return self._tree(repo.find(first), rest, query)
        if action == "paths-info":
            return _json(_paths(repo.find(first), self._form(body)))
        if action == "refs":
            return _json(_refs(repo))
        if action == "xet-write-token":
            self._may_push(repo, pull=pull or first.startswith("refs/pr/"))
            self.hub.store.weigh(repo, 1)
            told, headers = xet.connection(self.hub.url)
            return _json(told, 200, headers)
        if action == "preupload":
            self._may_push(repo, pull=pull or first.startswith("refs/pr/"))
            head = repo.find(first)
            return _json({"files": [_preupload(head, f) for f in json.loads(body)["files"]]})
        if action == "commit" and self.command == "POST":
            self._may_push(repo, pull=pull or first.startswith("refs/pr/"))
            if self.hub.before_commit:
                hook, self.hub.before_commit = self.hub.before_commit, None
                hook()
            made = self.hub.store.commit(repo, first, [line for line in body.split(b"\n") if line], pull=pull)
            base = self._page(repo.kind, repo.name)
            answer = {"commitUrl": f"{base}/commit/{made['commitOid']}", "commitOid": made["commitOid"]}
            if pull:
                answer["pullRequestUrl"] = f"{base}/discussions/{made['number']}"
            return _json(answer)
        if action == "tag" and self.command == "POST":
            self._require("write", repo=repo)
            ref = f"refs/tags/{json.loads(body)['tag']}"
            if ref in repo.refs:
                raise Refused(409, "Tag already exists")
            repo.refs[ref] = repo.find(first).oid
            return _json({})
        if action == "tag" and self.command == "DELETE":
            self._require("write", repo=repo)
            if repo.refs.pop(f"refs/tags/{first}", None) is None:
                raise Refused(404, "Tag not found", "RevisionNotFound")
            return _json({})
        if action == "discussions" and not first:
            return _json(_discussions(repo, query.get("status")))
        if action == "discussions" and rest == "merge":
            self._require("write", repo=repo)
            self.hub.store.merge(repo, int(first))
            return _json({"newStatus": "merged"})
        raise Refused(404, "Not found")

    def _page(self, kind: str, name: str) -> str:
        return f"{self.hub.url}/{'' if kind == 'model' else kind + 's/'}{name}"

    def _form(self, body: bytes) -> list[str]:
        if "json" in self.headers.get("Content-Type", ""):
            given = json.loads(body)["paths"]
            return [given] if isinstance(given, str) else given
        return parse_qs(body.decode())["paths"]

    def _file(self, commit: Commit, path: str) -> _Answer:
        about = {"X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
        blob = commit.tree.get(path)
        if blob is None:
            missing = {**about, "X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            return _Answer(b"Entry not found", 404, missing)
        about["ETag"] = f'"{blob.oid}"'
        if blob.lfs:
            about |= {"X-Linked-Etag": f'"{blob.sha256}"', "X-Linked-Size": str(len(blob.data))}
        wanted = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not wanted or not blob.data:
            return _Answer(blob.data, 200, about)
        size = len(blob.data)
        if wanted[1]:
            start, stop = int(wanted[1]), min(int(wanted[2] or size - 1), size - 1)
        else:
            start, stop = max(0, size - int(wanted[2])), size - 1
        if start >= size:
            return _Answer(b"", 416, {**about, "Content-Range": f"bytes */{size}"})
        about["Content-Range"] = f"bytes {start}-{stop}/{size}"
        return _Answer(blob.data[start : stop + 1], 206, about)

    def _tree(self, commit: Commit, folder: str, query: dict[str, str]) -> _Answer:
        inside = {p: b for p, b in commit.tree.items() if not folder or p.startswith(folder + "/")}
        if folder and not inside:
            raise Refused(404, f"{folder} does not exist on this revision", "EntryNotFound")
        recursive = query.get("recursive", "").lower() in ("true", "1")
        start = len(folder) + 1 if folder else 0
        entries: dict[str, dict[str, Any]] = {}
        for path, blob in sorted(inside.items()):
            parts = path[start:].split("/")
            for depth in range(1, len(parts)):
                parent = path[:start] + "/".join(parts[:depth])
                if recursive or depth == 1:
                    entries.setdefault(
                        parent, {"type": "directory", "oid": "0" * 40, "size": 0, "path": parent}
                    )
            if recursive or len(parts) == 1:
                entries[path] = blob.entry(path)
        everything = list(entries.values())
        at = int(query.get("cursor", "0"))
        headers = {}
        if at + self.hub.page < len(everything):
            rest = urlsplit(self.path)
            kept = re.sub(r"&?cursor=\d+", "", rest.query)
            link = f"{self.hub.url}{rest.path}?{kept}&cursor={at + self.hub.page}"
            headers["Link"] = f'<{link}>; rel="next"'
        return _json(everything[at : at + self.hub.page], 200, headers)

    def _lfs_batch(self, repo: Repo, wanted: dict[str, Any]) -> _Answer:
        there = {b.sha256 for c in repo.commits.values() for b in c.tree.values() if b.lfs} | set(
            repo.uploads
        )
        objects = []
        self.hub.store.weigh(repo, sum(i["size"] for i in wanted["objects"] if i["oid"] not in there))
        for item in wanted["objects"]:
            answer: dict[str, Any] = {"oid": item["oid"], "size": item["size"]}
            if item["oid"] not in there:
                href = f"{self.hub.url}/upload/{repo.kind}/{repo.name}/{item['oid']}"
                answer["actions"] = {"upload": {"href": href, "header": {}}}
            objects.append(answer)
        return _json({"transfer": "basic", "objects": objects})

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def _json(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> _Answer:
    return _Answer(
        json.dumps(value).encode(), status, {"Content-Type": "application/json", **(headers or {})}
    )


def _info(repo: Repo, commit: Commit, *, blobs: bool) -> dict[str, Any]:
    siblings = []
    for path, blob in sorted(commit.tree.items()):
        one: dict[str, Any] = {"rfilename": path}
        if blobs:
            one |= {"size": len(blob.data), "blobId": blob.oid}
            if blob.lfs:
                one["lfs"] = {"sha256": blob.sha256, "size": len(blob.data), "pointerSize": len(blob.pointer)}
        siblings.append(one)
    return {
        "id": repo.name,
        "author": repo.name.split("/")[0],
        "sha": commit.oid,
        "private": repo.private,
        "gated": "manual" if repo.gated else False,
        "disabled": False,
        "downloads": 0,
        "likes": 0,
        "tags": [],
        "siblings": siblings,
    }


def _paths(commit: Commit, paths: list[str]) -> list[dict[str, Any]]:
    found = []
    for path in paths:
        if path in commit.tree:
            found.append(commit.tree[path].entry(path))
        elif any(p.startswith(path.rstrip("/") + "/") for p in commit.tree):
            found.append({"type": "directory", "oid": "0" * 40, "size": 0, "path": path.rstrip("/")})
    return found


def _refs(repo: Repo) -> dict[str, Any]:
    def some(prefix: str) -> list[dict[str, str]]:
        return [
            {"name": ref.removeprefix(prefix), "ref": ref, "targetCommit": oid}
            for ref, oid in repo.refs.items()
            if ref.startswith(prefix)
        ]

    return {
        "branches": some("refs/heads/"),
        "tags": some("refs/tags/"),
        "converts": [],
        "pullRequests": some("refs/pr/"),
    }


def _discussions(repo: Repo, status: str | None) -> dict[str, Any]:
    found = [
        {
            **pull,
            "author": {"name": "somebody"},
            "createdAt": "2025-01-01T00:00:00.000Z",
            "isPullRequest": True,
            "repo": {"name": repo.name, "type": repo.kind},
        }
        for pull in repo.pulls
        if status in (None, pull["status"])
    ]
    return {"count": len(found), "start": 0, "discussions": found}


def _preupload(head: Commit, file: dict[str, Any]) -> dict[str, Any]:
    there = head.tree.get(file["path"])
    mode = "lfs" if is_lfs(file["path"], file["size"]) else "regular"
    # As the Hub: the git id of a regular file, the sha256 of an LFS one.
    oid = None if there is None else (there.sha256 if there.lfs else there.oid)
    return {"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid}
