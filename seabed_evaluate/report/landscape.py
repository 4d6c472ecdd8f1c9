"""Languages x tasks: how many configs each cell holds, each model's mean there, and the best model."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.formats import SHORT
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.report.units import all_units, runs_of
from seabed_evaluate.runner.results import Result

Place = tuple[str, str]


@dataclass(frozen=True)
class Landscape:
    """(language, task) -> configs there are; and model -> its mean score (fraction) and of how many configs."""

    of: Mapping[Place, int]
    scores: Mapping[Place, Mapping[str, tuple[float, int]]]
    models: tuple[str, ...]

    def best(self, place: Place) -> tuple[str, float] | None:
        """The best model of a cell, among those that have all its configs.

        Args:
            place: language and task.

        Returns:
            Model and score; None where no model has them all.
        """
        whole = {m: s for m, (s, n) in self.scores.get(place, {}).items() if n == self.of[place]}
        return max(whole.items(), key=lambda item: item[1]) if whole else None


def landscape(results: Iterable[Result]) -> Landscape:
    """Put results into cells; an ALTDialect pair counts under its second language, as in the paper's tables.

    Args:
        results: of one or several models.

    Returns:
        The landscape, of the paper's datasets.

    Raises:
        SeabedError: there is no result of them.
    """
    known = {name: facts for name, facts in all_units().items() if facts.counted}
    of = Counter((facts.language, facts.task) for facts in known.values())
    parts: dict[Place, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    models = []
    for run in runs_of(r for r in results if not r["sample"]):
        models.append(run.name)
        for unit in run.units:
            if unit.facts.counted:
                parts[unit.facts.language, unit.facts.task][run.name].append(unit.score)
    if not parts:
        raise SeabedError(
            "no result of a dataset of SEA-BED: sample sets have no place among languages and tasks"
        )
    scores = {
        place: {model: (fmean(values), len(values)) for model, values in own.items()}
        for place, own in parts.items()
    }
    return Landscape(of, scores, tuple(models))


def landscape_sheets(found: Landscape) -> list[Sheet]:
    """One table per model, and one of the best models where there are several.

    Args:
        found: the landscape.

    Returns:
        The sheets: a cell is "score (configs)", "score (configs/of)" where some are missing, "-" where SEA-BED
        has no config.
    """
    sheets = [
        Sheet(
            f"Languages and tasks, {model}, x100 (configs)",
            [_line(found, lang, partial(_own, found, model)) for lang in LANGUAGES],
        )
        for model in found.models
    ]
    if len(found.models) > 1:
        rows = [_line(found, lang, partial(_best, found)) for lang in LANGUAGES]
        note = "Of the models that have all configs of a cell."
        sheets.append(Sheet("Best model by language and task, x100 (configs)", rows, [note]))
    return sheets


def _line(found: Landscape, language: str, text: Callable[[Place], str]) -> Row:
    return {
        "language": LANGUAGES[language],
        **{SHORT.get(t, t): text((language, t)) if found.of.get((language, t)) else "-" for t in TASKS},
    }


def _own(found: Landscape, model: str, place: Place) -> str:
    score, n = found.scores.get(place, {}).get(model, (None, 0))
    of = found.of[place]
    if score is None:
        return f"({of})"
    return f"{score * 100:.2f} ({of})" if n == of else f"{score * 100:.2f} ({n}/{of})"


def _best(found: Landscape, place: Place) -> str:
    best = found.best(place)
    return f"({found.of[place]})" if best is None else f"{best[0]} {best[1] * 100:.2f} ({found.of[place]})"


def as_plain(found: Landscape) -> Sequence[Mapping[str, object]]:
    """The landscape as plain values, for JSON.

    Args:
        found: the landscape.

    Returns:
        One entry per cell that holds configs; scores x100.
    """
    return [
        {
            "language": lang,
            "task": task,
            "configs": of,
            "best": best[0] if (best := found.best((lang, task))) else None,
            "scores": {
                m: {"score": round(s * 100, 6), "configs": n}
                for m, (s, n) in found.scores.get((lang, task), {}).items()
            },
        }
        for lang in LANGUAGES
        for task in TASKS
        if (of := found.of.get((lang, task)))
    ]
