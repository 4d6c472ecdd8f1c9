"""A web server of files on loopback, with faults on demand; and cards made into rows against a loopback Hub.

    with Loopback() as web:
        web.files["/a.csv"] = b"x,y\\n"              # web.url + "/a.csv"
        web.faults["/a.csv"] = [500, "cut"]          # the next two answers; then the file

The Hub itself is `tests.hub`. Its clients read HF_ENDPOINT when they are imported, so `make` uses them in a
process of its own (`python -m tests.loopback`).
"""

from __future__ import annotations

import json
import os
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
    of the body, then the connection is closed) or other bytes. `asked`: every request so far, as "GET /path".
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: defaultdict[str, list[Fault]] = defaultdict(list)
        self.asked: list[str] = []
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


class _Handler(BaseHTTPRequestHandler):
    web: Loopback

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        self.web.asked.append(f"{self.command} {unquote(self.path)}")
        fault = self.web.faults[path].pop(0) if self.web.faults[path] else None
        body = fault if isinstance(fault, bytes) else self.web.files.get(path)
        status = fault if isinstance(fault, int) else 404 if body is None else 200
        sent = b"an error" if status != 200 or body is None else body
        self.send_response(status)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent[: len(sent) // 2] if fault == "cut" else sent)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


def make(endpoint: str, home: Path, how: str, cards: list[Path]) -> dict[str, dict[str, Any]]:
    """What comes of every config of some cards, in a process of its own whose Hub is at `endpoint`.

    `how`: "fetch" gives the raw files as {"files": role -> texts, "used": ...}, "release" makes rows of the
    authors' copy, {"splits": ..., "used": ...}; either may give {"error": its class, "message": its text}.
    `home`: a folder for all caches.
    """
    environment = os.environ | {
        "HF_ENDPOINT": endpoint,
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

    from seabed_datasets import catalogue
    from seabed_datasets.errors import SeabedError
    from seabed_datasets.loaders import release
    from seabed_datasets.sources import raw_files as sources

    cards = {Path(p).stem: catalogue.read_card(Path(p)) for p in paths}
    for module in (sources, release):
        vars(module)["dataset"] = cards.__getitem__
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
    sys.stdout.buffer.write(json.dumps(made, ensure_ascii=False).encode())


if __name__ == "__main__":
    _main(*sys.argv[1:])
