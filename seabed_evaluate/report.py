"""Result files -> tables: scores by task and by language, partial runs shown as partial."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_datasets.vocabulary import LANGUAGES, TASKS
from seabed_evaluate.results import Result


@dataclass(frozen=True)
class Cell:
    """A mean over units: how many of how many; score is None where there is none."""

    score: float | None
    units: int
    of: int

    def text(self) -> str:
        """The cell as a table shows it, x100; a partial one says how many units it covers."""
        if self.score is None:
            return "-"
        part = "" if self.units == self.of else f" ({self.units}/{self.of})"
        return f"{self.score * 100:.2f}{part}"


@dataclass(frozen=True)
class Summary:
    """The scores of one run (one model, one set of prompts, one protocol)."""

    name: str
    run: str
    protocol: str
    sample: bool
    truncated: int
    tasks: dict[str, Cell]
    languages: dict[str, Cell]
    average: float | None
    sd: float | None


def unit_scores(results: Iterable[Result]) -> dict[tuple[str, str], float]:
    """Scores of the units that are averaged.

    Args:
        results: of one run.

    Returns:
        (dataset, language) -> score: the mean of the dataset's configs that count under this language.

    Source:
        the paper averages over dataset-language pairs; a pair of languages counts under both.
    """
    parts: dict[tuple[str, str], list[float]] = defaultdict(list)
    for r in results:
        for language in r["units"]:
            parts[r["dataset"], language].append(r["score"])
    return {unit: fmean(scores) for unit, scores in parts.items()}


def summarise(results: Sequence[Result]) -> list[Summary]:
    """Group results by run and average each.

    Args:
        results: of any number of runs.

    Returns:
        One summary per run, best average first; sample sets are summarised apart from SEA-BED's own.

    Raises:
        SeabedError: one run holds a config twice with different data.
    """
    runs: dict[tuple[str, bool], list[Result]] = defaultdict(list)
    for r in results:
        runs[r["run"], r["sample"]].append(r)
    summaries = [_summary(run, sample, group) for (run, sample), group in runs.items()]
    return sorted(summaries, key=lambda s: (s.sample, -(s.average or 0), s.name))


def _summary(run: str, sample: bool, results: list[Result]) -> Summary:
    by_config: dict[str, Result] = {}
    for r in results:
        other = by_config.setdefault(r["config"], r)
        if other["settings_hash"] != r["settings_hash"]:
            raise SeabedError(
                f"{r['config']} is there twice with different data or code for {r['model']['model']}; "
                "report one results folder at a time"
            )
    units = unit_scores(by_config.values())
    task_of = {r["dataset"]: r["task"] for r in results}
    totals = _totals(sample)
    tasks = {
        task: _cell([s for (d, _), s in units.items() if task_of[d] == task], totals.get(task, 0))
        for task in TASKS
    }
    languages = {
        lang: _cell([s for (_, unit), s in units.items() if unit == lang], totals.get(lang, 0))
        for lang in LANGUAGES
    }
    scores = [c.score for c in tasks.values() if c.score is not None]
    whole = len(scores) == len(TASKS)
    first = results[0]
    return Summary(
        name=str(first["model"]["model"]),
        run=run[:8],
        protocol=first["protocol"]["name"],
        sample=sample,
        truncated=sum(r["data"]["truncated"] for r in by_config.values()),
        tasks=tasks,
        languages=languages,
        average=fmean(scores) if whole else None,
        sd=float(np.std(scores)) if whole else None,
    )


def _cell(scores: list[float], of: int) -> Cell:
    return Cell(fmean(scores) if scores else None, len(scores), of)


def _totals(sample: bool) -> dict[str, int]:
    """Units there are, by task and by language."""
    units = {(c.key, c.task, lang) for c in catalogue.configs(sample=sample) for lang in c.units}
    totals: dict[str, int] = defaultdict(int)
    for _, task, lang in units:
        totals[task] += 1
        totals[lang] += 1
    return totals


def tables(summaries: Sequence[Summary]) -> dict[str, list[dict[str, str]]]:
    """Summaries as tables of text.

    Args:
        summaries: from `summarise`.

    Returns:
        "by task" and "by language" -> rows; a column nobody has a score in is left out.
    """

    def rows(part: str) -> list[dict[str, str]]:
        cells: list[dict[str, Cell]] = [getattr(s, part) for s in summaries]
        shown = [n for n in cells[0] if any(c[n].score is not None for c in cells)]
        return [
            {"model": _name(s)}
            | {n: c[n].text() for n in shown}
            | ({"average": _number(s.average), "SD": _number(s.sd)} if part == "tasks" else {})
            for s, c in zip(summaries, cells, strict=True)
        ]

    return {"by task": rows("tasks"), "by language": rows("languages")}


def _name(summary: Summary) -> str:
    marks = [summary.protocol] if summary.protocol != "paper" else []
    marks += ["sample data"] if summary.sample else []
    marks += [f"{summary.truncated} configs of cut files"] if summary.truncated else []
    return f"{summary.name} [{summary.run}]" + (f" ({', '.join(marks)})" if marks else "")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.2f}"


def config_rows(results: Sequence[Result]) -> list[dict[str, Any]]:
    """One row per config and run.

    Args:
        results: of any number of runs.

    Returns:
        Model, config, task, main score and its value.
    """
    return [
        {
            "model": str(r["model"]["model"]),
            "config": r["config"],
            "task": r["task"],
            "measure": r["main_score"],
            "score": f"{r['score'] * 100:.2f}",
        }
        for r in results
    ]
