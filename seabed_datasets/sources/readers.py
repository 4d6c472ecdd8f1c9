"""Raw bytes -> rows. Each odd format is handled once, here; loaders only name columns.

Every reader takes a path (`.gz` is opened as such) and, for archives, the name of a member.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
import sys
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice, zip_longest
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from seabed_datasets.errors import RawFormatError
from seabed_datasets.files import inside

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

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
        RawFormatError: the member is missing, is not a plain file, or is larger than MAX_MEMBER_BYTES; the
            archive is none.
    """
    if member is None:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield file  # type: ignore[misc]
        return
    inside(path, member, f"{path.name}: unsafe member name", RawFormatError, links=True)
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
    with _open_tar(path) as tar:
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


def _open_tar(path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(path)
    except tarfile.ReadError:
        raise RawFormatError(f"{path.name}: neither a zip nor a tar archive, or a damaged one") from None


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
        yield from _lf_lines(file)


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
    short: bool = False,
    ragged: bool = False,
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
        short: whether a record may lack its last fields, which are empty then.
        ragged: whether a record with another number of fields is left out, where upstream's own code does so.

    Returns:
        One dict per record.

    Raises:
        RawFormatError: the header lacks a column, or a record has another number of fields.
    """
    with open_text(path, member, encoding=encoding, errors=errors) as file:
        records = _quoted(path.name, file, delimiter) if quoting else _unquoted(file, delimiter)
        _, names = next(records, (1, [])) if header else (0, list(columns))
        missing = [c for c in columns if c not in names]
        if missing:
            raise RawFormatError(
                f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {names[:20]}"
            )
        for number, record in records:
            if not record:
                continue
            if short:
                record += [""] * (len(names) - len(record))
            if len(record) != len(names):
                if ragged:
                    continue
                raise RawFormatError(
                    f"{path.name}, line {number}: expected {len(names)} fields "
                    f"{names[:20]}, found {len(record)}"
                )
            yield dict(zip(names, record, strict=True))


def _quoted(name: str, file: io.TextIOWrapper, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(file, delimiter=delimiter)
    try:
        for record in reader:
            yield reader.line_num, record
    except csv.Error as error:
        raise RawFormatError(f"{name}, line {reader.line_num}: {error}") from None


def _unquoted(file: io.TextIOWrapper, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Fields of plain lines; the csv module would end a record at a bare CR, which is text here."""
    for number, line in enumerate(_lf_lines(file), 1):
        yield number, line.split(delimiter) if line else []


def _lf_lines(file: io.TextIOWrapper) -> Iterator[str]:
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
        yield _object(f"{path.name}, line {number}", value, columns)


def _object(where: str, value: Any, columns: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or any(c not in value for c in columns):
        found = sorted(value) if isinstance(value, dict) else type(value).__name__
        raise RawFormatError(f"{where}: expected {list(columns)}, found {found}")
    return value


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


def json_list(
    path: Path, member: str | None = None, *, columns: Sequence[str] = (), encoding: str = "utf-8-sig"
) -> Iterator[dict[str, Any]]:
    """Objects of a JSON file that holds one list of them.

    Args:
        path: the file.
        member: name inside an archive.
        columns: keys every object must have.
        encoding: of the file.

    Returns:
        The objects.

    Raises:
        RawFormatError: the file is not JSON or not a list, an entry is not an object or lacks a key.
    """
    value = json_value(path, member, encoding=encoding)
    if not isinstance(value, list):
        raise RawFormatError(f"{path.name}: expected a list, found {type(value).__name__}")
    for number, entry in enumerate(value, 1):
        yield _object(f"{path.name}, entry {number}", entry, columns)


def elements(path: Path, tag: str, member: str | None = None) -> Iterator[Element]:
    """Elements of one name of an XML file, one at a time.

    Args:
        path: the file.
        tag: the name; such elements must not lie inside each other.
        member: name inside an archive.

    Returns:
        The complete elements; each is emptied when the next one is asked for.

    Raises:
        RawFormatError: the file is not well-formed XML.
    """
    from xml.etree import ElementTree

    with open_bytes(path, member) as file:
        try:
            for _event, element in ElementTree.iterparse(file):
                if element.tag == tag:
                    yield element
                    element.clear()
        except ElementTree.ParseError as error:
            raise RawFormatError(f"{path.name}: not XML: {error}") from None


def sheet(
    path: Path, member: str | None = None, *, columns: Sequence[str], skip: int = 0
) -> Iterator[dict[str, str]]:
    """Rows of the first sheet of an xlsx workbook, every cell as text.

    Args:
        path: the file.
        member: name inside an archive.
        columns: names that must be in the header.
        skip: rows above the header.

    Returns:
        One dict per row that has any value; an empty cell is "", a column without a name has the name "".
        A formula gives its stored result.

    Raises:
        RawFormatError: the file is not a workbook, or the header lacks a column.
    """
    import openpyxl

    with open_bytes(path, member) as file:
        try:
            book = openpyxl.load_workbook(io.BytesIO(file.read()), read_only=True, data_only=True)
        except (zipfile.BadZipFile, KeyError, ValueError) as error:
            raise RawFormatError(f"{path.name}: not an xlsx workbook: {error}") from None
    cells = book.worksheets[0].iter_rows(values_only=True)
    rows = (["" if value is None else str(value) for value in row] for row in cells)
    names = next(islice(rows, skip, None), [])
    missing = [c for c in columns if c not in names]
    if missing:
        raise RawFormatError(
            f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {names[:20]}"
        )
    for row in rows:
        if any(row):
            yield dict(zip_longest(names, row[: len(names)], fillvalue=""))


def parquet(path: Path, *, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file; integers of a ClassLabel column come out as its names.

    Args:
        path: the file.
        columns: the columns to read; none means all.
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
    for batch in file.iter_batches(batch_size=2048, columns=wanted or None):
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


class _Shell:
    """Stands for a class or function a pickle names: it keeps what it is given and runs nothing."""

    args: tuple[Any, ...] = ()
    state: Any = None

    def __init__(self, *args: Any) -> None:
        self.args = args

    def __setstate__(self, state: Any) -> None:
        self.state = state


# All that a pandas 0.2x DataFrame of numbers and texts names. `builtins.id` occurs as a column's NAME.
_FRAME_NAMES: dict[tuple[str, str], Any] = {
    ("pandas.core.frame", "DataFrame"): _Shell,
    ("pandas.core.internals.managers", "BlockManager"): _Shell,
    ("pandas.core.indexes.base", "_new_Index"): _Shell,
    ("pandas.core.indexes.base", "Index"): _Shell,
    ("pandas.core.indexes.range", "RangeIndex"): _Shell,
    ("numpy.core.multiarray", "_reconstruct"): _Shell,
    ("numpy", "ndarray"): _Shell,
    ("numpy", "dtype"): _Shell,
    ("builtins", "slice"): slice,
    ("builtins", "id"): "id",
}


class _Unpickler(pickle.Unpickler):
    """Loads nothing by name but the stand-ins it is given: a pickle cannot run code through it."""

    def __init__(self, file: IO[bytes], names: Mapping[tuple[str, str], Any]) -> None:
        super().__init__(file)
        self._names = names

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._names:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is not allowed here")
        return self._names[module, name]


def pickled_value(path: Path, member: str | None = None) -> Any:
    """The value of a pickle of plain lists, texts and numbers.

    Args:
        path: the file.
        member: name inside an archive.

    Returns:
        The value.

    Raises:
        RawFormatError: the file is no pickle, or names any class or function.
    """
    with open_bytes(path, member) as file:
        try:
            return _Unpickler(file, {}).load()
        except (
            pickle.UnpicklingError,
            AttributeError,
            EOFError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:
            raise RawFormatError(f"{path.name}: not a pickle of plain values: {error}") from None


def pickled_frame(
    path: Path, member: str | None = None, *, columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Rows of a pickled pandas 0.2x DataFrame, without pandas and without running what the pickle names.

    Args:
        path: the file.
        member: name inside an archive.
        columns: the columns to read.

    Returns:
        One dict per row.

    Raises:
        RawFormatError: the file is no such pickle, names anything else, or lacks a column.
    """
    with open_bytes(path, member) as file:
        try:
            parts = _Unpickler(file, _FRAME_NAMES).load().state["_data"].state[3]["0.14.1"]
            names = _array(parts["axes"][0].args[1]["data"])[0]
            found: dict[str, list[Any]] = {}
            for block in parts["blocks"]:
                places = range(*block["mgr_locs"].indices(len(names)))
                found.update(zip((names[i] for i in places), _array(block["values"]), strict=True))
        except (
            pickle.UnpicklingError,
            AttributeError,
            EOFError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:
            raise RawFormatError(f"{path.name}: not a pickled DataFrame of pandas 0.2x: {error}") from None
    missing = [c for c in columns if c not in found]
    if missing:
        raise RawFormatError(
            f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {sorted(found)}"
        )
    for values in zip(*(found[c] for c in columns), strict=True):
        yield dict(zip(columns, values, strict=True))


def _array(shell: _Shell) -> list[list[Any]]:
    """The rows of a pickled numpy array of one or two dimensions; objects lie in it as a list."""
    import numpy

    _, shape, kind, fortran, data = shell.state
    flat = data if isinstance(data, list) else numpy.frombuffer(data, dtype=str(kind.args[0])).tolist()
    *_, width = shape
    height = len(flat) // width if width else 0
    if fortran:
        return [flat[i::height] for i in range(height)]
    return [flat[i * width : (i + 1) * width] for i in range(height)]
