"""JSON of others, read with care: bounded in size and depth, each key once, finite numbers, storable text."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Any

from seabed_datasets.errors import SeabedError

MAX_BYTES = 4 << 20
MAX_DEPTH = 24
MAX_TEXT = 100_000
MAX_KEY = 1_000


def read_json(path: Path, max_bytes: int = MAX_BYTES) -> Any:
    """Read a JSON file that anybody may have written.

    Args:
        path: the file.
        max_bytes: how large it may be.

    Returns:
        Its value.

    Raises:
        FileNotFoundError: there is no such file.
        SeabedError: it cannot be read, or breaks a rule of `parse_json`; the message does not name the file.
    """
    try:
        size = path.stat().st_size
        if size > max_bytes:
            raise SeabedError(f"it has {size:,} bytes, more than {max_bytes:,}")
        return parse_json(path.read_bytes())
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SeabedError(f"it cannot be read ({error.strerror})") from None


def parse_json(data: bytes) -> Any:
    """Read JSON strictly.

    Args:
        data: UTF-8.

    Returns:
        Its value.

    Raises:
        SeabedError: it is not JSON; a key is there twice; a number is not finite; it is nested too deep; a text
            is too long or cannot be stored as UTF-8.

    >>> parse_json(b'{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    """
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except RecursionError:
        raise SeabedError("it is nested too deep") from None
    except UnicodeDecodeError as error:
        raise SeabedError(f"it is not UTF-8 (byte {error.start})") from None
    except ValueError as error:  # also a whole number of thousands of digits
        raise SeabedError(f"it is not JSON ({error})") from None
    _check(value)
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise SeabedError(f"the key {twice[:60]!a} is there twice")
    return found


def _no_constant(name: str) -> None:
    raise SeabedError(f"{name} is no number")


def _check(value: Any) -> None:
    """Walk without recursion, so that depth is refused and never suffered."""
    left = [(value, 1)]
    while left:
        part, depth = left.pop()
        if isinstance(part, str):
            _check_text(part, MAX_TEXT)
        elif isinstance(part, float):
            if not isfinite(part):
                raise SeabedError("a number is infinite")
        elif isinstance(part, dict | list):
            if depth > MAX_DEPTH:
                raise SeabedError(f"it is nested more than {MAX_DEPTH} deep")
            if isinstance(part, dict):
                for key in part:
                    _check_text(key, MAX_KEY)
            left += [(p, depth + 1) for p in (part.values() if isinstance(part, dict) else part)]


def _check_text(text: str, longest: int) -> None:
    if len(text) > longest:
        raise SeabedError(f"a text has {len(text):,} characters, more than {longest:,}: {text[:40]!a}...")
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise SeabedError(f"a text holds half a character (a lone surrogate): {text[:40]!a}")
