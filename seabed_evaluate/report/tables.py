"""Units -> tables: the paper's Tables 5, 6, 8 and 9 and other breakdowns, with the published scores beside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, Literal, get_args

from seabed_evaluate.report.paper_results import PaperTable, paper_table
from seabed_evaluate.report.rank_groups import table_groups
from seabed_evaluate.report.units import (
    COUNTED,
    Average,
    Cell,
    Origin,
    Run,
    all_units,
    average_error,
    cells,
    columns,
    config_weights,
    runs_of,
)
from seabed_evaluate.runner.cut_texts import share
from seabed_evaluate.runner.protocols import DEFAULT, PROTOCOLS
from seabed_evaluate.runner.results import Result, shown_name

By = Literal["task", "language", "origin", "aspect", "domain", "script", "dataset", "unit", "config"]
BY: tuple[str, ...] = get_args(By)

# The paper's table of each breakdown: Table 5 tasks, 6 languages, 8 and 9 languages by origin.
PUBLISHED = {("task", None): 5, ("language", None): 6, ("language", "human"): 8, ("language", "machine"): 9}


@dataclass(frozen=True)
class Row:
    """A model in a table. Scores are fractions; `published`: printed in the paper, not scored here.

    `average` and `sd` (population) are over the columns, None where a column is missing or partial; `rank` is
    by average, `ranks` by column, both among whole ones only. `group`: the best and the worst rank among the
    models whose average cannot be told from this one's, None where that is not known. `units`: on how many units
    of how many it stands. `cut`: the share of texts longer than the model's limit, None where not known.
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
    key: str | None = None
    group: tuple[int, int] | None = None
    units: tuple[int, int] = (0, 0)
    cut: float | None = None

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
    average: Average = "configs"


def tables(
    results: Iterable[Result],
    by: Sequence[str] = ("task", "language"),
    *,
    paper: bool = True,
    average: Average = "configs",
    origin_by: Literal["ours", "paper"] = "ours",
    files: Iterable[tuple[Path, Result]] = (),
) -> list[Table]:
    """Scores as tables.

    Args:
        results: of any number of runs; sample sets and SEA-BED's own are never in one table.
        by: breakdowns, of `BY`.
        paper: put the paper's printed rows beside, where it has them.
        average: what a mean counts once: configs, as in the paper's tables, or datasets in one language.
        origin_by: whose word a table by origin follows.
        files: the results with where they lie; with them, models whose averages cannot be told apart are grouped.

    Returns:
        The tables.

    Raises:
        SeabedError: one run holds a config twice with different data.
    """
    given, places = list(results), list(files)
    made = []
    for sample in (False, True):
        for part in by:
            # A row per config or per dataset and language is what it is, whatever means are over.
            unit: Average = {"config": "configs", "unit": "datasets"}.get(part, average)  # type: ignore[assignment]
            runs = [r for r in runs_of(given, unit) if r.sample == sample]
            origins = [Origin(o, origin_by) for o in ("human", "machine")] if part == "origin" else [None]
            over = "language" if part == "origin" else part
            made += [_table(runs, over, o, paper and not sample, places) for o in origins if runs]
    return [t for t in made if t.columns]


def published_rows(by: str, origin: str | None = None) -> tuple[list[Row], PaperTable | None]:
    """The paper's rows of a breakdown.

    Args:
        by: task or language; anything else has none.
        origin: None for all datasets, or human or machine.

    Returns:
        The rows, averages computed from their columns, and the table they are from.
    """
    number = PUBLISHED.get((by, origin))
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


def _table(
    runs: list[Run], by: str, origin: Origin | None, paper: bool, files: list[tuple[Path, Result]]
) -> Table:
    sample, average = runs[0].sample, runs[0].average
    names, averaged = columns(by, sample, average), by in ("task", "language")
    rows = [_row(run, by, origin, names, averaged) for run in runs]
    shown = tuple(n for n in names if any(r.cells[n].score is not None for r in rows))
    published, source = (
        published_rows(by, origin.value if origin else None) if paper and shown else ([], None)
    )
    rows = _ranked(rows + published, names)
    if averaged and files:
        rows = _grouped(rows, files, config_weights(by, origin, sample, average))
    title = f"Scores by {by}"
    if origin:
        title += f", {origin.value}-made datasets" + (" (paper's annotation column)" * (origin.by == "paper"))
    return Table(
        by, title, shown, tuple(rows), averaged, tuple(_notes(runs, rows, by, origin, source)), average
    )


def _row(run: Run, by: str, origin: Origin | None, names: list[str], averaged: bool) -> Row:
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
        key=run.key,
        units=(sum(c.units for c in needed), sum(c.of for c in needed)),
        cut=share([run.cut]),
    )


def _grouped(rows: list[Row], files: list[tuple[Path, Result]], weights: dict[str, float]) -> list[Row]:
    """Put beside each rank the best and the worst rank that cannot be told from it."""
    ranks = {r.key: r.rank for r in rows if r.key and r.rank is not None}
    same = table_groups([run for run in ranks if run], files, weights)

    def span(run: str | None) -> tuple[int, int] | None:
        places = [rank for other in same.get(run or "", ()) if (rank := ranks[other]) is not None]
        return (min(places), max(places)) if places else None

    return [replace(r, group=span(r.key)) for r in rows]


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
    runs: list[Run], rows: list[Row], by: str, origin: Origin | None, source: PaperTable | None
) -> Iterable[str]:
    average, what = runs[0].average, COUNTED[runs[0].average]
    if by not in ("unit", "config"):
        yield counted(average, runs[0].sample, source is not None)
        stands = "; ".join(f"{r.name}: {r.units[0]} of {r.units[1]}" for r in rows if not r.published)
        if by in ("task", "language"):
            yield f"On how many {what} a row stands: {stands}."
    if any(0 < c.units < c.of for r in rows for c in r.cells.values()) or any(
        r.average is None for r in rows if by in ("task", "language")
    ):
        yield (
            f"A cell such as 91.20 (3/94) covers 3 of 94 {what}; a row that misses some has no average and no rank."
        )
    if source is not None:
        yield (
            f"(paper): printed in Table {source.number} of the paper; average and SD follow from the "
            "printed columns."
        )
        for m in source.misprints:
            if m.column in (*source.columns[-2:], *(c for c in rows[0].cells)):
                yield m.text(source.number)
        if by == "language" and origin is None and average == "configs":
            yield "The paper's Lao mean is over 19 configs, one ALTDialect pair fewer; which one is not stated."
        for r in rows:
            if not r.published and r.ranks:
                total = sum(o.published for o in rows)
                places = ", ".join(f"{n} {place}" for n, place in r.ranks.items())
                overall = f"{r.rank} overall; " if r.rank else ""
                yield f"Rank of {r.name} beside the {total} published models: {overall}{places}."
    yield from unlike(runs)
    if any(r.group for r in rows):
        yield (
            "group: the ranks of the models whose averages cannot be told apart (paired bootstrap over the same items, "
            "Holm-corrected, p >= 0.05). Published rows have no items and no group."
        )
    if by == "language":
        for run, r in ((run, r) for run in runs for r in rows if r.key == run.key):
            shares = {n: c.cut for n, c in r.cells.items() if c.cut}
            if shares:
                each = ", ".join(f"{n} {100 * c:.1f} %" for n, c in shares.items())
                yield f"Texts longer than the limit of {run.name}, which saw only their beginning: {each}."
    if by == "domain":
        yield "A unit counts in each domain of its dataset."
    if origin is not None:
        yield (
            "Origin as the cards give it; the paper does not state its own split."
            if origin.by == "ours"
            else "Origin by the annotation column of the paper's Tables 12 and 13, which gives its 120 of 169 datasets; "
            "its Tables 8 and 9 follow another split. Datasets without a printed row are in neither table."
        )
    yield from mixtures(runs)


def counted(average: Average, sample: bool, beside_paper: bool) -> str:
    """What means are over, in words.

    Args:
        average: what a mean counts once.
        sample: of the sample sets.
        beside_paper: whether the paper's rows stand beside.

    Returns:
        One or two sentences.
    """
    number = sum(u.counted for u in all_units(sample, average).values())
    if sample:
        return f"Means are over {COUNTED[average]} ({number})."
    if average == "configs":
        return (
            f"Means are over configs, as in the paper's tables: {number}, each ALTDialect pair once, under its second "
            "language."
        )
    other = " The paper's rows are means over configs." if beside_paper else ""
    return (
        f"Means are over dataset-language units (--average datasets): {number}; a language's ALTDialect score is the "
        f"mean of its seven pairs.{other}"
    )


def unlike(runs: Sequence[Run]) -> Iterable[str]:
    """Which rows were made otherwise than the paper's printed ones.

    Args:
        runs: shown beside them.

    Yields:
        One sentence per difference.
    """
    for run in runs:
        if run.protocol != DEFAULT:
            yield (
                f"{run.name} was scored by another protocol than the one behind the paper's printed numbers "
                f"({DEFAULT})."
            )
        other = {t: m for t, m in run.measures.items() if m != PROTOCOLS[DEFAULT].main[t]}
        for task, measure in other.items():
            yield (
                f"{task} of {run.name} is {measure}; the paper's column is {PROTOCOLS[DEFAULT].main[task]}."
            )


def mixtures(runs: Sequence[Run]) -> Iterable[str]:
    """What makes runs differ besides the model, so that nothing is mixed silently.

    Args:
        runs: shown together.

    Yields:
        One sentence per difference.
    """
    for what in ("protocol", "dtype"):
        yield from _mixed(what, [(r, getattr(r, what)) for r in runs])
    for protocol in sorted({r.protocol for r in runs}):
        yield from _mixed(
            f"settings of protocol {protocol}", [(r, r.settings) for r in runs if r.protocol == protocol]
        )
    for task in dict.fromkeys(t for r in runs for t in r.measures):
        yield from _mixed(f"measure of {task}", [(r, r.measures[task]) for r in runs if task in r.measures])
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
            yield f"{run.name} was scored on data from {', '.join(sorted(run.revisions))}."
        if run.truncated:
            more = f" and {len(run.truncated) - 5} more" if len(run.truncated) > 5 else ""
            yield (
                f"CUT FILES: {run.name} was scored on cut raw files for "
                f"{', '.join(run.truncated[:5])}{more}: not the benchmark's rows."
            )
        missing = sum(u.se is None for u in run.units)
        if missing:
            yield f"{run.name}: {missing} {COUNTED[run.average]} without an interval."


def _mixed(what: str, values: Sequence[tuple[Run, str]]) -> Iterable[str]:
    if len({value for _, value in values}) > 1:
        each = "; ".join(
            f"{one}: {', '.join(f'{r.model} [{r.run}]' for r, value in values if value == one)}"
            for one in sorted({value for _, value in values})
        )
        yield f"MIXED {what}: {each}."


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
