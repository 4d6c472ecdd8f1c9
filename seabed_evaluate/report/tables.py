"""Units -> tables: the paper's Tables 5, 6, 8 and 9 and other breakdowns, with the published scores beside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, pstdev
from typing import Any, Literal, get_args

from seabed_evaluate.report.paper_results import PaperTable, paper_table
from seabed_evaluate.report.units import Cell, Run, average_error, cells, columns, runs_of
from seabed_evaluate.runner.protocols import DEFAULT
from seabed_evaluate.runner.results import Result, shown_name

By = Literal["task", "language", "origin", "domain", "script", "dataset", "unit"]
BY: tuple[str, ...] = get_args(By)

# The paper's table of each breakdown: Table 5 tasks, 6 languages, 8 and 9 languages by origin.
_PUBLISHED = {("task", None): 5, ("language", None): 6, ("language", "human"): 8, ("language", "machine"): 9}


@dataclass(frozen=True)
class Row:
    """A model in a table. Scores are fractions; `published`: printed in the paper, not scored here.

    `average` and `sd` (population) are over the columns, None where a column is missing or partial; `rank` is
    by average, `ranks` by column, both among whole ones only.
    """

    model: str
    cells: dict[str, Cell]
    average: float | None
    sd: float | None
    average_se: float | None = None
    published: bool = False
    run: str | None = None
    protocol: str | None = None
    dtype: str | None = None
    sample: bool = False
    truncated: int = 0
    rank: int | None = None
    ranks: dict[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The model's name with what sets this row apart."""
        if self.published:
            return f"{self.model} (paper)"
        marks = [f"protocol {self.protocol}"] if self.protocol not in (DEFAULT, None) else []
        marks += ["sample data"] if self.sample else []
        if self.truncated:
            marks.append(f"{self.truncated} config{'s' * (self.truncated > 1)} of cut files")
        return f"{self.model} [{self.run}]" + (f" ({', '.join(marks)})" if marks else "")


@dataclass(frozen=True)
class Table:
    """One breakdown: rows of models, best average first."""

    by: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    averaged: bool
    notes: tuple[str, ...]


def tables(
    results: Iterable[Result], by: Sequence[str] = ("task", "language"), *, paper: bool = True
) -> list[Table]:
    """Scores as tables.

    Args:
        results: of any number of runs; sample sets and SEA-BED's own are never in one table.
        by: breakdowns, of `BY`.
        paper: put the paper's printed rows beside, where it has them.

    Returns:
        The tables.

    Raises:
        SeabedError: one run holds a config twice with different data.
    """
    runs = runs_of(results)
    made = []
    for sample in (False, True):
        group = [r for r in runs if r.sample == sample]
        for part in by if group else ():
            if part == "origin":
                made += [_table(group, "language", o, paper and not sample) for o in ("human", "machine")]
            else:
                made.append(_table(group, part, None, paper and not sample))
    return [t for t in made if t.columns]


def published_rows(by: str, origin: str | None = None) -> tuple[list[Row], PaperTable | None]:
    """The paper's rows of a breakdown.

    Args:
        by: task or language; anything else has none.
        origin: None for all datasets, or human or machine.

    Returns:
        The rows, averages computed from their columns, and the table they are from.
    """
    number = _PUBLISHED.get((by, origin))
    if number is None:
        return [], None
    table = paper_table(number)
    rows = []
    for model, printed in table.rows.items():
        scores = {c: (printed[c] or 0) / 100 for c in columns(by)}
        rows.append(
            Row(
                model,
                {c: Cell(s, 1, 1) for c, s in scores.items()},
                fmean(scores.values()),
                pstdev(scores.values()),
                published=True,
            )
        )
    return rows, table


def _table(runs: list[Run], by: str, origin: str | None, paper: bool) -> Table:
    names, averaged = columns(by, runs[0].sample), by in ("task", "language")
    rows = [_row(run, by, origin, names, averaged) for run in runs]
    shown = tuple(n for n in names if any(r.cells[n].score is not None for r in rows))
    published, source = published_rows(by, origin) if paper and shown else ([], None)
    rows = _ranked(rows + published, names)
    title = f"Scores by {by}" + (f", {origin}-made datasets" if origin else "")
    return Table(by, title, shown, tuple(rows), averaged, tuple(_notes(runs, rows, by, origin, source)))


def _row(run: Run, by: str, origin: str | None, names: list[str], averaged: bool) -> Row:
    found = cells(run, by, origin)
    needed = [found[n] for n in names if found[n].of]
    scores = [c.score for c in needed if c.score is not None]
    whole = averaged and all(c.whole for c in needed)
    return Row(
        model=run.model,
        cells=found,
        average=fmean(scores) if whole else None,
        sd=pstdev(scores) if whole else None,
        average_se=average_error(run, by, origin) if whole else None,
        run=run.run,
        protocol=run.protocol,
        dtype=run.dtype,
        sample=run.sample,
        truncated=len(run.truncated),
    )


def _ranked(rows: list[Row], names: list[str]) -> list[Row]:
    """Rank by average and by column; equal scores share the better rank."""
    rows = sorted(rows, key=lambda r: (r.average is None, -(r.average or 0), r.model))
    averages = [r.average for r in rows if r.average is not None]
    whole = {n: [s for r in rows if (s := _whole(r, n)) is not None] for n in names}
    return [
        replace(
            r,
            rank=None if r.average is None else 1 + sum(a > r.average for a in averages),
            ranks={
                n: 1 + sum(other > s for other in whole[n]) for n in names if (s := _whole(r, n)) is not None
            },
        )
        for r in rows
    ]


def _whole(row: Row, name: str) -> float | None:
    cell = row.cells[name]
    return cell.score if cell.whole else None


def _notes(
    runs: list[Run], rows: list[Row], by: str, origin: str | None, source: PaperTable | None
) -> Iterable[str]:
    if any(0 < c.units < c.of for r in rows for c in r.cells.values()) or any(
        r.average is None for r in rows if by in ("task", "language")
    ):
        yield (
            "A cell such as 91.20 (3/94) covers 3 of 94 units; a row that misses units has no average "
            "and no rank."
        )
    if source is not None:
        yield (
            f"(paper): printed in Table {source.number} of the paper; average and SD follow from the "
            "printed columns."
        )
        for m in source.misprints:
            if m.column in ("average", "sd"):
                yield (
                    f"Table {source.number} prints {m.column} {m.printed:.2f} for {m.row}; its columns "
                    f"give {m.computed:.2f}."
                )
        for r in rows:
            if not r.published and r.ranks:
                total = sum(o.published for o in rows)
                places = ", ".join(f"{n} {place}" for n, place in r.ranks.items())
                overall = f"{r.rank} overall; " if r.rank else ""
                yield f"Rank of {r.name} beside the {total} published models: {overall}{places}."
    if by == "domain":
        yield "A unit counts in each domain of its dataset."
    if origin is not None:
        yield "Origin as the cards give it; the paper does not state its own split."
    yield from mixtures(runs)


def mixtures(runs: Sequence[Run]) -> Iterable[str]:
    """What makes runs differ besides the model, so that nothing is mixed silently.

    Args:
        runs: shown together.

    Yields:
        One sentence per difference.
    """
    for what in ("protocol", "dtype"):
        values = sorted({getattr(r, what) for r in runs})
        if len(values) > 1:
            each = "; ".join(
                f"{v}: {', '.join(f'{r.model} [{r.run}]' for r in runs if getattr(r, what) == v)}"
                for v in values
            )
            yield f"MIXED {what}: {each}."
    seen: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        for config, digest in run.data.items():
            seen[config].add(digest)
    if differ := sorted(c for c, digests in seen.items() if len(digests) > 1):
        more = f" and {len(differ) - 5} more" if len(differ) > 5 else ""
        yield f"MIXED data: {', '.join(differ[:5])}{more} not the same rows in every run."
    versions = sorted(set().union(*(r.versions for r in runs)))
    if len(versions) > 1:
        yield f"MIXED versions of seabed: {', '.join(versions)}."
    for run in runs:
        if len(run.revisions) > 1:
            yield f"{run.model} [{run.run}] was scored on data from {', '.join(sorted(run.revisions))}."
        if run.truncated:
            more = f" and {len(run.truncated) - 5} more" if len(run.truncated) > 5 else ""
            yield (
                f"CUT FILES: {run.model} [{run.run}] was scored on cut raw files for "
                f"{', '.join(run.truncated[:5])}{more}: not the benchmark's rows."
            )
        missing = sum(u.se is None for u in run.units)
        if missing:
            yield f"{run.model} [{run.run}]: {missing} units without an interval."


def config_rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """One row per config and run.

    Args:
        results: of any number of runs.

    Returns:
        Model, config, task, main score, its value and its 95 % interval.
    """
    rows = []
    for r in results:
        i = r.get("interval")
        rows.append(
            {
                "model": f"{shown_name(r['model'])} [{r['run'][:8]}]",
                "config": r["config"] + (" (cut file)" if r["data"]["truncated"] else ""),
                "task": r["task"],
                "measure": r["main_score"],
                "score": f"{r['score'] * 100:.2f}",
                "95 %": f"{i['low'] * 100:.2f} to {i['high'] * 100:.2f}" if i else "-",
            }
        )
    return rows
