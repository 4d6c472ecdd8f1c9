"""Fetching raw files into a mirror folder: `DIR/<key>/<upstream path>`, with a SOURCE.json per dataset."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from glob import escape
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError, SourceError, unknown
from seabed_datasets.files import file_sha256, replace_text
from seabed_datasets.sources.raw_files import (
    SOURCE_NOTE,
    Need,
    Used,
    alone,
    mirror_file,
    mirror_note,
    obtain,
    wanted,
)

DOWNLOADS = 4


@dataclass
class FetchReport:
    """What a fetch did.

    `fetched`, `kept`: paths below the folder, downloaded now or there already. `bytes`: of the fetched ones.
    `complete`: configs whose files are all there. `skipped`: config -> why not; `why`: in a few words.
    """

    fetched: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    bytes: int = 0
    complete: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)

    def states(self) -> dict[str, tuple[Literal["complete", "skipped"], str]]:
        """Every config with its state and the reason.

        Returns:
            Name -> (complete or skipped; why, or "").
        """
        return {
            **dict.fromkeys(self.complete, ("complete", "")),
            **{name: ("skipped", reason) for name, reason in self.skipped.items()},
        }


def fetch_all(
    names: Iterable[str],
    to: str | Path,
    *,
    force: bool = False,
    progress: Callable[[str], object] = lambda key: None,
) -> FetchReport:
    """Download raw files, so that `seabed build --mirror` needs no network.

    Args:
        names: dataset keys, or config names for a part of a dataset.
        to: the folder; made when it does not exist.
        force: download again what is there.
        progress: is told each dataset's key as soon as it is done.

    Returns:
        What was downloaded, what was there, and what could not be had.

    Raises:
        UnknownName: a name is neither a dataset's nor a config's; nothing is downloaded then.
        SeabedError: the folder cannot be written to.
    """
    by_key: dict[str, list[Config]] = {}
    for config in chosen(names):
        by_key.setdefault(config.key, []).append(config)
    folder = Path(to)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SeabedError(f"cannot write to {folder}: {error}") from None
    report, lock = FetchReport(), Lock()
    with ThreadPoolExecutor(DOWNLOADS) as pool:
        futures = {pool.submit(_dataset, cs, folder, force, report, lock): key for key, cs in by_key.items()}
        for future in as_completed(futures):
            try:
                future.result()
            except OSError as error:
                raise SeabedError(f"cannot write to {folder}: {error}") from None
            progress(futures[future])
    with suppress(OSError):
        folder.rmdir()  # refused unless nothing came
    report.fetched.sort()
    report.kept.sort()
    return report


def chosen(names: Iterable[str]) -> list[Config]:
    """The configs that dataset keys and config names stand for.

    Args:
        names: either kind, mixed.

    Returns:
        Each config once, in the order given.

    Raises:
        UnknownName: a name is neither.
    """
    configs = {c.name: c for c in catalogue.configs()}
    keys = {d.key: list(d.seabed.configs) for d in catalogue.datasets()}
    found: dict[str, Config] = {}
    for name in names:
        if name not in keys and name not in configs:
            raise unknown("dataset or config", name, [*keys, *configs], "`seabed list` shows all.")
        found |= {part: configs[part] for part in keys.get(name, [name])}
    return list(found.values())


def _dataset(configs: list[Config], folder: Path, force: bool, report: FetchReport, lock: Lock) -> None:
    """The files of one dataset, one after the other; one that cannot be had does not stop the rest."""
    outcomes: dict[Path, SourceError | None] = {}
    for config in configs:
        refused: SourceError | None = None
        try:
            for need, path in _files(config, folder):
                target = mirror_file(config, need, path, folder)
                if target not in outcomes:
                    outcomes[target] = _file(config, need, path, target, folder, force, report, lock)
                refused = refused or outcomes[target]
        except SourceError as error:
            refused = refused or error
        with lock:
            if refused is None:
                report.complete.append(config.name)
            else:
                report.skipped[config.name], report.why[config.name] = str(refused), refused.why


def _files(config: Config, folder: Path) -> list[tuple[Need, str]]:
    try:
        return [(need, path) for need, _, path in wanted(config)]
    except SourceError as error:
        if error.why != "by hand":
            raise
        try:  # a person may have put them there
            return [(need, path) for need, _, path in wanted(config, folder)]
        except SourceError:
            raise error from None


def _file(
    config: Config,
    need: Need,
    path: str,
    target: Path,
    folder: Path,
    force: bool,
    report: FetchReport,
    lock: Lock,
) -> SourceError | None:
    name = target.relative_to(folder).as_posix()
    if not force and _is_there(target, folder):
        with lock:
            report.kept.append(name)
        return None
    try:
        local, used = obtain(config, need, path)
    except SourceError as error:
        return error
    with lock, alone(str(folder.resolve())):
        _keep(local, used, target, folder)
        report.fetched.append(name)
        report.bytes += used.bytes
    return None


def _is_there(target: Path, folder: Path) -> bool:
    """A file that was fetched is compared with its record; one that a person put there is left alone."""
    if not target.is_file():
        return False
    key, *below = target.relative_to(folder).parts
    known = mirror_note(folder / key).get("fetched", {}).get("/".join(below))
    return known is None or known["sha256"] == file_sha256(target)


def _keep(local: Path, used: Used, target: Path, folder: Path) -> None:
    """Copy a file to its place by one rename, then note what it is; nobody else writes to the folder meanwhile."""
    key, *below = target.relative_to(folder).parts
    target.parent.mkdir(parents=True, exist_ok=True)
    for place in (target, folder / key / SOURCE_NOTE):
        _clear(place)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        shutil.copyfile(local, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    note = mirror_note(folder / key)
    record: dict[str, Any] = {k: v for k, v in asdict(used).items() if v is not None and k != "path"}
    fetched = {**note.get("fetched", {}), "/".join(below): record}
    cut = {path: why for path, why in note.get("truncated", {}).items() if path != "/".join(below)}
    note |= {"fetched": dict(sorted(fetched.items()))} | ({"truncated": cut} if "truncated" in note else {})
    replace_text(folder / key / SOURCE_NOTE, json.dumps(note, ensure_ascii=False, indent=1) + "\n")


def _clear(place: Path) -> None:
    """Remove the unfinished copies of a file that killed processes left beside it."""
    for left in place.parent.glob(f".{escape(place.name)}.*"):
        if left.name.rpartition(".")[2].isdigit():
            left.unlink(missing_ok=True)
