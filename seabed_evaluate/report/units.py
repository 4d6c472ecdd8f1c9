"""Results -> units, the things that a mean counts once, and means over them.

A unit is a config, as in the paper's tables; each ALTDialect pair then stands under its second language. With
`average="datasets"` it is a dataset in one language, the mean of its configs: an ALTDialect pair stands under both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite, sqrt
from statistics import fmean
from typing import Literal, get_args

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.catalogue.vocabulary import ASPECTS, DOMAINS, LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate.runner.cut_texts import cut_texts, share
from seabed_evaluate.runner.protocols import DEFAULT
from seabed_evaluate.runner.results import Result, settings_hash, shown_name

Average = Literal["configs", "datasets"]
AVERAGES: tuple[str, ...] = get_args(Average)
# What is counted, in words.
COUNTED = {"configs": "configs", "datasets": "dataset-language units"}

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

    name: str
    dataset: str
    language: str
    task: str
    origin: str
    origin_paper: str
    domains: tuple[str, ...]
    configs: tuple[str, ...]
    counted: bool = True

    def groups(self, by: str) -> tuple[str, ...]:
        """The columns a unit counts in.

        Args:
            by: task, language, aspect, domain, script, dataset, unit or config.

        Returns:
            Their names; several for domains.
        """
        if not self.counted and by not in ("dataset", "unit", "config"):
            return ()
        return {
            "task": (self.task,),
            "language": (self.language,),
            "aspect": (ASPECTS[self.task],),
            "domain": self.domains,
            "script": (_SCRIPT_OF[self.language],),
            "dataset": (self.dataset,),
            "unit": (self.name,),
            "config": (self.name,),
        }[by]


@dataclass(frozen=True)
class Origin:
    """Which units a table is of: those made by people or by machines, by whose word.

    `by`: ours (the cards' own word for each config) or paper (the annotation column of its Tables 12 and 13).
    """

    value: Literal["human", "machine"]
    by: Literal["ours", "paper"] = "ours"

    def holds(self, facts: UnitFacts) -> bool:
        """Whether a unit is of this origin.

        Args:
            facts: of the unit.

        Returns:
            The answer.
        """
        return (facts.origin if self.by == "ours" else facts.origin_paper) == self.value


@dataclass(frozen=True)
class Unit:
    """The score of a unit in one run: the mean of its configs, fractions; `se` None without intervals.

    `cut`: how many of its texts were longer than the model's limit, of how many; None where that is not known.
    """

    facts: UnitFacts
    score: float
    se: float | None
    low: float | None
    high: float | None
    found: int
    cut: tuple[int, int] | None = None

    @property
    def whole(self) -> bool:
        """Whether all its configs were scored."""
        return self.found == len(self.facts.configs)


@dataclass(frozen=True)
class Cell:
    """A mean over units: how many of how many; score None where there is none. Fractions.

    `cut`: the share of their texts that were longer than the model's limit; None where that is not known.
    """

    score: float | None
    units: int
    of: int
    se: float | None = None
    cut: float | None = None

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
    """The units of one run: one model, one set of prompts, one protocol, one dtype.

    `settings`: hash of the protocol's settings, which may differ under one name between versions. `measures`:
    task -> the score that is shown.
    """

    model: str
    run: str
    key: str
    protocol: str
    settings: str
    dtype: str
    sample: bool
    average: Average
    measures: Mapping[str, str]
    truncated: tuple[str, ...]
    data: Mapping[str, str] = field(repr=False)
    versions: frozenset[str]
    revisions: frozenset[str]
    cut: tuple[int, int] | None
    units: tuple[Unit, ...] = field(repr=False)

    @property
    def name(self) -> str:
        """The model, which run of it, and its protocol where that is not the default."""
        other = "" if self.protocol == DEFAULT else f" (protocol {self.protocol})"
        return f"{self.model} [{self.run}]{other}"


@lru_cache(maxsize=4)
def all_units(sample: bool = False, average: Average = "configs") -> dict[str, UnitFacts]:
    """Every unit there is.

    Args:
        sample: of the sample sets of the demo instead.
        average: what a unit is.

    Returns:
        Name -> facts.
    """
    parts: dict[tuple[str, str, str], list[Config]] = defaultdict(list)
    counted: dict[str, bool] = {}
    domains: dict[str, tuple[str, ...]] = {}
    for dataset in catalogue.datasets(sample=sample):
        domains[dataset.key] = tuple(dataset.seabed.domains)
        counted[dataset.key] = dataset.seabed.in_paper or sample
        for name in dataset.seabed.configs:
            config = dataset.config(name)
            for unit, language in unit_names(config, average):
                parts[unit, dataset.key, language].append(config)
    return {
        unit: UnitFacts(
            unit,
            key,
            language,
            configs[0].task,
            configs[0].origin,
            configs[0].origin_paper,
            domains[key],
            tuple(sorted(c.name for c in configs)),
            counted[key],
        )
        for (unit, key, language), configs in parts.items()
    }


def unit_names(config: Config, average: Average) -> list[tuple[str, str]]:
    """The units that a config is part of.

    Args:
        config: the config.
        average: what a unit is.

    Returns:
        Name and language of each.

    >>> unit_names(catalogue.config("altdialect_ind_khm"), "configs")
    [('altdialect_ind_khm', 'khm')]
    >>> unit_names(catalogue.config("altdialect_ind_khm"), "datasets")
    [('altdialect_ind', 'ind'), ('altdialect_khm', 'khm')]
    """
    if average == "configs":
        return [(config.name, config.units[-1])]
    # Keys such as news_clustering_mya hold their language already.
    return [
        (config.key if config.key.endswith(f"_{lang}") else f"{config.key}_{lang}", lang)
        for lang in config.units
    ]


def columns(by: str, sample: bool = False, average: Average = "configs") -> list[str]:
    """The names of a table's columns, in order.

    Args:
        by: task, language, aspect, domain, script, dataset, unit or config.
        sample: of the sample sets.
        average: what a unit is.

    Returns:
        The names.
    """
    fixed = {
        "task": TASKS,
        "language": tuple(LANGUAGES),
        "aspect": tuple(dict.fromkeys(ASPECTS.values())),
        "domain": DOMAINS,
        "script": tuple(SCRIPTS),
    }
    if by in fixed:
        return list(fixed[by])
    return sorted({g for facts in all_units(sample, average).values() for g in facts.groups(by)})


def run_key(result: Result) -> str:
    """What tells runs apart: settings, and by name too, so that a file which claims another's run is not counted as
    that model's.

    Args:
        result: any of the run.

    Returns:
        The key.
    """
    return f"{result['run']} {shown_name(result['model'])}"


def runs_of(results: Iterable[Result], average: Average = "configs") -> list[Run]:
    """Group results by run and make units of each.

    Args:
        results: of any number of runs.
        average: what a unit is.

    Returns:
        One run per model and settings; sample sets apart from SEA-BED's own.

    Raises:
        SeabedError: one run holds a config twice with different data, or a score is NaN or infinite.
    """
    grouped: dict[tuple[str, bool], dict[str, Result]] = defaultdict(dict)
    for r in results:
        if not isfinite(r["score"]):
            raise SeabedError(f"{r['config']}: the score is {r['score']}, which has no place in a table")
        other = grouped[run_key(r), r["sample"]].setdefault(r["config"], r)
        if other["settings_hash"] != r["settings_hash"]:
            raise SeabedError(
                f"{r['config']} is there twice with different data or code for {shown_name(r['model'])}; "
                "report one results folder at a time"
            )
    return [_run(sample, list(found.values()), average) for (_, sample), found in grouped.items()]


def _run(sample: bool, results: list[Result], average: Average) -> Run:
    first = results[0]
    return Run(
        model=shown_name(first["model"]),
        run=first["run"][:8],
        key=run_key(first),
        protocol=first["protocol"]["name"],
        settings=settings_hash(first["protocol"]),
        dtype=str(first["model"].get("dtype") or "not stated"),
        sample=sample,
        average=average,
        measures={r["task"]: r["main_score"] for r in results},
        truncated=tuple(sorted(r["config"] for r in results if r["data"]["truncated"])),
        data={r["config"]: "".join(r["data"]["splits"].values()) for r in results},
        versions=frozenset(str(r["environment"]["packages"].get("seabed")) for r in results),
        revisions=frozenset(str(r["data"]["revision"] or "a local folder") for r in results),
        cut=cut_texts(results),
        units=tuple(_units(results, sample, average)),
    )


def _units(results: list[Result], sample: bool, average: Average) -> Iterable[Unit]:
    known = all_units(sample, average)
    parts: dict[str, list[Result]] = defaultdict(list)
    for r in results:
        try:
            names = unit_names(catalogue.config(r["config"]), average)
        except UnknownName:
            raise SeabedError(
                f"a result is of {r['config']}, which this version's catalogue does not have; "
                "`seabed list` shows what it has"
            ) from None
        for name, _ in names:
            parts[name].append(r)
    for name, found in sorted(parts.items()):
        score = fmean(r["score"] for r in found)
        intervals = [r.get("interval") for r in found]
        se = low = high = None
        if all(intervals):
            se = mean_error((known[name].dataset, i["se"]) for i in intervals if i)
            if len(intervals) == 1 and intervals[0]:
                low, high = intervals[0]["low"], intervals[0]["high"]
            elif se is not None:
                low, high = score - Z * se, score + Z * se
        yield Unit(known[name], score, se, low, high, len(found), cut_texts(found))


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
    for dataset, part in shares:
        if part is None:
            return None
        sums[dataset] += part
    return sqrt(sum(s * s for s in sums.values())) if sums else None


def cells(run: Run, by: str, origin: Origin | None = None) -> dict[str, Cell]:
    """Means over a run's units.

    Args:
        run: the run; units of which some configs are missing are left out.
        by: task, language, aspect, domain, script, dataset, unit or config.
        origin: only units of this origin.

    Returns:
        Column -> mean over the units that count in it.
    """
    of: dict[str, int] = defaultdict(int)
    for facts in all_units(run.sample, run.average).values():
        if origin is None or origin.holds(facts):
            for group in facts.groups(by):
                of[group] += 1
    return {
        group: Cell(
            fmean(u.score for u in units) if units else None,
            len(units),
            of.get(group, 0),
            mean_error((u.facts.dataset, u.se) for u in units),
            share(u.cut for u in units),
        )
        for group, units in _grouped(run, by, origin).items()
    }


def _grouped(run: Run, by: str, origin: Origin | None) -> dict[str, list[Unit]]:
    grouped: dict[str, list[Unit]] = {name: [] for name in columns(by, run.sample, run.average)}
    for unit in run.units:
        if unit.whole and (origin is None or origin.holds(unit.facts)):
            for group in unit.facts.groups(by):
                grouped[group].append(unit)
    return grouped


def average_error(run: Run, by: str, origin: Origin | None = None) -> float | None:
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


def config_weights(
    by: str, origin: Origin | None = None, sample: bool = False, average: Average = "configs"
) -> dict[str, float]:
    """How much each config adds to the mean of a table's columns.

    Args:
        by: task or language.
        origin: only units of this origin.
        sample: of the sample sets.
        average: what a unit is.

    Returns:
        Config -> weight; they sum to 1.

    >>> weights = config_weights("task")
    >>> len(weights), round(weights["ntrex_tha"] * 9 * 114, 6)
    (314, 1.0)
    """
    grouped: dict[str, list[UnitFacts]] = defaultdict(list)
    for facts in all_units(sample, average).values():
        if origin is None or origin.holds(facts):
            for group in facts.groups(by):
                grouped[group].append(facts)
    weights: dict[str, float] = defaultdict(float)
    for units in grouped.values():
        for facts in units:
            for config in facts.configs:
                weights[config] += 1 / len(facts.configs) / len(units) / len(grouped)
    return dict(weights)
