"""What the bytes of a raw file say: what it is in place of rows, and in which encoding its text is."""

from __future__ import annotations

import codecs
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

from seabed_datasets.errors import RawFormatError, SeabedError
from seabed_datasets.sources import readers
from seabed_datasets.terminal import plain

HEAD_BYTES = 1 << 16
_BLOCK = 1 << 20

# First bytes -> what such a file is, and what to do with it.
_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (
        b"version https://git-lfs.github.com/spec/",
        "a git-lfs pointer that stands for the file",
        "get the file itself with `git lfs pull`, or from the page it is downloaded from",
    ),
    (b"(\xb5/\xfd", "packed with Zstandard", "unpack it first"),
    (b"\xfd7zXZ\0", "packed with xz", "unpack it first"),
    (b"7z\xbc\xaf'\x1c", "a 7z archive", "unpack it first"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it first"),
    (b"%PDF-", "a PDF", "ask its authors for the data as a table"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an Excel workbook of the old form",
        "save the sheet as CSV UTF-8 and give that",
    ),
    (b"SQLite format 3\0", "an SQLite database", "export its table as CSV and give that"),
    (b"ARROW1\0\0", "an Arrow file", "save it as Parquet and give that"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", "save its table as Parquet and give that"),
    (b"\x80\x04\x95", "a Python pickle", "write the loader by hand with `readers.pickled_value`"),
)
_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")
_PAGE = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|script)\b", re.I | re.S)
_XML = re.compile(rb"\s*<\?xml\b")


def refuse_what_is_no_text(path: Path, parquet: bool) -> None:
    """Refuse a file that is something else than its name says.

    Args:
        path: the file; gzip is looked through.
        parquet: whether its name says Parquet.

    Raises:
        RawFormatError: it is an archive, a web page, a git-lfs pointer, ...; the message says what to do.
    """
    head = first_bytes(path)
    if not head:
        raise RawFormatError(f"{plain(path.name)}: the file is empty")
    found = _other_form(path, head, parquet)
    if found:
        what, advice = found
        raise RawFormatError(f"{plain(path.name)} is {what}, not rows: {advice}")


def first_bytes(path: Path) -> bytes:
    """The beginning of a file.

    Args:
        path: the file; gzip is unpacked.

    Returns:
        At most `HEAD_BYTES`.
    """
    with readers.open_bytes(path) as file:
        return file.read(HEAD_BYTES)


def _other_form(path: Path, head: bytes, parquet: bool) -> tuple[str, str] | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip(path)
    if head.startswith(b"PAR1") != parquet:
        return (
            ("no Parquet, whatever its name says", "give it the suffix of what it is")
            if parquet
            else ("a Parquet file", "give it the suffix .parquet")
        )
    if _BZIP2.match(head):
        return "packed with bzip2", "unpack it first"
    if head[257:262] == b"ustar":
        return (
            "a tar archive",
            "unpack it, give the file inside, and name it to the loader's reader as `member`",
        )
    for signature, what, advice in _SIGNATURES:
        if head.startswith(signature):
            return what, advice
    # A page saved in UTF-16 has a NUL beside every letter.
    bare = head.removeprefix(codecs.BOM_UTF8).lstrip(b"\xff\xfe").replace(b"\0", b"")
    if _PAGE.match(bare):
        return (
            "an HTML page",
            "most likely one that asks for a login or a click: download the file itself, by hand",
        )
    if _XML.match(bare):
        return "an XML file", "write the loader by hand with `readers.elements`"
    return None


def _zip(path: Path) -> tuple[str, str]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
    except (zipfile.BadZipFile, OSError, ValueError):
        return "a damaged zip archive", "download it again"
    if "xl/workbook.xml" in names:
        return (
            "an Excel workbook",
            "save the sheet as CSV UTF-8 and give that; the loader can read the workbook with `readers.sheet`",
        )
    shown = ", ".join(repr(name) for name in names[:5]) + (", ..." if len(names) > 5 else "")
    return (
        f"a zip archive that holds {shown or 'nothing'}",
        "unpack it, give the file inside, and name it to the loader's reader as `member`",
    )


def encoding_of(path: Path, given: str | None, langs: Sequence[str]) -> str:
    """The encoding of a text file.

    Args:
        path: the file; gzip is unpacked.
        given: the encoding the contributor named, or None.
        langs: ISO 639-3 codes of the texts, to name a likely encoding by.

    Returns:
        An encoding that all its bytes are valid in: the one given; UTF-8; or what a byte order mark says.

    Raises:
        SeabedError: the encoding given does not exist.
        RawFormatError: the bytes are not valid in it; the message names an encoding they may be in.
    """
    head = first_bytes(path)
    if given:
        encoding = _known(given, head)
    elif head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        encoding = "utf-32"
    elif head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif likely := _utf16_without_mark(head):
        raise RawFormatError(
            f"{plain(path.name)}: every second byte is 0 in places, as in UTF-16; give --encoding {likely}"
        )
    else:
        encoding = "utf-8-sig"
    bad = _first_bad(path, encoding)
    if bad is None:
        return encoding
    place, around = bad
    problem = f"{plain(path.name)}: not {'UTF-8' if encoding == 'utf-8-sig' else encoding} at byte {place:,}"
    raise RawFormatError(f"{problem}; {_advice(around, encoding, langs)}")


def _known(name: str, head: bytes) -> str:
    try:
        found = codecs.lookup(name)
        "".encode(found.name)  # codecs between bytes and bytes are refused here
    except (LookupError, ValueError):
        raise SeabedError(
            f"--encoding {name!r}: no such encoding; usual ones are utf-8, utf-16, cp874 (Thai), cp1258 "
            "(Vietnamese), cp1252 (Western)"
        ) from None
    if found.name == "utf-8":
        return "utf-8-sig"  # the same, less a byte order mark
    # Only the name without a byte order takes the mark away.
    if found.name in ("utf-16-le", "utf-16-be") and head.startswith(
        (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    ):
        return "utf-16"
    return found.name


def _utf16_without_mark(head: bytes) -> str | None:
    """UTF-16 in which ASCII signs occur: their zero bytes all lie at odd, or all at even places."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) < max(2, len(head) // 50) or min(even, odd) * 20 > max(even, odd):
        return None
    name = "utf-16-le" if odd > even else "utf-16-be"
    try:
        head[: len(head) // 2 * 2 - 2].decode(name)
    except UnicodeDecodeError:
        return None
    return name


def _first_bad(path: Path, encoding: str) -> tuple[int, bytes] | None:
    """Where the first invalid byte lies, and the bytes around it; None where all are valid."""
    decoder = codecs.getincrementaldecoder(encoding)()
    with readers.open_bytes(path) as file:
        passed = 0
        while True:
            block = file.read(_BLOCK)
            try:
                decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                # What the decoder held back of the block before stands before this one.
                held = len(error.object) - len(block)
                near = error.object[max(0, error.start - 2000) : error.start + 2000]
                return max(0, passed - held + error.start), bytes(near)
            except UnicodeError:  # UTF-16 and UTF-32 without a mark they need
                return passed, block[:4000]
            if not block:
                return None
            passed += len(block)


def _advice(around: bytes, tried: str, langs: Sequence[str]) -> str:
    thai = _reads_as(around, "cp874", "[\u0e01-\u0e5b]")
    guesses = [("cp874", "TIS-620")] if thai else []
    guesses += [("cp1258", "Vietnamese")] if "vie" in langs else []
    guesses += [("cp1252", "Western")]
    for name, title in guesses:
        if name == tried:
            continue
        try:
            text = around.decode(name)
        except UnicodeDecodeError:
            continue
        start = next((i for i, c in enumerate(text) if ord(c) > 127), 0)
        return f"give --encoding, e.g. --encoding {name} ({title}), in which it reads {plain(text[start : start + 30])!r}"
    return "give its --encoding"


def _reads_as(data: bytes, encoding: str, letters: str) -> bool:
    """Whether letters of a script come in runs, as in words: single ones are accents of another encoding."""
    text = data.decode(encoding, "replace")
    runs = re.findall(f"{letters}+", text)
    return bool(runs) and sum(map(len, runs)) >= 3 * len(runs)
