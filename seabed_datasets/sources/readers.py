"""Raw bytes -> rows. Each odd format is handled once, here; loaders only name columns.

Every reader takes a path (gzip is opened as such) and, for archives, the name of a member.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from seabed_datasets.errors import RawFormatError
from seabed_datasets.files import inside
from seabed_datasets.sources import pickles, strict_json

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

# What one file, one member of an archive, or one unpacked .gz may hold. The largest that a card names is 361 MB.
MAX_MEMBER_BYTES = 2 * 1024**3
# What is parsed in one piece needs several times its size in memory; JSON lines are not.
MAX_WHOLE_BYTES = 256 * 1024**2
DAMAGED = "the file is damaged or cut: get it again (`seabed fetch KEY --to DIR --force`)"
_LINKED = 0o120000
_GZIP = b"\x1f\x8b\x08"

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
        RawFormatError: the file cannot be read; the member is missing, is not a plain file, is encrypted or
            packed in a way Python cannot unpack; more than MAX_MEMBER_BYTES come out; the archive is none, or
            is damaged, which may show only when it is read.
    """
    where = path.name if member is None else f"{path.name}, member {member!r}"
    try:
        with _opened(path, member) as file:
            yield file
    except (
        EOFError,
        gzip.BadGzipFile,
        lzma.LZMAError,
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
    ) as error:
        raise RawFormatError(f"{where}: {error or type(error).__name__}; {DAMAGED}") from None
    except OSError as error:
        raise RawFormatError(f"{where}: cannot be read: {error}") from None


@contextmanager
def _opened(path: Path, member: str | None) -> Iterator[IO[bytes]]:
    if member is None:
        with path.open("rb") as file:
            # By its first bytes: some sites send a packed file under the name of what is in it.
            packed = path.suffix == ".gz" or file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            if packed:
                with gzip.open(file) as unpacked:
                    yield io.BufferedReader(_Capped(unpacked, path.name), 1 << 20)
            else:
                _check_size(path.name, path.stat().st_size)
                yield file
        return
    inside(path, member, f"{path.name}: unsafe member name", RawFormatError, links=True)
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            try:
                info = archive.getinfo(member)
            except KeyError:
                raise _no_member(path, member, archive.namelist()) from None
            if info.is_dir() or (info.external_attr >> 16) & 0o170000 == _LINKED:
                raise RawFormatError(f"{path.name}: member {member!r} is not a plain file")
            _check_size(f"{path.name}: member {member!r}", info.file_size)
            with _member(archive, info, path) as file:
                yield file
        return
    with _open_tar(path) as tar:
        try:
            entry = tar.getmember(member)
        except KeyError:
            raise _no_member(path, member, tar.getnames()) from None
        if not entry.isfile():
            raise RawFormatError(f"{path.name}: member {member!r} is not a plain file")
        _check_size(f"{path.name}: member {member!r}", entry.size)
        extracted = tar.extractfile(entry)
        assert extracted is not None  # isfile() was checked
        with extracted:
            yield extracted


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> IO[bytes]:
    try:
        return archive.open(info)
    except (RuntimeError, NotImplementedError) as error:  # encrypted; a way of packing Python does not know
        raise RawFormatError(
            f"{path.name}: member {info.filename!r} cannot be unpacked: {error}; "
            "unpack the archive by hand and pack it again without a password, as an ordinary zip"
        ) from None


def _open_tar(path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(path)
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError):
        raise RawFormatError(
            f"{path.name}: neither a zip nor a tar archive, or a damaged one; {DAMAGED}"
        ) from None


def _no_member(path: Path, member: str, names: Sequence[str]) -> RawFormatError:
    return RawFormatError(f"{path.name}: no member {member!r}; it holds {sorted(names)[:8]}")


def _check_size(where: str, size: int, limit: int | None = None) -> None:
    bound = MAX_MEMBER_BYTES if limit is None else limit
    if size > bound:
        raise RawFormatError(
            f"{where} claims {size:,} bytes, more than the {bound:,} that any known file needs"
        )


class _Capped(io.RawIOBase):
    """An unpacked file that ends in an error once more comes out than any file may hold."""

    def __init__(self, file: IO[bytes] | gzip.GzipFile, name: str) -> None:
        self._file, self._name, self._left = file, name, MAX_MEMBER_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise RawFormatError(f"{self._name}: unpacks to more than {MAX_MEMBER_BYTES:,} bytes")
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def open_text(
    path: Path,
    member: str | None = None,
    *,
    encoding: str = "utf-8-sig",
    errors: str = "strict",
    newline: str = "",
) -> Iterator[io.TextIOWrapper]:
    """Open a raw file as text without translating line ends (a bare CR may be part of a field).

    Args:
        path: the file.
        member: name inside an archive.
        encoding: utf-8-sig drops a byte order mark when there is one.
        errors: as in `open`.
        newline: "" cuts lines at LF, CR and CRLF, as the csv module wants it; "\\n" at LF only.

    Returns:
        A context manager of the open text file.

    Raises:
        RawFormatError: the bytes are not valid in this encoding.
    """
    with open_bytes(path, member) as file:
        text = io.TextIOWrapper(file, encoding=encoding, errors=errors, newline=newline)
        try:
            yield text
        except UnicodeError as error:
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
    with open_text(path, member, encoding=encoding, newline="\n") as file:
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
    strict: bool = True,
) -> Iterator[dict[str, str]]:
    """Rows of a CSV or TSV file, read strictly: a double quote that is neither doubled nor around a field is an
    error, since a lenient reader makes one field of all records up to the next one.

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
        strict: False where the file is known to have characters behind a closing quote; its rows must be
            counted then, since a quote that stands alone joins records.

    Returns:
        One dict per record.

    Raises:
        RawFormatError: the header lacks a column, a record has another number of fields, or a double quote
            stands alone.
    """
    newline = "" if quoting else "\n"
    with open_text(path, member, encoding=encoding, errors=errors, newline=newline) as file:
        records = _quoted(path.name, file, delimiter, strict) if quoting else _unquoted(file, delimiter)
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


def _quoted(
    name: str, file: io.TextIOWrapper, delimiter: str, strict: bool
) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(file, delimiter=delimiter, strict=strict)
    begins, width = 1, 0
    try:
        for record in reader:
            width = width or len(record)
            if reader.line_num > begins and delimiter == "\t" and _swallowed(record, width):
                raise csv.Error("every line in it has as many tabs as a record")
            yield reader.line_num, record
            begins = reader.line_num + 1
    except csv.Error as error:
        raise RawFormatError(
            f"{name}, line {begins}: a double quote stands alone in the record that begins here "
            f"(noticed in line {max(reader.line_num, begins)}: {error}); where double quotes are ordinary "
            "characters, the loader reads with quoting=False"
        ) from None


def _swallowed(record: list[str], width: int) -> bool:
    """Whether a record over several lines is several records: two lone quotes make one field of them.

    Asked of TSV files only: texts hold line ends, and commas, but no tabs.
    """
    return width > 1 and all(line.count("\t") == width - 1 for line in "\t".join(record).split("\n"))


def _unquoted(file: io.TextIOWrapper, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Fields of plain lines; the csv module would end a record at a bare CR, which is text here."""
    for number, line in enumerate(_lf_lines(file), 1):
        yield number, line.split(delimiter) if line else []


def _lf_lines(file: io.TextIOWrapper) -> Iterator[str]:
    for line in file:
        yield line.removesuffix("\n").removesuffix("\r")


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
        RawFormatError: a line is not a JSON object, has a key twice, or lacks a key.
    """
    yield from _objects(path.name, _filled(path, member, encoding), columns)


def _filled(path: Path, member: str | None, encoding: str) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, numbered from 1."""
    for number, line in enumerate(lines(path, member, encoding=encoding), 1):
        if line.strip():
            yield number, line


def _objects(
    name: str, numbered: Iterable[tuple[int, str]], columns: Sequence[str]
) -> Iterator[dict[str, Any]]:
    for number, line in numbered:
        where = f"{name}, line {number}"
        yield _object(where, strict_json.parse(line, where), columns)


def _object(where: str, value: Any, columns: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict) or any(c not in value for c in columns):
        found = sorted(value) if isinstance(value, dict) else type(value).__name__
        raise RawFormatError(f"{where}: expected {list(columns) or 'an object'}, found {found}")
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
        RawFormatError: the file is not JSON, has a key twice in one object, or is larger than MAX_WHOLE_BYTES.
    """
    with open_text(path, member, encoding=encoding) as file:
        text = file.read(MAX_WHOLE_BYTES + 1)
    _check_size(path.name, len(text), MAX_WHOLE_BYTES)
    return strict_json.parse(text, path.name)


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
    yield from _entries(path.name, value, columns)


def _entries(name: str, value: list[Any], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    for number, entry in enumerate(value, 1):
        yield _object(f"{name}, entry {number}", entry, columns)


def json_rows(
    path: Path,
    member: str | None = None,
    *,
    columns: Sequence[str] = (),
    split: str | None = None,
    encoding: str = "utf-8-sig",
) -> Iterator[dict[str, Any]]:
    """Objects of a JSON file in any of the three forms in which the Hub's JSON builder takes rows.

    Args:
        path: the file: one object a line, one array of objects, or {split: array of objects}.
        member: name inside an archive.
        columns: keys every object must have.
        split: the split to read where the file has the third form; None takes the only one.
        encoding: of the file.

    Returns:
        The objects.

    Raises:
        RawFormatError: the file has none of these forms, an object has a key twice or lacks a column, or the
            split asked for is not in it.
    """
    filled = _filled(path, member, encoding)
    head = list(islice(filled, 2))
    if not head:
        return
    number, first = head[0]
    if first.lstrip()[0] != "{":
        yield from json_list(path, member, columns=columns, encoding=encoding)
        return
    if len(head) > 1 and _is_whole(first):
        yield from _objects(path.name, chain(head, filled), columns)
        return
    # One object: over several lines, or on one, which may be a single row as well.
    value = json_value(path, member, encoding=encoding)
    arrays = {key: rows for key, rows in value.items() if isinstance(rows, list)}
    if len(head) == 1 and (len(arrays) < len(value) or (columns and all(c in value for c in columns))):
        yield _object(f"{path.name}, line {number}", value, columns)
        return
    name = split if split is not None else next(iter(arrays)) if len(arrays) == 1 else ""
    if name not in arrays:
        wanted = f"a list under {split!r}" if split else "one list"
        raise RawFormatError(f"{path.name}: expected {wanted}, found an object with {sorted(value)[:20]}")
    yield from _entries(f"{path.name}, {name!r}", arrays[name], columns)


def _is_whole(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


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

    faults = (
        zipfile.BadZipFile,
        SyntaxError,
        LookupError,
        ValueError,
        TypeError,
        AttributeError,
        MemoryError,
    )
    with open_bytes(path, member) as file:
        data = io.BytesIO(file.read())
        try:
            with zipfile.ZipFile(data) as parts:
                _check_size(path.name, sum(part.file_size for part in parts.infolist()), MAX_WHOLE_BYTES)
            cells = openpyxl.load_workbook(data, read_only=True, data_only=True).worksheets[0]
            rows = (
                ["" if value is None else str(value) for value in row]
                for row in cells.iter_rows(values_only=True)
            )
            names = next(islice(rows, skip, None), [])
            missing = [c for c in columns if c not in names]
            if missing:
                raise RawFormatError(
                    f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {names[:20]}"
                )
            for row in rows:
                if any(row):
                    yield dict(zip_longest(names, row[: len(names)], fillvalue=""))
        except faults as error:  # an XML ParseError is a SyntaxError
            raise RawFormatError(f"{path.name}: not an xlsx workbook: {error}; {DAMAGED}") from None


def parquet(path: Path, *, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Rows of a Parquet file; integers of a ClassLabel column, and lists of them, come out as its names.

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
        with pyarrow.parquet.ParquetFile(path) as file:
            found = file.schema_arrow.names
            missing = [c for c in columns if c not in found]
            if missing:
                raise RawFormatError(
                    f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {found}"
                )
            names = _class_names(path.name, file.schema_arrow.metadata)
            wanted = [*columns, *(c for c in optional if c in found)]
            rows = (
                r for b in file.iter_batches(batch_size=2048, columns=wanted or None) for r in b.to_pylist()
            )
            for number, row in enumerate(rows):
                for column, labels in names.items():
                    if column in row:
                        row[column] = _named(f"{path.name}, row {number}: {column}", row[column], labels)
                yield row
    except (pyarrow.ArrowException, OSError) as error:
        raise RawFormatError(f"{path.name}: not Parquet: {error}; {DAMAGED}") from None


def _named(where: str, value: Any, labels: list[str]) -> Any:
    """Label names for the numbers of a cell; -1, the Hub's sign for no label, stays."""
    if isinstance(value, list):
        return [_named(where, v, labels) for v in value]
    if not isinstance(value, int) or value < 0:
        return value
    if value >= len(labels):
        raise RawFormatError(f"{where} is {value}, the file names the labels 0 to {len(labels) - 1} only")
    return labels[value]


def _class_names(name: str, metadata: dict[bytes, bytes] | None) -> dict[str, list[str]]:
    """The label names that the `datasets` library left in the file; a damaged note is an error, not no names."""
    note = (metadata or {}).get(b"huggingface", b"{}")
    try:
        features = (json.loads(note).get("info") or {}).get("features") or {}
        inner = {column: _inner(feature) for column, feature in features.items()}
        found = {
            column: feature["names"]
            for column, feature in inner.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        }
    except (ValueError, KeyError, AttributeError, RecursionError) as error:
        raise RawFormatError(
            f"{name}: the label names it carries cannot be read: {error!r}; {DAMAGED}"
        ) from None
    strange = [c for c, names in found.items() if not isinstance(names, list)]
    if strange:
        raise RawFormatError(f"{name}: the label names of {strange} are no list; {DAMAGED}")
    return found


def _inner(feature: Any) -> Any:
    """What a list is a list of, as the versions of `datasets` write it: List, Sequence, or [feature]."""
    if isinstance(feature, list):
        return feature[0] if len(feature) == 1 else None
    if isinstance(feature, dict) and feature.get("_type") in ("LargeList", "List", "Sequence"):
        return feature.get("feature")
    return feature


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
            return pickles.plain(file)
        except pickles.FAULTS as error:
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
            found = pickles.frame(file)
        except pickles.FAULTS as error:
            raise RawFormatError(f"{path.name}: not a pickled DataFrame of pandas 0.2x: {error}") from None
    missing = [c for c in columns if c not in found]
    if missing:
        raise RawFormatError(
            f"{path.name}: columns {missing} are missing; expected {list(columns)}, found {sorted(map(str, found))}"
        )
    for values in zip(*(found[c] for c in columns), strict=True):
        yield dict(zip(columns, values, strict=True))
