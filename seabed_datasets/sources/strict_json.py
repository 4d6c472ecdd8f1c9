"""JSON that somebody else wrote: parsed once, each way in which it is not what it seems named."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from seabed_datasets.errors import RawFormatError, SeabedError


def parse(text: str, where: str, error: Callable[[str], SeabedError] = RawFormatError) -> Any:
    """The value of a JSON text.

    Args:
        text: the text.
        where: what it is and where, for the message.
        error: what to raise.

    Returns:
        The value.

    Raises:
        SeabedError: it is not JSON, names a key twice (the last one would win silently), is nested too deep,
            or does not fit into memory.

    >>> parse('{"a": [1, 2.5, null]}', "x.json")
    {'a': [1, 2.5, None]}
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as failure:
        raise error(f"{where}: not JSON: {failure}") from None
    except _Twice as failure:
        raise error(f"{where}: key {failure.args[0]!r} stands twice in one object") from None
    except RecursionError:
        raise error(f"{where}: JSON nested too deep to be data") from None
    except MemoryError:
        raise error(f"{where}: JSON too large for this machine's memory") from None
    except ValueError as failure:  # an integer of thousands of digits
        raise error(f"{where}: not JSON: {failure}") from None


class _Twice(Exception):
    """A key that an object has twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise _Twice(key)
        seen.add(key)
    return made


_DECODER = json.JSONDecoder(object_pairs_hook=_once)
