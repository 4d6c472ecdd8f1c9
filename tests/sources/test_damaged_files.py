"""Damaged, hostile and huge raw files: one line that names the file, never a traceback, never endless memory."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabed_datasets.errors import RawFormatError
from seabed_datasets.sources import readers
from seabed_datasets.sources.readers import (
    elements,
    json_value,
    lines,
    open_bytes,
    parquet,
    pickled_frame,
    pickled_value,
    sheet,
    table,
)

TEXT = "".join(f"บรรทัดที่ {i}\n" for i in range(2000)).encode()


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def zip_bytes(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tar_bytes(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def book_bytes() -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (["text", "label"], *(["ข้อความ", i] for i in range(200))):
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def parquet_data(metadata: bytes | None = None, label: int = 0) -> bytes:
    made = pyarrow.Table.from_pylist([{"text": f"ข้อความ {i}", "label": label} for i in range(500)])
    if metadata is not None:
        made = made.replace_schema_metadata({b"huggingface": metadata})
    out = io.BytesIO()
    pyarrow.parquet.write_table(made, out)
    return out.getvalue()


READ: dict[str, tuple[str, bytes, Callable[[Path], object]]] = {
    "gz": ("a.txt.gz", gzip.compress(TEXT), lambda p: list(lines(p))),
    "zip": ("a.zip", zip_bytes({"a.txt": TEXT}), lambda p: list(lines(p, "a.txt"))),
    "tar": ("a.tar.gz", tar_bytes({"a.txt": TEXT}), lambda p: list(lines(p, "a.txt"))),
    "xlsx": ("a.xlsx", book_bytes(), lambda p: list(sheet(p, columns=["text"]))),
    "parquet": ("a.parquet", parquet_data(), lambda p: list(parquet(p, columns=["text"]))),
    "csv": ("a.csv", b'text,label\n"a, b",1\n' * 40, lambda p: list(table(p, columns=["text"]))),
    "json": ("a.json", json.dumps([{"n": i} for i in range(99)]).encode(), json_value),
    "xml": ("a.xml", b"<a>" + b"<b>x</b>" * 99 + b"</a>", lambda p: [e.text for e in elements(p, "b")]),
    "pickle": ("a.pkl", pickle.dumps((["ข้อความ"] * 40, ["a", "b"] * 20)), pickled_value),
    "frame": ("a.pkl", b"\x80\x04N.", lambda p: list(pickled_frame(p, columns=["x"]))),
}


def refusal(read: Callable[[Path], object], path: Path) -> str:
    """What the reader says of a file; "" when it reads it. Anything but a refusal is a failure of the test."""
    try:
        read(path)
    except RawFormatError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("kind", READ)
def test_a_cut_file_is_one_line(tmp_path: Path, kind: str) -> None:
    name, data, read = READ[kind]
    if kind not in ("frame", "csv"):
        read(put(tmp_path, name, data))  # the whole file is right
    for cut in (0, 1, 10, len(data) // 3, len(data) // 2, len(data) - 30, len(data) - 9, len(data) - 1):
        path = put(tmp_path, name, data[: max(cut, 0)])
        said = refusal(read, path)
        if kind not in ("csv", "tar") and 0 < cut < len(data) - 1:
            assert name in said


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(READ)), st.data())
def test_flipped_bytes_are_rows_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    name, whole, read = READ[kind]
    changed = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    path = put(tmp_path_factory.getbasetemp(), name, bytes(changed))
    said = refusal(read, path)
    assert not said or name in said


@pytest.mark.parametrize(
    ("name", "data", "member", "said"),
    [
        ("a.gz", b"no gzip at all", None, r"a\.gz: Not a gzipped file .*seabed fetch"),
        ("a.gz", gzip.compress(TEXT)[:-40], None, r"a\.gz: Compressed file ended .*seabed fetch"),
        (
            "a.zip",
            zip_bytes({"m": TEXT}).replace(b"PK\x03\x04", b"PK\x03\x05"),
            "m",
            r"a\.zip, member 'm': Bad magic",
        ),
        ("a.tar", b"no archive", "m", "neither a zip nor a tar archive"),
        ("a.tar.gz", tar_bytes({"m": TEXT * 40})[:900], "m", "seabed fetch"),
    ],
)
def test_damage_says_what_to_do(
    tmp_path: Path, name: str, data: bytes, member: str | None, said: str
) -> None:
    with pytest.raises(RawFormatError, match=said), open_bytes(put(tmp_path, name, data), member) as file:
        file.read()


def test_a_wrong_checksum_in_a_zip_is_named(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("m", b"abc" * 100)
    path = put(tmp_path, "a.zip", out.getvalue().replace(b"abcabc", b"abXabc", 1))
    with pytest.raises(RawFormatError, match="Bad CRC-32"):
        list(lines(path, "m"))


@pytest.mark.parametrize(("at", "value", "said"), [(6, 1, "encrypted"), (8, 99, "compression")])
def test_what_python_cannot_unpack_says_what_to_do(tmp_path: Path, at: int, value: int, said: str) -> None:
    data = bytearray(zip_bytes({"m": b"abc"}))
    central = data.index(b"PK\x01\x02")
    data[at] = data[central + at + 2] = value
    with pytest.raises(
        RawFormatError, match=f"(?i)cannot be unpacked: .*{said}.*; unpack the archive by hand"
    ):
        list(lines(put(tmp_path, "a.zip", bytes(data)), "m"))


def test_what_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    for path in (tmp_path / "gone.txt", tmp_path):
        with pytest.raises(RawFormatError, match="cannot be read"):
            list(lines(path))


def test_an_unpacked_file_over_the_bound_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path, "a.txt.gz", gzip.compress(b"x" * 5000))
    plain = put(tmp_path, "a.txt", b"x" * 5000)
    monkeypatch.setattr(readers, "MAX_MEMBER_BYTES", 5000)
    assert list(lines(path)) == list(lines(plain)) == ["x" * 5000]
    monkeypatch.setattr(readers, "MAX_MEMBER_BYTES", 4999)
    with pytest.raises(RawFormatError, match="unpacks to more than 4,999 bytes"):
        list(lines(path))
    with pytest.raises(RawFormatError, match="claims 5,000 bytes"):
        list(lines(plain))


def test_json_and_workbooks_that_are_read_whole_have_a_lower_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, "a.json", b"[" + b" " * 5000 + b"]")
    book = put(tmp_path, "a.xlsx", book_bytes())
    assert json_value(path) == []
    monkeypatch.setattr(readers, "MAX_WHOLE_BYTES", 4000)
    with pytest.raises(RawFormatError, match="more than the 4,000"):
        json_value(path)
    with pytest.raises(RawFormatError, match="more than the 4,000"):
        list(sheet(book, columns=["text"]))
    assert readers.MAX_WHOLE_BYTES < readers.MAX_MEMBER_BYTES < 8 * 1024**3


def test_label_numbers_and_names_of_a_parquet_file_must_agree(tmp_path: Path) -> None:
    def note(names: object) -> bytes:
        feature = {"_type": "ClassLabel", "names": names}
        return json.dumps({"info": {"features": {"label": feature}}}).encode()

    path = put(tmp_path, "a.parquet", parquet_data(note(["no", "yes"]), 1))
    assert next(parquet(path, columns=["label"])) == {"label": "yes"}
    put(tmp_path, "a.parquet", parquet_data(note(["no", "yes"]), 7))
    with pytest.raises(RawFormatError, match="row 0: label is 7, the file names the labels 0 to 1 only"):
        list(parquet(path, columns=["label"]))
    for damage in (
        b"{",
        b'{"info": 3}',
        b"[]",
        note("ab"),
        b'{"info": {"features": {"label": {"_type": "ClassLabel"}}}}',
    ):
        put(tmp_path, "a.parquet", parquet_data(damage))
        with pytest.raises(RawFormatError, match="label names"):
            list(parquet(path, columns=["label"]))


class TestLoneQuotes:
    """A lenient reader makes one field of everything up to the next quote."""

    @pytest.mark.parametrize(
        ("delimiter", "rows", "line"),
        [
            (",", ['"half of it,1', "two,0", "three,1"], 3),  # no quote follows: the rest of the file is gone
            (",", ['"half of it,1', "two,0", '"three",1'], 3),
            (",", ['"word" and more,1', "two,0"], 3),
            (",", ["fine,1", 'x,"0', "three,1"], 4),
            (
                "\t",
                ['"half of it\t1', "two\t0", 'the other half"\t1'],
                3,
            ),  # ends well: whole records are inside
            ("\t", ['"half\t1', 'half"\t0'], 3),
            (";", ['"word" and more;1'], 3),
        ],
    )
    def test_is_an_error_with_the_line_its_record_begins_in(
        self, tmp_path: Path, delimiter: str, rows: list[str], line: int
    ) -> None:
        text = "\n".join([f"text{delimiter}label", f"first{delimiter}1", *rows]) + "\n"
        path = put(tmp_path, "a.csv", text.encode())
        with pytest.raises(
            RawFormatError, match=rf"a\.csv, line {line}: a double quote stands alone.*quoting=False"
        ):
            list(table(path, columns=["text", "label"], delimiter=delimiter))
        kept = list(table(path, columns=["text", "label"], delimiter=delimiter, quoting=False))
        assert len(kept) == 1 + len(rows)

    def test_quotes_that_are_right_are_read(self, tmp_path: Path) -> None:
        text = b'text\tlabel\n"two\nlines"\t1\n"a ""b"" c"\t0\nin "the" middle\t1\n""\t0\n"tab\there"\t1\n'
        rows = table(put(tmp_path, "a.tsv", text), columns=["text"], delimiter="\t")
        assert [r["text"] for r in rows] == ["two\nlines", 'a "b" c', 'in "the" middle', "", "tab\there"]

    def test_a_blank_behind_a_closing_quote_needs_a_loader_that_knows_it(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.csv", b'text,label\n"x","1" \n')
        with pytest.raises(RawFormatError, match="line 2"):
            list(table(path, columns=["text"]))
        assert list(table(path, columns=["text"], strict=False)) == [{"text": "x", "label": "1 "}]


def test_a_long_line_is_read_in_one_go(tmp_path: Path) -> None:
    """Its pieces are never joined again and again: the reader hands the work to one pass over the file."""
    path = put(tmp_path, "a.txt", b"a\n" + b"x" * (8 << 20) + b"\nb")
    assert [len(line) for line in lines(path)] == [1, 8 << 20, 1]
