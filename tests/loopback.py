"""A web server and a small Hub on loopback, with faults on demand and a record of what was asked.

    with Loopback() as web:
        web.files["/a.csv"] = b"x,y\\n"              # web.url + "/a.csv"
        web.faults["/a.csv"] = [500, "cut"]          # the next two answers; then the file
        web.commit("datasets/some/repo", {"data/test.parquet": b"..."})     # web.url is an HF_ENDPOINT

The Hub part answers what `hf_hub_download`, `dataset_info` and `list_repo_files` ask of repositories. A client
reads HF_ENDPOINT when it is imported, so it needs a process of its own: `python -m tests.loopback` makes
configs of cards there, see `make`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

Fault = int | str | bytes


class Loopback:
    """The server: what it holds may be changed at any time while it runs.

    `files`: path -> body. `faults`: path -> what the next requests for it get instead: a status, "cut" (half
    of the body, then the connection is closed) or other bytes. `gated`: repositories that nobody may read.
    `asked`: every request so far, as "GET /path".
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: defaultdict[str, list[Fault]] = defaultdict(list)
        self.gated: set[str] = set()
        self.asked: list[str] = []
        self._repositories: dict[str, dict[str, dict[str, bytes]]] = {}
        handler = type("Handler", (_Handler,), {"web": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Loopback:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def commit(self, repository: str, files: dict[str, bytes]) -> str:
        """Make `files` all there is in a repository ("datasets/owner/name"); gives the commit's id."""
        commits = self._repositories.setdefault(repository, {})
        listed = [(path, hashlib.sha256(body).hexdigest()) for path, body in sorted(files.items())]
        name = hashlib.sha1(repr((len(commits), listed)).encode()).hexdigest()
        commits[name] = commits["main"] = dict(files)
        return name

    def find(self, repository: str, revision: str) -> tuple[str, dict[str, bytes]] | None:
        """The id and the files of a commit, branch or abbreviated id."""
        commits = self._repositories.get(repository, {})
        for name, files in commits.items():
            if name != "main" and (name.startswith(revision) or files is commits.get(revision)):
                return name, files
        return None


class _Handler(BaseHTTPRequestHandler):
    web: Loopback
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.handle_request()

    def do_HEAD(self) -> None:
        self.handle_request()

    def handle_request(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.web.asked.append(f"{self.command} {unquote(self.path)}")
        fault = self.web.faults[path].pop(0) if self.web.faults[path] else None
        if isinstance(fault, int):
            self.answer(fault, b"a fault on demand")
        elif path.startswith("/api/"):
            self.hub_api(path)
        elif found := re.fullmatch(r"/(\w+/[^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self.hub_file(*found.groups(), fault)
        elif path in self.web.files:
            self.answer(200, self.web.files[path], fault=fault)
        else:
            self.answer(404, b"no such file")

    def hub_api(self, path: str) -> None:
        found = re.fullmatch(r"/api/(\w+/[^/]+/[^/]+?)(?:/(revision|tree)/([^/]+))?", path)
        kind = found and found[2]
        commit = self.web.find(found[1], found[3] or "main") if found else None
        if found is None or commit is None:
            self.refuse(404, "RevisionNotFound" if kind else "RepoNotFound")
            return
        name, files = commit
        if kind == "tree":
            tree: Any = [
                {"type": "file", "path": p, "size": len(body), "oid": hashlib.sha1(body).hexdigest()}
                for p, body in files.items()
            ]
        else:
            siblings = [{"rfilename": p} for p in files]
            repository = found[1].split("/", 1)[1]
            tree = {"id": repository, "sha": name, "private": False, "tags": [], "siblings": siblings}
        self.answer(200, json.dumps(tree).encode(), {"Content-Type": "application/json"})

    def hub_file(self, repository: str, revision: str, path: str, fault: Fault | None) -> None:
        commit = self.web.find(repository, revision)
        if repository in self.web.gated:
            self.refuse(403, "GatedRepo")
        elif commit is None:
            self.refuse(404, "RevisionNotFound" if self.web.find(repository, "main") else "RepoNotFound")
        elif path not in commit[1]:
            self.refuse(404, "EntryNotFound", {"X-Repo-Commit": commit[0]})
        else:
            body = commit[1][path]
            tag = f'"{hashlib.sha256(body).hexdigest()}"'
            self.answer(200, body, {"X-Repo-Commit": commit[0], "ETag": tag}, fault)

    def refuse(self, status: int, code: str, headers: dict[str, str] | None = None) -> None:
        self.answer(status, b"{}", {"X-Error-Code": code, "X-Error-Message": code} | (headers or {}))

    def answer(
        self, status: int, body: bytes, headers: dict[str, str] | None = None, fault: Fault | None = None
    ) -> None:
        sent = fault if isinstance(fault, bytes) else body
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        self.wfile.write(sent[: len(sent) // 2] if fault == "cut" else sent)
        if fault == "cut":
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def make(web: Loopback, home: Path, how: str, cards: list[Path]) -> dict[str, dict[str, Any]]:
    """What comes of every config of some cards, in a process of its own whose Hub is `web`.

    `how`: "fetch" gives the raw files as {"files": role -> texts, "used": ...}, "release" makes rows of the
    authors' copy, {"splits": ..., "used": ...}; either may give {"error": its class, "message": its text}.
    `home`: a folder for all caches.
    """
    environment = os.environ | {
        "HF_ENDPOINT": web.url,
        "HF_HOME": str(home / "hf"),
        "SEABED_CACHE": str(home / "seabed"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": "",
    }
    command = [sys.executable, "-m", "tests.loopback", how, *map(str, cards)]
    done = subprocess.run(
        command,
        cwd=Path(__file__).parents[1],
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    made: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return made


def _main(how: str, *paths: str) -> None:
    from dataclasses import asdict

    from seabed_datasets import catalogue, sources
    from seabed_datasets.errors import SeabedError
    from seabed_datasets.loaders import release

    cards = {Path(p).stem: catalogue.read_card(Path(p)) for p in paths}
    sources.dataset = release.dataset = cards.__getitem__  # type: ignore[assignment,attr-defined]
    made: dict[str, Any] = {}
    for card in cards.values():
        for name in card.seabed.configs:
            try:
                if how == "fetch":
                    raw = sources.fetch(card.config(name))
                    texts = {r: [f.read_text("utf-8") for f in files] for r, files in raw.files.items()}
                    made[name] = {"files": texts, "used": [asdict(u) for u in raw.used]}
                else:
                    splits, used = release.load(card.config(name))
                    rows = {split: list(rows) for split, rows in splits.items()}
                    made[name] = {"splits": rows, "used": [asdict(u) for u in used]}
            except SeabedError as error:
                made[name] = {"error": type(error).__name__, "message": str(error)}
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    print(json.dumps(made, ensure_ascii=False))


if __name__ == "__main__":
    _main(*sys.argv[1:])
