"""Building a bundle, the folder that is the Hub repository: configs one by one or several at a time, resumable."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Literal

from seabed_datasets import catalogue
from seabed_datasets.bundle.manifest import (
    MANIFEST,
    DamagedManifest,
    Entry,
    card_text,
    publish,
    read_manifest,
    readme,
    refresh_card,
    refresh_page,
)
from seabed_datasets.bundle.staging import Origin, is_current, rows_of, stage
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError, SourceError
from seabed_datasets.loaders import release

__all__ = ["MANIFEST", "Report", "build", "card_text", "read_manifest", "readme", "rows_of", "source_of"]

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

State = Literal["built", "kept", "skipped", "failed"]
log = logging.getLogger("seabed_datasets.bundle.build")

_STAGING = ".staging"
_LOCK = ".lock"


@dataclass
class Report:
    """What a build did with each config.

    `built`: made now. `kept`: there already, from the same raw files by the same code. `skipped`: name -> why
    its raw files could not be had; `why`: the same in a few words (gated, gone, by hand, ...). `failed`:
    name -> what is wrong with the files or the loader.
    """

    built: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def states(self) -> dict[str, tuple[State, str]]:
        """Every config with its state and the reason.

        Returns:
            Name -> (built, kept, skipped or failed; why, or "").
        """
        return {
            **dict.fromkeys(self.built, ("built", "")),
            **dict.fromkeys(self.kept, ("kept", "")),
            **{name: ("skipped", reason) for name, reason in self.skipped.items()},
            **{name: ("failed", reason) for name, reason in self.failed.items()},
        }


@dataclass(frozen=True)
class _Job:
    config: Config
    origin: Origin
    entry: Entry | None


@dataclass(frozen=True)
class _Outcome:
    config: Config
    state: State
    reason: str = ""
    why: str = ""
    entry: Entry | None = None
    staged: Path | None = None


def source_of(config: Config, chosen: str | None, mirror: Path | None) -> Origin:
    """Which of the two ways a config is made.

    Args:
        config: which config.
        chosen: "upstream", "release" or None for the default.
        mirror: a folder of upstream files, or None.

    Returns:
        The choice; without one, upstream with a mirror, else release where the authors' copy of this
        config was seen, else upstream.

    Raises:
        SeabedError: the choice is not one of the two, or a mirror is given with "release".
    """
    if chosen not in (None, "upstream", "release"):
        raise SeabedError(f"--from {chosen!r}: expected 'upstream' or 'release'")
    if chosen == "release" and mirror:
        raise SeabedError("--mirror holds upstream's files, so it cannot go with --from release")
    if chosen == "release" or (chosen is None and not mirror and release.was_seen(config)):
        return "release"
    return "upstream"


def build(
    names: Iterable[str],
    out: str | Path,
    *,
    mirror: str | Path | None = None,
    source: str | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[str, State], object] = lambda name, state: None,
) -> Report:
    """Build configs into a bundle folder; configs already there and not named stay as they are.

    Args:
        names: config names.
        out: the folder; made when it does not exist.
        mirror: a folder of upstream files laid out as `<key>/<path>`, instead of the network.
        source: "upstream", "release", or None for the default of each card.
        jobs: how many processes build at a time; more than one needs the caller's main module to be
            importable (`if __name__ == "__main__":`), as every use of multiprocessing does.
        force: build again what is there and current.
        progress: is told the name and the state of each config as soon as it is done.

    Returns:
        What was built or kept, and what was not with the reason.

    Raises:
        UnknownName: a config does not exist; nothing is built then.
        SeabedError: the choice of source makes no sense, or another build writes to the folder.
    """
    configs = [catalogue.config(name) for name in dict.fromkeys(names)]
    place = Path(mirror) if mirror else None
    if place and not place.is_dir():
        raise SourceError(f"the mirror folder {place} does not exist")
    origins = {c.name: source_of(c, source, place) for c in configs}
    target = Path(out)
    if target.exists() and not target.is_dir():
        raise SeabedError(f"{target} is a file; --out needs a folder")
    done: dict[str, _Outcome] = {}
    with _prepared(target) as staging:
        known = _held(target)
        work = [_Job(c, origins[c.name], None if force else known.get(c.name)) for c in configs]
        refresh_page(target, known, staging)
        with _running(work, place, staging, jobs) as outcomes:
            for outcome in outcomes:
                if outcome.entry is not None and outcome.staged is not None:
                    known = publish(target, outcome.config, outcome.entry, outcome.staged, known)
                elif outcome.state == "kept":
                    refresh_card(target, outcome.config.key, staging)
                done[outcome.config.name] = outcome
                progress(outcome.config.name, outcome.state)
    return _report(done[c.name] for c in configs)


def _held(out: Path) -> dict[str, Entry]:
    """What the bundle holds; nothing where its manifest is damaged, so that building again repairs it."""
    if not (out / MANIFEST).exists():
        return {}
    try:
        return read_manifest(out)
    except DamagedManifest as error:
        log.warning("%s; what is not named now is no longer listed until it is built again", error)
        return {}


def _report(outcomes: Iterable[_Outcome]) -> Report:
    report = Report()
    for o in outcomes:
        if o.state in ("built", "kept"):
            (report.built if o.state == "built" else report.kept).append(o.config.name)
        elif o.state == "skipped":
            report.skipped[o.config.name], report.why[o.config.name] = o.reason, o.why
        else:
            report.failed[o.config.name] = o.reason
    return report


@contextmanager
def _prepared(out: Path) -> Iterator[Path]:
    """The bundle folder, locked, with a fresh staging folder inside; a folder that stays empty goes again."""
    from filelock import FileLock, Timeout

    staging = out / _STAGING
    lock = FileLock(out / _LOCK)
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise SeabedError(
            f"another build is writing to {out}; wait for it, or choose another --out"
        ) from None
    except OSError as error:
        raise SeabedError(f"cannot write to {out}: {error}") from None
    try:
        rmtree(staging, ignore_errors=True)  # what a killed build left
        staging.mkdir()
        yield staging
    except OSError as error:
        raise SeabedError(
            f"cannot write to {out}: {error}; what was built before is still there: "
            "make room or choose another --out, then run the same command again"
        ) from None
    finally:
        rmtree(staging, ignore_errors=True)
        lock.release()
        with suppress(OSError):
            (out / _LOCK).unlink()
        with suppress(OSError):
            out.rmdir()  # refused unless it is empty


@contextmanager
def _running(work: list[_Job], mirror: Path | None, staging: Path, jobs: int) -> Iterator[Iterator[_Outcome]]:
    """Outcomes as they come, from this process or from several."""
    if jobs <= 1 or len(work) <= 1:
        yield (_attempt(job, mirror, staging) for job in work)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _worker)
    try:
        yield _gathered(pool, work, mirror, staging)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _gathered(
    pool: ProcessPoolExecutor, work: list[_Job], mirror: Path | None, staging: Path
) -> Iterator[_Outcome]:
    """Configs of one dataset go to one process where files are downloaded: they often share them."""
    from concurrent.futures import as_completed
    from concurrent.futures.process import BrokenProcessPool

    groups = [[job] for job in work] if mirror else _by_dataset(work)
    futures = {pool.submit(_attempt_all, group, mirror, staging): group for group in groups}
    for future in as_completed(futures):
        try:
            yield from future.result()
        except BrokenProcessPool:
            reason = "a worker process died, likely for want of memory; run again with --jobs 1"
            yield from (_Outcome(job.config, "failed", reason) for job in futures[future])


def _by_dataset(work: list[_Job]) -> list[list[_Job]]:
    ordered = sorted(work, key=lambda job: job.config.key)
    return [list(group) for _, group in groupby(ordered, key=lambda job: job.config.key)]


def _worker() -> None:
    """Ctrl-C ends a worker at once and without a traceback; the parent clears what it left.

    A worker also ends with its parent: one that was killed cannot tell it to.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)


def _attempt_all(group: list[_Job], mirror: Path | None, staging: Path) -> list[_Outcome]:
    return [_attempt(job, mirror, staging) for job in group]


def _attempt(job: _Job, mirror: Path | None, staging: Path) -> _Outcome:
    """Build one config into a folder of its own; every failure becomes an outcome, so that the rest goes on."""
    config = job.config
    files = staging.parent / "data" / config.name
    try:
        if job.entry is not None and is_current(config, job.origin, mirror, job.entry, files):
            return _Outcome(config, "kept")
        entry, staged = stage(config, job.origin, mirror, staging)
        return _Outcome(config, "built", entry=entry, staged=staged)
    except SourceError as error:
        # A file that is not the card's is a fault of the data; one that cannot be had is not.
        return _Outcome(config, "failed" if error.why == "changed" else "skipped", str(error), error.why)
    except SeabedError as error:
        return _Outcome(config, "failed", str(error))
    except MemoryError:
        return _Outcome(config, "failed", f"{config.name}: not enough memory; try --jobs 1")
    except OSError as error:
        return _Outcome(config, "failed", f"{config.name}: cannot read or write: {error}")
    except Exception as error:
        log.debug("%s", config.name, exc_info=True)
        return _Outcome(config, "failed", f"{config.name}: {_unexpected(error)}")


def _unexpected(error: Exception) -> str:
    """An error nobody foresaw, with the innermost line of this project: most often a loader's."""
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "seabed_datasets" in Path(f.filename).parts] or frames
    where = f"{'/'.join(Path(ours[-1].filename).parts[-3:])}, line {ours[-1].lineno}"
    return f"unexpected {type(error).__name__} at {where}: {error}"
