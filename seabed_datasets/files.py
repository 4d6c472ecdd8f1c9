"""Files: hashed once, replaced in one step."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path


def file_sha256(path: Path) -> str:
    """The sha256 of a file, read once as long as the file does not change.

    Args:
        path: the file.

    Returns:
        64 hex digits.
    """
    return _hash(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _hash(path: Path, changed: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


def replace_text(path: Path, text: str, scratch: Path | None = None) -> None:
    """Write a file under a temporary name, then rename it: a reader sees the old text or the new one.

    Args:
        path: the file; its folder is made.
        text: what it shall hold, written as UTF-8 with LF line ends.
        scratch: a folder on the same file system for the temporary file, by default the file's own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = (scratch / path.name if scratch else path).with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    os.replace(temporary, path)
