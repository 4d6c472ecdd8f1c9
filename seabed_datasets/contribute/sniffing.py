"""What a raw file shows by itself: its format, its columns, and which column is likely which."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from seabed_datasets.errors import RawFormatError
from seabed_datasets.sources import readers

Format = Literal["csv", "tsv", "jsonl", "json", "parquet"]
SUFFIXES: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
}
ROWS = 5000
MANY_LABELS = 200
SEPARATORS = ("|", ";", ",")

# Usual names of columns, most telling first.
NAMES: dict[str, tuple[str, ...]] = {
    "sentence1": ("sentence1", "sentence_1", "premise", "source", "src", "text1", "text_a", "question1"),
    "sentence2": ("sentence2", "sentence_2", "hypothesis", "target", "tgt", "text2", "text_b", "question2"),
    "text": ("text", "texts", "sentence", "content", "review", "tweet", "comment", "body", "document"),
    "label": ("label", "labels", "category", "class", "sentiment", "topic", "intent", "target", "gold_label"),
    "labels": ("labels", "label", "categories", "topics", "aspects", "tags"),
    "score": ("score", "similarity", "relatedness", "similarity_score", "gold", "label"),
    "question": ("question", "query", "questions", "q"),
    "passage": ("context", "passage", "document", "paragraph", "answer", "text", "positive"),
    "instruction": ("instruction", "instructions", "prompt", "question"),
    "input": ("input", "inputs", "context"),
    "output": ("output", "response", "answer", "completion"),
    "query": ("query", "question"),
    "positive": ("positive", "positives", "pos", "relevant"),
    "negative": ("negative", "negatives", "neg", "irrelevant"),
    "passage of a query": ("document", "passage", "text", "candidate"),
    "relevance": ("relevance", "label", "relevant", "score", "judgement"),
}


@dataclass(frozen=True)
class Sniffed:
    """A raw file as far as it explains itself.

    `columns`: in order; made-up names where the file has none. `rows`: the first ones, as the reader gives
    them. `quoting`: whether a double quote in a table is markup.
    """

    path: Path
    format: Format
    columns: list[str]
    rows: list[dict[str, Any]]
    header: bool = True
    quoting: bool = True
    class_labels: dict[str, list[str]] | None = None

    def values(self, column: str) -> list[Any]:
        """What the rows have in a column.

        Args:
            column: its name.

        Returns:
            One value per row.
        """
        return [row.get(column) for row in self.rows]


def sniff(path: Path, header: bool | None = None) -> Sniffed:
    """Look into a raw file.

    Args:
        path: the file; its suffix says the format.
        header: whether a table's first line names its columns; None to judge by what it holds.

    Returns:
        What it shows.

    Raises:
        RawFormatError: the format is not known, the file is not in it, or it is empty.
    """
    if not path.is_file():
        raise RawFormatError(f"there is no file {path}")
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise RawFormatError(f"{path.name}: expected a suffix of {', '.join(SUFFIXES)}")
    if kind in ("csv", "tsv"):
        return _table(path, kind, header)
    given = {"jsonl": readers.jsonl, "json": readers.json_list}.get(kind)
    reader: Iterator[dict[str, Any]] = given(path) if given else readers.parquet(path, columns=[])
    rows = _some(path, reader)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    return Sniffed(path, kind, columns, rows, class_labels=_class_labels(path) if kind == "parquet" else None)


def _some(path: Path, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    first = list(islice(rows, ROWS))
    if not first:
        raise RawFormatError(f"{path.name}: there are no rows in it")
    return first


def _class_labels(path: Path) -> dict[str, list[str]]:
    from datasets import ClassLabel, Features
    from pyarrow.parquet import read_schema

    features = Features.from_arrow_schema(read_schema(path))
    return {name: list(f.names) for name, f in features.items() if isinstance(f, ClassLabel)}


def _table(path: Path, kind: Format, header: bool | None) -> Sniffed:
    delimiter = "\t" if kind == "tsv" else ","
    with readers.open_text(path) as file:
        start = file.read(1 << 16)
    # In a TSV a quote is markup only where it opens a field.
    quoting = kind == "csv" or re.search(r'(^|\t)"', start, re.MULTILINE) is not None
    first = start.split("\n", 1)[0].rstrip("\r")
    width = len(first.split(delimiter)) if not quoting else len(_record(first, delimiter))
    made_up = [f"column{i + 1}" for i in range(width)]
    bare = readers.table(
        path, columns=made_up, header=False, delimiter=delimiter, quoting=quoting, short=True
    )
    rows = _some(path, bare)
    named = _names_columns(rows) if header is None else header
    if not named:
        return Sniffed(path, kind, made_up, rows, header=False, quoting=quoting)
    columns = list(rows[0].values())
    below = readers.table(path, columns=columns, delimiter=delimiter, quoting=quoting)
    return Sniffed(path, kind, columns, _some(path, below), quoting=quoting)


def _record(line: str, delimiter: str) -> list[str]:
    import csv

    return next(csv.reader([line], delimiter=delimiter), [])


def _names_columns(rows: Sequence[dict[str, str]]) -> bool:
    """Whether the first record names the columns: short distinct words that no record below repeats."""
    names = list(rows[0].values())
    if len(set(names)) < len(names) or not all(re.fullmatch(r"[A-Za-z][\w .-]{0,39}", n) for n in names):
        return False
    if any(n.lower() in known for n in names for known in NAMES.values()):
        return True
    return not any(value == row[column] for column, value in rows[0].items() for row in rows[1:]) and all(
        len(n.split()) <= 2 for n in names
    )


def find(sniffed: Sniffed, role: str, taken: Iterable[str], fits: Callable[[list[Any]], bool]) -> str | None:
    """The column that is likely a role: by its name, else the only one whose values fit.

    Args:
        sniffed: the file.
        role: a key of `NAMES`.
        taken: columns that have a role already.
        fits: whether the values of a column could be it.

    Returns:
        The column, or None.
    """
    free = [c for c in sniffed.columns if c not in set(taken)]
    lower = {c.lower(): c for c in free}
    for name in NAMES[role]:
        if name in lower and fits(sniffed.values(lower[name])):
            return lower[name]
    fitting = [c for c in free if fits(sniffed.values(c))]
    return fitting[0] if len(fitting) == 1 else None


def longest(sniffed: Sniffed, taken: Iterable[str] = ()) -> list[str]:
    """Columns of texts, the longest first.

    Args:
        sniffed: the file.
        taken: columns that have a role already.

    Returns:
        Their names.
    """
    sizes = {
        c: sum(len(v) for v in sniffed.values(c))
        for c in sniffed.columns
        if c not in set(taken) and is_text(sniffed.values(c))
    }
    return sorted(sizes, key=lambda c: -sizes[c])


def is_text(values: list[Any]) -> bool:
    """Whether values are texts, and not all numbers.

    Args:
        values: of one column.

    Returns:
        True or False.
    """
    return all(isinstance(v, str) for v in values) and not is_number(values)


def is_number(values: list[Any]) -> bool:
    """Whether values are numbers, written as numbers or as text.

    Args:
        values: of one column.

    Returns:
        True or False.

    >>> is_number(["1", "2.5"]), is_number(["1", ""]), is_number([True])
    (True, False, False)
    """
    return all(
        (isinstance(v, (int, float)) and not isinstance(v, bool))
        or (isinstance(v, str) and re.fullmatch(r"-?\d+(\.\d+)?", v) is not None)
        for v in values
    )


def is_list(values: list[Any]) -> bool:
    """Whether values are lists of texts.

    Args:
        values: of one column.

    Returns:
        True or False.
    """
    return all(isinstance(v, list) and all(isinstance(x, str) for x in v) for v in values)


def is_label(values: list[Any]) -> bool:
    """Whether values look like labels: few, short and repeated.

    Args:
        values: of one column.

    Returns:
        True or False.
    """
    kinds = Counter(str(v) for v in values)
    return (
        all(isinstance(v, (str, int)) and v != "" for v in values)
        and len(kinds) <= min(MANY_LABELS, max(2, len(values) // 2))
        and all(len(name) <= 60 for name in kinds)
    )


def is_flag(values: list[Any]) -> bool:
    """Whether values are yes or no as 0 and 1.

    Args:
        values: of one column.

    Returns:
        True or False.
    """
    return {str(v) for v in values} <= {"0", "1"}


def separator(values: list[Any]) -> str | None:
    """What separates the labels inside values like "price|service".

    Args:
        values: of one column.

    Returns:
        The separator, or None: its parts must be few and short, as labels are, not clauses of a sentence.

    >>> separator(["a|b", "b", "a", "", "b|a"])
    '|'
    >>> separator(["first, this", "then, that"])
    """
    if not all(isinstance(v, str) for v in values):
        return None
    for mark in SEPARATORS:
        parts = label_parts(values, mark)
        few = 0 < len(parts) <= min(MANY_LABELS, max(2, len(values) // 2))
        if few and any(mark in v for v in values) and all(len(part) <= 60 for part in parts):
            return mark
    return None


def label_parts(values: list[str], mark: str) -> list[str]:
    """The labels inside values.

    Args:
        values: of one column.
        mark: what separates them.

    Returns:
        Each once, sorted.
    """
    return sorted({part.strip() for v in values for part in v.split(mark) if part.strip()})
