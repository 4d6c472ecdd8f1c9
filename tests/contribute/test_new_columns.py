"""`seabed new` on files as people have them: right rows, or one line that says what was found and what helps."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError, UnknownName
from tests.scaffold import Rows, json_lines, loaded, scaffold, write


def texts(count: int = 40) -> list[str]:
    return [f"Ini kalimat nomor {i} tentang cuaca" for i in range(count)]


def thai(count: int = 40) -> list[str]:
    return [f"ข้อความที่ {i} เกี่ยวกับอากาศ" for i in range(count)]


def table(rows: list[list[Any]], delimiter: str = ",", end: str = "\n") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator=end).writerows(rows)
    return out.getvalue()


def labelled(count: int = 40) -> list[list[Any]]:
    return [[t, ("buruk", "baik")[i % 2]] for i, t in enumerate(texts(count))]


def made(
    place: Path, task: str, name: str, content: str | bytes, lang: str = "ind", **reading: Any
) -> tuple[Rows, str]:
    """The rows of the loader that is written for a file, and what was said."""
    file = write(place / "in" / name, content)
    created = scaffold(place / "out", task, [file], lang, **reading)
    return loaded(created, [file], lang), "\n".join(created.notes)


def refusal(
    place: Path, task: str, name: str, content: str | bytes, lang: str = "ind", **reading: Any
) -> str:
    file = write(place / "in" / name, content)
    with pytest.raises(SeabedError) as caught:
        scaffold(place / "out", task, [file], lang, **reading)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)
    assert not list((place / "out" / "cards").iterdir())
    return str(caught.value)


def is_whole(rows: Rows) -> None:
    """The 40 labelled rows, each with its label."""
    want = dict(labelled())
    assert {r["text"]: r["label"] for r in rows} == want
    assert len(rows) == len(want)


# Headers


@pytest.mark.parametrize(
    "header",
    [
        ["text", "label"],
        ["", "text", "label"],
        [" text ", " label "],
        ["Text", "Sentiment"],
        ["ข้อความ", "ป้าย"],
        ["văn bản", "nhãn"],
        ["Kalimat asli", "Kelas emosi"],
    ],
)
def test_a_header_is_no_row(tmp_path: Path, header: list[str]) -> None:
    body = [[i, *row] if header[0] == "" else row for i, row in enumerate(labelled())]
    rows, _ = made(tmp_path, "classification", "x.csv", table([header, *body]))
    is_whole(rows)


def test_a_trailing_comma_is_no_column(tmp_path: Path) -> None:
    rows, _ = made(
        tmp_path, "classification", "x.csv", table([["text", "label", ""], *([*r, ""] for r in labelled())])
    )
    is_whole(rows)


@pytest.mark.parametrize("first", ["baik", "positive", "label", "text"])
def test_the_first_record_is_no_header(tmp_path: Path, first: str) -> None:
    body = [[t, first if i % 2 else "lain"] for i, t in enumerate(texts())]
    rows, _ = made(tmp_path, "classification", "x.tsv", table([["Makan siang", first], *body], "\t"))
    assert len(rows) == 41
    assert {r["label"] for r in rows} == {first, "lain"}


def test_pairs_and_scores_without_a_header(tmp_path: Path) -> None:
    body = [[a, b, f"{i % 6}.5"] for i, (a, b) in enumerate(zip(texts(), thai(), strict=True))]
    rows, _ = made(tmp_path / "a", "sts", "x.tsv", table(body, "\t"))
    assert [(r["sentence1"], r["score"]) for r in rows] == [(a, float(s)) for a, _, s in body]
    rows, _ = made(tmp_path / "b", "bitext_mining", "x.tsv", table([b[:2] for b in body], "\t"), "tha")
    assert len(rows) == 40


def test_where_nothing_tells_it_asks(tmp_path: Path) -> None:
    words = [["kucing", "แมว"], ["anjing", "หมา"], ["burung", "นก"]]
    told = refusal(
        tmp_path / "a", "bitext_mining", "x.csv", table([["question", "คำถาม"], *words[:1]]), "tha"
    )
    assert "--header or --no-header" in told
    rows, _ = made(tmp_path / "b", "bitext_mining", "x.csv", table(words), "tha", header=False)
    assert len(rows) == 3
    rows, _ = made(tmp_path / "c", "bitext_mining", "x.csv", table(words), "tha", header=True)
    assert len(rows) == 2


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    told = refusal(
        tmp_path, "sts", "x.csv", table([["text", "text", "score"], *([t, t, 1] for t in texts())])
    )
    assert "several columns 'text'" in told


# Values that do not fit


@pytest.mark.parametrize(
    ("task", "role", "header", "record", "spoilt"),
    [
        ("sts", "score", ["id", "sentence1", "sentence2", "score"], ["7", "a b", "c d", "2.5"], ""),
        ("sts", "score", ["id", "sentence1", "sentence2", "rating"], ["7", "a b", "c d", "2.5"], "n/a"),
        ("classification", "label", ["text", "gender", "label"], ["a b", "f", "baik"], ""),
        ("classification", "label", ["text", "topic", "label"], ["a b", "f", "baik"], " "),
        ("clustering", "label", ["text", "gender", "topic"], ["a b", "f", "baik"], ""),
        (
            "pair_classification",
            "label",
            ["premise", "hypothesis", "label", "genre"],
            ["a", "b", "1", "x"],
            "",
        ),
        ("reranking", "relevance", ["query", "document", "relevance", "fold"], ["q", "d", "1", "0"], "?"),
    ],
)
def test_a_value_that_does_not_fit_is_named(
    tmp_path: Path, task: str, role: str, header: list[str], record: list[str], spoilt: str
) -> None:
    place = header.index(role) if role in header else len(header) - 1
    body = []
    for i in range(60):
        values = [f"{v} nomor {i}" if " " in v or v in "qd" else v for v in record]
        values = [str(i) if h == "id" else v for h, v in zip(header, values, strict=True)]
        body.append(values)
    body[30][place] = spoilt
    file = write(tmp_path / "in" / "x.csv", table([header, *body]))
    created = scaffold(tmp_path / "out", task, [file], header=True)
    (told,) = (n for n in created.notes if f"{role}: column" in n)
    assert f"'{header[place]}'" in told
    assert "1 of 60 values" in told
    assert "row 31" in told
    loader = created.paths[1].read_text(encoding="utf-8")
    assert f'"{header[place]}"' in loader
    assert '"gender"' not in loader
    assert '"id"' not in loader
    with pytest.raises(SeabedError, match=r"row \d+"):
        loaded(created, [file])


@pytest.mark.parametrize(
    ("task", "header", "record", "spoilt"),
    [
        ("classification", ["text", "user", "label"], ["Teks panjang", "budi", "baik"], 0),
        ("bitext_mining", ["source", "target", "note"], ["Teks satu", "Teks dua", "catatan"], 1),
        ("retrieval", ["question", "context", "title"], ["Apa ini", "Ini adalah jawaban", "judul"], 1),
        ("instruction_retrieval", ["instruction", "output", "note"], ["Apa ini", "Jawaban", "c"], 0),
        ("multilabel_classification", ["text", "user", "labels"], ["Teks panjang", "budi", "a|b"], 0),
    ],
)
def test_a_text_that_is_missing_is_named(
    tmp_path: Path, task: str, header: list[str], record: list[str], spoilt: int
) -> None:
    rows = [
        {
            h: f"{v} nomor {i}" if k < 2 and "label" not in h else (v, "b")[i % 2]
            for k, (h, v) in enumerate(zip(header, record, strict=True))
        }
        for i in range(60)
    ]
    rows[30][header[spoilt]] = None  # type: ignore[assignment]
    file = write(tmp_path / "in" / "x.jsonl", json_lines(rows))
    created = scaffold(tmp_path / "out", task, [file])
    (told,) = (n for n in created.notes if "values are not" in n)
    assert f"'{header[spoilt]}'" in told
    assert "row 31: None" in told
    assert f'"{header[spoilt]}"' in created.paths[1].read_text(encoding="utf-8")


def test_a_column_that_fits_nowhere_is_not_replaced(tmp_path: Path) -> None:
    rows = [{"text": t, "label": t * 3, "topic": "ab"[i % 2]} for i, t in enumerate(texts())]
    file = write(tmp_path / "in" / "x.jsonl", json_lines(rows))
    created = scaffold(tmp_path / "out", "classification", [file])
    assert 'label="TODO"' in created.paths[1].read_text(encoding="utf-8")
    assert any("label: column 'label'" in n and "--column label=NAME" in n for n in created.notes)
    rows_made, _ = made(
        tmp_path / "b", "classification", "x.jsonl", json_lines(rows), columns=["label=topic"]
    )
    assert {r["label"] for r in rows_made} == {"a", "b"}


def test_two_columns_that_could_be_it_are_named(tmp_path: Path) -> None:
    body = [[t, i % 5, i % 3] for i, t in enumerate(texts())]
    file = write(tmp_path / "in" / "x.csv", table([["kalimat", "nilai", "kelas"], *body]))
    created = scaffold(tmp_path / "out", "classification", [file])
    assert any("'nilai', 'kelas' could each be it; --column label=NAME" in n for n in created.notes)


def test_column_takes_any_role_and_refuses_what_is_none(tmp_path: Path) -> None:
    body = [[i, t, ("buruk", "baik")[i % 2]] for i, t in enumerate(texts())]
    content = table([["a", "b", "c"], *body])
    rows, _ = made(tmp_path / "a", "classification", "x.csv", content, columns=["text = b", "label=c"])
    is_whole(rows)
    rows, _ = made(
        tmp_path / "b", "classification", "x.csv", table(body), header=False, columns=["text=column2"]
    )
    is_whole(rows)
    file = write(tmp_path / "x.csv", content)
    with pytest.raises(UnknownName, match="unknown role in --column 'txt'"):
        scaffold(tmp_path / "c", "classification", [file], columns=["txt=b"])
    with pytest.raises(UnknownName, match="unknown column 'd'"):
        scaffold(tmp_path / "c", "classification", [file], columns=["text=d"])


# Labels


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2", "3", "4", "5"],
        ["-1", "0", "1"],
        ["1.0", "2.0"],
        [1, 2, 3],
        [-1, 0, 1],
        [1.0, 2.0, 3.0],
        [True, False],
        [0, 2],
        ["007", "008"],
        [1, "lain"],
    ],
)
def test_numbers_are_mapped_by_value(tmp_path: Path, values: list[Any]) -> None:
    rows = [{"text": t, "label": values[i % len(values)]} for i, t in enumerate(texts())]
    file = write(tmp_path / "in" / "x.jsonl", json_lines(rows))
    created = scaffold(tmp_path / "out", "classification", [file])
    found = {r["text"]: r["label"] for r in loaded(created, [file])}
    for row in rows:
        value = row["label"]
        name = str(value).lower() if isinstance(value, bool) else str(value)
        if name.lstrip("-").replace(".", "").isdigit():
            name = str(int(float(name)))
        assert found[row["text"]].removeprefix("TODO_") == name


def test_true_and_false_in_a_table_are_words(tmp_path: Path) -> None:
    body = [[t, str(i % 2 == 0)] for i, t in enumerate(texts())]
    rows, _ = made(tmp_path, "classification", "x.csv", table([["text", "label"], *body]))
    assert {r["label"] for r in rows} == {"True", "False"}


@pytest.mark.parametrize(
    "words", [["null", "no"], ["~", "1e3"], ["a: b", "# c"], ["- x", "'"], ["{a}", "[b]"]]
)
def test_labels_that_yaml_reads_as_something_else(tmp_path: Path, words: list[str]) -> None:
    body = [[t, words[i % 2]] for i, t in enumerate(texts())]
    rows, _ = made(tmp_path, "classification", "x.csv", table([["text", "label"], *body]))
    assert {r["label"].removeprefix("TODO_") for r in rows} == set(words)


@pytest.mark.parametrize(
    ("values", "want"),
    [
        (["['a', 'b']", "['b']", "[]"], {"a", "b"}),
        (['["a", "it\'s"]', '["a"]'], {"a", "it's"}),
        (["a|b", "b", ""], {"a", "b"}),
        ([["a", "b"], ["b"], []], {"a", "b"}),
        ([[0, 2], [2], []], {"TODO_0", "TODO_2"}),
    ],
)
def test_lists_of_labels(tmp_path: Path, values: list[Any], want: set[str]) -> None:
    rows = [{"text": t, "labels": values[i % len(values)]} for i, t in enumerate(texts())]
    found, _ = made(tmp_path, "multilabel_classification", "x.jsonl", json_lines(rows))
    assert {label for r in found for label in r["labels"]} == want
    assert len(found) == 40


@pytest.mark.parametrize("values", [["['a' 'b']", "['a']"], ["{'a': 1}", "{'b': 1}"], ["a", "b"]])
def test_lists_nobody_can_read_are_named(tmp_path: Path, values: list[Any]) -> None:
    rows = [{"text": t, "labels": values[i % len(values)]} for i, t in enumerate(texts())]
    file = write(tmp_path / "in" / "x.jsonl", json_lines(rows))
    created = scaffold(tmp_path / "out", "multilabel_classification", [file])
    labels = catalogue.read_card(created.paths[0]).seabed.labels
    told = [n for n in created.notes if "labels: column 'labels'" in n]
    assert told
    assert labels == ["TODO"] or "1 of" in told[0] or "20 of" in told[0]


@pytest.mark.parametrize(
    "pair", [("0", "1"), (False, True), (0, 1), (0.0, 1.0), ("False", "True"), ("0.0", "1.0")]
)
def test_flags_in_every_writing(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    rows = [{"text": t, "marah": pair[i % 2], "senang": pair[i // 2 % 2]} for i, t in enumerate(texts())]
    found, _ = made(tmp_path, "multilabel_classification", "x.jsonl", json_lines(rows))
    want = [[n for n, on in (("marah", i % 2), ("senang", i // 2 % 2)) if on] for i in range(40)]
    assert sorted((r["text"], r["labels"]) for r in found) == sorted(zip(texts(), want, strict=True))


@pytest.mark.parametrize("pair", [("0", "1"), (False, True), (0.0, 1.0)])
def test_judgements_in_every_writing(tmp_path: Path, pair: tuple[Any, Any]) -> None:
    rows = [
        {"query": f"tanya {i // 4}", "document": t, "relevance": pair[i % 4 == 0]}
        for i, t in enumerate(texts())
    ]
    found, _ = made(tmp_path, "reranking", "x.jsonl", json_lines(rows))
    assert [sum(r["relevance"]) for r in found] == [1] * 10


# Separators, quotes, line ends


def test_a_semicolon_is_said_and_then_read(tmp_path: Path) -> None:
    content = table([["text", "label"], *labelled()], ";")
    told = refusal(tmp_path / "a", "classification", "x.csv", content)
    assert "separated by a semicolon" in told
    assert "--delimiter semicolon" in told
    for n, mark in enumerate((";", "semicolon")):
        rows, _ = made(tmp_path / str(n), "classification", "x.csv", content, delimiter=mark)
        is_whole(rows)


@pytest.mark.parametrize("mark", ["", "ab", '"', "\n", "\x00"])
def test_separators_that_are_none(tmp_path: Path, mark: str) -> None:
    file = write(tmp_path / "x.csv", table([["text", "label"], *labelled()]))
    if mark:
        with pytest.raises(SeabedError, match="--delimiter"):
            scaffold(tmp_path / "out", "classification", [file], delimiter=mark)


def test_one_column_is_said(tmp_path: Path) -> None:
    assert "only one column" in refusal(tmp_path, "classification", "x.csv", "\n".join(texts()))


def test_a_line_with_another_number_of_fields_is_named(tmp_path: Path) -> None:
    content = table([["text", "label"], *labelled()]).replace("nomor 7 tentang", "nomor 7, tentang")
    assert "x.csv, line 9: expected 2 fields, found 3" in refusal(
        tmp_path, "classification", "x.csv", content
    )


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_quotation_marks_inside_texts_stay(tmp_path: Path, suffix: str) -> None:
    mark = "," if suffix == "csv" else "\t"
    body = [f'"Kata" {t}{mark}{label}' for t, label in labelled()]
    rows, told = made(
        tmp_path, "classification", f"x.{suffix}", "\n".join([f"text{mark}label", *body]) + "\n"
    )
    assert all(r["text"].startswith('"Kata" Ini') for r in rows)
    assert len(rows) == 40
    assert "ordinary characters" in told


def test_a_lone_quotation_mark_swallows_nothing(tmp_path: Path) -> None:
    body = [('"' if i in (7, 22) else "") + f"{t}\t{label}" for i, (t, label) in enumerate(labelled())]
    rows, _ = made(tmp_path, "classification", "x.tsv", "\n".join(["text\tlabel", *body]) + "\n")
    assert len(rows) == 40
    assert sum('"' in r["text"] for r in rows) == 2


def test_quotes_that_are_markup_are_read_as_markup(tmp_path: Path) -> None:
    body = [[f'{t}, kata "{i}"\nbaris', label] for i, (t, label) in enumerate(labelled())]
    for n, (suffix, mark) in enumerate((("csv", ","), ("tsv", "\t"))):
        rows, _ = made(
            tmp_path / str(n), "classification", f"x.{suffix}", table([["text", "label"], *body], mark)
        )
        assert {r["text"] for r in rows} == {t for t, _ in body}


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_line_ends(tmp_path: Path, end: str, suffix: str) -> None:
    content = table([["text", "label"], *labelled()], "," if suffix == "csv" else "\t", end)
    rows, _ = made(tmp_path, "classification", f"x.{suffix}", content)
    is_whole(rows)


def test_json_lines_that_end_with_cr_are_named(tmp_path: Path) -> None:
    content = json_lines([{"text": t, "label": label} for t, label in labelled()]).replace("\n", "\r")
    assert "end with CR" in refusal(tmp_path, "classification", "x.jsonl", content)


def test_excels_own_first_line(tmp_path: Path) -> None:
    told = refusal(
        tmp_path, "classification", "x.csv", "sep=;\n" + table([["text", "label"], *labelled()], ";")
    )
    assert "word to Excel" in told


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", "json"])
def test_what_says_its_encoding_is_read(tmp_path: Path, encoding: str, form: str) -> None:
    body = list(zip(thai(), ["ดี", "แย่"] * 20, strict=True))
    records = [{"text": t, "label": label} for t, label in body]
    content = {"jsonl": json_lines(records), "json": json.dumps(records)}.get(form) or table(
        [["text", "label"], *map(list, body)], "," if form == "csv" else "\t", "\r\n"
    )
    rows, _ = made(tmp_path, "classification", f"x.{form}", content.encode(encoding), "tha")
    assert {r["text"]: r["label"] for r in rows} == dict(body)


@pytest.mark.parametrize(
    ("encoding", "option", "lang"),
    [
        ("cp874", "cp874", "tha"),
        ("tis-620", "cp874", "tha"),
        ("utf-16-le", "utf-16-le", "tha"),
        ("utf-16-be", "utf-16-be", "tha"),
        ("cp1258", "cp1258", "vie"),
        ("cp1252", "cp1252", "fil"),
    ],
)
def test_what_does_not_say_it_is_refused_with_the_option(
    tmp_path: Path, encoding: str, option: str, lang: str
) -> None:
    words = {"tha": thai(), "vie": [f"Một câu số {i} trên đường phố" for i in range(40)]}.get(
        lang, [f"Señor {i}, año nuevo" for i in range(40)]
    )
    if lang == "vie":
        words = [w.replace("ộ", "ô").replace("ố", "ô").replace("ườ", "ươ") for w in words]
    body = [[t, ("buruk", "baik")[i % 2]] for i, t in enumerate(words)]
    content = table([["text", "label"], *body]).encode(encoding)
    told = refusal(tmp_path / "a", "classification", "x.csv", content, lang)
    assert f"--encoding {option}" in told
    rows, _ = made(tmp_path / "b", "classification", "x.csv", content, lang, encoding=option)
    assert {r["text"] for r in rows} == {t for t, _ in body}
    fake = next((tmp_path / "b" / "out" / "tests" / "raw").rglob("x.csv")).read_bytes()
    assert "text,label" in fake.decode(option)


@pytest.mark.parametrize("encoding", ["no-such", "base64", "rot13", "undefined", "\x00"])
def test_encodings_that_are_none(tmp_path: Path, encoding: str) -> None:
    file = write(tmp_path / "x.csv", table([["text", "label"], *labelled()]))
    with pytest.raises(SeabedError, match=r"encoding|cannot be read"):
        scaffold(tmp_path / "out", "classification", [file], encoding=encoding)


def test_bytes_that_are_wrong_far_down_are_found(tmp_path: Path) -> None:
    content = (table([["text", "label"], *labelled(40)]) * 1).encode() + b"caf\xe9,baik\n"
    body = table([["text", "label"], *([t, label] for t, label in labelled(40) * 2000)]).encode()
    for n, data in enumerate((content, body + b"caf\xe9,baik\n")):
        assert f"not UTF-8 at byte {len(data) - 7:,}" in refusal(
            tmp_path / str(n), "classification", "x.csv", data
        )


# Forms of JSON


def test_json_by_what_it_holds(tmp_path: Path) -> None:
    records = [{"text": t, "label": label} for t, label in labelled()]
    forms = {
        "lines.json": json_lines(records),
        "list.jsonl": json.dumps(records),
        "list.json": json.dumps(records, indent=1),
        "list.ndjson": "\n\n" + json.dumps(records, indent=1),
    }
    for name, content in forms.items():
        rows, _ = made(tmp_path / name, "classification", name, content)
        is_whole(rows)


@pytest.mark.parametrize("indent", [None, 1])
def test_squads_form(tmp_path: Path, indent: int | None) -> None:
    asked = [{"id": str(i), "question": f"Apa nomor {i}?", "answers": []} for i in range(12)]
    value = {
        "version": "1",
        "data": [
            {"title": "a", "paragraphs": [{"context": f"Isi {i}", "qas": [q]} for i, q in enumerate(asked)]}
        ],
    }
    content = json.dumps(value, indent=indent)
    rows, _ = made(tmp_path / "a", "retrieval", "x.json", content)
    assert [r["text"] for r in rows if r["relevant"]] == [q["question"] for q in asked]
    assert "--task retrieval" in refusal(tmp_path / "b", "classification", "x.json", content)


@pytest.mark.parametrize(
    "value", [{"train": [{"text": "a", "label": "b"}], "test": []}, {"a": 1, "b": {"c": 2}}, 7, "x", None]
)
def test_other_json_is_named(tmp_path: Path, value: Any) -> None:
    told = refusal(tmp_path, "classification", "x.json", json.dumps(value, indent=1))
    assert "x.json" in told


# Files that are something else


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("data/train.csv", "text,label\n")
    return out.getvalue()


def workbook() -> bytes:
    import openpyxl

    book, out = openpyxl.Workbook(), io.BytesIO()
    book.active.append(["text", "label"])
    book.save(out)
    return out.getvalue()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n", "git-lfs pointer"),
        (b"<!DOCTYPE html>\n<html><body>Google Drive</body></html>", "HTML page"),
        (b"\n\n  <HTML lang=en>\n<p>x", "HTML page"),
        ("<!doctype html><html>".encode("utf-16"), "HTML page"),
        (b"<?xml version='1.0'?>\n<a/>", "readers.elements"),
        (zipped(), "data/train.csv"),
        (workbook(), "save the sheet as CSV"),
        (b"%PDF-1.7\n", "PDF"),
        (b"(\xb5/\xfd\x00", "Zstandard"),
        (b"BZh91AY&SY\x00", "bzip2"),
        (b"\xfd7zXZ\x00\x00", "xz"),
        (b"PAR1\x00\x00", "suffix .parquet"),
        (b"", "empty"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "txt"])
def test_what_is_no_table_is_called_what_it_is(
    tmp_path: Path, content: bytes, words: str, suffix: str
) -> None:
    assert words in refusal(tmp_path, "classification", f"x.{suffix}", content)


def test_gzip_by_its_name(tmp_path: Path) -> None:
    content = gzip.compress(table([["text", "label"], *labelled()]).encode())
    rows, _ = made(tmp_path / "a", "classification", "x.csv.gz", content)
    is_whole(rows)
    assert (tmp_path / "a" / "out" / "tests" / "raw" / "k" / "x.csv.gz.txt").is_file()
    assert "x.csv.gz" in refusal(tmp_path / "b", "classification", "x.csv.gz", content[:-20])


def test_gzip_under_another_name(tmp_path: Path) -> None:
    content = gzip.compress(table([["text", "label"], *labelled()]).encode())
    rows, _ = made(tmp_path / "a", "classification", "x.csv", content)
    is_whole(rows)
    assert "HTML page" in refusal(tmp_path / "b", "classification", "x.csv", gzip.compress(b"<html>"))


def parquet(path: Path, rows: Rows, **features: Any) -> Path:
    from datasets import Dataset

    path.parent.mkdir(parents=True, exist_ok=True)
    dataset = Dataset.from_list(rows)
    for column, feature in features.items():
        dataset = dataset.cast_column(column, feature)
    dataset.to_parquet(str(path))
    return path


def test_lists_of_classes_as_the_hub_has_them(tmp_path: Path) -> None:
    from datasets import ClassLabel, List

    rows = [{"text": t, "labels": [i % 3, 3] if i % 2 else []} for i, t in enumerate(texts())]
    file = parquet(tmp_path / "in" / "x.parquet", rows, labels=List(ClassLabel(names=["d", "c", "b", "a"])))
    created = scaffold(tmp_path / "out", "multilabel_classification", [file])
    assert catalogue.read_card(created.paths[0]).seabed.labels == ["d", "c", "b", "a"]
    found = {r["text"]: r["labels"] for r in loaded(created, [file])}
    assert found[rows[1]["text"]] == ["c", "a"]
    assert found[rows[2]["text"]] == []


@pytest.mark.parametrize("value", [7, [1, 7]])
def test_a_class_number_out_of_range_is_named(tmp_path: Path, value: Any) -> None:
    import pyarrow
    from datasets import ClassLabel, Features, List, Value
    from pyarrow.parquet import write_table

    label: Any = ClassLabel(names=["a", "b", "c"])
    schema = Features(
        text=Value("string"), label=List(label) if isinstance(value, list) else label
    ).arrow_schema
    usual = [0] if isinstance(value, list) else 0
    rows = [{"text": t, "label": value if i == 9 else usual} for i, t in enumerate(texts())]
    file = tmp_path / "x.parquet"
    write_table(pyarrow.Table.from_pylist(rows, schema=schema), file)
    with pytest.raises(SeabedError, match=r"x.parquet, row 9: label is 7"):
        scaffold(tmp_path / "out", "classification", [file])


def test_columns_of_bytes_and_dates_are_named(tmp_path: Path) -> None:
    from datetime import datetime

    rows = [
        {"text": t.encode(), "when": datetime(2025, 1, 2), "label": "ab"[i % 2]}
        for i, t in enumerate(texts())
    ]
    file = parquet(tmp_path / "in" / "x.parquet", rows)
    created = scaffold(tmp_path / "out", "classification", [file])
    assert any("text: column 'text'" in n and "are not a text" in n for n in created.notes)
    assert 'text="TODO"' in created.paths[1].read_text(encoding="utf-8")


def test_half_a_character_in_a_label_is_refused(tmp_path: Path) -> None:
    rows = [{"text": t, "label": "ab"[i % 2] + "\ud83d"} for i, t in enumerate(texts())]
    file = write(tmp_path / "x.jsonl", json.dumps(rows))
    with pytest.raises(SeabedError, match="make no card"):
        scaffold(tmp_path / "out", "classification", [file])


def test_a_suffix_nobody_knows(tmp_path: Path) -> None:
    assert "expected a suffix of .csv" in refusal(tmp_path, "classification", "x.dat", "a,b\n")


# Two files


def test_train_and_test_of_two_formats_and_two_names(tmp_path: Path) -> None:
    train = write(tmp_path / "in" / "train.csv", table([["text", "label"], *labelled()[:20]]))
    test = write(tmp_path / "in" / "test.tsv", table([["sentence", "class"], *labelled()[20:]], "\t"))
    created = scaffold(tmp_path / "out", "classification", [train, test])
    is_whole(loaded(created, [train, test]))


def test_a_label_of_the_test_file_only_is_a_label(tmp_path: Path) -> None:
    files = [
        write(tmp_path / "in" / f"{split}.jsonl", json_lines([{"text": t, "label": label} for t in texts(8)]))
        for split, label in (("train", "a"), ("test", "b"))
    ]
    created = scaffold(tmp_path / "out", "classification", files)
    assert catalogue.read_card(created.paths[0]).seabed.labels == ["a", "b"]


def test_a_validation_file_is_left_out(tmp_path: Path) -> None:
    files = [
        write(tmp_path / f"{s}.csv", table([["text", "label"], *labelled()]))
        for s in ("train", "validation", "test")
    ]
    with pytest.raises(SeabedError, match=r"leave .*validation.csv out"):
        scaffold(tmp_path / "out", "classification", files)
    created = scaffold(tmp_path / "out", "classification", files[:2])
    assert catalogue.read_card(created.paths[0]).seabed.upstream[0].files == {
        "train": "train.csv",
        "test": "validation.csv",
    }


def test_sizes_count_every_row(tmp_path: Path) -> None:
    rows = [{"text": f"kalimat {i}", "label": "a" if i < 9000 else "b"} for i in range(12_000)]
    file = write(tmp_path / "in" / "x.jsonl", json_lines(rows))
    created = scaffold(tmp_path / "out", "classification", [file])
    card = catalogue.read_card(created.paths[0])
    assert card.size_categories == ["10K<n<100K"]
    assert card.seabed.labels == ["a", "b"]  # the second label begins far below


# Names of files and keys


@pytest.mark.parametrize(
    "name", ["a{b}.csv", "a*.csv", "SOURCE.json", "EXPECTED.json", "a\nb.csv", "a\u202eb.csv"]
)
def test_file_names_with_a_meaning(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / "in" / name, table([["text", "label"], *labelled()]))
    with pytest.raises(SeabedError, match="rename the file"):
        scaffold(tmp_path / "out", "classification", [file])


@pytest.mark.parametrize(
    "name", ["a b.csv", "ข้อมูล.csv", "a'b.csv", 'a"b.csv', "ab: c.csv", "#a.csv", "- a.csv", "[a].csv"]
)
def test_file_names_without(tmp_path: Path, name: str) -> None:
    rows, _ = made(tmp_path, "classification", name, table([["text", "label"], *labelled()]))
    is_whole(rows)


@pytest.mark.parametrize("key", ["null", "no", "true", "on", "y", "inf"])
def test_keys_that_yaml_reads_as_something_else(tmp_path: Path, key: str) -> None:
    file = write(tmp_path / "in" / "x.csv", table([["text", "label"], *labelled()]))
    created = scaffold(tmp_path / "out", "classification", [file], key=key)
    assert catalogue.read_card(created.paths[0]).pretty_name == key
    is_whole(loaded(created, [file]))


@pytest.mark.parametrize("key", ["1e3", "class", "a" * 61, "a-b", "../a", "A", "é", "a\n"])
def test_keys_that_are_refused(tmp_path: Path, key: str) -> None:
    file = write(tmp_path / "in" / "x.csv", table([["text", "label"], *labelled()]))
    with pytest.raises(SeabedError, match="--key"):
        scaffold(tmp_path / "out", "classification", [file], key=key)


def test_a_place_that_cannot_be_written_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(tmp_path / "in" / "x.csv", table([["text", "label"], *labelled()]))
    write_bytes = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.suffix != ".md" and "loaders" not in path.parts and "out" in path.parts:
            raise OSError(28, "No space left on device", str(path))
        return write_bytes(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(SeabedError, match=r"cannot write .*No space left"):
        scaffold(tmp_path / "out", "classification", [file])
    assert not [p for p in (tmp_path / "out").rglob("*") if p.is_file()]
