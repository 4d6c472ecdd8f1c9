"""Human-made against machine-made sets, raw and matched (the paper, section 5.4, Tables 8 and 9)."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.report.units import unit_names
from seabed_evaluate.runner.results import Result

ORIGINS = ("human", "machine")
RESAMPLES = 2000
SEED = 42


@dataclass(frozen=True)
class Item:
    """The score of one config (0 to 1) and where it counts."""

    config: str
    task: str
    language: str
    origin: str
    score: float


@dataclass(frozen=True)
class Gap:
    """Human minus machine. `raw` is the mean over languages with both, `mix` the same gap if every config had
    its task's mean score, `matched` the mean over cells of one task and language that hold both; scores 0 to 1.
    """

    model: str
    by_language: Mapping[str, float]
    raw: float | None
    mix: float | None
    matched: float | None
    low: float | None
    high: float | None
    cells: int
    of: int
    items: tuple[int, int]
    matched_items: tuple[int, int]
    human: float | None
    machine: float | None


def origin_of(labels: Path | None, by: str) -> Callable[[Config, str], str | None]:
    """Which split into human and machine to use.

    Args:
        labels: a CSV of key (a dataset or a config), language (may be blank) and origin, or None.
        by: "ours" or "paper", where no labels are given.

    Returns:
        (config, language) -> human, machine or None where nothing is said.

    Raises:
        SeabedError: the file cannot be used.
    """
    if labels is None:
        return lambda c, _: c.origin if by == "ours" else c.origin_paper
    try:
        with labels.open(encoding="utf-8-sig", newline="") as stream:
            lines = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SeabedError(f"{labels} cannot be read: {error}") from None
    known: dict[tuple[str, str], str] = {}
    names = {d.key for d in catalogue.datasets()} | {c.name for c in catalogue.configs()}
    for number, line in enumerate(lines, 2):
        key, origin = line.get("key"), line.get("origin")
        if key not in names or origin not in ORIGINS:
            raise SeabedError(
                f"{labels}, line {number}: key {key!r} with origin {origin!r}; a dataset or config, and human or machine"
            )
        known[str(key), line.get("language") or ""] = str(origin)
    if not known:
        raise SeabedError(f"{labels} has no line; its columns are key, language, origin")

    def look(config: Config, language: str) -> str | None:
        for key in (config.name, config.key):
            for lang in (language, ""):
                if (key, lang) in known:
                    return known[key, lang]
        return None

    return look


def items_of(results: Iterable[Result], split: Callable[[Config, str], str | None]) -> dict[str, list[Item]]:
    """The scores of result files by run; a config counts under the languages that tables count it in.

    Args:
        results: of one or several models.
        split: of `origin_of`.

    Returns:
        Model (with its run where a model has several) -> items whose origin is known.
    """
    known = {c.name for c in catalogue.configs()}
    found: dict[tuple[str, str], list[Item]] = {}
    for r in results:
        if r["sample"] or r["config"] not in known:
            continue
        config = catalogue.config(r["config"])
        own = found.setdefault((str(r["model"]["model"]), r["run"]), [])
        own += [
            Item(config.name, config.task, lang, origin, float(r["score"]))
            for _, lang in unit_names(config, "configs")
            if (origin := split(config, lang)) is not None
        ]
    names = [model for model, _ in found]
    return {
        model if names.count(model) == 1 else f"{model} [{run[:8]}]": own
        for (model, run), own in found.items()
    }


def raw_gaps(human: Mapping[str, float], machine: Mapping[str, float]) -> dict[str, float]:
    """Human minus machine by language.

    Args:
        human: language -> mean score of human-made sets.
        machine: the same of machine-made sets.

    Returns:
        Languages with both.
    """
    return {lang: human[lang] - machine[lang] for lang in human if lang in machine}


def gaps(model: str, items: Sequence[Item], *, resamples: int = RESAMPLES) -> Gap:
    """The gaps of one model.

    Args:
        model: its name.
        items: its scores.
        resamples: of the cluster bootstrap: whole cells are drawn.

    Returns:
        The gaps; None where no language or cell has both origins.

    Raises:
        SeabedError: no scores.

    Source:
        the paper, Tables 8 and 9, which compare "the same task and language" but do not hold them equal.
    """
    if not items:
        raise SeabedError(f"{model}: no scores whose origin is known")
    tasks = _means((i.task, i.score) for i in items)
    by_language = _raw(items, {i.config: i.score for i in items})
    mixes = _raw(items, {i.config: tasks[i.task] for i in items})
    cells: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for i in items:
        cells[i.task, i.language][i.origin].append(i.score)
    both = [c for c in cells.values() if all(c[o] for o in ORIGINS)]
    differences = np.array([fmean(c["human"]) - fmean(c["machine"]) for c in both])
    low = high = None
    if len(both) > 1:
        rng = np.random.default_rng(SEED)
        drawn = differences[rng.integers(len(both), size=(resamples, len(both)))].mean(axis=1)
        low, high = (float(q) for q in np.quantile(drawn, [0.025, 0.975]))
    whole = {o: [i.score for i in items if i.origin == o] for o in ORIGINS}
    return Gap(
        model,
        by_language,
        fmean(by_language.values()) if by_language else None,
        fmean(mixes.values()) if mixes else None,
        float(differences.mean()) if len(both) else None,
        low,
        high,
        len(both),
        len(cells),
        (len(whole["human"]), len(whole["machine"])),
        (sum(len(c["human"]) for c in both), sum(len(c["machine"]) for c in both)),
        fmean(whole["human"]) if whole["human"] else None,
        fmean(whole["machine"]) if whole["machine"] else None,
    )


def _raw(items: Sequence[Item], values: Mapping[str, float]) -> dict[str, float]:
    human, machine = (
        _means((i.language, values[i.config]) for i in items if i.origin == origin) for origin in ORIGINS
    )
    return raw_gaps(human, machine)


def _means(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for name, value in pairs:
        found[name].append(value)
    return {name: fmean(values) for name, values in found.items()}


def origin_sheets(found: Sequence[Gap], split: str) -> list[Sheet]:
    """The tables of the study.

    Args:
        found: one entry per model.
        split: whose labels, in words.

    Returns:
        The gaps; and the raw gaps by language.
    """

    def percent(value: float | None) -> float | None:
        return None if value is None else value * 100

    table: list[Row] = [
        {
            "model": g.model,
            "human": percent(g.human),
            "machine": percent(g.machine),
            "raw gap": percent(g.raw),
            "from the task mix": percent(g.mix),
            "matched gap": percent(g.matched),
            "95 % from": percent(g.low),
            "to": percent(g.high),
            "cells": f"{g.cells} of {g.of}",
            "human/machine configs": f"{g.items[0]}/{g.items[1]}",
            "in cells": f"{g.matched_items[0]}/{g.matched_items[1]}",
        }
        for g in found
    ]
    languages = list(dict.fromkeys(lang for g in found for lang in g.by_language))
    by_language: list[Row] = [
        {"model": g.model, **{lang: percent(g.by_language.get(lang)) for lang in languages}} for g in found
    ]
    notes = [
        f"Human minus machine, x100; origin by {split}.",
        "Raw: mean over languages of the difference of means (the paper's way). Task mix: what the raw gap would "
        "be if every config scored its task's mean. Matched: within cells of one task and language that hold "
        "both origins; interval: whole cells drawn anew.",
    ]
    return [
        Sheet("Human-made and machine-made sets", table, notes),
        Sheet("Raw gap by language", by_language),
    ]
