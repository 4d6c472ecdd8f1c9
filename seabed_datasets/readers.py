"""Raw bytes -> rows. Each odd format is handled once, here; loaders only name columns.

Every reader takes a path (`.gz` is opened as such) and, for archives, the name of a member.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from seabed_datasets.errors import RawFormatError

# Far above any member a loader reads, far below what a hostile archive could claim.
MAX_MEMBER_BYTES = 8 * 1024**3

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


@contextmanager
def open_bytes(path: Path, member: str | None = None) -> Iterator[IO[bytes]]:
    """Open a raw file, or one member of a zip or tar archive, for reading.

    Args:
        path: the file.
        member: name inside the archive, exactly as stored.

    Returns:
        A context manager of the open binary file.

    Raises:
        RawFormatError: the member is missing, is not a plain file, or is larger than MAX_MEMBER_BYTES.
    """
    if member is None:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield file  # type: ignore[misc]
        return
    if PurePosixPath(member).is_absolute() or ".." in PurePosixPath(member).parts:
        raise RawFormatError(f"{path.name}: unsafe member name {member!r}")
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            try:
                info = archive.getinfo(member)
            except KeyError:
                raise _no_member(path, member, archive.namelist()) from None
            if info.is_dir() or (info.external_attr >> 16) & 0o170000 == 0o120000:
                raise RawFormatError(f"{path.name}: member {member!r} is not a plain file")
            _check_size(path, member, info.file_size)
            with archive.open(info) as file:
                yield file
        return
    with tarfile.open(path) as tar:
        try:
            entry = tar.getmember(member)
        except KeyError:
            raise _no_member(path, member, tar.getnames()) from None
        if not entry.isfile():
            raise RawFormatError(f"{path.name}: member {member!r} is not a plain file")
        _check_size(path, member, entry.size)
        extracted = tar.extractfile(entry)
        assert extracted is not None  # isfile() was checked
        with extracted:
            yield extracted


def _no_member(path: Path, member: str, names: Sequence[str]) -> RawFormatError:
    return RawFormatError(f"{path.name}: no member {member!r}; it holds {sorted(names)[:8]}")


def _check_size(path: Path, member: str, size: int) -> None:
    if size > MAX_MEMBER_BYTES:
        raise RawFormatError(f"{path.name}: member {member!r} claims {size:,} bytes")


@contextmanager
def open_text(
    path: Path, member: str | None = None, *, encoding: str = "utf-8-sig", errors: str = "strict"
) -> Iterator[io.TextIOWrapper]:
    """Open a raw file as text without translating line ends (a bare CR may be part of a field).

    Args:
        path: the file.
        member: name inside an archive.
        encoding: utf-8-sig drops a byte order mark when there is one.
        errors: as in `open`.

    Returns:
        A context manager of the open text file.

    Raises:
        RawFormatError: the bytes are not valid in this encoding.
    """
    with open_bytes(path, member) as file:
        text = io.TextIOWrapper(file, encoding=encoding, errors=errors, newline="")
        try:
            yield text
        except UnicodeDecodeError as error:
            raise RawFormatError(f"{path.name}: not {encoding}: {error}") from None
        finally:
            text.detach()


def lines(path: Path, member: str | None = None, *, encoding: str = "utf-8-sig") -> Iterator[str]:
    """The lines of a plain text file, cut at LF only, CR of a CRLF end removed.

    Args:
        path: the file.
        member: name inside an archive.
        encoding: of the file.

    Returns:
        The lines. U+2028, U+0085 and other characters that `str.splitlines` cuts at stay in the text.
    """
    with open_text(path, member, encoding=encoding) as file:
        rest = ""
        while chunk := file.read(1 << 20):
            *whole, rest = (rest + chunk).split("\n")
            yield from (line.removesuffix("\r") for line in whole)
        if rest:
            yield rest.removesuffix("\r")


def table(
    path: Path,
    member: str | None = None,
    *,
    columns: Sequence[str],
    header: bool = True,
    delimiter: str = ",",
    quoting: bool = True,
    encoding: str = "utf-8-sig",
    errors: str = "strict",
) -> Iterator[dict[str, str]]:
    """Rows of a CSV or TSV file.

    Args:
        path: the file.
        member: name inside an archive.
        columns: names that must be in the header; without a header, the name of each field in order.
        header: whether the first line names the columns.
        delimiter: the field separator.
        quoting: False when a double quote is an ordinary character.
        encoding: of the file.
        errors: as in `open`.

    Returns:
        One dict per record.

    Raises:
        RawFormatError: the header lacks a column, or a record has another number of fields.
    """
    with open_text(path, member, encoding=encoding, errors=errors) as file:
        mode = csv.QUOTE_MINIMAL if quoting else csv.QUOTE_NONE
        reader = csv.reader(_records(file, quoting), delimiter=delimiter, quoting=mode)
        try:
            names = next(reader, []) if header else list(columns)
            missing = [c for c in columns if c not in names]
            if missing:
                raise RawFormatError(
                    f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {names[:20]}"
                )
            for record in reader:
                if not record:
                    continue
                if len(record) != len(names):
                    raise RawFormatError(
                        f"{path.name}, line {reader.line_num}: expected {len(names)} fields "
                        f"{names[:20]}, found {len(record)}"
                    )
                yield dict(zip(names, record, strict=True))
        except csv.Error as error:
            raise RawFormatError(f"{path.name}, line {reader.line_num}: {error}") from None


def _records(file: io.TextIOWrapper, quoting: bool) -> Iterator[str]:
    """Physical lines for the csv module; without quoting a bare CR is text, so it must not end a record."""
    if quoting:
        yield from file
        return
    rest = ""
    while chunk := file.read(1 << 20):
        *whole, rest = (rest + chunk).split("\n")
        yield from (line.removesuffix("\r") for line in whole)
    if rest:
        yield rest.removesuffix("\r")


def jsonl(
    path: Path, member: str | None = None, *, columns: Sequence[str] = (), encoding: str = "utf-8-sig"
) -> Iterator[dict[str, Any]]:
    """Objects of a JSON-lines file; blank lines are skipped.

    Args:
        path: the file.
        member: name inside an archive.
        columns: keys every object must have.
        encoding: of the file.

    Returns:
        The objects.

    Raises:
        RawFormatError: a line is not a JSON object, or lacks a key.
    """
    for number, line in enumerate(lines(path, member, encoding=encoding), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            raise RawFormatError(f"{path.name}, line {number}: not JSON: {error}") from None
        if not isinstance(value, dict) or any(c not in value for c in columns):
            found = sorted(value) if isinstance(value, dict) else type(value).__name__
            raise RawFormatError(f"{path.name}, line {number}: expected {list(columns)}, found {found}")
        yield value


def json_value(path: Path, member: str | None = None, *, encoding: str = "utf-8-sig") -> Any:
    """The one value of a JSON file.

    Args:
        path: the file.
        member: name inside an archive.
        encoding: of the file.

    Returns:
        The value.

    Raises:
        RawFormatError: the file is not JSON.
    """
    with open_text(path, member, encoding=encoding) as file:
        try:
            return json.load(file)
        except json.JSONDecodeError as error:
            raise RawFormatError(f"{path.name}: not JSON: {error}") from None


def parquet(path: Path, *, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file; integers of a ClassLabel column come out as its names.

    Args:
        path: the file.
        columns: the columns to read.
        optional: columns to read where they exist.

    Returns:
        One dict per row.

    Raises:
        RawFormatError: the file is not Parquet or lacks a column.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(path)
    except pyarrow.ArrowInvalid as error:
        raise RawFormatError(f"{path.name}: not Parquet: {error}") from None
    found = file.schema_arrow.names
    missing = [c for c in columns if c not in found]
    if missing:
        raise RawFormatError(
            f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {found}"
        )
    names = _class_names(file.schema_arrow.metadata)
    wanted = [*columns, *(c for c in optional if c in found)]
    for batch in file.iter_batches(batch_size=2048, columns=wanted):
        for row in batch.to_pylist():
            for column, labels in names.items():
                if isinstance(row.get(column), int) and row[column] >= 0:
                    row[column] = labels[row[column]]
            yield row


def _class_names(metadata: dict[bytes, bytes] | None) -> dict[str, list[str]]:
    info = json.loads((metadata or {}).get(b"huggingface", b"{}")).get("info", {})
    return {
        name: feature["names"]
        for name, feature in (info.get("features") or {}).items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
    }
