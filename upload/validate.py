"""Everything that is checked before a bundle is sent: it must be what the cards and its manifest say."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from seabed_datasets import catalogue
from seabed_datasets.bundle.manifest import MANIFEST, card_text, read_manifest, readme
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import DataError, SeabedError
from seabed_datasets.files import file_sha256
from seabed_datasets.schemas import SPLITS, Row, features, unify
from upload import licence

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]+$")]


def check_bundle(bundle: Path, configs: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
    """Check a bundle folder against its manifest, the cards and the schemas.

    Args:
        bundle: the folder.
        configs: the names to look into; None for all.

    Returns:
        Its manifest.

    Raises:
        SeabedError: what differs, one line for each problem; nothing may be sent then.
    """
    manifest = read_manifest(bundle)
    check_manifest(manifest, str(bundle / MANIFEST))
    problems: list[str] = []
    for name in manifest if configs is None else configs:
        try:
            _check_config(bundle, name, manifest[name])
        except SeabedError as error:
            problems.append(str(error))
    problems += _check_files(bundle, manifest)
    if problems:
        shown = "\n  ".join(problems[:20])
        more = f"\n  and {len(problems) - 20} more" if len(problems) > 20 else ""
        raise SeabedError(
            f"{bundle} is not as it should be, nothing was sent:\n  {shown}{more}\n"
            f"`seabed build CONFIG --out {bundle}` makes a config again"
        )
    return manifest


class _Split(BaseModel):
    rows: int = Field(ge=0)
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class _Entry(BaseModel):
    key: Name
    task: str
    splits: dict[Literal["train", "test", "corpus"], _Split]
    sources: list[dict[str, Any]]


_MANIFEST = TypeAdapter(dict[Name, _Entry])


def check_manifest(manifest: Any, where: str) -> None:
    """Refuse a manifest whose names could lead out of the bundle's folder, or that lacks what is read from it.

    Args:
        manifest: as it was read.
        where: what it is called in the error.

    Raises:
        SeabedError: it is damaged, or no manifest of a bundle; nothing it names was opened.
    """
    try:
        _MANIFEST.validate_python(manifest, strict=True)
    except ValidationError as error:
        raise SeabedError(f"{where} is no manifest of a bundle: {explained(error)}") from None


def explained(error: ValidationError) -> str:
    """What is wrong with JSON that was read, in one line.

    Args:
        error: of pydantic.

    Returns:
        Where, what, and what was found instead, for the first three faults.
    """
    faults = error.errors(include_url=False)
    told = [
        f"{'.'.join(map(repr, f['loc'])) or 'all of it'}: {f['msg']} (found {reprlib.repr(f['input'])})"
        for f in faults[:3]
    ]
    return "; ".join(told) + (f"; and {len(faults) - 3} more" if len(faults) > 3 else "")


def _check_files(bundle: Path, manifest: dict[str, dict[str, Any]]) -> list[str]:
    listed = {"README.md", MANIFEST, *(f"cards/{entry['key']}.md" for entry in manifest.values())}
    listed |= {f"data/{name}/{split}.parquet" for name, e in manifest.items() for split in e["splits"]}
    there = {
        path.relative_to(bundle).as_posix()
        for path in bundle.rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(bundle).parts)
    }
    problems = [f"{path} is missing" for path in sorted(listed - there)]
    problems += [f"{path} is not in {MANIFEST}; remove it" for path in sorted(there - listed)]
    if "README.md" in there and (bundle / "README.md").read_text(encoding="utf-8") != readme(manifest):
        problems.append(f"README.md is not what {MANIFEST} gives; it was changed by hand")
    return problems


def _check_config(bundle: Path, name: str, entry: dict[str, Any]) -> None:
    config = catalogue.config(name)
    dataset = catalogue.dataset(config.key)
    licence.check(dataset)
    card = bundle / "cards" / f"{config.key}.md"
    if card.is_file() and card.read_text(encoding="utf-8") != card_text(config.key):
        raise DataError(f"{name}: cards/{config.key}.md is not the card of this checkout; build it again")
    for field in ("key", "task", "languages", "version"):
        if entry.get(field) != getattr(config, field):
            raise DataError(
                f"{name}: {MANIFEST} says {field} {entry.get(field)!r}, the card {getattr(config, field)!r}"
            )
    if list(entry["splits"]) != list(SPLITS[config.task]):
        raise DataError(f"{name}: splits {list(entry['splits'])}, expected {list(SPLITS[config.task])}")
    corpus: set[str] = set()
    for split in reversed(entry["splits"]):
        path = bundle / "data" / name / f"{split}.parquet"
        if not path.is_file():
            continue
        _check_file(path, config, split, entry["splits"][split])
        _check_rows(path, config, split, corpus)


def _check_file(path: Path, config: Config, split: str, said: dict[str, Any]) -> None:
    import pyarrow.parquet
    from datasets import Features

    where = f"{config.name}, split {split!r}"
    sha256 = file_sha256(path)
    if (sha256, path.stat().st_size) != (said["sha256"], said["bytes"]):
        raise DataError(f"{where}: sha256 {sha256}, {MANIFEST} says {said['sha256']}; the file was changed")
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowException as error:
        raise DataError(f"{where}: not a Parquet file: {error}") from None
    with file:
        if file.metadata.num_rows != said["rows"] or not said["rows"]:
            raise DataError(f"{where}: {file.metadata.num_rows} rows, {MANIFEST} says {said['rows']}")
        found = file.schema_arrow
    config = _with_labels(config, found)
    expected = features(config).arrow_schema
    if not found.equals(expected):
        raise DataError(f"{where}: columns {found.names}, types {found.types}; expected {expected.types}")
    if Features.from_arrow_schema(found) != features(config):
        raise DataError(f"{where}: the label names stored in the file are not the card's {config.labels}")


def _check_rows(path: Path, config: Config, split: str, corpus: set[str]) -> None:
    """Pass the stored rows through the schema again: nothing may be refused, dropped or changed."""
    import pyarrow.parquet

    dropped: dict[str, int] = {}
    config = _with_labels(config, pyarrow.parquet.read_schema(path))
    for raw, row in zip(_rows(path), unify(config, split, _named(config, path), dropped), strict=False):
        where = f"{config.name}, split {split!r}, row {raw['id']!r}"
        if raw != row:
            raise DataError(f"{where}: it is empty, or not as the schema stores it")
        if split == "corpus":
            corpus.add(raw["id"])
        for wanted in raw.get("relevant") or [] if split == "test" else []:
            if wanted["id"] not in corpus:
                raise DataError(f"{where}: relevant document {wanted['id']!r} is not in the corpus")
    if dropped:
        raise DataError(f"{config.name}, split {split!r}: {dropped} rows that a build leaves out")


def _with_labels(config: Config, schema: Any) -> Config:
    """The config with the label names its file stores, where the card names none (raw format not seen)."""
    from datasets import ClassLabel, Features

    if config.labels:
        return config
    for feature in Features.from_arrow_schema(schema).values():
        inner = getattr(feature, "feature", feature)
        if isinstance(inner, ClassLabel):
            return config.model_copy(update={"labels": list(inner.names)})
    return config


def _rows(path: Path) -> Iterator[Row]:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(4096):
            yield from batch.to_pylist()


def _named(config: Config, path: Path) -> Iterator[Row]:
    labels = config.labels or []

    def name(number: int) -> str:
        if not 0 <= number < len(labels):
            raise DataError(
                f"{config.name}: label {number} in {path.name}, the card has {len(labels)} labels"
            )
        return labels[number]

    for row in _rows(path):
        if "label" in row:
            row["label"] = name(row["label"])
        if "labels" in row:
            row["labels"] = [name(number) for number in row["labels"]]
        yield row


TRUNCATED = "truncated"


def findings(bundle: Path, manifest: dict[str, dict[str, Any]], accept: Iterable[str]) -> list[str]:
    """Run the data checks of `seabed check` on a bundle, and refuse configs made from cut raw files.

    Args:
        bundle: the folder.
        manifest: what it holds.
        accept: rules that may fail, e.g. "SB401", or "truncated".

    Returns:
        The failures that were accepted, one line each.

    Raises:
        UnknownName: there is no such rule.
        SeabedError: another rule fails.
    """
    from seabed_datasets.checks.rules import rule
    from seabed_datasets.contribute.check import check

    accepted = {name if name == TRUNCATED else rule(name).id for name in accept}
    failed = [
        (TRUNCATED, f"{name}: made from a cut copy of {source['path']}; build it from the whole file")
        for name, entry in manifest.items()
        for source in entry["sources"]
        if "truncated" in source
    ]
    for f in check(manifest, bundle=bundle).errors:
        where = f"{f.where} {f.split}" if f.split else f.where
        failed.append((f.rule, f"{f.rule} {where}: {f.title} ({'; '.join(f.examples)})"))
    refused = [line for name, line in failed if name not in accepted]
    if refused:
        shown = "\n  ".join(refused[:20])
        more = f"\n  and {len(refused) - 20} more" if len(refused) > 20 else ""
        raise SeabedError(
            f"{len(refused)} data checks fail, nothing was sent:\n  {shown}{more}\n"
            f"`seabed check CONFIG --bundle {bundle}` explains them; correct the card or the loader, write an "
            "exception into the card, or pass --accept RULE"
        )
    return [line for _, line in failed]
