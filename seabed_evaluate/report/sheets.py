"""Small tables of numbers or texts with their notes, as text, Markdown, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from seabed_datasets.errors import DataError
from seabed_evaluate.report import inert

Format = Literal["table", "md", "csv", "json"]
Value = float | int | str | None
Row = dict[str, Value]


@dataclass(frozen=True)
class Sheet:
    """A table: every row has the same columns; numbers stay numbers until they are printed."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()
    digits: int = 2

    def __post_init__(self) -> None:
        for row in self.rows:
            for column, value in row.items():
                if isinstance(value, float) and not math.isfinite(value):
                    raise DataError(f"{self.title}: {column} is {value} in {row}")


def text_rows(sheet: Sheet) -> list[dict[str, str]]:
    """A sheet as rows of text.

    Args:
        sheet: the sheet.

    Returns:
        The rows; a missing value is "-".

    >>> text_rows(Sheet("t", [{"pair": "tha-vie", "cosine": 0.89831}], digits=4))
    [{'pair': 'tha-vie', 'cosine': '0.8983'}]
    """

    def text(value: Value) -> str:
        if value is None:
            return "-"
        if isinstance(value, float):
            return f"{value:.{sheet.digits}f}"
        return f"{value:,}" if isinstance(value, int) else value

    return [{c: text(v) for c, v in row.items()} for row in sheet.rows]


def as_markdown(sheets: Sequence[Sheet]) -> str:
    """Sheets as Markdown.

    Args:
        sheets: the sheets.

    Returns:
        The text.
    """
    parts = []
    for sheet in sheets:
        rows = text_rows(sheet)
        heads = list(rows[0]) if rows else []
        numeric = {c for c, v in (sheet.rows[0] if rows else {}).items() if not isinstance(v, str)}
        lines = [
            f"| {' | '.join(map(inert.markdown, line))} |" for line in [heads, *(r.values() for r in rows)]
        ]
        lines.insert(1, "|" + "|".join("---:" if h in numeric else "---" for h in heads) + "|")
        notes = [f"- {inert.markdown(n)}" for n in sheet.notes]
        parts.append("\n".join([f"### {inert.markdown(sheet.title)}", "", *lines, "", *notes]))
    return "\n\n".join(parts)


def as_csv(sheets: Sequence[Sheet]) -> str:
    """Sheets as CSV, one after the other, each with its header and its title in the first column.

    Args:
        sheets: the sheets.

    Returns:
        The text.
    """
    parts = []
    for sheet in sheets:
        out = io.StringIO()
        columns = list(sheet.rows[0]) if sheet.rows else []
        writer = csv.DictWriter(out, ["sheet", *columns], lineterminator="\n")
        writer.writeheader()
        writer.writerows(inert.csv_row({"sheet": sheet.title} | row) for row in sheet.rows)
        parts.append(out.getvalue())
    return "\n".join(parts)


def as_json(sheets: Sequence[Sheet], **more: Any) -> str:
    """Sheets as JSON.

    Args:
        sheets: the sheets.
        **more: what else there is, e.g. every draw.

    Returns:
        The text.
    """
    plain = [{"title": s.title, "rows": list(s.rows), "notes": list(s.notes)} for s in sheets]
    return json.dumps({"sheets": plain} | more, ensure_ascii=False, indent=1, allow_nan=False)


def show(sheets: Sequence[Sheet], format: Format, **more: Any) -> None:
    """Print sheets.

    Args:
        sheets: the sheets.
        format: table, md, csv or json.
        **more: for JSON only, see `as_json`.
    """
    import typer

    from seabed_datasets.terminal import print_table

    if format == "table":
        for sheet in sheets:
            print_table(text_rows(sheet), "\n".join([sheet.title, *sheet.notes]) + "\n")
    else:
        made = {"md": as_markdown, "csv": as_csv}
        typer.echo(as_json(sheets, **more) if format == "json" else made[format](sheets))
