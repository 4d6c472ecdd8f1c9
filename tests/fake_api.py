"""A loopback server with the embedding APIs of OpenAI, Cohere, Voyage and Jina: their limits, and faults on demand.

with FakeApi("cohere", key="secret") as api:
    api.faults = [429, "cut"]           # what the next requests get instead
    encoder.url = api.url + encoder.api.path
"""

from __future__ import annotations

import base64
import json
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any

import numpy as np
import numpy.typing as npt

DIMENSION = 8
# Written down here a second time, from the providers' documentation and not from apis.toml.
LIMITS = {
    "openai": (2048, 300_000),
    "cohere": (96, 128_000),
    "voyage": (1000, 120_000),
    "jina": (2048, 10**9),
}
PATHS = {"openai": "/embeddings", "cohere": "/v2/embed", "voyage": "/embeddings", "jina": "/embeddings"}
FIELDS = {
    "openai": {"model", "input", "encoding_format", "dimensions", "user"},
    "cohere": {"model", "texts", "input_type", "embedding_types", "truncate"},
    "voyage": {
        "model",
        "input",
        "input_type",
        "truncation",
        "output_dimension",
        "output_dtype",
        "encoding_format",
    },
    "jina": {
        "model",
        "input",
        "task",
        "dimensions",
        "late_chunking",
        "truncate",
        "normalized",
        "embedding_type",
    },
}
TYPES = {
    "cohere": {"search_document", "search_query", "classification", "clustering"},
    "voyage": {"query", "document", None},
    "jina": {"retrieval.query", "retrieval.passage", "text-matching", "classification", "separation", None},
}

Fault = int | str | tuple[int, dict[str, str], str]


def vector(text: str, input_type: str | None = None) -> npt.NDArray[np.float32]:
    """What the server answers: depends on the text and its type."""
    seed = zlib.crc32(f"{input_type}\0{text}".encode())
    return np.random.default_rng(seed).standard_normal(DIMENSION).astype(np.float32)


class FakeApi:
    """`requests`: the body of every request that was answered with vectors; `asked`: number of all requests.

    `faults` are a status, a (status, headers, body), or one of: "cut" (half of the body), "cut without length"
    (the same, but no Content-Length tells), "hang", "drop", "garbage", "fewer", "uneven".
    """

    def __init__(self, provider: str, *, key: str | None = None, slowly: float = 0.0) -> None:
        self.provider, self.key, self.slowly = provider, key, slowly
        self.faults: list[Fault] = []
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.asked = self.running = self.most_running = 0
        self.lock = Lock()
        handler = type("Handler", (_Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> FakeApi:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def refuse(self, path: str, authorization: str | None, body: dict[str, Any]) -> tuple[int, str] | None:
        """What is wrong with a request."""
        if path != PATHS[self.provider]:
            return 404, "no such path"
        if self.key is not None and authorization != f"Bearer {self.key}":
            return 401, f"bad key {authorization}"
        if strange := set(body) - FIELDS[self.provider]:
            return 400, f"unknown fields {strange}"
        texts = body["texts" if self.provider == "cohere" else "input"]
        most, tokens = LIMITS[self.provider]
        if not 1 <= len(texts) <= most:
            return 400, f"{len(texts)} texts"
        if not all(texts):
            return 400, "an empty text"
        # The worst tokenizer there is: a token per byte, and what the provider adds.
        if sum(len(t.encode()) + 12 for t in texts) > tokens:
            return 400, "too many tokens"
        if self.provider in TYPES and self.type(body) not in TYPES[self.provider]:
            return 400, f"input type {self.type(body)}"
        return None

    def type(self, body: dict[str, Any]) -> str | None:
        return body.get("task" if self.provider == "jina" else "input_type")

    def answer(self, body: dict[str, Any], fault: Fault | None) -> Any:
        """The body of a good answer; "fewer" and "uneven" are bad ones."""
        texts = body["texts" if self.provider == "cohere" else "input"]
        rows = [vector(t, self.type(body)) for t in texts]
        if fault == "fewer":
            rows = rows[:-1]
        if fault == "uneven":
            rows[-1] = rows[-1][:-1]
        if self.provider == "cohere":
            return {"embeddings": {"float": [r.tolist() for r in rows]}}
        packed = body.get("encoding_format") == "base64"
        items = [
            {"index": i, "embedding": base64.b64encode(r.tobytes()).decode() if packed else r.tolist()}
            for i, r in enumerate(rows)
        ]
        # The order of the items is not promised, their index is.
        return {"data": items[::-1]}


class _Handler(BaseHTTPRequestHandler):
    api: FakeApi
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        api = self.api
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with api.lock:
            api.asked += 1
            api.running += 1
            api.most_running = max(api.most_running, api.running)
            api.headers.append(dict(self.headers))
            fault = api.faults.pop(0) if api.faults else None
        try:
            time.sleep(api.slowly)
            self._reply(body, fault)
        finally:
            with api.lock:
                api.running -= 1

    def _reply(self, body: dict[str, Any], fault: Fault | None) -> None:
        api = self.api
        if isinstance(fault, int):
            fault = (fault, {}, "try later")
        if isinstance(fault, tuple):
            self._send(*fault)
        elif fault == "hang":
            time.sleep(1.5)
            self.close_connection = True
        elif fault == "drop":
            self.close_connection = True
        elif fault == "garbage":
            self._send(200, {}, "<html>maintenance</html>")
        elif refused := api.refuse(self.path, self.headers.get("Authorization"), body):
            self._send(refused[0], {}, json.dumps({"error": {"message": refused[1]}}))
        else:
            text = json.dumps(api.answer(body, fault))
            if fault in ("cut", "cut without length"):
                self._send(200, {}, text[: len(text) // 2], length=len(text) if fault == "cut" else None)
                self.close_connection = True
                return
            if fault is None:
                with api.lock:
                    api.requests.append(body)
            self._send(200, {}, text)

    def _send(self, status: int, headers: dict[str, str], text: str, length: int | None = -1) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is None:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(len(text) if length == -1 else length))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args: object) -> None:
        pass
