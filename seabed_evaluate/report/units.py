"""Results -> units: one score per dataset and language, the thing that is averaged, and means over them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite, sqrt
from statistics import fmean

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import DOMAINS, LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError
from seabed_evaluate.runner.results import Result, shown_name

Z = 1.959964  # 97.5 % quantile of the normal distribution
SCRIPTS = {
    "Latin": ("ind", "vie", "fil", "zsm", "tet"),
    "Thai": ("tha",),
    "Burmese": ("mya",),
    "Tamil": ("tam",),
    "Khmer": ("khm",),
    "Lao": ("lao",),
}
_SCRIPT_OF = {language: script for script, languages in SCRIPTS.items() for language in languages}


@dataclass(frozen=True)
class UnitFacts:
    """What the catalogue says of a unit.

    `configs`: names of all configs it is the mean of. `counted`: whether means take it in; a dataset added
    after the paper is shown by itself only, so that means stay comparable with the paper's.
    """

    dataset: str
    language: str
    task: str
    origin: str
    domains: tuple[str, ...]
    configs: tuple[str, ...]
    counted: bool = True

    @property
    def name(self) -> str:
        """The unit's name; keys such as news_clustering_mya hold their language already."""
        ending = f"_{self.language}"
        return self.dataset if self.dataset.endswith(ending) else self.dataset + ending

    def groups(self, by: str) -> tuple[str, ...]:
        """The columns a unit counts in.

        Args:
            by: task, language, domain, script, dataset or unit.

        Returns:
            Their names; several for domains.
        """
        if not self.counted and by not in ("dataset", "unit"):
            return ()
        return {
            "task": (self.task,),
            "language": (self.language,),
            "domain": self.domains,
            "script": (_SCRIPT_OF[self.language],),
            "dataset": (self.dataset,),
            "unit": (self.name,),
        }[by]


@dataclass(frozen=True)
class Unit:
    """The score of a unit in one run: the mean of its configs, fractions; `se` None without intervals."""

    facts: UnitFacts
    score: float
    se: float | None
    low: float | None
    high: float | None
    found: int

    @property
    def whole(self) -> bool:
        """Whether all its configs were scored."""
        return self.found == len(self.facts.configs)


@dataclass(frozen=True)
class Cell:
    """A mean over units: how many of how many; score None where there is none. Fractions."""

    score: float | None
    units: int
    of: int
    se: float | None = None

    @property
    def whole(self) -> bool:
        """Whether it covers every unit there is."""
        return self.score is not None and self.units == self.of

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the score.

        Returns:
            Its two ends, or None where it is not known.
        """
        if self.score is None or self.se is None:
            return None
        return self.score - Z * self.se, self.score + Z * self.se


@dataclass(frozen=True)
class Run:
    """The units of one run: one model, one set of prompts, one protocol, one dtype."""

    model: str
    run: str
    protocol: str
    dtype: str
    sample: bool
    truncated: tuple[str, ...]
    data: Mapping[str, str] = field(repr=False)
    versions: frozenset[str]
    revisions: frozenset[str]
    units: tuple[Unit, ...] = field(repr=False)


@lru_cache(maxsize=2)
def all_units(sample: bool = False) -> dict[tuple[str, str], UnitFacts]:
    """Every unit there is.

    Args:
        sample: of the sample sets of the demo instead.

    Returns:
        (dataset, language) -> facts.
    """
    configs: dict[tuple[str, str], list[str]] = defaultdict(list)
    facts: dict[tuple[str, str], tuple[str, str, tuple[str, ...], bool]] = {}
    for dataset in catalogue.datasets(sample=sample):
        s = dataset.seabed
        for name in s.configs:
            for language in dataset.config(name).units:
                configs[dataset.key, language].append(name)
                facts[dataset.key, language] = (s.task, s.origin, tuple(s.domains), s.in_paper or sample)
    units = {}
    for (key, language), names in configs.items():
        task, origin, domains, counted = facts[key, language]
        units[key, language] = UnitFacts(key, language, task, origin, domains, tuple(sorted(names)), counted)
    return units


def columns(by: str, sample: bool = False) -> list[str]:
    """The names of a table's columns, in order.

    Args:
        by: task, language, domain, script, dataset or unit.
        sample: of the sample sets.

    Returns:
        The names.
    """
    fixed = {"task": TASKS, "language": tuple(LANGUAGES), "domain": DOMAINS, "script": tuple(SCRIPTS)}
    if by in fixed:
        return list(fixed[by])
    return sorted({g for facts in all_units(sample).values() for g in facts.groups(by)})


def runs_of(results: Iterable[Result]) -> list[Run]:
    """Group results by run and make units of each.

    Args:
        results: of any number of runs.

    Returns:
        One run per model and settings; sample sets apart from SEA-BED's own.

    Raises:
        SeabedError: one run holds a config twice with different data, or a score is NaN or infinite.
    """
    # By name too: a file that claims another's run is not counted as that model's.
    grouped: dict[tuple[str, bool, str], dict[str, Result]] = defaultdict(dict)
    for r in results:
        if not isfinite(r["score"]):
            raise SeabedError(f"{r['config']}: the score is {r['score']}, which has no place in a table")
        other = grouped[r["run"], r["sample"], shown_name(r["model"])].setdefault(r["config"], r)
        if other["settings_hash"] != r["settings_hash"]:
            raise SeabedError(
                f"{r['config']} is there twice with different data or code for {shown_name(r['model'])}; "
                "report one results folder at a time"
            )
    return [_run(run, sample, list(found.values())) for (run, sample, _), found in grouped.items()]


def _run(run: str, sample: bool, results: list[Result]) -> Run:
    first = results[0]
    return Run(
        model=shown_name(first["model"]),
        run=run[:8],
        protocol=first["protocol"]["name"],
        dtype=str(first["model"].get("dtype") or "not stated"),
        sample=sample,
        truncated=tuple(sorted(r["config"] for r in results if r["data"]["truncated"])),
        data={r["config"]: "".join(r["data"]["splits"].values()) for r in results},
        versions=frozenset(str(r["environment"]["packages"].get("seabed")) for r in results),
        revisions=frozenset(str(r["data"]["revision"] or "a local folder") for r in results),
        units=tuple(_units(results, sample)),
    )


def _units(results: list[Result], sample: bool) -> Iterable[Unit]:
    known = all_units(sample)
    parts: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for r in results:
        for language in r["units"]:
            parts[r["dataset"], language].append(r)
    for key, found in sorted(parts.items()):
        if key not in known:
            raise SeabedError(
                f"a result is of {key[0]} in {key[1]}, which this version's catalogue does not have; "
                "`seabed list` shows what it has"
            )
        score = fmean(r["score"] for r in found)
        intervals = [r.get("interval") for r in found]
        se = low = high = None
        if all(intervals):
            se = mean_error((key[0], i["se"]) for i in intervals if i)
            if len(intervals) == 1 and intervals[0]:
                low, high = intervals[0]["low"], intervals[0]["high"]
            elif se is not None:
                low, high = score - Z * se, score + Z * se
        yield Unit(known[key], score, se, low, high, len(found))


def mean_error(errors: Iterable[tuple[str, float | None]]) -> float | None:
    """Standard error of a mean.

    The languages of one dataset often hold the same sentences, so their errors are taken to go together and
    are added; errors of different datasets are independent and add in squares. Where a dataset's languages
    are independent after all, the interval is too wide, never too narrow.

    Args:
        errors: (dataset, standard error of a score of it); None where a score has none.

    Returns:
        The standard error, or None when there is no score or one without an error.

    >>> round(mean_error([("a", 0.03), ("b", 0.04)]), 4), round(mean_error([("a", 0.03), ("a", 0.04)]), 4)
    (0.025, 0.035)
    """
    given = list(errors)
    return combined_error((dataset, e / len(given) if e is not None else None) for dataset, e in given)


def combined_error(shares: Iterable[tuple[str, float | None]]) -> float | None:
    """Standard error of a weighted sum of scores, by the rule of `mean_error`.

    Args:
        shares: (dataset, weight x standard error of a score of it).

    Returns:
        The standard error, or None when there is no score or one without an error.
    """
    sums: dict[str, float] = defaultdict(float)
    for dataset, share in shares:
        if share is None:
            return None
        sums[dataset] += share
    return sqrt(sum(s * s for s in sums.values())) if sums else None


def cells(run: Run, by: str, origin: str | None = None) -> dict[str, Cell]:
    """Means over a run's units.

    Args:
        run: the run; units of which some configs are missing are left out.
        by: task, language, domain, script, dataset or unit.
        origin: only units of this origin.

    Returns:
        Column -> mean over the units that count in it.
    """
    of: dict[str, int] = defaultdict(int)
    for facts in all_units(run.sample).values():
        if origin is None or facts.origin == origin:
            for group in facts.groups(by):
                of[group] += 1
    return {
        group: Cell(
            fmean(u.score for u in units) if units else None,
            len(units),
            of.get(group, 0),
            mean_error((u.facts.dataset, u.se) for u in units),
        )
        for group, units in _grouped(run, by, origin).items()
    }


def _grouped(run: Run, by: str, origin: str | None) -> dict[str, list[Unit]]:
    grouped: dict[str, list[Unit]] = {name: [] for name in columns(by, run.sample)}
    for unit in run.units:
        if unit.whole and (origin is None or unit.facts.origin == origin):
            for group in unit.facts.groups(by):
                grouped[group].append(unit)
    return grouped


def average_error(run: Run, by: str, origin: str | None = None) -> float | None:
    """Standard error of the mean of a table's columns.

    Args:
        run: the run.
        by: task or language.
        origin: only units of this origin.

    Returns:
        The standard error, or None where some unit has no interval.
    """
    grouped = [units for units in _grouped(run, by, origin).values() if units]
    return combined_error(
        (u.facts.dataset, None if u.se is None else u.se / len(units) / len(grouped))
        for units in grouped
        for u in units
    )
