"""Scores of mteb's benchmarks: from result files of mteb, or the shipped figures of MMTEB (the paper, Figure 2)."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.encoders.loading import known_models

MMTEB = "MTEB(Multilingual, v1)"
AGGREGATES = ("mean_task", "task_type", "borda")
MIN_COVERAGE = 0.95
_FOLDER = Path(__file__).parent
# MTEB(Multilingual, v1) as averaged on 11 June 2025, the paper's day of access, from the result files of
# github.com/embeddings-benchmark/results at 005e085ab (CC0 1.0).
SHIPPED = _FOLDER / "scores_2025-06-11.csv"


@dataclass(frozen=True)
class BenchmarkTask:
    """A task of a benchmark; `subsets` None: every subset that a result holds."""

    name: str
    type: str
    splits: tuple[str, ...]
    subsets: frozenset[str] | None


@dataclass(frozen=True)
class MtebScores:
    """Scores x100 of the models that have nearly all tasks; `left_out`: model -> tasks it has; what to know."""

    benchmark: str
    tasks: int
    scores: Mapping[str, float]
    left_out: Mapping[str, int]
    notes: tuple[str, ...]


def benchmark_tasks(name: str) -> list[BenchmarkTask]:
    """The tasks of a benchmark.

    Args:
        name: as mteb calls it.

    Returns:
        Its tasks.

    Raises:
        SeabedError: it is not MMTEB and the package mteb, which defines the others, is not installed; or mteb
            has no such benchmark.
    """
    try:
        import mteb
    except ImportError:
        if name != MMTEB:
            raise SeabedError(
                f'the tasks of {name} are in the package mteb: pip install "seabed[mteb]"'
            ) from None
        with (_FOLDER / "tasks_v1.csv").open(encoding="utf-8", newline="") as stream:
            return [
                BenchmarkTask(r["task"], r["type"], tuple(r["eval_splits"].split()), None)
                for r in csv.DictReader(stream)
            ]
    try:
        tasks = list(mteb.get_benchmark(name).tasks)
    except KeyError:
        raise unknown("benchmark of mteb", name, [b.name for b in mteb.get_benchmarks()]) from None
    return [
        BenchmarkTask(
            str(t.metadata.name),
            str(t.metadata.type),
            tuple(t.eval_splits),
            frozenset(t.hf_subsets) if getattr(t, "hf_subsets", None) else None,
        )
        for t in tasks
    ]


def shipped_scores(min_coverage: float = MIN_COVERAGE) -> MtebScores:
    """MMTEB's scores on the paper's day of access.

    Args:
        min_coverage: the share of the tasks that a ranked model has.

    Returns:
        The scores.

    Source:
        the paper, section 5.3 and Figure 2; only the mean over tasks gives its ranks.
    """
    tasks = len(benchmark_list())
    with SHIPPED.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    whole = {r["model"]: float(r["mean_task"]) for r in rows if int(r["tasks"]) >= min_coverage * tasks}
    less = {r["model"]: int(r["tasks"]) for r in rows if r["model"] not in whole}
    return MtebScores(MMTEB, tasks, whole, less, ("Result files of 11 June 2025.",))


def benchmark_list() -> list[str]:
    """Names of MMTEB's tasks, from the shipped list.

    Returns:
        132 names.
    """
    with (_FOLDER / "tasks_v1.csv").open(encoding="utf-8", newline="") as stream:
        return [r["task"] for r in csv.DictReader(stream)]


def read_mteb(
    folder: Path, benchmark: str = MMTEB, *, aggregate: str = "mean_task", min_coverage: float = MIN_COVERAGE
) -> MtebScores:
    """Average result files of mteb.

    Args:
        folder: a checkout of embeddings-benchmark/results, or mteb's own results folder: files at
            [results/]<organisation>__<model>/<revision>/<task>.json.
        benchmark: whose tasks.
        aggregate: mean_task (over tasks), task_type (over the means of task types) or borda (a task's points
            are the models that a model beats there).
        min_coverage: the share of the tasks that a ranked model has.

    Returns:
        The scores; of a model with several revisions, those of the one with most tasks.

    Raises:
        SeabedError: the folder holds no results of the benchmark.
    """
    if aggregate not in AGGREGATES:
        raise unknown("aggregate", aggregate, AGGREGATES)
    root = folder / "results" if (folder / "results").is_dir() else folder
    if not root.is_dir():
        raise SeabedError(f"{folder} does not exist; give a checkout of embeddings-benchmark/results")
    tasks = {t.name: t for t in benchmark_tasks(benchmark)}
    names = {str(e["id"]): name for name, e in known_models().items() if "api" not in e}
    found: dict[str, dict[str, float]] = {}
    notes: list[str] = []
    for model_folder in sorted(p for p in root.iterdir() if p.is_dir() and "__" in p.name):
        revisions = {
            r.name: _task_scores(r, tasks, notes) for r in sorted(model_folder.iterdir()) if r.is_dir()
        }
        best = max(revisions, key=lambda r: len(revisions[r]), default=None)
        if best is None or not revisions[best]:
            continue
        model = model_folder.name.replace("__", "/", 1)
        found[names.get(model, model)] = revisions[best]
        if sum(bool(own) for own in revisions.values()) > 1:
            notes.append(f"{model}: revision {best}, which has most tasks ({len(revisions[best])}).")
    if not found:
        raise SeabedError(
            f"{folder} holds no result of {benchmark} at <organisation>__<model>/<revision>/<task>.json"
        )
    whole = {m: own for m, own in found.items() if len(own) >= min_coverage * len(tasks)}
    less = {m: len(own) for m, own in found.items() if m not in whole}
    scores = (
        _borda(whole)
        if aggregate == "borda"
        else {m: _mean(own, tasks, aggregate) for m, own in whole.items()}
    )
    return MtebScores(benchmark, len(tasks), scores, less, tuple(notes))


def _mean(own: Mapping[str, float], tasks: Mapping[str, BenchmarkTask], aggregate: str) -> float:
    if aggregate == "mean_task":
        return fmean(own.values())
    by_type: dict[str, list[float]] = defaultdict(list)
    for name, score in own.items():
        by_type[tasks[name].type].append(score)
    return fmean(fmean(values) for values in by_type.values())


def _borda(found: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    points = dict.fromkeys(found, 0.0)
    for task in {t for own in found.values() for t in own}:
        here = {m: own[task] for m, own in found.items() if task in own}
        for model, score in here.items():
            points[model] += sum(other < score for other in here.values())
    return points


def _task_scores(folder: Path, tasks: Mapping[str, BenchmarkTask], notes: list[str]) -> dict[str, float]:
    """x100, over the benchmark's own splits and subsets; a file that cannot be read is named and left out."""
    found = {}
    for name, task in tasks.items():
        path = folder / f"{name}.json"
        if not path.is_file():
            continue
        try:
            scores = json.loads(path.read_text(encoding="utf-8"))["scores"]
            values = [
                float(entry["main_score"])
                for split in task.splits
                for entry in scores.get(split, [])
                if task.subsets is None or entry["hf_subset"] in task.subsets
            ]
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            notes.append(
                f"{folder.name}/{path.name} is no result of mteb ({type(error).__name__}); left out."
            )
            continue
        if any(not math.isfinite(v) or not -1 <= v <= 1 for v in values):
            notes.append(f"{folder.name}/{path.name} holds a score that is none; left out.")
        elif values:
            found[name] = 100 * fmean(values)
    return found


def source(text: str) -> MtebScores:
    """What `seabed ranks` takes as mteb:FOLDER[:BENCHMARK][:AGGREGATE], or mmteb.

    Args:
        text: the source.

    Returns:
        The scores.

    Raises:
        SeabedError: it cannot be read.
    """
    if text == "mmteb":
        return shipped_scores()
    parts: Sequence[str] = text.split(":")[1:]
    options: dict[str, Any] = {}
    if len(parts) > 1 and parts[-1] in AGGREGATES:
        options["aggregate"], parts = parts[-1], parts[:-1]
    if len(parts) > 1:
        options["benchmark"], parts = parts[-1], parts[:-1]
    return read_mteb(Path(":".join(parts)), **options)
