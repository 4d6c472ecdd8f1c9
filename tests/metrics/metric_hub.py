"""A Hub on loopback that serves Spaces from a folder: ``python metric_hub.py FOLDER`` prints its address.

``spaces/seabed/<task>/resolve/<revision>/<file>`` answers ``FOLDER/<task>/<file>``; ``main`` is the only
revision, so evaluate's first try (a tag named like its own version) gets 404, as on a Space without tags.
"""

import hashlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Hub(BaseHTTPRequestHandler):
    root: Path

    def do_GET(self) -> None:
        self.answer(with_body=True)

    def do_HEAD(self) -> None:
        self.answer(with_body=False)

    def answer(self, *, with_body: bool) -> None:
        parts = self.path.strip("/").split("/")
        body = None
        if len(parts) == 6 and parts[:2] == ["spaces", "seabed"] and parts[3:5] == ["resolve", "main"]:
            file = self.root / parts[2] / parts[5]
            body = file.read_bytes() if file.is_file() else None
        self.send_response(404 if body is None else 200)
        content = body or b""
        self.send_header("Content-Length", str(len(content)))
        if body is not None:
            self.send_header("ETag", f'"{hashlib.sha256(body).hexdigest()}"')
            self.send_header("X-Repo-Commit", "0" * 40)
        self.end_headers()
        if with_body:
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


if __name__ == "__main__":
    Hub.root = Path(sys.argv[1])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
