"""Two models on the same items: which difference is more than chance, unit by unit and on average."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from tqdm import tqdm

from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.rank_groups import ALPHA, holm, normal_p
from seabed_evaluate.report.tables import mixtures
from seabed_evaluate.report.units import COUNTED, Average, UnitFacts, Z, all_units, combined_error, runs_of
from seabed_evaluate.runner.outcomes import Outcomes, check_outcomes, outcomes_path, read_outcomes
from seabed_evaluate.runner.protocols import DEFAULT
from seabed_evaluate.runner.results import Result, result_files, shown_name
from seabed_evaluate.runner.uncertainty import CONFIDENCE, RESAMPLES, SEED, draws

PERMUTATIONS = 10_000

Found = dict[str, tuple[Path, Result]]


@dataclass(frozen=True)
class Difference:
    """A minus B on one unit; scores are fractions, `low` and `high` the 95 % interval of the difference.

    `test`: permutation (signs of per-item differences are flipped) where the score is a mean over items, else
    bootstrap (the difference over its standard deviation on paired resamples, against the normal
    distribution). `p_holm`: corrected for the number of units compared.
    """

    facts: UnitFacts
    a: float
    b: float
    low: float
    high: float
    se: float
    p: float
    test: Literal["permutation", "bootstrap"]
    p_holm: float = 1.0

    @property
    def difference(self) -> float:
        """A minus B."""
        return self.a - self.b

    @property
    def verdict(self) -> str:
        """Who is better: "A", "B", or "tie"."""
        if self.p_holm >= ALPHA or self.difference == 0:
            return "tie"
        return "A" if self.difference > 0 else "B"


@dataclass(frozen=True)
class Mean:
    """A minus B on average over units, with its 95 % interval, and on how many units each is better."""

    name: str
    units: int
    of: int
    difference: float
    low: float
    high: float
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True)
class Comparison:
    """Two runs compared; `skipped`: unit -> why it could not be."""

    a: str
    b: str
    units: tuple[Difference, ...]
    means: tuple[Mean, ...]
    skipped: dict[str, str]
    notes: tuple[str, ...]
    average: Average = "configs"

    @property
    def verdict(self) -> str:
        """One sentence."""
        wins, losses, ties = _count(self.units)
        return (
            f"{self.a} wins on {wins}, loses on {losses}, ties on {ties} {COUNTED[self.average]} "
            f"against {self.b} "
            f"(Holm-corrected p < {ALPHA})"
        )


def compare(
    a: str | Path,
    b: str | Path,
    *,
    average: Average = "configs",
    resamples: int = RESAMPLES,
    seed: int = SEED,
    quiet: bool = True,
) -> Comparison:
    """Compare two runs on the items both have scored.

    Args:
        a: a folder of one run's results.
        b: the same of the other run.
        average: what is compared and counted once in a mean: configs, or datasets in one language.
        resamples: of the paired bootstrap.
        seed: of resamples and permutations.
        quiet: no progress bar.

    Returns:
        The comparison.

    Raises:
        SeabedError: a folder holds several runs, or no unit can be compared.

    Source:
        Koehn (2004), paired bootstrap; Efron and Tibshirani (1993), chapters 15 and 16; Holm (1979).
    """
    found = {side: one_run(place) for side, place in {"A": a, "B": b}.items()}
    names = [_name(found[side]) for side in ("A", "B")]
    sample = next(iter(found["A"].values()))[1]["sample"]
    units, skipped = [], {}
    for facts in tqdm(all_units(sample, average).values(), unit="unit", disable=True if quiet else None):
        if not any(config in side for config in facts.configs for side in found.values()):
            continue
        try:
            pairs = [_pair(config, found["A"], found["B"]) for config in facts.configs]
            units.append(_difference(facts, pairs, resamples, seed))
        except (SeabedError, ValueError) as error:
            skipped[facts.name] = str(error)
    if not units:
        reason = next(iter(skipped.values()), "they hold different datasets")
        raise SeabedError(f"nothing of {a} and {b} can be compared: {reason}")
    units = corrected(units)
    runs = runs_of([r for side in found.values() for _, r in side.values()], average)
    means = tuple(_means(units, sample, average))
    notes = (f"Means are over {COUNTED[average]}.", *mixtures(runs))
    return Comparison(names[0], names[1], tuple(units), means, skipped, notes, average)


def one_run(place: str | Path) -> Found:
    """The results of the one run a folder holds.

    Args:
        place: the folder.

    Returns:
        Config -> (path, result).

    Raises:
        SeabedError: it holds none or several.
    """
    files = result_files([place])
    runs = {(str(path.parent), r["sample"]) for path, r in files}
    if len({r["run"] for _, r in files}) > 1 or len(runs) > 1:
        folders = ", ".join(sorted({folder for folder, _ in runs}))
        raise SeabedError(f"{place} holds several runs; name the folder of one of them: {folders}")
    return {r["config"]: (path, r) for path, r in files}


def _name(found: Found) -> str:
    first = next(iter(found.values()))[1]
    protocol = first["protocol"]["name"]
    other = "" if protocol == DEFAULT else f" (protocol {protocol})"
    return f"{shown_name(first['model'])} [{first['run'][:8]}]{other}"


def _pair(config: str, a: Found, b: Found) -> tuple[Result, Outcomes, Outcomes]:
    for side, found in (("first", a), ("second", b)):
        if config not in found:
            raise SeabedError(f"the {side} run has no result of {config}")
    (path_a, result_a), (path_b, result_b) = a[config], b[config]
    if result_a["data"]["splits"] != result_b["data"]["splits"]:
        raise SeabedError(f"the runs were scored on different rows of {config}")
    if result_a["main_score"] != result_b["main_score"]:
        raise SeabedError(
            f"the runs have different main scores for {config}: {result_a['main_score']} and "
            f"{result_b['main_score']}"
        )
    return (
        result_a,
        _items(path_a, result_a),
        _items(path_b, result_b),
    )


def _items(path: Path, result: Result) -> Outcomes:
    place = outcomes_path(path)
    return check_outcomes(place, read_outcomes(place, result["settings_hash"]), result)


def _difference(
    facts: UnitFacts, pairs: Sequence[tuple[Result, Outcomes, Outcomes]], resamples: int, seed: int
) -> Difference:
    if all("values" in outcomes for _, *both in pairs for outcomes in both):
        items = [x["values"].astype(np.float64) - y["values"] for _, x, y in pairs]
        moved = [
            draws(r["task"], r["main_score"], {"values": d}, resamples=resamples, seed=seed).resampled
            for (r, *_), d in zip(pairs, items, strict=True)
        ]
        p = permutation_p([d[np.isfinite(d)] for d in items], seed=seed)
        low, high, se = _spread(moved)
        a, b = (fmean(float(np.nanmean(pair[side]["values"])) for pair in pairs) for side in (1, 2))
        return Difference(facts, a, b, low, high, se, p, "permutation")
    scored = [
        [draws(r["task"], r["main_score"], o, resamples=resamples, seed=seed) for o in (x, y)]
        for r, x, y in pairs
    ]
    low, high, se = _spread([x.resampled - y.resampled for x, y in scored])
    a, b = (fmean(both[side].score for both in scored) for side in (0, 1))
    return Difference(facts, a, b, low, high, se, normal_p(a - b, se), "bootstrap")


def _spread(resampled: Sequence[npt.NDArray[np.float64]]) -> tuple[float, float, float]:
    """Interval and standard deviation of the mean over a unit's configs."""
    mean = np.mean(resampled, axis=0)
    mean = mean[np.isfinite(mean)]
    if not len(mean):
        raise SeabedError("the score is undefined on every resample")
    low, high = np.quantile(mean, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high), float(mean.std())


def permutation_p(
    differences: Sequence[npt.NDArray[np.float64]], *, permutations: int = PERMUTATIONS, seed: int = SEED
) -> float:
    """Two-sided p that per-item differences are equally likely in either direction.

    Args:
        differences: per config, one value per item.
        permutations: how many sign patterns are drawn.
        seed: of the draws.

    Returns:
        (1 + patterns at least as extreme) / (1 + patterns).

    >>> import numpy as np
    >>> permutation_p([np.zeros(5)])
    1.0
    """
    generator = np.random.default_rng(seed)
    moved = [(d[d != 0] / len(d)).astype(np.float32) for d in differences if d.any()]
    observed, drawn = sum(float(d.sum()) for d in moved), np.zeros(permutations, dtype=np.float32)
    for d in moved:
        rows = max(1, 8_000_000 // len(d))
        width = -(-len(d) // 8)
        for start in range(0, permutations, rows):
            stop = min(permutations, start + rows)
            drawn_bytes = np.frombuffer(generator.bytes((stop - start) * width), dtype=np.uint8)
            signs = np.unpackbits(drawn_bytes.reshape(-1, width), axis=1, count=len(d))
            drawn[start:stop] += signs.astype(np.float32) @ (2 * d) - d.sum()
    # Patterns that move the same amount must count as equal in spite of rounding.
    slack = 1e-5 * sum(float(np.abs(d).sum()) for d in moved)
    extreme = np.sum(np.abs(drawn) >= abs(observed) - slack)
    return float((1 + extreme) / (1 + permutations))


def corrected(units: Iterable[Difference]) -> list[Difference]:
    """Correct p values for how many there are.

    Args:
        units: differences with their own p.

    Returns:
        The same with `p_holm`: no more than 5 % of such comparisons declare any false winner.
    """
    given = list(units)
    return [replace(u, p_holm=p) for u, p in zip(given, holm(u.p for u in given), strict=True)]


def _count(units: Iterable[Difference]) -> tuple[int, int, int]:
    verdicts = [u.verdict for u in units]
    return verdicts.count("A"), verdicts.count("B"), verdicts.count("tie")


def _means(units: Sequence[Difference], sample: bool, average: Average) -> Iterable[Mean]:
    of: dict[str, int] = defaultdict(int)
    groups: dict[str, list[Difference]] = {name: [] for name in (*TASKS, *LANGUAGES)}
    for facts in all_units(sample, average).values():
        of[facts.task] += facts.counted
        of[facts.language] += facts.counted
    for unit in (u for u in units if u.facts.counted):
        groups[unit.facts.task].append(unit)
        groups[unit.facts.language].append(unit)
    for name, group in groups.items():
        if group:
            yield _mean(name, {name: group}, of[name])
    tasks = {task: groups[task] for task in TASKS if groups[task]}
    if len(tasks) == len(TASKS):
        yield _mean("all nine tasks", tasks, sum(of[t] for t in TASKS))


def _mean(name: str, groups: Mapping[str, Sequence[Difference]], of: int) -> Mean:
    """Mean over groups of their means over units."""
    units = [u for group in groups.values() for u in group]
    difference = fmean(fmean(u.difference for u in group) for group in groups.values())
    shares = [(u.facts.dataset, u.se / len(group) / len(groups)) for group in groups.values() for u in group]
    se = combined_error(shares) or 0.0
    return Mean(name, len(units), of, difference, difference - Z * se, difference + Z * se, *_count(units))


def mean_rows(comparison: Comparison) -> list[dict[str, str]]:
    """Averages as rows of text, x100.

    Args:
        comparison: of `compare`.

    Returns:
        One row per task and language, and one for all.
    """
    return [
        {
            "": m.name,
            COUNTED[comparison.average]: str(m.units) if m.units == m.of else f"{m.units}/{m.of}",
            "A - B": f"{m.difference * 100:+.2f}",
            "95 %": f"{m.low * 100:+.2f} to {m.high * 100:+.2f}",
            "A wins": str(m.wins),
            "A loses": str(m.losses),
            "ties": str(m.ties),
        }
        for m in comparison.means
    ]


def unit_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Units as rows, x100.

    Args:
        comparison: of `compare`.

    Returns:
        One row per unit, largest difference first.
    """
    return [
        {
            "unit": u.facts.name,
            "task": u.facts.task,
            "A": round(u.a * 100, 2),
            "B": round(u.b * 100, 2),
            "difference": round(u.difference * 100, 2),
            "low": round(u.low * 100, 2),
            "high": round(u.high * 100, 2),
            "test": u.test,
            "p": float(f"{u.p:.2g}"),
            "p_holm": float(f"{u.p_holm:.2g}"),
            "better": u.verdict,
        }
        for u in sorted(comparison.units, key=lambda u: -abs(u.difference))
    ]
