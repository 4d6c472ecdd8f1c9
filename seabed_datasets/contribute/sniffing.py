"""What a raw file shows by itself: its format, encoding, columns and rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from seabed_datasets.contribute import contents
from seabed_datasets.contribute.column_names import KNOWN
from seabed_datasets.contribute.dialects import delimiter_of, dialect
from seabed_datasets.contribute.headers import names_columns
from seabed_datasets.errors import RawFormatError, SeabedError
from seabed_datasets.sources import readers
from seabed_datasets.terminal import plain

Format = Literal["table", "jsonl", "json", "squad", "parquet"]
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet")
ROWS = 5000
# Records looked at to tell whether the first one is a header.
_HEADER_RECORDS = 500
_BLANK = "\ufeff \t\r\n"
_WHOLE_BYTES = 256 * 1024**2


@dataclass(frozen=True)
class Sniffed:
    """A raw file as far as it explains itself.

    `columns`: in order; made-up names where the file has none. `rows`: of all `total` every `step`-th, as the
    reader gives them, at most twice `ROWS`. `quoting`: whether a double quote in a table is markup.
    `class_labels`: column -> the label names that a Parquet file declares. `notes`: what is to be said.
    """

    path: Path
    format: Format
    columns: list[str]
    rows: list[dict[str, Any]]
    total: int = 0
    step: int = 1
    encoding: str = "utf-8-sig"
    header: bool = True
    delimiter: str = ","
    quoting: bool = True
    class_labels: dict[str, list[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def values(self, column: str) -> list[Any]:
        """What the rows have in a column.

        Args:
            column: its name.

        Returns:
            One value per row.
        """
        return [row.get(column) for row in self.rows]


def suffix_of(name: str) -> str | None:
    """The suffix of a data file, `.gz` left out.

    Args:
        name: of the file.

    Returns:
        One of `SUFFIXES`, or None.

    >>> suffix_of("data/Train.CSV.gz")
    '.csv'
    """
    lower = name.lower().removesuffix(".gz")
    return next((s for s in SUFFIXES if lower.endswith(s)), None)


def sniff(
    path: Path,
    header: bool | None = None,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    langs: Sequence[str] = (),
) -> Sniffed:
    """Look into a raw file.

    Args:
        path: the file; its suffix says the format.
        header: whether a table's first line names its columns; None to judge by what it holds.
        encoding: of its text; None for UTF-8, or what a byte order mark says.
        delimiter: what separates the fields of a table; None to judge.
        langs: ISO 639-3 codes of its texts, to name likely encodings by.

    Returns:
        What it shows.

    Raises:
        RawFormatError: the format is not known, the file is not in it, or it is empty; the message says what
            was found and what helps.
        SeabedError: an option names what does not exist.
    """
    mark = delimiter_of(delimiter) if delimiter else None
    if not path.is_file():
        raise RawFormatError(f"there is no file {plain(str(path))}")
    suffix = suffix_of(path.name)
    try:
        contents.refuse_what_is_no_text(path, suffix == ".parquet")
        if suffix is None:
            raise RawFormatError(f"{plain(path.name)}: expected a suffix of {', '.join(SUFFIXES)}")
        if suffix == ".parquet":
            return _parquet(path)
        code = contents.encoding_of(path, encoding, langs)
        if suffix in (".csv", ".tsv", ".txt"):
            return _table(path, "," if suffix == ".csv" else "\t", header, code, mark)
        return _json(path, code)
    except SeabedError:
        raise
    except Exception as error:  # a stranger's file may break a reader in any way, and is to be named
        raise RawFormatError(
            f"{plain(path.name)} cannot be read: {type(error).__name__}: {plain(str(error))[:200]}"
        ) from error


def _sampled(path: Path, rows: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int, int]:
    """Rows from the start to the end of a file, evenly; how many it has; and the distance between two of them."""
    kept: list[dict[str, Any]] = []
    total, step = 0, 1
    for total, row in enumerate(rows, 1):
        if (total - 1) % step:
            continue
        kept.append(row)
        if len(kept) > 2 * ROWS:
            kept, step = kept[::2], step * 2
    if not kept:
        raise RawFormatError(f"{plain(path.name)}: there are no rows in it")
    return kept, total, step


def _named(rows: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _parquet(path: Path) -> Sniffed:
    rows, total, step = _sampled(path, readers.parquet(path, columns=[]))
    return Sniffed(path, "parquet", _named(rows), rows, total, step, class_labels=_class_labels(path))


def _class_labels(path: Path) -> dict[str, list[str]]:
    from datasets import ClassLabel, Features
    from pyarrow.parquet import read_schema

    found = {}
    for name, feature in Features.from_arrow_schema(read_schema(path)).items():
        inner = getattr(feature, "feature", feature)
        if isinstance(inner, ClassLabel):
            found[name] = list(inner.names)
    return found


def _json(path: Path, encoding: str) -> Sniffed:
    """JSON by what it holds, not by its suffix: lines of objects, one list of them, or SQuAD's form."""
    with readers.open_text(path, encoding=encoding) as file:
        start = file.read(contents.HEAD_BYTES)
    begin = start.lstrip(_BLANK)
    if not begin:
        raise RawFormatError(f"{plain(path.name)}: there are no rows in it")
    if begin[0] == "[":
        rows, total, step = _sampled(path, readers.json_list(path, encoding=encoding))
        return Sniffed(path, "json", _named(rows), rows, total, step, encoding)
    if "\n" not in start and "\r" in start.rstrip("\r"):
        raise RawFormatError(
            f"{plain(path.name)}: its lines end with CR alone; convert them to LF (tr '\\r' '\\n') and give that file"
        )
    if not _is_value(begin.partition("\n")[0]) and path.stat().st_size < _WHOLE_BYTES:
        # Either one value over several lines, or lines of which the first is damaged.
        try:
            return _one_object(path, readers.json_value(path, encoding=encoding), encoding)
        except RawFormatError as error:
            if "not JSON" not in str(error):
                raise
    rows, total, step = _sampled(path, readers.jsonl(path, encoding=encoding))
    if total == 1 and any(isinstance(v, list) and v and isinstance(v[0], dict) for v in rows[0].values()):
        return _one_object(path, rows[0], encoding)
    return Sniffed(path, "jsonl", _named(rows), rows, total, step, encoding)


def _is_value(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_squad(value: Any) -> bool:
    articles = value.get("data") if isinstance(value, dict) else None
    return (
        isinstance(articles, list)
        and bool(articles)
        and all(isinstance(a, dict) and isinstance(a.get("paragraphs"), list) for a in articles)
    )


def _one_object(path: Path, value: Any, encoding: str) -> Sniffed:
    if _is_squad(value):
        asked = sum(
            len(p.get("qas") or []) if isinstance(p, dict) else 0
            for article in value["data"]
            for p in article["paragraphs"]
        )
        return Sniffed(path, "squad", [], [{}], asked, 1, encoding)
    held = f"an object with the keys {sorted(value)[:6]}" if isinstance(value, dict) else type(value).__name__
    raise RawFormatError(
        f"{plain(path.name)}: expected JSON lines, a list of objects, or SQuAD's form (data > paragraphs > qas), "
        f"found {plain(held)}: give the list of rows inside as a file of its own"
    )


def _table(path: Path, usual: str, header: bool | None, encoding: str, mark: str | None) -> Sniffed:
    with readers.open_text(path, encoding=encoding) as file:
        first_line = file.readline(100).rstrip("\r\n")
    if first_line.lower().startswith("sep=") and len(first_line) == 5:
        raise RawFormatError(
            f"{plain(path.name)}: its first line {first_line!r} is a word to Excel, no record: remove the line"
        )
    written = dialect(path, usual, encoding, mark)
    made_up = [f"column{i + 1}" for i in range(written.width)]
    options: dict[str, Any] = {
        "delimiter": written.delimiter,
        "quoting": written.quoting,
        "encoding": encoding,
    }
    bare = readers.table(path, columns=made_up, header=False, short=True, **options)
    first, *below = [list(row.values()) for row in islice(bare, _HEADER_RECORDS)]
    named = names_columns(first, below, KNOWN) if header is None else header
    if named is None:
        shown = ", ".join(repr(plain(cell[:30])) for cell in first[:6])
        raise RawFormatError(
            f"{plain(path.name)}: is its first line ({shown}) a header or a record? Give --header or --no-header"
        )
    columns = _distinct(path, first) if named else made_up
    rows, total, step = _sampled(path, readers.table(path, columns=columns, header=named, **options))
    notes = []
    if not written.quoting and any('"' in cell for record in (first, *below) for cell in record):
        notes.append("double quotes in it are read as ordinary characters")
    return Sniffed(
        path,
        "table",
        columns,
        rows,
        total,
        step,
        encoding,
        named,
        written.delimiter,
        written.quoting,
        notes=notes,
    )


def _distinct(path: Path, names: list[str]) -> list[str]:
    twice = sorted({plain(n) for n in names if n.strip() and names.count(n) > 1})
    if twice:
        raise RawFormatError(
            f"{plain(path.name)}: its header names several columns {twice[0]!r}, which a loader cannot tell apart: "
            "rename one; or give --no-header if the line is a record"
        )
    return names
