"""How the ranks of the same models change between two lists of scores (the paper's Figure 2)."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.report import mmteb
from seabed_evaluate.report.identity import known_model
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.tables import PUBLISHED, published_rows, tables
from seabed_evaluate.report.units import Average
from seabed_evaluate.runner.results import read_results

_AVERAGED = {number: breakdown for breakdown, number in PUBLISHED.items()}


@dataclass(frozen=True)
class Change:
    """A model in both lists; ranks count only models in both, equal scores share the better rank."""

    model: str
    score_a: float
    score_b: float
    rank_a: int
    rank_b: int

    @property
    def change(self) -> int:
        """Places gained from A to B; negative: lost."""
        return self.rank_a - self.rank_b


def rank_changes(a: Mapping[str, float], b: Mapping[str, float]) -> list[Change]:
    """Ranks of the models that two lists share.

    Args:
        a: model -> score, higher is better.
        b: the same.

    Returns:
        The changes, by rank in A.

    Raises:
        SeabedError: fewer than two models are in both.

    >>> [c.change for c in rank_changes({"x": 3.0, "y": 2.0}, {"x": 1.0, "y": 2.0})]
    [-1, 1]
    """
    both = [m for m in a if m in b]
    if len(both) < 2:
        raise SeabedError(
            f"{len(both)} models are in both lists; ranks need two. A has {', '.join(list(a)[:5])}; "
            f"B has {', '.join(list(b)[:5])}"
        )
    changes = [
        Change(
            m,
            a[m],
            b[m],
            1 + sum(a[other] > a[m] for other in both),
            1 + sum(b[other] > b[m] for other in both),
        )
        for m in both
    ]
    return sorted(changes, key=lambda c: (c.rank_a, c.rank_b, c.model))


def scores_of(source: str, average: Average = "configs") -> dict[str, float]:
    """A list of scores by a short name.

    Args:
        source: "tableN" or "tableN:COLUMN" of the paper, whose averages are computed from the columns, as in a
            report; a CSV file with columns model and score (or rank); "mmteb", MMTEB's scores on the paper's
            day; "mteb:FOLDER" or "mteb:FOLDER:BENCHMARK", result files of mteb; or a results folder, "FOLDER" or
            "FOLDER:COLUMN", a column being "average", a task or a language.
        average: what a mean over results counts once.

    Returns:
        Model -> score, higher is better. Of a folder only whole scores; a model is named as in the paper
        where its whole id is that of the paper's model.

    Raises:
        SeabedError: there is nothing by this name, or several runs of one model.
    """
    place, _, column = source.partition(":")
    if place in ("mteb", "mmteb"):
        return dict(mmteb.source(source).scores)
    if place.startswith("table") and place[5:].isdigit():
        table = paper_table(int(place[5:]))
        column = column or ("average" if "average" in table.columns else table.columns[0])
        if column not in table.columns:
            raise unknown(f"column of table {table.number}", column, table.columns)
        if column in ("average", "sd") and (by := _AVERAGED.get(table.number)):
            rows, _ = published_rows(*by)
            return {r.model: 100 * v for r in rows if (v := getattr(r, column)) is not None}
        return {m: v for m, r in table.rows.items() if (v := r[column]) is not None and m != "Average"}
    if place.endswith(".csv"):
        return _csv_scores(Path(place))
    return _run_scores(place, column or "average", average)


def _csv_scores(path: Path) -> dict[str, float]:
    if not path.is_file():
        raise SeabedError(f"{path} does not exist")
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
    except (UnicodeDecodeError, csv.Error) as error:
        raise SeabedError(f"{path} is no CSV file in UTF-8: {error}") from None
    heads = set(rows[0]) if rows else set()
    if "model" not in heads or not heads & {"score", "rank"}:
        raise SeabedError(f"{path} needs the columns model and score, or model and rank")
    column, sign = ("score", 1) if "score" in heads else ("rank", -1)
    scores: dict[str, float] = {}
    for number, row in enumerate(rows, 2):
        try:
            scores[row["model"]] = sign * float(row[column])
        except (TypeError, ValueError):
            raise SeabedError(f"{path}, line {number}: {column} is {row[column]!r}, no number") from None
        if not isfinite(scores[row["model"]]):
            raise SeabedError(f"{path}, line {number}: {column} is {row[column]}, which has no rank")
    return scores


def misprints_of(source: str) -> list[str]:
    """What is known to be wrong in the figures that a source names.

    Args:
        source: as `scores_of` takes it.

    Returns:
        One sentence each; averages and SDs are computed anew and need none.
    """
    place, _, column = source.partition(":")
    if place in ("mteb", "mmteb"):
        found = mmteb.source(source)
        less = ", ".join(f"{m} ({n})" for m, n in found.left_out.items())
        return [
            f"{found.benchmark}: mean over {found.tasks} tasks.",
            *found.notes,
            *([f"Not ranked, for lack of results (tasks they have): {less}."] if less else []),
        ]
    if not (place.startswith("table") and place[5:].isdigit()):
        return []
    table = paper_table(int(place[5:]))
    column = column or ("average" if "average" in table.columns else table.columns[0])
    copied = [
        f"Table {table.number} repeats {c.of}'s {column} for {c.row} ({c.why})."
        for c in table.copies
        if column in c.columns
    ]
    wrong = [m.text(table.number) for m in table.misprints if m.column == column and m.row != "Average"]
    return copied + (wrong if column not in ("average", "sd") else [])


def _run_scores(place: str, column: str, average: Average) -> dict[str, float]:
    published = set(paper_table(5).rows)
    scores: dict[str, float] = {}
    runs: dict[str, str] = {}
    for table in tables(read_results([place]), ("task", "language"), paper=False, average=average):
        for row in table.rows:
            known = known_model(row.model)
            name = known[0] if known is not None and known[0] in published else row.name
            if runs.setdefault(name, row.name) != row.name:
                raise SeabedError(
                    f"{place} holds several runs of {name}: {runs[name]} and {row.name}; name the folder of one"
                )
            cell = row.cells.get(column)
            if column == "average" and table.by == "task" and row.average is not None:
                scores[name] = row.average * 100
            elif cell is not None and cell.whole and cell.score is not None:
                scores[name] = cell.score * 100
    if not scores:
        raise SeabedError(f"{place} holds no run whose {column} score covers every unit")
    return scores
