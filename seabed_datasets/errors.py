"""Errors a user can act on: what was found, where, and what to run next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SeabedError(Exception):
    """Any failure this project can explain; the command line prints its text and no traceback."""

    exit_code = 1


class UnknownName(SeabedError):
    """A config, dataset, task, language or model name that does not exist."""

    exit_code = 2


class CardError(SeabedError):
    """A card that breaks the rules of the catalogue."""


class SourceError(SeabedError):
    """A raw file that cannot be obtained, or is not the file the card describes; `why` in a few words."""

    def __init__(self, message: str, why: str = "unavailable") -> None:
        super().__init__(message)
        self.why = why


class RawFormatError(SeabedError):
    """A raw file whose format is not the one its loader was written for."""


class DataError(SeabedError):
    """Rows that break the schema of their task; `rule` is the data check that finds the same."""

    def __init__(self, message: str, rule: str = "SB216") -> None:
        super().__init__(message)
        self.rule = rule


def unknown(kind: str, name: str, known: Iterable[str], hint: str = "") -> UnknownName:
    """Make the error for an unknown name, with the closest known ones.

    Args:
        kind: what the name should have been, e.g. "config".
        name: what was given.
        known: all valid names.
        hint: the command that lists them.

    Returns:
        The error, ready to raise.

    >>> str(unknown("language", "tah", ["tha", "vie"]))
    "unknown language 'tah'. Did you mean 'tha'?"
    """
    names = list(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    text = f"unknown {kind} {name!r}."
    if close:
        text += " Did you mean " + " or ".join(repr(c) for c in close) + "?"
    elif len(names) <= 12:
        text += " Known: " + ", ".join(names) + "."
    return UnknownName(f"{text} {hint}".rstrip())
