"""One reader for the three forms in which JSON files hold rows."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabed_datasets.errors import RawFormatError
from seabed_datasets.sources import strict_json
from seabed_datasets.sources.readers import json_rows, json_value, jsonl

ROWS = [{"text": "กขค\u2028x\u0085", "n": 1}, {"text": 'a "b"\n', "n": None}]
FORMS = {
    "lines": "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in ROWS),
    "lines, blank ones between": "\n\n" + " \r\n".join(json.dumps(r) + "\n" for r in ROWS),
    "lines without an end": "\n".join(json.dumps(r) for r in ROWS),
    "array": json.dumps(ROWS),
    "array, a row a line": "[\n" + ",\n".join(json.dumps(r) for r in ROWS) + "\n]\n",
    "array, indented": json.dumps(ROWS, indent=2, ensure_ascii=False),
    "split": json.dumps({"test": ROWS}),
    "split, indented": json.dumps({"test": ROWS}, indent=1),
    "split, rows begin in its line": '{"test": [{"text": "a", "n": 2}',
}
FORMS["split, rows begin in its line"] = (
    '{"test": [' + json.dumps(ROWS[0]) + ",\n" + json.dumps(ROWS[1]) + '], "version": "1"}\n'
)


def put(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "a.json"
    path.write_bytes(text.encode(encoding, "surrogatepass"))
    return path


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_same_rows_in_every_form(tmp_path: Path, form: str, encoding: str) -> None:
    path = put(tmp_path, FORMS[form], encoding)
    read = "utf-8-sig" if encoding.startswith("utf-8") else encoding
    assert list(json_rows(path, columns=["text", "n"], encoding=read)) == ROWS
    if "split" in form:
        assert list(json_rows(path, columns=["text"], split="test", encoding=read)) == ROWS


def test_a_single_row_is_a_row_and_a_single_split_is_a_split(tmp_path: Path) -> None:
    row = {"context": "c", "qas": [{"q": 1}]}
    assert list(json_rows(put(tmp_path, json.dumps(row)))) == [row]
    assert list(json_rows(put(tmp_path, json.dumps({"qas": [{"q": 1}]})), columns=["qas"])) == [
        {"qas": [{"q": 1}]}
    ]
    assert list(json_rows(put(tmp_path, json.dumps({"data": [{"q": 1}]})), columns=["q"])) == [{"q": 1}]


def test_an_empty_file_and_an_empty_array_have_no_rows(tmp_path: Path) -> None:
    for text in ("", " \n\n", "[]", '{"test": []}'):
        assert list(json_rows(put(tmp_path, text))) == []


@pytest.mark.parametrize(
    ("text", "split", "said"),
    [
        ('{"train": [{"n": 1}]}', "test", r"expected a list under 'test', found .*\['train'\]"),
        ('{"train": [{"n": 1}], "test": [{"n": 1}]}', None, "expected one list, found .*'test', 'train'"),
        ('{"test": {"n": [1]}}', "test", r"a\.json, line 1: expected \['n'\], found \['test'\]"),
        ('[{"n": 1}, {"m": 1}]', None, r"entry 2: expected \['n'\], found \['m'\]"),
        ('{"test": [{"n": 1}, 2]}', None, "'test', entry 2: expected"),
        ('{"n": 1}\n{"n": 2\n', None, "line 2: not JSON"),
        ('{"n": 1}\n[2]\n', None, "line 2: expected"),
        ('{"n": 1,\n"m": }', None, "not JSON"),
        ('"text"', None, "expected a list, found str"),
        ("<!DOCTYPE html>", None, "not JSON"),
        ('{"n": 1, "n": 2}\n{"n": 3}', None, "line 1: key 'n' stands twice"),
        ('[{"n": 1, "n": 1}]', None, "key 'n' stands twice"),
        ("[" * 100_000, None, "nested too deep"),
        ('{"n": ' * 100_000, None, "nested too deep|not JSON"),
        ('{"n": ' + "9" * 5000 + "}\n" + '{"n": 1}', None, "not JSON"),
    ],
)
def test_what_has_another_form_is_named(tmp_path: Path, text: str, split: str | None, said: str) -> None:
    with pytest.raises(RawFormatError, match=said):
        list(json_rows(put(tmp_path, text), columns=["n"], split=split))


@given(
    st.lists(st.dictionaries(st.text(max_size=4), st.text(max_size=6), min_size=1), min_size=2, max_size=4)
)
def test_lines_and_array_agree(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]) -> None:
    folder = tmp_path_factory.getbasetemp()
    in_lines = list(json_rows(put(folder, "\n".join(json.dumps(r, ensure_ascii=False) for r in rows))))
    in_array = list(json_rows(put(folder, json.dumps(rows, ensure_ascii=False))))
    assert in_lines == in_array == rows


@given(st.text(max_size=60) | st.text(alphabet='{}[]",:ab01 \n', max_size=60))
def test_any_text_is_rows_or_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = put(tmp_path_factory.getbasetemp(), text)
    for read in (json_rows, jsonl, lambda p: [json_value(p)]):
        with suppress(RawFormatError):
            list(read(path))


def test_keys_may_repeat_in_different_objects(tmp_path: Path) -> None:
    value: Any = [{"a": {"a": 1}}, {"a": 2}]
    assert strict_json.parse(json.dumps(value), "x") == value
