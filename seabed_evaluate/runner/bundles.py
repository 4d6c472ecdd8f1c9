"""Reading a bundle for scoring: one snapshot at one commit, then local files whose hashes are checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seabed_datasets.bundle.manifest import MANIFEST, read_manifest
from seabed_datasets.bundle.reading import snapshot
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import DataError, SeabedError
from seabed_datasets.files import file_sha256, inside
from seabed_datasets.schemas import COLUMNS


@dataclass(frozen=True)
class Bundle:
    """A bundle on this machine."""

    name: str
    folder: Path
    revision: str | None
    manifest: dict[str, dict[str, Any]]


def open_bundle(data: str | Path, *, revision: str | None = None, offline: bool = False) -> Bundle:
    """Find a bundle and read what it holds; of a Hub repository only the manifest is fetched.

    Args:
        data: a bundle folder, or a Hub repository.
        revision: commit, branch or tag of the repository.
        offline: use what an earlier run fetched.

    Returns:
        The bundle; on the Hub its commit is the revision.

    Raises:
        SeabedError: there is no such folder or repository, or it is not a bundle.
    """
    folder = Path(data)
    commit = None
    if not folder.is_dir():
        if str(data).count("/") != 1 or str(data).startswith((".", "/", "~")):
            raise SeabedError(
                f"--data {data}: no such folder; `seabed build CONFIG --out {data}` makes a bundle"
            )
        folder = snapshot(str(data), [MANIFEST], revision, offline)
        commit = folder.name
    return Bundle(str(data), folder, commit, read_manifest(folder))


def fetch_configs(bundle: Bundle, configs: Iterable[str], *, offline: bool = False) -> None:
    """Get the data files of configs, all in one snapshot of the bundle's commit; nothing to do for a folder.

    Args:
        bundle: which bundle.
        configs: names of the configs.
        offline: use what an earlier run fetched.

    Raises:
        SeabedError: they cannot be fetched.
    """
    if bundle.revision is not None:
        snapshot(bundle.name, [MANIFEST, *(f"data/{c}/*" for c in configs)], bundle.revision, offline)


def read_splits(bundle: Bundle, config: Config) -> dict[str, dict[str, list[Any]]]:
    """The rows of a config, by split and column.

    Args:
        bundle: where.
        config: which.

    Returns:
        Split -> column -> values.

    Raises:
        DataError: a file is missing, lies outside the bundle, is not the one the manifest describes, or lacks a
            column of the task.
    """
    import pyarrow.parquet

    splits = {}
    for split, known in bundle.manifest[config.name]["splits"].items():
        path = inside(
            bundle.folder, f"data/{config.name}/{split}.parquet", f"{MANIFEST}: data file", DataError
        )
        if not path.is_file():
            raise DataError(f"{config.name}: {path} is missing; build or download it again")
        found = file_sha256(path.resolve())
        if found != known["sha256"]:
            raise DataError(
                f"{config.name}, split {split!r}: {path} has sha256 {found}, {MANIFEST} says {known['sha256']}; "
                "the file was changed, so build it again"
            )
        try:
            splits[split] = pyarrow.parquet.read_table(path).to_pydict()
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise DataError(
                f"{config.name}, split {split!r}: {path} is no Parquet file of texts ({error})"
            ) from None
        if missing := [c for c in COLUMNS[config.task] if c not in splits[split]]:
            raise DataError(f"{config.name}, split {split!r}: {path} has no column {', '.join(missing)}")
    return splits


def data_bytes(bundle: Bundle, config: str) -> int:
    """How large a config's files are: a measure of how long it takes.

    Args:
        bundle: where.
        config: name of the config.

    Returns:
        Bytes; 0 for files that are missing.
    """
    folder = bundle.folder / "data" / config
    return sum(path.resolve().stat().st_size for path in folder.glob("*.parquet")) if folder.is_dir() else 0
