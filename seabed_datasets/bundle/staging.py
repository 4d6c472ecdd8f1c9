"""One config: raw files -> checked Parquet files in a folder of their own, and its manifest entry."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from seabed_datasets import loaders
from seabed_datasets.bundle.manifest import Entry
from seabed_datasets.bundle.recipe import made_by
from seabed_datasets.catalogue import Config
from seabed_datasets.checks.inspection import Inspection
from seabed_datasets.errors import DataError
from seabed_datasets.files import file_sha256
from seabed_datasets.loaders import release, sample
from seabed_datasets.schemas import SPLITS, Row, Splits, features, unify, with_labels
from seabed_datasets.sources.raw_files import Used, fetch

Origin = Literal["upstream", "release"]
BATCH_ROWS = 4096
MANY_FILES = 200


def rows_of(config: Config, origin: Origin, mirror: Path | None = None) -> tuple[Splits, list[Used]]:
    """The unchecked rows of a config, and the files they came from.

    Args:
        config: which config.
        origin: how to make it.
        mirror: a folder of upstream files, or None to download.

    Returns:
        Split -> rows; the files used.

    Raises:
        SeabedError: a file cannot be obtained or read.
    """
    if config.sample:
        return sample.load(config), []
    if origin == "release":
        return release.load(config)
    raw = fetch(config, mirror)
    return loaders.run(config, raw), raw.used


def stage(config: Config, origin: Origin, mirror: Path | None, folder: Path) -> tuple[Entry, Path]:
    """Write the Parquet files of a config, one per split, row by row.

    Args:
        config: which config.
        origin: how to make it.
        mirror: a folder of upstream files, or None to download.
        folder: where to make the folder of the files.

    Returns:
        The manifest entry; the new folder.

    Raises:
        SeabedError: a file cannot be obtained, or the rows break the schema; the new folder is gone then.
    """
    splits, used = rows_of(config, origin, mirror)
    named, splits = with_labels(config, splits)
    if set(splits) != set(SPLITS[config.task]):
        raise DataError(
            f"{config.name}: the loader made splits {sorted(splits)}, expected {sorted(SPLITS[config.task])}"
        )
    staged = Path(tempfile.mkdtemp(prefix=f"{config.name}-", dir=folder))
    try:
        watch = Inspection(named)
        made = {
            split: _write_split(named, split, splits[split], staged, watch) for split in SPLITS[config.task]
        }
        if "corpus" in made:
            _check_relevant(config, staged)
        stats, _ = watch.finish(
            {split: s.get("dropped", {}) for split, s in made.items()},
            truncated=any(u.truncated for u in used),
        )
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise
    entry: Entry = {
        "key": config.key,
        "task": config.task,
        "languages": config.languages,
        "from": "sample" if config.sample else origin,
        "version": config.version,
        "made_by": made_by(config),
        "sources": _described(used),
        "splits": made,
        "stats": stats,
    }
    return entry, staged


def is_current(config: Config, origin: Origin, mirror: Path | None, entry: Entry, files: Path) -> bool:
    """Whether building a config again would give what is there.

    Args:
        config: which config.
        origin: how it would be made.
        mirror: a folder of upstream files, or None for the cache and the network.
        entry: its manifest entry.
        files: the folder of its Parquet files.

    Returns:
        True when code, card, versions and raw files are the same and the Parquet files are intact. Of the
        authors' copy only the newest commit is asked for.

    Raises:
        SourceError: a raw file cannot be obtained.
    """
    if entry.get("made_by") != made_by(config) or entry["from"] != ("sample" if config.sample else origin):
        return False
    for split, known in entry["splits"].items():
        path = files / f"{split}.parquet"
        if not path.is_file() or file_sha256(path) != known["sha256"]:
            return False
    if config.sample:
        return True
    if origin == "release":
        now = (release.repository(config), release.commit(config))
        return {(s["id"], s["revision"]) for s in entry["sources"]} == {now}
    return bool(entry["sources"] == _described(fetch(config, mirror).used))


def _described(used: list[Used]) -> list[dict[str, Any]]:
    """Sources as the manifest has them; of very many files, one entry with the hash of names and hashes."""
    if len(used) > MANY_FILES:
        lines = sorted(f"{u.path}\0{u.sha256}\n" for u in used)
        whole = hashlib.sha256("".join(lines).encode()).hexdigest()
        size, cut = sum(u.bytes for u in used), next((u.truncated for u in used if u.truncated), None)
        used = [Used(used[0].kind, used[0].id, used[0].revision, f"{len(used)} files", whole, size, cut)]
    return [{k: v for k, v in asdict(u).items() if v is not None} for u in used]


def _write_split(config: Config, split: str, rows: Any, folder: Path, watch: Inspection) -> dict[str, Any]:
    dropped: dict[str, int] = {}
    path = folder / f"{split}.parquet"
    count = _write(path, config, watch.watched(split, unify(config, split, rows, dropped)))
    if not count:
        raise DataError(f"{config.name}: split {split!r} has no rows")
    made: dict[str, Any] = {"rows": count, "bytes": path.stat().st_size, "sha256": file_sha256(path)}
    return made | ({"dropped": dropped} if dropped else {})


def _write(path: Path, config: Config, rows: Iterator[Row]) -> int:
    """Write rows in batches, so that a large corpus never lies in memory; equal rows give equal bytes."""
    import pyarrow
    import pyarrow.parquet

    schema = features(config).arrow_schema
    count = 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        # Not zip(rows, range(...)): it takes one row more from `rows` than it returns.
        while batch := list(islice(rows, BATCH_ROWS)):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema), row_group_size=BATCH_ROWS)
            count += len(batch)
    return count


def _check_relevant(config: Config, folder: Path) -> None:
    """Every document a query asks for is in the corpus; read back from the files, so that little is held."""

    def column(split: str, *names: str) -> Iterator[Row]:
        import pyarrow.parquet

        for batch in pyarrow.parquet.ParquetFile(folder / f"{split}.parquet").iter_batches(columns=[*names]):
            yield from batch.to_pylist()

    missing = {document["id"] for row in column("test", "relevant") for document in row["relevant"]}
    for row in column("corpus", "id"):
        missing.discard(row["id"])
    for row in column("test", "id", "relevant") if missing else ():
        for document in row["relevant"]:
            if document["id"] in missing:
                raise DataError(
                    f"{config.name}, split 'test', query {row['id']!r}: relevant document "
                    f"{document['id']!r} is not in the corpus"
                )
