"""Vectors kept between configs and runs, in memory and on disk (SQLite): a miss only costs time.

Key: a hash of the encoder's settings (model, revision, pooling, normalisation, length, dtype, ...) and of the
final text with its prompt. Value: the bytes of a float32 vector and of the text's two token counts (before and
after the cut at the model's length), and their checksum. Several processes may share the file; a process that is
killed loses the batch it was writing and nothing else (SQLite's write-ahead log).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from seabed_datasets.errors import SeabedError
from seabed_evaluate.encoders.batching import Counts, Tick, Vectors
from seabed_evaluate.encoders.prompts import Prompted

log = logging.getLogger("seabed_evaluate.encoders.vector_cache")

# Raised whenever the same settings and text begin to mean another vector.
VERSION = 2
FILE = "embeddings.sqlite3"
MAX_BYTES = 10 * 10**9
MEMORY_BYTES = 2**29
KEYS_AT_ONCE = 500
# Bytes of the two token counts before a vector.
COUNTS = 8
DAY = 86_400
# A full cache is emptied to this share, the least recently used vectors first.
KEPT = 0.8
WAIT_SECONDS = 60.0

Key = bytes


def default_folder() -> Path:
    """Where vectors are kept.

    Returns:
        $SEABED_CACHE, else a folder in the user's cache folder.
    """
    from platformdirs import user_cache_path

    return Path(os.environ.get("SEABED_CACHE") or user_cache_path("seabed"))


def default_bytes() -> int:
    """How large the file may grow.

    Returns:
        $SEABED_CACHE_GB times 10^9, else 10 GB.

    Raises:
        SeabedError: the variable is not a positive number.
    """
    given = os.environ.get("SEABED_CACHE_GB")
    try:
        size = int(float(given) * 10**9) if given else MAX_BYTES
    except ValueError:
        size = 0
    if size <= 0:
        raise SeabedError(f"SEABED_CACHE_GB is {given!r}; it must be a number of gigabytes, e.g. 20")
    return size


def lasts(settings: dict[str, Any]) -> bool:
    """Whether an encoder's settings say exactly which model it is, so that its vectors may outlive the run.

    Args:
        settings: an encoder's settings.

    Returns:
        True for a model with a revision and for a provider's own API; False for a user's function, which may
        change under the same name, and for a server of one's own.
    """
    if settings.get("encoder") == "api":
        from seabed_evaluate.encoders.apis import known_apis

        api = known_apis().get(str(settings["model"]).partition(":")[0])
        return api is not None and settings.get("base_url") == api.base_url
    return settings.get("revision") is not None


def space(settings: dict[str, Any]) -> bytes:
    """A name for all vectors that one encoder makes.

    Args:
        settings: an encoder's settings.

    Returns:
        32 bytes.
    """
    # Tokenizers and models have changed what they make from one minor version to the next.
    names = ("transformers", "tokenizers", "sentence-transformers")
    ours = settings.get("encoder") == "sentence-transformers"
    libraries = {n: version(n).split(".")[:2] for n in names} if ours else {}
    whole = [VERSION, libraries, settings]
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


def text_key(within: bytes, text: Prompted) -> Key:
    """The key of a text's vector.

    Args:
        within: what `space` gives.
        text: the final text, where its prompt ends, and its input type.

    Returns:
        20 bytes.
    """
    whole = json.dumps(text, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(whole, digest_size=20, key=within).digest()


class DiskCache:
    """Vectors in one SQLite file. Any failure is logged once and makes every later look-up a miss."""

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self.path, self.max_bytes = folder / FILE, max_bytes
        self._db: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = _open(self.path)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def get(self, keys: Sequence[Key]) -> dict[Key, bytes]:
        """Look vectors up.

        Args:
            keys: of texts.

        Returns:
            Key -> the bytes of a vector, for those that are there and whole.
        """
        found: dict[Key, bytes] = {}
        today = int(time.time()) // DAY
        with self._safely():
            for start in range(0, len(keys) if self._db else 0, KEYS_AT_ONCE):
                part = keys[start : start + KEYS_AT_ONCE]
                marks = ",".join("?" * len(part))
                rows = self._do(f"SELECT key, vector, crc, used FROM vectors WHERE key IN ({marks})", part)
                whole = [(k, v, used) for k, v, crc, used in rows if _checksum(k, v) == crc]
                if len(whole) < len(rows):
                    log.warning("%s: %d damaged vectors, made again", self.path, len(rows) - len(whole))
                found.update((k, v) for k, v, _ in whole)
                # By the day, so that reading seldom writes.
                if old := [k for k, _, used in whole if used < today]:
                    self._do(
                        f"UPDATE vectors SET used = ? WHERE key IN ({','.join('?' * len(old))})",
                        [today, *old],
                    )
        return found

    def held(self, keys: Sequence[Key]) -> set[Key]:
        """Which vectors are there, without reading them.

        Args:
            keys: of texts.

        Returns:
            Those that are.
        """
        found: set[Key] = set()
        with self._safely():
            for start in range(0, len(keys) if self._db else 0, KEYS_AT_ONCE):
                part = keys[start : start + KEYS_AT_ONCE]
                marks = ",".join("?" * len(part))
                found.update(k for (k,) in self._do(f"SELECT key FROM vectors WHERE key IN ({marks})", part))
        return found

    def put(self, within: bytes, settings: dict[str, Any], items: Iterable[tuple[Key, bytes]]) -> None:
        """Keep vectors; a reader sees all of them or none.

        Args:
            within: the space of the vectors.
            settings: the encoder's, kept for `info`.
            items: keys and the bytes of vectors.
        """
        if self._db is None:
            return
        today = int(time.time()) // DAY
        with self._safely():
            self._do("BEGIN IMMEDIATE")
            try:
                described = json.dumps(settings, sort_keys=True, ensure_ascii=False)
                self._do("INSERT OR IGNORE INTO spaces (name, settings) VALUES (?, ?)", [within, described])
                ((number,),) = self._do("SELECT id FROM spaces WHERE name = ?", [within])
                rows = [(k, number, today, _checksum(k, v), v) for k, v in items]
                self._db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)", rows)
                self._do("COMMIT")
            except BaseException:
                self._db.rollback()
                raise
            if _used_bytes(self._db) > self.max_bytes:
                _evict(self._db, int(self.max_bytes * KEPT))

    def close(self) -> None:
        """Close the file; later look-ups are misses."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def _do(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        assert self._db is not None
        return self._db.execute(statement, values).fetchall()

    @contextmanager
    def _safely(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        log.warning(
            "%s: %s; going on without it. `seabed cache clear` makes a new one, --cache chooses another folder",
            self.path,
            error,
        )
        self.close()


def _open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
    try:
        db.execute("PRAGMA page_size = 16384")
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA journal_mode = WAL")
        # A process that is killed loses nothing that was committed; a power cut may lose the last commits.
        db.execute("PRAGMA synchronous = NORMAL")
        db.execute("PRAGMA mmap_size = 1073741824")
        db.execute(
            "CREATE TABLE IF NOT EXISTS spaces (id INTEGER PRIMARY KEY, name BLOB UNIQUE, settings TEXT)"
        )
        db.execute(
            "CREATE TABLE IF NOT EXISTS vectors "
            "(key BLOB PRIMARY KEY, space INTEGER, used INTEGER, crc INTEGER, vector BLOB)"
        )
        db.execute("CREATE INDEX IF NOT EXISTS by_use ON vectors (used)")
    except BaseException:
        db.close()
        raise
    return db


def _checksum(key: Key, vector: bytes) -> int:
    # With the key, so that a vector under another text's key does not pass.
    return zlib.crc32(vector, zlib.crc32(key))


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _used_bytes(db: sqlite3.Connection) -> int:
    return (_pragma(db, "page_count") - _pragma(db, "freelist_count")) * _pragma(db, "page_size")


def _evict(db: sqlite3.Connection, target: int) -> None:
    """Delete the least recently used vectors, some at a time so that other processes can write between."""
    while (used := _used_bytes(db)) > target:
        count = int(db.execute("SELECT count(*) FROM vectors").fetchone()[0])
        # Vectors of a model have one size; those of several models are near enough for a loop.
        step = min(max(1, int(count * (1 - target / used))), 20_000)
        gone = db.execute(
            "DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used, rowid LIMIT ?)",
            [step],
        ).rowcount
        if gone <= 0:
            break
    db.execute("PRAGMA incremental_vacuum").fetchall()


@dataclass
class EmbeddingCache:
    """The vectors of this run in memory, over those on disk."""

    disk: DiskCache | None = None
    memory_bytes: int = MEMORY_BYTES

    def __post_init__(self) -> None:
        self._memory: OrderedDict[Key, bytes] = OrderedDict()
        self._held = 0

    def get(self, keys: Sequence[Key], *, lasting: bool) -> dict[Key, bytes]:
        """Look vectors up.

        Args:
            keys: of texts.
            lasting: also on disk.

        Returns:
            Key -> the bytes of a vector.
        """
        found = {k: self._memory[k] for k in keys if k in self._memory}
        for key in found:
            self._memory.move_to_end(key)
        if lasting and self.disk:
            more = self.disk.get([k for k in keys if k not in found])
            self._remember(more.items())
            found |= more
        return found

    def held(self, keys: Sequence[Key], *, lasting: bool) -> set[Key]:
        """Which vectors are there, without reading them.

        Args:
            keys: of texts.
            lasting: also on disk.

        Returns:
            Those that are.
        """
        found = {k for k in keys if k in self._memory}
        if lasting and self.disk:
            found |= self.disk.held([k for k in keys if k not in found])
        return found

    def put(self, within: bytes, settings: dict[str, Any], items: Sequence[tuple[Key, bytes]]) -> None:
        """Keep vectors, on disk only where the settings say exactly which model made them.

        Args:
            within: the space of the vectors.
            settings: the encoder's settings.
            items: keys and the bytes of vectors.
        """
        self._remember(items)
        if self.disk and lasts(settings):
            self.disk.put(within, settings, items)

    def _remember(self, items: Iterable[tuple[Key, bytes]]) -> None:
        for key, vector in items:
            self._held += len(vector) - len(self._memory.pop(key, b""))
            self._memory[key] = vector
        while self._held > self.memory_bytes:
            self._held -= len(self._memory.popitem(last=False)[1])


def open_cache(folder: Path | None = None, *, disk: bool = True) -> EmbeddingCache:
    """The cache of a run.

    Args:
        folder: of the file; default: `default_folder`.
        disk: False keeps vectors in memory only.

    Returns:
        The cache.
    """
    if not disk:
        return EmbeddingCache()
    return EmbeddingCache(DiskCache(folder or default_folder(), max_bytes=default_bytes()))


def encode_cached(
    encoder: Any,
    texts: Sequence[Prompted],
    cache: EmbeddingCache,
    *,
    check: Callable[[Vectors, Sequence[Prompted]], object],
    tick: Tick | None = None,
) -> tuple[Vectors, Counts, int]:
    """Encode the texts whose vectors are not kept yet, and keep each batch as soon as it is done.

    Args:
        encoder: an Encoder; one that has `stream` is asked batch by batch.
        texts: n different final texts, at least one.
        cache: where vectors are kept.
        check: refuses vectors that must be neither kept nor scored.
        tick: called with the number of texts done.

    Returns:
        float32 array of shape (n, dimension), token counts of shape (n, 2), and how many vectors were kept from before.

    Raises:
        SeabedError: vectors of different dimensions, or what `check` raises.
    """
    settings = encoder.settings
    within = space(settings)
    keys = [text_key(within, text) for text in texts]
    known = cache.get(keys, lasting=lasts(settings))
    missing = [i for i, key in enumerate(keys) if key not in known]
    out: Vectors | None = None
    counts: Counts = np.zeros((len(texts), 2), dtype=np.int64)

    def room(dimension: int) -> Vectors:
        if out is None:
            return np.empty((len(texts), dimension), dtype=np.float32)
        if out.shape[1] != dimension:
            raise SeabedError(f"{settings['model']} made vectors of {out.shape[1]} and of {dimension} values")
        return out

    for i, key in enumerate(keys):
        if key in known:
            vector = np.frombuffer(known[key], dtype=np.float32, offset=COUNTS)
            out = room(len(vector))
            out[i], counts[i] = vector, np.frombuffer(known[key], dtype=np.uint32, count=2)
    if tick and known:
        tick(len(known))
    for places, vectors, *more in _parts(encoder, [texts[i] for i in missing]) if missing else ():
        own = [missing[i] for i in places]
        check(vectors, [texts[i] for i in own])
        out = room(vectors.shape[1])
        out[own], counts[own] = vectors, more[0] if more else 0
        rows = np.ascontiguousarray(vectors, dtype=np.float32)
        heads = counts[own].astype(np.uint32)
        whole = [head.tobytes() + row.tobytes() for head, row in zip(heads, rows, strict=True)]
        cache.put(within, settings, list(zip([keys[i] for i in own], whole, strict=True)))
        if tick:
            tick(len(own))
    if out is None:
        raise SeabedError("nothing to encode: the list of texts is empty")
    return out, counts, len(known)


TEXTS_AT_ONCE = 2048


def _parts(encoder: Any, texts: Sequence[Prompted]) -> Iterator[Sequence[Any]]:
    if hasattr(encoder, "stream"):
        yield from encoder.stream(texts)
        return
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        places = range(start, min(start + TEXTS_AT_ONCE, len(texts)))
        yield places, encoder.encode([texts[i] for i in places])


@dataclass(frozen=True)
class Held:
    """What a cache holds of one encoder."""

    settings: dict[str, Any]
    vectors: int
    bytes: int


def info(folder: Path) -> list[Held]:
    """What a cache holds.

    Args:
        folder: of the file.

    Returns:
        One entry per encoder, the largest first; nothing where there is no file.

    Raises:
        SeabedError: the file cannot be read.
    """
    path = folder / FILE
    if not path.is_file():
        return []
    try:
        with closing(_open(path)) as db:
            rows = db.execute(
                "SELECT settings, count(*), sum(length(vector)) FROM vectors JOIN spaces ON spaces.id = space "
                "GROUP BY space ORDER BY 3 DESC"
            ).fetchall()
    except sqlite3.Error as error:
        raise SeabedError(f"{path}: {error}; `seabed cache clear` removes it") from None
    return [Held(json.loads(settings), count, size) for settings, count, size in rows]


def clear(folder: Path, model: str | None = None) -> int:
    """Forget vectors.

    Args:
        folder: of the file.
        model: only those of this model; None forgets all, and removes a file that cannot be read.

    Returns:
        How many vectors are gone.

    Raises:
        SeabedError: the file cannot be read or is in use.
    """
    path = folder / FILE
    if not path.is_file():
        return 0
    try:
        with closing(_open(path)) as db:
            wanted = [
                number
                for number, settings in db.execute("SELECT id, settings FROM spaces").fetchall()
                if model is None or json.loads(settings).get("model") == model
            ]
            gone = 0
            for number in wanted:
                gone += db.execute("DELETE FROM vectors WHERE space = ?", [number]).rowcount
            db.execute("PRAGMA incremental_vacuum").fetchall()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            return gone
    except sqlite3.OperationalError as error:
        raise SeabedError(f"{path}: {error}; another process uses it, try again when it has ended") from None
    except sqlite3.DatabaseError as error:
        if model is not None:
            raise SeabedError(f"{path}: {error}; `seabed cache clear` removes it") from None
        for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
            (folder / name).unlink(missing_ok=True)
        return 0
