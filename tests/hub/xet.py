"""The Xet side of the loopback Hub: upload tokens, blocks of chunks, and the shards that say which files they make.

The binary layout is the one hf_xet 1.8 writes (its own upload was recorded and taken apart). Hashes of chunks and
blocks are not checked again: a commit names the sha256 of whole files, and those are made here from the chunks.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from typing import Any

from tests.hub.store import Refused, Store

RECORD = 48
VERIFIED, DESCRIBED = 1 << 31, 1 << 30


def connection(url: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Where to send blocks, and with which short-lived token: the body and the headers of the Hub's answer."""
    until = int(time.time()) + 3600
    body = {"casUrl": url, "accessToken": "xet_write", "exp": until}
    return body, {
        "X-Xet-Cas-Url": url,
        "X-Xet-Access-Token": "xet_write",
        "X-Xet-Token-Expiration": str(until),
    }


def answer(store: Store, method: str, path: str, token: str, body: bytes) -> dict[str, Any]:
    """Answer a client of the block store; its newer endpoints answer 404, and the client then takes these."""
    if path == "/v1/telemetry":
        return {}
    if token != "xet_write":
        raise Refused(401, "not a token for blocks")
    if method == "POST" and path.startswith("/v1/xorbs/default/"):
        store.blocks[path.rsplit("/", 1)[1]] = list(_chunks(body))
        return {"was_inserted": True}
    if method == "POST" and path == "/v1/shards":
        for content in _files(store, body):
            store.objects[hashlib.sha256(content).hexdigest()] = content
        return {"result": 1}
    raise Refused(404, "Not found")


def _chunks(block: bytes) -> Iterator[bytes]:
    """The chunks of a block: a header of 8 bytes each (version, stored size, scheme, size), no footer."""
    import pyarrow

    at = 0
    while at < len(block):
        version, scheme = block[at], block[at + 4]
        stored = int.from_bytes(block[at + 1 : at + 4], "little")
        size = int.from_bytes(block[at + 5 : at + 8], "little")
        if version != 0:  # a footer, of clients that send one
            return
        data = block[at + 8 : at + 8 + stored]
        if scheme:
            data = bytes(pyarrow.decompress(data, size, codec="lz4", asbytes=True))
        yield _ungrouped(data) if scheme == 2 else data
        at += 8 + stored


def _ungrouped(data: bytes) -> bytes:
    """Undo the sorting of every fourth byte into one group."""
    out, at = bytearray(len(data)), 0
    for first in range(4):
        count = len(range(first, len(data), 4))
        out[first::4] = data[at : at + count]
        at += count
    return bytes(out)


def _files(store: Store, shard: bytes) -> Iterator[bytes]:
    """The files a shard describes: each a list of ranges of chunks in blocks."""
    at = RECORD
    while shard[at : at + 32] != b"\xff" * 32:
        flags, count = (int.from_bytes(shard[at + o : at + o + 4], "little") for o in (32, 36))
        parts = []
        for part in range(count):
            record = shard[at + RECORD * (1 + part) : at + RECORD * (2 + part)]
            first, stop = (int.from_bytes(record[o : o + 4], "little") for o in (40, 44))
            name = "".join(record[o : o + 8][::-1].hex() for o in range(0, 32, 8))
            if name not in store.blocks:
                raise Refused(400, f"no block {name}")
            parts += store.blocks[name][first:stop]
        yield b"".join(parts)
        at += RECORD * (1 + count * (2 if flags & VERIFIED else 1) + (1 if flags & DESCRIBED else 0))
