"""Showing another score of a task than its protocol's main one; results carry every number that one run gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.runner.result_schema import is_measure
from seabed_evaluate.runner.results import Result


def chosen_measures(texts: Iterable[str]) -> dict[str, str]:
    """What a user asked to see.

    Args:
        texts: each "task=score", e.g. "multilabel_classification=f1_weighted".

    Returns:
        Task -> score.

    Raises:
        SeabedError: a text has another form.
        UnknownName: there is no such task.

    >>> chosen_measures(["sts=pearson"])
    {'sts': 'pearson'}
    """
    chosen: dict[str, str] = {}
    for text in texts:
        task, sign, measure = text.partition("=")
        if not sign or not measure:
            raise SeabedError(f"{text!r} is no measure: write TASK=SCORE, e.g. sts=pearson")
        if task not in TASKS:
            raise unknown("task", task, TASKS)
        if chosen.setdefault(task, measure) != measure:
            raise SeabedError(f"two measures for {task}: {chosen[task]} and {measure}; a table shows one")
    return chosen


def with_measures(results: Iterable[Result], chosen: Mapping[str, str]) -> list[Result]:
    """Results that show other scores.

    Args:
        results: as their files hold them.
        chosen: task -> score.

    Returns:
        The results; those of a chosen task have this score and its interval (None where the file has none).

    Raises:
        UnknownName: a result has no such score; the closest is named.
    """
    shown = []
    for r in results:
        measure = chosen.get(r["task"])
        if measure is None or measure == r["main_score"]:
            shown.append(r)
            continue
        numbers = {n: v for n, v in r["scores"].items() if isinstance(v, int | float) and is_measure(n)}
        if measure not in numbers:
            raise unknown(f"score of {r['config']} ({r['task']})", measure, numbers)
        interval = (r.get("intervals") or {}).get(measure)
        shown.append(r | {"main_score": measure, "score": numbers[measure], "interval": interval})
    return shown
