"""The bundle: rows -> Parquet, README.md, cards and manifest.json = the folder that is the Hub repository."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import yaml

from seabed_datasets import catalogue, loaders
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import DataError, SeabedError, SourceError
from seabed_datasets.loaders import release, sample
from seabed_datasets.schemas import SPLITS, Row, Splits, features, unify, with_labels
from seabed_datasets.sources import Used, fetch

Origin = Literal["upstream", "release"]
MANIFEST = "manifest.json"
BATCH_ROWS = 4096
MANY_FILES = 200


@dataclass
class Report:
    """What a build did: names built, and names not built with the reason."""

    built: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


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


def build(
    names: Iterable[str],
    out: str | Path,
    *,
    mirror: str | Path | None = None,
    source: str | None = None,
    progress: Callable[[list[Config]], Iterable[Config]] = iter,
) -> Report:
    """Build configs into a bundle folder; configs already there and not named stay as they are.

    Args:
        names: config names.
        out: the folder; made when it does not exist.
        mirror: a folder of upstream files laid out as `<key>/<path>`, instead of the network.
        source: "upstream", "release", or None for the default of each card.
        progress: wraps the list of configs, e.g. in a progress bar.

    Returns:
        What was built, and what was not with the reason.

    Raises:
        UnknownName: a config does not exist; nothing is built then.
        SeabedError: the choice of source makes no sense.
    """
    configs = [catalogue.config(name) for name in dict.fromkeys(names)]
    place = Path(mirror) if mirror else None
    if place and not place.is_dir():
        raise SourceError(f"the mirror folder {place} does not exist")
    origins = {c.name: source_of(c, source, place) for c in configs}
    target = Path(out)
    if target.exists() and not target.is_dir():
        raise SeabedError(f"{target} is a file; --out needs a folder")
    report = Report()
    for config in progress(configs):
        try:
            entry, staged = _stage(config, origins[config.name], place, target)
        except SourceError as error:
            report.skipped[config.name] = str(error)
        except SeabedError as error:
            report.failed[config.name] = str(error)
        else:
            _publish(target, config, entry, staged)
            report.built.append(config.name)
    return report


def _stage(config: Config, origin: Origin, mirror: Path | None, out: Path) -> tuple[dict[str, Any], Path]:
    """Write the Parquet files of a config to a temporary folder inside `out`."""
    splits, used = rows_of(config, origin, mirror)
    config, splits = with_labels(config, splits)
    if set(splits) != set(SPLITS[config.task]):
        raise DataError(
            f"{config.name}: the loader made splits {sorted(splits)}, expected {sorted(SPLITS[config.task])}"
        )
    existed = out.exists()
    out.mkdir(parents=True, exist_ok=True)
    staged = Path(tempfile.mkdtemp(prefix=f".{config.name}-", dir=out))
    try:
        ids: dict[str, set[str]] = {}
        wanted: list[tuple[str, str]] = []
        entry: dict[str, Any] = {
            "key": config.key,
            "task": config.task,
            "languages": config.languages,
            "from": "sample" if config.sample else origin,
            "version": config.version,
            "sources": [{k: v for k, v in asdict(u).items() if v is not None} for u in _folded(used)],
            "splits": {},
        }
        for split in SPLITS[config.task]:
            dropped: dict[str, int] = {}
            rows = _watch(unify(config, split, splits[split], dropped), ids.setdefault(split, set()), wanted)
            count = _write(staged / f"{split}.parquet", config, rows)
            if not count:
                raise DataError(f"{config.name}: split {split!r} has no rows")
            data = (staged / f"{split}.parquet").read_bytes()
            entry["splits"][split] = {
                "rows": count,
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
                **({"dropped": dropped} if dropped else {}),
            }
        for query, document in wanted:
            if document not in ids["corpus"]:
                raise DataError(
                    f"{config.name}, split 'test', query {query!r}: relevant document {document!r} "
                    "is not in the corpus"
                )
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        if not existed and not any(out.iterdir()):
            out.rmdir()
        raise
    return entry, staged


def _folded(used: list[Used]) -> list[Used]:
    """One entry for a source of very many files: the hash of their names and hashes."""
    if len(used) <= MANY_FILES:
        return used
    lines = sorted(f"{u.path}\0{u.sha256}\n" for u in used)
    whole = hashlib.sha256("".join(lines).encode()).hexdigest()
    size = sum(u.bytes for u in used)
    cut = next((u.truncated for u in used if u.truncated), None)
    return [Used(used[0].kind, used[0].id, used[0].revision, f"{len(used)} files", whole, size, cut)]


def _watch(rows: Iterator[Row], ids: set[str], wanted: list[tuple[str, str]]) -> Iterator[Row]:
    """Pass rows on, noting document ids and what queries ask for."""
    for row in rows:
        if "relevant" in row:
            ids.add(row["id"])
            wanted += [(row["id"], r["id"]) for r in row["relevant"]]
        yield row


def _write(path: Path, config: Config, rows: Iterator[Row]) -> int:
    """Write rows in batches, so that a large corpus never lies in memory; equal rows give equal bytes."""
    import pyarrow
    import pyarrow.parquet

    schema = features(config).arrow_schema
    count = 0
    with pyarrow.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        while batch := _take(rows, BATCH_ROWS):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema=schema), row_group_size=BATCH_ROWS)
            count += len(batch)
    return count


def _take(rows: Iterator[Row], limit: int) -> list[Row]:
    # Not zip(rows, range(limit)): it takes one row more from `rows` than it returns.
    return list(islice(rows, limit))


def _publish(out: Path, config: Config, entry: dict[str, Any], staged: Path) -> None:
    """Swap the finished config in, then rewrite manifest and README, each by one rename."""
    final = out / "data" / config.name
    final.parent.mkdir(exist_ok=True)
    staged.chmod(0o755)
    if final.exists():
        old = Path(tempfile.mkdtemp(prefix=f".{config.name}-old-", dir=out))
        os.replace(final, old / "data")
        os.replace(staged, final)
        shutil.rmtree(old)
    else:
        os.replace(staged, final)
    manifest = read_manifest(out) if (out / MANIFEST).exists() else {}
    manifest[config.name] = entry
    manifest = dict(sorted(manifest.items()))
    _replace(out / "cards" / f"{config.key}.md", _card_text(config))
    _replace(out / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    _replace(out / "README.md", readme(manifest))


def _card_text(config: Config) -> str:
    folder = catalogue.SAMPLE_DIR if config.sample else catalogue.cards_dir()
    return (folder / f"{config.key}.md").read_text(encoding="utf-8")


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8", newline="\n")
    os.replace(temporary, path)


def read_manifest(bundle: str | Path) -> dict[str, dict[str, Any]]:
    """What a bundle folder holds.

    Args:
        bundle: the folder.

    Returns:
        Config name -> key, task, sources, and per split rows, bytes and sha256.

    Raises:
        SeabedError: the folder is not a bundle.
    """
    path = Path(bundle) / MANIFEST
    try:
        manifest: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SeabedError(
            f"{bundle} is not a bundle (no {MANIFEST}); `seabed build CONFIG --out {bundle}` makes one"
        ) from None
    except json.JSONDecodeError as error:
        raise SeabedError(f"{path} is damaged: {error}; build again") from None
    return manifest


def readme(manifest: dict[str, dict[str, Any]]) -> str:
    """The bundle's README.md: YAML with `configs` only, and a short text.

    The smallest config comes first: `datasets` infers the file type of all configs from the first one's
    folder, so it must be one that is certainly there.

    Args:
        manifest: what the bundle holds.

    Returns:
        The text. Features are in the Parquet files, which keeps this file small and loads fast.
    """

    def size(name: str) -> int:
        return sum(s["bytes"] for s in manifest[name]["splits"].values())

    first = min(manifest, key=size)
    names = [first, *(n for n in manifest if n != first)]
    front = {
        "pretty_name": "SEA-BED",
        "license": "other",
        "license_name": "per-dataset",
        "tags": ["sea-bed", "embeddings", "southeast-asia"],
        "configs": [
            {
                "config_name": name,
                "data_files": [
                    {"split": split, "path": f"data/{name}/{split}.parquet"}
                    for split in manifest[name]["splits"]
                ],
            }
            for name in names
        ],
    }
    head = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=1000)
    keys = sorted({m["key"] for m in manifest.values()})
    return (
        f"---\n{head}---\n# SEA-BED: Southeast Asia Embedding Benchmark\n\n"
        f"{len(manifest)} configs of {len(keys)} datasets. Each dataset keeps its own licence: "
        "see its card in `cards/`. What every file was made from, with checksums, is in `manifest.json`.\n\n"
        "```python\nfrom datasets import load_dataset\n\n"
        f'load_dataset("seabed/SEA-BED", "{names[-1]}")\n```\n'
    )
