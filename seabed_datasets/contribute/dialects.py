"""How a table is written: what separates its fields, and whether a double quote is markup."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from seabed_datasets.errors import RawFormatError, SeabedError
from seabed_datasets.sources import readers
from seabed_datasets.terminal import plain

NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
RECORDS = 5000


@dataclass(frozen=True)
class Dialect:
    """How a table is written. `width`: the fields of its first record."""

    delimiter: str
    quoting: bool
    width: int


@dataclass(frozen=True)
class _Reading:
    """What one way of reading makes of the first records: their width, or the line where they stop fitting."""

    delimiter: str
    quoting: bool
    width: int
    line: int | None
    problem: str = ""


def delimiter_of(given: str) -> str:
    """The separator that --delimiter names.

    Args:
        given: one character, "\\\\t", or a word: tab, comma, semicolon, pipe.

    Returns:
        The character.

    Raises:
        SeabedError: it is neither.
    """
    words = {name: mark for mark, name in NAMES.items()} | {"\\t": "\t"}
    mark = words.get(given.lower(), given)
    if len(mark) != 1 or mark in '\r\n"\0' or not (mark == "\t" or mark.isprintable()):
        raise SeabedError(f"--delimiter {given!r}: give one character, or {', '.join(NAMES.values())}")
    return mark


def dialect(path: Path, usual: str, encoding: str, given: str | None = None) -> Dialect:
    """How a table is written, judged by which way of reading gives its records equally many fields.

    Args:
        path: the file.
        usual: the separator that its suffix promises.
        encoding: of the file.
        given: the separator the contributor named, or None.

    Returns:
        The way of reading; the usual separator where it fits.

    Raises:
        RawFormatError: no way fits; the message names the first line that does not, and the option that helps.
    """
    with readers.open_text(path, encoding=encoding) as file:
        start = file.read(1 << 16)
    cr_only = "\r" in start and "\n" not in start
    marks = [given] if given else [usual, *(mark for mark in NAMES if mark != usual)]
    readings = []
    for mark in marks:
        # Lines that end with CR are cut by the csv module only.
        ways = [
            _reading(path, mark, quoting, encoding) for quoting in ((True,) if cr_only else (True, False))
        ]
        readings += ways
        fitting = [r for r in ways if r.line is None and r.width > 1]
        if fitting:
            if mark not in (usual, given):
                raise RawFormatError(
                    f"{plain(path.name)}: its fields are separated by {_named(mark)}, not by {_named(usual)} as its "
                    f"suffix says: give --delimiter {NAMES[mark]}"
                )
            chosen = _chosen(path, fitting, usual, encoding)
            return Dialect(mark, chosen.quoting, chosen.width)
    raise _no_table(path, readings, given)


def _named(mark: str) -> str:
    return f"a {NAMES[mark]}" if mark in NAMES else repr(mark)


def _no_table(path: Path, readings: list[_Reading], given: str | None) -> RawFormatError:
    name, (first, *_) = plain(path.name), readings
    other = "another --delimiter" if given else "--delimiter"
    ragged = next((r for r in readings[:2] if r.width > 1), None)
    if ragged is not None:
        # Of the two ways that which gets further says what is wrong.
        last = max((r for r in readings[:2] if r.width > 1), key=lambda r: r.line or 0)
        return RawFormatError(
            f"{name}, line {last.line}: {last.problem}; correct the line, or give {other} if fields are not "
            f"separated by {_named(last.delimiter)}"
        )
    if first.line is not None and first.problem:
        return RawFormatError(f"{name}, line {first.line}: {first.problem}")
    tried = "none is" if given else f"none of {', '.join(NAMES.values())} is"
    return RawFormatError(
        f"{name}: only one column: {tried} a separator that cuts every line into equally many fields; "
        f"give {other}"
    )


def _reading(path: Path, delimiter: str, quoting: bool, encoding: str) -> _Reading:
    width, line = 0, 0
    try:
        for line, record in islice(_records(path, delimiter, quoting, encoding), RECORDS):
            if not record:
                continue
            width = width or len(record)
            if len(record) != width:
                problem = f"expected {width} fields, found {len(record)}"
                return _Reading(delimiter, quoting, width, line, problem)
    except csv.Error as error:
        return _Reading(
            delimiter, quoting, width, line + 1, f"a double quote is not closed or not alone ({error})"
        )
    return _Reading(delimiter, quoting, width, None)


def _records(path: Path, delimiter: str, quoting: bool, encoding: str) -> Iterator[tuple[int, list[str]]]:
    if not quoting:
        for number, line in enumerate(readers.lines(path, encoding=encoding), 1):
            yield number, line.split(delimiter) if line else []
        return
    with readers.open_text(path, encoding=encoding) as file:
        reader = csv.reader(file, delimiter=delimiter, strict=True)
        for record in reader:
            yield reader.line_num, record


def _chosen(path: Path, fitting: list[_Reading], usual: str, encoding: str) -> _Reading:
    """Of two ways that both fit, the usual one: CSV has quotes, TSV has them only where they do something."""
    if len(fitting) == 1:
        return fitting[0]
    quoted, bare = fitting
    if usual != "\t" or quoted.width != bare.width:
        return quoted
    return quoted if _quotes_work(path, quoted.delimiter, encoding) else bare


def _quotes_work(path: Path, delimiter: str, encoding: str) -> bool:
    """Whether quotes of a TSV are markup: every text stands in them, or one is doubled inside them."""
    every = True
    for _, record in islice(_records(path, delimiter, False, encoding), RECORDS):
        for field in record:
            inside = field[1:-1]
            wrapped = len(field) > 1 and field[0] == field[-1] == '"'
            if wrapped and '""' in inside and '"' not in inside.replace('""', ""):
                return True
            every = every and (wrapped or not field or field.replace(".", "", 1).isdigit())
    return every
