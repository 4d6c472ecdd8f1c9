"""Tables -> text: terminal rows, Markdown, CSV, JSON, LaTeX. Scores x100."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from seabed_datasets import terminal
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report import inert
from seabed_evaluate.report.tables import Row, Table
from seabed_evaluate.report.units import Cell, Z

SHORT = {
    "bitext_mining": "bitext",
    "classification": "class.",
    "clustering": "cluster",
    "instruction_retrieval": "instr.",
    "multilabel_classification": "multi-l.",
    "pair_classification": "pair",
    "reranking": "rerank",
    "retrieval": "retr.",
}


def text_rows(table: Table, *, intervals: bool = False) -> list[dict[str, str]]:
    """A table as rows of text. Tables by dataset and by unit have one column per model.

    Args:
        table: the table.
        intervals: put half the 95 % interval behind every score, not only behind the average.

    Returns:
        The rows.
    """
    if table.by in ("dataset", "unit", "config"):
        return [
            {table.by: name} | {r.name: _cell(r.cells[name], intervals) for r in table.rows}
            for name in table.columns
        ]
    grouped = any(r.group for r in table.rows)
    cut = table.by == "language" and any(r.cut is not None for r in table.rows)
    return [
        ({"#": str(r.rank or "-")} if table.averaged else {})
        | ({"group": _group(r)} if grouped else {})
        | {"model": r.name}
        | {SHORT.get(n, n): _cell(r.cells[n], intervals) for n in table.columns}
        | ({"average": _average(r), "SD": _number(r.sd)} if table.averaged else {})
        | ({"cut texts": "" if r.cut is None else f"{100 * r.cut:.1f} %"} if cut else {})
        for r in table.rows
    ]


def _group(row: Row) -> str:
    if row.group is None:
        return ""
    best, worst = row.group
    return str(best) if best == worst else f"{best}-{worst}"


def _cell(cell: Cell, intervals: bool) -> str:
    if cell.score is None:
        return "-"
    half = f" ±{Z * cell.se * 100:.2f}" if intervals and cell.se is not None else ""
    part = "" if cell.units == cell.of else f" ({cell.units}/{cell.of})"
    return f"{cell.score * 100:.2f}{half}{part}"


def _average(row: Row) -> str:
    half = f" ±{Z * row.average_se * 100:.2f}" if row.average_se is not None else ""
    return _number(row.average) + half


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.2f}"


def markdown(tables: Sequence[Table], *, intervals: bool = False) -> str:
    """Tables as Markdown.

    Args:
        tables: the tables.
        intervals: as `text_rows`.

    Returns:
        The text.
    """
    parts = []
    for table in tables:
        rows = text_rows(table, intervals=intervals)
        heads = list(rows[0]) if rows else []
        escaped = [[inert.markdown(v) for v in line] for line in [heads, *(r.values() for r in rows)]]
        lines = [f"| {' | '.join(cells)} |" for cells in escaped]
        lines.insert(1, "|" + "|".join("---" if h in ("model", table.by) else "---:" for h in heads) + "|")
        parts.append(
            "\n".join(
                [
                    f"### {table.title} (x100)",
                    "",
                    *lines,
                    "",
                    *(f"- {inert.markdown(n)}" for n in table.notes),
                ]
            )
        )
    return "\n\n".join(parts)


def latex(tables: Sequence[Table], *, intervals: bool = False) -> str:
    """Tables as LaTeX for the booktabs package; the best whole score of each column is bold.

    Args:
        tables: the tables.
        intervals: as `text_rows`.

    Returns:
        The text.
    """
    parts = []
    for table in tables:
        rows = text_rows(table, intervals=intervals)
        heads = list(rows[0]) if rows else []
        best = _best(table) if table.by not in ("dataset", "unit", "config") else set()
        body = []
        for index, row in enumerate(rows):
            line = [
                rf"\textbf{{{inert.latex(v)}}}" if (index, h) in best else inert.latex(v)
                for h, v in row.items()
            ]
            body.append(" & ".join(line) + r" \\")
        align = "".join("l" if h in ("model", table.by) else "r" for h in heads)
        caption = inert.latex(" ".join([f"{table.title} (x100).", *table.notes]))
        parts.append(
            "\n".join(
                [
                    r"\begin{table}",
                    r"\centering",
                    rf"\begin{{tabular}}{{{align}}}",
                    r"\toprule",
                    " & ".join(inert.latex(h) for h in heads) + r" \\",
                    r"\midrule",
                    *body,
                    r"\bottomrule",
                    r"\end{tabular}",
                    rf"\caption{{{caption}}}",
                    r"\end{table}",
                ]
            )
        )
    return "\n\n".join(parts)


def _best(table: Table) -> set[tuple[int, str]]:
    best = {
        (i, SHORT.get(n, n)) for i, r in enumerate(table.rows) for n in table.columns if r.ranks.get(n) == 1
    }
    return best | {(i, "average") for i, r in enumerate(table.rows) if r.rank == 1}


def csv_text(tables: Sequence[Table]) -> str:
    """Tables as CSV, one line per model and column, so that a partial score cannot pass for a whole one.

    Args:
        tables: the tables.

    Returns:
        The text; `average` and `sd` are columns like the others.
    """
    out = io.StringIO()
    fields = [
        "table",
        "model",
        "run",
        "source",
        "protocol",
        "dtype",
        "sample",
        "cut_files",
        "mean_over",
        "column",
        "score",
    ]
    writer = csv.DictWriter(
        out, [*fields, "low", "high", "units", "of", "rank", "group", "cut_texts"], lineterminator="\n"
    )
    writer.writeheader()
    for table in tables:
        for row in table.rows:
            head = {
                "table": table.title,
                "model": row.model,
                "run": row.run,
                "source": "paper" if row.published else "run",
                "protocol": row.protocol,
                "dtype": row.dtype,
                "sample": row.sample,
                "cut_files": row.truncated,
                "mean_over": table.average,
            }
            for name in table.columns:
                values = _values(row.cells[name], row.ranks.get(name))
                writer.writerow(inert.csv_row(head | {"column": name} | values))
            if row.average is not None and row.sd is not None:
                average = Cell(row.average, 1, 1, row.average_se)
                own: dict[str, Any] = {
                    "units": row.units[0] or None,
                    "of": row.units[1] or None,
                    "group": _group(row),
                    "cut_texts": _share(row.cut),
                }
                whole = head | {"column": "average"} | _values(average, row.rank) | own
                writer.writerow(inert.csv_row(whole))
                writer.writerow(inert.csv_row(head | {"column": "sd", "score": round(row.sd * 100, 6)}))
    return out.getvalue().rstrip("\n")


def _values(cell: Cell, rank: int | None) -> dict[str, Any]:
    low, high = (round(v * 100, 6) for v in interval) if (interval := cell.interval()) else (None, None)
    score = None if cell.score is None else round(cell.score * 100, 6)
    return {
        "score": score,
        "low": low,
        "high": high,
        "units": cell.units,
        "of": cell.of,
        "rank": rank,
        "cut_texts": _share(cell.cut),
    }


def _share(cut: float | None) -> float | None:
    return None if cut is None else round(cut, 6)


def json_text(tables: Sequence[Table]) -> str:
    """Tables as JSON.

    Args:
        tables: the tables.

    Returns:
        The text; every score is x100 and carries its interval, number of units and rank.

    Raises:
        SeabedError: a score is NaN or infinite.
    """
    found = [_plain(t) for t in tables]
    try:
        json.dumps(found, allow_nan=False)
    except ValueError as error:
        raise SeabedError(f"a score is no number, so there is no JSON of it ({error})") from None
    return terminal.json_text(found)


def _plain(table: Table) -> dict[str, Any]:
    return {
        "table": table.title,
        "by": table.by,
        "mean_over": table.average,
        "scale": 100,
        "columns": table.columns,
        "rows": [
            {
                "model": r.model,
                "run": r.run,
                "source": "paper" if r.published else "run",
                "protocol": r.protocol,
                "dtype": r.dtype,
                "sample": r.sample,
                "cut_files": r.truncated,
                "cut_texts": _share(r.cut),
                "rank": r.rank,
                "group": r.group,
                "units": None if r.published else r.units[0],
                "of": None if r.published else r.units[1],
                "average": None
                if r.average is None
                else _values(Cell(r.average, 1, 1, r.average_se), r.rank),
                "sd": None if r.sd is None else round(r.sd * 100, 6),
                "scores": {n: _values(r.cells[n], r.ranks.get(n)) for n in table.columns},
            }
            for r in table.rows
        ],
        "notes": table.notes,
    }
