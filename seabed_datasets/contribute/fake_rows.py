"""Fake raw files of a new dataset: rows in upstream's exact format that say they are fake."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

import yaml

from seabed_datasets.contribute.card_text import TEMPLATES
from seabed_datasets.contribute.loader_text import Part
from seabed_datasets.contribute.roles import (
    FLAG,
    LABEL,
    NUMBERS,
    is_written_list,
    label_parts,
    list_items,
    separator,
)
from seabed_datasets.contribute.sniffing import Sniffed

FAKE_ROWS = 12


@lru_cache(maxsize=1)
def sentences() -> dict[str, str]:
    """One sentence per language, written for this project.

    Returns:
        ISO 639-3 code -> a text with {n} in it.
    """
    found: dict[str, str] = yaml.safe_load((TEMPLATES / "fake_sentences.yaml").read_text(encoding="utf-8"))
    return found


def fake_file(part: Part, path: str, langs: Sequence[str]) -> tuple[str, bytes]:
    """A fake raw file, as tests/fake_raw.py keeps it.

    Args:
        part: the raw file it stands for.
        path: its upstream path.
        langs: the languages of its texts, of sentence1 first.

    Returns:
        Its path below the dataset's folder, and its bytes in upstream's encoding.
    """
    s = part.sniffed
    try:
        text = _written(part, langs)
        data = text.encode(s.encoding)
    except UnicodeEncodeError:  # the language's letters are not in this encoding; English ones always are
        data = _written(part, ["eng"]).encode(s.encoding, "replace")
    if s.encoding == "utf-8-sig":
        data = data[3:]
    if s.format == "parquet":
        return f"{path}.jsonl", data
    return (f"{path}.txt", data) if path.endswith(".gz") else (path, data)


def _written(part: Part, langs: Sequence[str]) -> str:
    s, columns = part.sniffed, part.shape.columns
    spoken = {columns.get("sentence1"): langs[0], columns.get("sentence2"): langs[-1]}
    places = {c: i for i, c in enumerate(s.columns)}

    def sentence(column: str, start: int, more: int = 0) -> str:
        text = sentences().get(spoken.get(column, langs[-1]), sentences()["eng"])
        text = text.format(n=(start + more) * len(places) + places[column] + 1)
        return text if s.quoting else text.replace(s.delimiter, " ")

    if s.format == "squad":
        return json.dumps(_squad(langs[-1]), ensure_ascii=False, indent=1) + "\n"
    roles = {column: role for role, column in columns.items() if column}
    rows = []
    for n in range(FAKE_ROWS):
        # Two records of a table share a query, one of them relevant.
        at = {c: n // 2 if roles.get(c) == "query" and "document" in columns else n for c in s.columns}
        rows.append({c: _value(s, c, roles.get(c), n, partial(sentence, c, at[c] * 10)) for c in s.columns})
    if s.format == "table":
        return _table(s, rows)
    if s.format == "json":
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if s.format == "parquet" and s.class_labels:
        return json.dumps({"#labels": s.class_labels}, ensure_ascii=False) + "\n" + lines
    return lines


def _squad(lang: str) -> dict[str, Any]:
    text = sentences().get(lang, sentences()["eng"])
    asked = []
    for n in range(FAKE_ROWS):
        answer = {"text": text.format(n=3 * n + 1)[:5], "answer_start": 0}
        question = {"id": f"fake-{n}", "question": text.format(n=3 * n + 2), "answers": [answer]}
        asked.append({"context": text.format(n=3 * n + 1), "qas": [question]})
    return {"version": "fake", "data": [{"title": text.format(n=0), "paragraphs": asked}]}


def _value(s: Sniffed, column: str, role: str | None, number: int, sentence: Callable[[int], str]) -> Any:
    """A fake value of the kind a column has. Only labels and scores are the file's own: a row never is."""
    known = [v for v in s.values(column) if v is not None and v != ""]
    if not known:
        return "" if s.format == "table" else None
    declared = s.class_labels.get(column)
    if declared:
        name = declared[number % len(declared)]
        return [name] if isinstance(known[0], list) else name
    if isinstance(known[0], dict):
        return dict.fromkeys(known[0])
    if role == "labels":
        return _labels(known, number)
    if isinstance(known[0], list):
        return [sentence(1), sentence(2)]
    if role in ("label", "score", "relevance") or all(FLAG.one(v) for v in known):
        fits = NUMBERS if role == "score" else LABEL
        distinct = sorted({v for v in known if fits.one(v)}, key=str)
        if distinct:
            return distinct[number % len(distinct)]
    if all(NUMBERS.one(v) for v in known):
        return str(number) if isinstance(known[0], str) else number
    # Bytes, dates and the like cannot be kept as text, and no loader of ours reads them.
    plain = isinstance(known[0], (str, int, float))
    return sentence(0) if isinstance(known[0], str) else known[0] if plain else None


def _labels(known: list[Any], number: int) -> Any:
    if any(isinstance(v, list) or is_written_list(v) for v in known):
        items = sorted({x for v in known for x in list_items(v) if LABEL.one(x)}, key=str)
        chosen = [items[number % len(items)]] if items else []
        return chosen if any(isinstance(v, list) for v in known) else repr(chosen)
    mark = separator(known)
    parts = label_parts([str(v) for v in known], mark) if mark else []
    return parts[number % len(parts)] if parts else ""


def _table(s: Sniffed, rows: list[dict[str, Any]]) -> str:
    header = [s.columns] if s.header else []
    if not s.quoting:
        records = [*header, *([str(v) for v in row.values()] for row in rows)]
        return "".join(s.delimiter.join(record) + "\n" for record in records)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=s.delimiter, lineterminator="\n")
    writer.writerows([*header, *(row.values() for row in rows)])
    return out.getvalue()
