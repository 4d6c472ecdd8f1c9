"""The traps of raw files, each handled once in readers.py."""

from __future__ import annotations

import gzip
import io
import json
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from seabed_datasets.errors import RawFormatError
from seabed_datasets.sources import readers
from seabed_datasets.sources.readers import json_list, json_value, jsonl, lines, table

Make = Callable[..., Path]
BOM = b"\xef\xbb\xbf"


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def zipped(folder: Path, members: dict[str, bytes], link: str | None = None) -> Path:
    """A zip of these members; the member named `link` is marked as a symbolic link."""
    path = folder / "data.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK | 0o777 if name == link else stat.S_IFREG | 0o644) << 16
            archive.writestr(info, data)
    return path


def tarred(folder: Path, members: dict[str, bytes], link: str | None = None) -> Path:
    """A tar.gz of these members; `link` adds a symbolic link of this name to /etc/passwd."""
    path = folder / "data.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        if link:
            entry = tarfile.TarInfo(link)
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(entry)
    return path


class TestText:
    def test_a_byte_order_mark_at_the_start_is_dropped_and_elsewhere_kept(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.txt", BOM + "หนึ่ง\n\ufeffสอง\n".encode())
        assert list(lines(path)) == ["หนึ่ง", "\ufeffสอง"]

    def test_lines_end_at_lf_and_crlf_only(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.txt", "one\r\ntwo\rstill two\nthree\u2028still\u0085three".encode())
        assert list(lines(path)) == ["one", "two\rstill two", "three\u2028still\u0085three"]

    def test_other_encodings_are_named_in_the_error(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.txt", "ภาษาไทย".encode("cp874"))
        with pytest.raises(RawFormatError, match=r"a\.txt: not utf-8-sig"):
            list(lines(path))
        assert list(lines(path, encoding="cp874")) == ["ภาษาไทย"]

    def test_gz_is_opened_as_such(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.txt.gz", gzip.compress(b"one\ntwo\n"))
        assert list(lines(path)) == ["one", "two"]


class TestTable:
    def test_crlf_bom_and_a_quoted_line_end(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.csv", BOM + b'text,label\r\n"one, ""two""\r\nmore",1\r\n')
        assert list(table(path, columns=["text", "label"])) == [{"text": 'one, "two"\r\nmore', "label": "1"}]

    def test_without_quoting_a_quote_and_a_bare_cr_are_text(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.tsv", b'text\tlabel\n"half\t1\na\rb\t0\r\n')
        rows = table(path, columns=["text", "label"], delimiter="\t", quoting=False)
        assert list(rows) == [{"text": '"half', "label": "1"}, {"text": "a\rb", "label": "0"}]

    def test_without_a_header_the_columns_name_the_fields(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.tsv", b"1\tone\n2\ttwo\n")
        rows = table(path, columns=["id", "text"], header=False, delimiter="\t")
        assert [row["text"] for row in rows] == ["one", "two"]

    def test_a_changed_header_names_the_expected_and_the_found_columns(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.csv", b"sentence,category\nx,1\n")
        with pytest.raises(RawFormatError) as error:
            list(table(path, columns=["text", "category"]))
        assert str(error.value) == (
            "a.csv: columns ['text'] are missing; "
            "expected ['text', 'category'], found ['sentence', 'category']"
        )

    @pytest.mark.parametrize("record", [b"x\n", b"x,1,extra\n"])
    def test_a_record_of_another_length_names_its_line(self, tmp_path: Path, record: bytes) -> None:
        path = put(tmp_path, "a.csv", b"text,label\nok,1\n" + record)
        with pytest.raises(RawFormatError, match=r"a\.csv, line 3: expected 2 fields .* found [13]"):
            list(table(path, columns=["text"]))

    def test_an_empty_file_lacks_its_columns(self, tmp_path: Path) -> None:
        with pytest.raises(RawFormatError, match=r"expected \['text'\], found \[\]"):
            list(table(put(tmp_path, "a.csv", b""), columns=["text"]))


class TestJson:
    def test_blank_lines_are_skipped_and_a_bad_one_is_named(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.jsonl", BOM + b'{"text": "one"}\n\n{"text": "two"\n')
        rows = jsonl(path, columns=["text"])
        assert next(rows) == {"text": "one"}
        with pytest.raises(RawFormatError, match=r"a\.jsonl, line 3: not JSON"):
            next(rows)

    def test_an_object_without_a_key_names_the_expected_and_the_found_ones(self, tmp_path: Path) -> None:
        path = put(tmp_path, "a.jsonl", b'{"sentence": "one"}\n')
        with pytest.raises(RawFormatError, match=r"line 1: expected \['text'\], found \['sentence'\]"):
            list(jsonl(path, columns=["text"]))

    def test_a_page_of_html_is_not_json(self, tmp_path: Path) -> None:
        with pytest.raises(RawFormatError, match=r"a\.json: not JSON"):
            json_value(put(tmp_path, "a.json", b"<html>moved</html>"))

    def test_a_list_is_read_entry_by_entry_and_anything_else_refused(self, tmp_path: Path) -> None:
        assert list(json_list(put(tmp_path, "a.json", b'[{"n": 1}]'), columns=["n"])) == [{"n": 1}]
        with pytest.raises(RawFormatError, match=r"entry 2: expected \['n'\], found int"):
            list(json_list(put(tmp_path, "b.json", b'[{"n": 1}, 2]'), columns=["n"]))
        with pytest.raises(RawFormatError, match="expected a list, found dict"):
            list(json_list(put(tmp_path, "c.json", b"{}")))


class TestArchives:
    def test_junk_beside_a_member_is_not_read(self, tmp_path: Path) -> None:
        row = json.dumps({"text": "one"}).encode()
        path = zipped(tmp_path, {"__MACOSX/data/._a.jsonl": b"\x00\x05\x16\x07", "data/a.jsonl": row})
        assert list(jsonl(path, "data/a.jsonl")) == [{"text": "one"}]

    def test_tar_members_are_read(self, tmp_path: Path) -> None:
        assert list(lines(tarred(tmp_path, {"x/a.txt": b"one\n"}), "x/a.txt")) == ["one"]

    @pytest.mark.parametrize("make", [zipped, tarred])
    def test_a_missing_member_lists_what_is_there(self, tmp_path: Path, make: Make) -> None:
        with pytest.raises(RawFormatError, match=r"no member 'b\.txt'; it holds \['a\.txt'\]"):
            list(lines(make(tmp_path, {"a.txt": b"one"}), "b.txt"))

    @pytest.mark.parametrize("make", [zipped, tarred])
    @pytest.mark.parametrize("name", ["../a.txt", "x/../../a.txt", "/etc/passwd"])
    def test_a_name_that_leads_out_of_the_archive_is_refused(
        self, tmp_path: Path, make: Make, name: str
    ) -> None:
        with pytest.raises(RawFormatError, match="unsafe member name"):
            list(lines(make(tmp_path, {name: b"one"}), name))

    @pytest.mark.parametrize("make", [zipped, tarred])
    def test_a_link_is_refused(self, tmp_path: Path, make: Make) -> None:
        path = make(tmp_path, {"a.txt": b"/etc/passwd"} if make is zipped else {}, link="a.txt")
        with pytest.raises(RawFormatError, match=r"member 'a\.txt' is not a plain file"):
            list(lines(path, "a.txt"))

    @pytest.mark.parametrize("make", [zipped, tarred])
    def test_a_member_over_the_bound_is_refused(
        self, tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = make(tmp_path, {"a.txt": b"twelve bytes"})
        monkeypatch.setattr(readers, "MAX_MEMBER_BYTES", 12)
        assert list(lines(path, "a.txt")) == ["twelve bytes"]
        monkeypatch.setattr(readers, "MAX_MEMBER_BYTES", 11)
        with pytest.raises(RawFormatError, match="claims 12 bytes"):
            list(lines(path, "a.txt"))

    def test_what_is_no_archive_says_so(self, tmp_path: Path) -> None:
        with pytest.raises(RawFormatError, match="neither a zip nor a tar archive"):
            list(lines(put(tmp_path, "data.zip", b"<html>moved</html>"), "a.txt"))
