"""Run the rules: on cards, and on the rows of a bundle, of a mirror, or of the sources themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from traceback import extract_tb
from typing import Any, Literal

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import source_of
from seabed_datasets.bundle.manifest import card_text, read_manifest
from seabed_datasets.bundle.reading import parquet_file, stored_rows
from seabed_datasets.bundle.staging import rows_of
from seabed_datasets.catalogue import Config, Dataset
from seabed_datasets.checks import loader_code
from seabed_datasets.checks.card import check_card, loader_path
from seabed_datasets.checks.findings import Finding, Tally
from seabed_datasets.checks.inspection import Inspection
from seabed_datasets.checks.statistics import Stats
from seabed_datasets.errors import CardError, DataError, SeabedError, SourceError, unknown
from seabed_datasets.files import file_sha256
from seabed_datasets.schemas import SPLITS, Row, Splits, features, unify, with_labels


@dataclass
class Checked:
    """What a check looked at: findings, statistics per config, and configs whose rows were not there.

    `rows_wanted`: whether rows were to be checked, and not cards alone.
    """

    findings: list[Finding] = field(default_factory=list)
    stats: dict[str, Stats] = field(default_factory=dict)
    cards: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    rows_wanted: bool = True

    @property
    def errors(self) -> list[Finding]:
        """The findings that fail the check."""
        return [f for f in self.findings if f.severity == "error"]

    @property
    def verdict(self) -> Literal["passed", "failed", "no rows checked"]:
        """What the check says as a whole: nothing has passed whose rows were wanted and not one was read."""
        if self.errors:
            return "failed"
        return "passed" if self.stats or not self.rows_wanted else "no rows checked"

    @property
    def passed(self) -> bool:
        """Whether there is no error, and something was looked at."""
        return self.verdict == "passed"


def configs_of(names: Iterable[str]) -> list[Config]:
    """The configs that names stand for.

    Args:
        names: configs, or dataset keys for all configs of a dataset.

    Returns:
        The records, each once.

    Raises:
        UnknownName: a name is neither; the closest are named.
    """
    keys = {d.key: d for d in [*catalogue.datasets(), *catalogue.datasets(sample=True)]}
    homes = {config: d for d in keys.values() for config in d.seabed.configs}
    found: dict[str, Config] = {}
    for name in names:
        if name not in keys and name not in homes:
            raise unknown("dataset or config", name, [*keys, *homes], "`seabed list` shows all.")
        for config in keys[name].seabed.configs if name in keys else [name]:
            found[config] = homes[config].config(config)
    return list(found.values())


def check(
    names: Iterable[str],
    *,
    bundle: str | Path | None = None,
    mirror: str | Path | None = None,
    cards_only: bool = False,
    progress: Callable[[list[Config]], Iterable[Config]] = iter,
) -> Checked:
    """Check datasets or configs, and the cards they belong to.

    Args:
        names: configs, or dataset keys for all configs of a dataset; with a bundle, none means all it holds.
        bundle: read the rows of this bundle folder.
        mirror: or make them from this folder of upstream files; without either, from the sources.
        cards_only: read no rows.
        progress: wraps the list of configs, e.g. in a progress bar.

    Returns:
        What was found. Rows that cannot be obtained are skipped with the reason.

    Raises:
        UnknownName: a name does not exist; nothing is checked then.
        SeabedError: the bundle is none, or both bundle and mirror are given.
    """
    if bundle and mirror:
        raise SeabedError("--bundle and --mirror both say where the rows come from: give one")
    if mirror and not Path(mirror).is_dir():
        raise SourceError(f"the mirror folder {mirror} does not exist")
    wanted, strange = list(names), dict[str, str]()
    manifest = read_manifest(bundle) if bundle else {}
    try:
        if bundle and not wanted:
            wanted, strange = _held(Path(bundle), manifest)
        configs = configs_of(wanted)
    except CardError as error:  # one unreadable card keeps the catalogue from being read at all
        tally = Tally(str(error).partition(":")[0])
        tally.add("SB101", str(error))
        return Checked(findings=tally.findings({}, []))
    done = Checked(
        cards=list(dict.fromkeys(c.key for c in configs)), skipped=strange, rows_wanted=not cards_only
    )
    for config in progress(configs):
        if cards_only:
            continue
        try:
            if bundle:
                stats, found = _in_bundle(config, Path(bundle), manifest)
            else:
                stats, found = inspect(config, Path(mirror) if mirror else None)
        except SourceError as error:
            if error.why != "changed":
                done.skipped[config.name] = str(error)
                continue
            found = _broken(config, error, "SB407")
        except LoaderRefused as error:  # the card's own finding, below, says why
            done.skipped[config.name] = str(error)
            continue
        except SeabedError as error:
            found = _broken(config, error)
        else:
            done.stats[config.name] = stats
        done.findings += found
    for key in done.cards:
        done.findings += _card(key, done)
    done.findings.sort(key=lambda f: (f.where, f.rule, f.split or ""))
    return done


def _held(bundle: Path, manifest: dict[str, dict[str, Any]]) -> tuple[list[str], dict[str, str]]:
    """The configs of a bundle that a card here describes; of the others, why they are not checked."""
    every = [*catalogue.datasets(), *catalogue.datasets(sample=True)]
    known = {name for dataset in every for name in dataset.seabed.configs}
    if not manifest:
        raise SeabedError(f"{bundle} holds no config; `seabed build CONFIG --out {bundle}` adds one")
    strange = {name: f"{name}: no card here describes it" for name in manifest if name not in known}
    return [name for name in manifest if name in known], strange


class LoaderRefused(SeabedError):
    """A loader that uses what loaders may not, and was not run."""


@lru_cache(maxsize=1024)
def _loader_faults(file: Path, changed: int) -> tuple[str, ...]:
    return tuple(loader_code.faults(file))


def loader_faults(dataset: Dataset) -> tuple[str, ...]:
    """What the loader of a dataset uses that loaders may not.

    Args:
        dataset: the card.

    Returns:
        One line per fault.
    """
    file = None if dataset.seabed.sample else loader_path(dataset)
    return _loader_faults(file, file.stat().st_mtime_ns) if file else ()


def inspect(config: Config, mirror: Path | None = None) -> tuple[Stats, list[Finding]]:
    """Make a config's rows and check them.

    Args:
        config: which config.
        mirror: a folder of upstream files, or None for the sources.

    Returns:
        Its statistics; what was found.

    Raises:
        LoaderRefused: the loader uses what loaders may not; it was not run.
        SeabedError: the rows cannot be made.
    """
    origin = source_of(config, None, mirror)
    if origin == "upstream" and (wrong := loader_faults(catalogue.dataset(config.key))):
        raise LoaderRefused(f"{config.name}: its loader was not run: {wrong[0]}")
    try:
        splits, used = rows_of(config, origin, mirror)
        return check_rows(config, splits, truncated=lambda: any(u.truncated for u in used))
    except SeabedError:
        raise
    except Exception as error:  # a loader may fail in any way, and its author is to be told where
        raise DataError(f"{config.name}: the loader failed: {_explained(error)}") from error


def _explained(error: Exception) -> str:
    """An exception with the last line of this package's loaders it came through."""
    places = [f for f in extract_tb(error.__traceback__) if "loaders" in Path(f.filename).parts]
    where = (
        f" at {Path(places[-1].filename).name}, line {places[-1].lineno}: {places[-1].line}" if places else ""
    )
    return f"{type(error).__name__}: {error}{where}"


def check_rows(
    config: Config, splits: Splits, *, truncated: Callable[[], bool] = lambda: False
) -> tuple[Stats, list[Finding]]:
    """Check what a loader returned; rows that break the schema are findings, too.

    Args:
        config: which config.
        splits: split -> rows with label names.
        truncated: whether a raw file was cut; asked when all rows are read.

    Returns:
        Its statistics; what was found.

    Raises:
        DataError: a split is missing or unknown.
    """
    if set(splits) != set(SPLITS[config.task]):
        raise DataError(
            f"{config.name}: the loader made splits {sorted(splits)}, expected {sorted(SPLITS[config.task])}"
        )
    config, splits = with_labels(config, splits)
    inspection = Inspection(config)
    dropped: dict[str, dict[str, int]] = {}
    for split in SPLITS[config.task]:
        left_out = dropped.setdefault(split, {})
        rows = unify(config, split, splits[split], left_out, lambda e, s=split: inspection.refuse(s, e))  # type: ignore[misc]
        for row in rows:
            inspection.see(split, row)
    return inspection.finish(dropped, truncated=truncated())


def _in_bundle(
    config: Config, bundle: Path, manifest: dict[str, dict[str, Any]]
) -> tuple[Stats, list[Finding]]:
    if config.name not in manifest:
        raise SourceError(
            f"{bundle} holds no {config.name}; `seabed build {config.name} --out {bundle}` adds it"
        )
    try:
        return _read_in_bundle(config, bundle, manifest[config.name])
    except SeabedError:
        raise
    except Exception as error:  # a damaged file breaks its reader in any way
        raise DataError(
            f"{config.name}: its files in {bundle} cannot be read ({type(error).__name__}: {error}); "
            f"`seabed build {config.name} --out {bundle} --force` makes them again",
            "SB406",
        ) from error


def _read_in_bundle(config: Config, bundle: Path, entry: dict[str, Any]) -> tuple[Stats, list[Finding]]:
    test = bundle / "data" / config.name / "test.parquet"
    if not config.labels and test.is_file():
        config = config.model_copy(update={"labels": _label_names(test)})
    inspection = Inspection(config)
    for split in SPLITS[config.task]:
        file = bundle / "data" / config.name / f"{split}.parquet"
        if not file.is_file():
            raise SeabedError(
                f"{config.name}: {file} is missing; `seabed build {config.name} --out {bundle}`"
            )
        if file_sha256(file) != entry["splits"].get(split, {}).get("sha256"):
            inspection.tally.add("SB406", f"data/{config.name}/{split}.parquet", split)
        names = _label_names(file)
        if config.labels and names != config.labels:
            inspection.tally.add("SB206", f"file: {names}, card: {config.labels}", split)
        for row in _parquet_rows(config, file):
            inspection.see(split, row)
    dropped = {split: s.get("dropped", {}) for split, s in entry["splits"].items()}
    return inspection.finish(dropped, truncated=any("truncated" in s for s in entry["sources"]))


def _label_names(file: Path) -> list[str] | None:
    """The label names a Parquet file itself carries."""
    from datasets import ClassLabel, Features

    for feature in Features.from_arrow_schema(parquet_file(file).schema_arrow).values():
        inner = getattr(feature, "feature", feature)
        if isinstance(inner, ClassLabel):
            return list(inner.names)
    return None


def _parquet_rows(config: Config, file: Path) -> Iterator[Row]:
    parquet = parquet_file(file)
    if missing := sorted(set(features(config)) - set(parquet.schema_arrow.names)):
        raise DataError(f"{config.name}: {file.name} lacks columns {missing}")
    yield from stored_rows(parquet, file)


def _broken(config: Config, error: SeabedError, rule: str = "SB216") -> list[Finding]:
    tally = Tally(config.name)
    tally.add(error.rule if isinstance(error, DataError) else rule, str(error))
    return tally.findings({}, catalogue.dataset(config.key).seabed.exceptions)


def _card(key: str, done: Checked) -> list[Finding]:
    dataset, tally = catalogue.dataset(key), Tally(key)
    check_card(dataset, card_text(key), None if dataset.seabed.sample else loader_path(dataset), tally)
    # Only a card whose configs were all read can be said to make an exception that nothing needs.
    if all(name in done.stats for name in dataset.seabed.configs):
        found = {(f.rule, f.where) for f in done.findings}
        for e in dataset.seabed.exceptions:
            if not any((e.rule, name) in found for name in e.configs or dataset.seabed.configs):
                tally.add("SB112", f"{e.rule}: {e.reason}")
    for fault in loader_faults(dataset):
        tally.add("SB120", fault)
    # A card's author is a loader's author: no card excuses its loader.
    excused = [e for e in dataset.seabed.exceptions if e.rule != "SB120"]
    return tally.findings({}, excused)
