"""`seabed new` on names, labels and bytes of strangers: a refusal or a scaffold, and never anything else."""

from __future__ import annotations

import ast
import contextlib
import csv
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import seabed_datasets
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.checks.loader_code import faults
from seabed_datasets.contribute.literals import literal
from seabed_datasets.contribute.skeletons import ROLES
from seabed_datasets.errors import SeabedError
from tests.scaffold import checkout, loaded, scaffold, write

PACKAGE = Path(seabed_datasets.__file__).parent
CODE = "open(chr(112)+chr(119)+chr(110),chr(119))"
BREAKERS = (
    f"a' + str({CODE}) + '",
    f'a" + str({CODE}) + "',
    f"a\\' + str({CODE}) + \\'",
    f'"""\n{CODE}\n"""',
    f"'\n{CODE}\n#",
    f"{{{CODE}}}",
    f"{{{{{CODE}}}}}",
    f"a, {CODE}",
    "a\\",
    "\\N{DIGIT ONE}",
    "\\x41",
    "$key ${loader} %s {0} {a!r}",
    "a # TODO",
    "---\nlicense: mit\n---",
    "null: [",
    "&a *a",
    "!!python/object/apply:os.system ['true']",
    "..",
    "../../x",
    "/etc/passwd",
    "\u202eesrever",
    "a\u0000b",
    "a\ud83d",
    "\ufeffa",
    "a\u2028b\x85c",
    "What's the answer, if there isn't one",
)
names = st.one_of(st.sampled_from(BREAKERS), st.text(max_size=12), st.characters(codec=None))
FUZZ = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that holds a bare checkout with the code a loader imports; the working folder lies in it."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        checkout(root / "out")
        for file in ("loaders/shapes.py", "sources/readers.py"):
            target = root / "out" / "seabed_datasets" / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PACKAGE / file, target)
        (root / "work").mkdir()
        os.chdir(root / "work")
        yield root
        os.chdir(before)


def tree(place: Path) -> set[str]:
    return {p.relative_to(place).as_posix() for p in place.rglob("*") if p.is_file()}


def tried(place: Path, task: str, file: Path, **reading: Any) -> bool:
    """Scaffold a file: whether it was not refused. What is written lies where it belongs, and is no new code."""
    before = tree(place)
    try:
        made = scaffold(place / "out", task, [file], **reading)
    except SeabedError as error:
        told = str(error)
    else:
        told = ""
    if told:
        assert tree(place) == before
        assert "\n" not in told
        return False
    assert {p.relative_to(place).as_posix() for p in made.paths} == tree(place) - before
    for path in made.paths:
        assert path.resolve().is_relative_to((place / "out").resolve())
    assert faults(made.paths[1]) == []
    # A loader may be unfinished, or its rows wrong; it may not do anything but read.
    with contextlib.suppress(Exception):
        loaded(made, [file])
    assert tree(place) - before == {p.relative_to(place).as_posix() for p in made.paths}
    front = made.paths[0].read_text(encoding="utf-8")[4:].partition("\n---\n")[0]
    assert set(yaml.safe_load(front)) == set(yaml.safe_load(TEMPLATE_FRONT))
    for path in made.paths:
        path.unlink()
    shutil.rmtree(place / "out" / "tests")
    return True


TEMPLATE_FRONT = (
    (PACKAGE / "contribute" / "templates" / "card.md")
    .read_text(encoding="utf-8")[4:]
    .partition("\n---\n")[0]
    .replace("$configs", "")
    .replace("$extra", "")
    .replace("$revision", "")
    .replace("$sha256", "")
    .replace("[$size]$unsure", "[x]")
)


@FUZZ
@given(
    task=st.sampled_from(TASKS),
    form=st.sampled_from(["csv", "tsv", "jsonl", "json"]),
    columns=st.lists(names, min_size=3, max_size=4, unique=True),
    labels=st.lists(names, min_size=2, max_size=3),
    told=st.booleans(),
)
@example(
    task="pair_classification", form="csv", columns=["a", "b", "c"], labels=list(BREAKERS[:3]), told=True
)
@example(
    task="classification", form="jsonl", columns=list(BREAKERS[:3]), labels=list(BREAKERS[3:6]), told=True
)
def test_names_and_labels_are_never_code(
    place: Path, task: str, form: str, columns: list[str], labels: list[str], told: bool
) -> None:
    rows = [
        [f"Ini kalimat nomor {i}", f"Ini kalimat lain nomor {i}", labels[i % len(labels)], str(i % 2)][
            : len(columns)
        ]
        for i in range(30)
    ]
    if form in ("jsonl", "json"):
        records = [dict(zip(columns, row, strict=True)) for row in rows]
        text = json.dumps(records) if form == "json" else "".join(json.dumps(r) + "\n" for r in records)
    else:
        out = io.StringIO()
        csv.writer(out, delimiter="," if form == "csv" else "\t", lineterminator="\n").writerows(
            [columns, *rows]
        )
        text = out.getvalue()
    file = write(place / f"raw.{form}", text.encode("utf-8", "replace"))
    chosen = [f"{role}={column}" for role, column in zip(ROLES[task], columns, strict=False)] if told else []
    tried(place, task, file, header=True, columns=chosen)


@FUZZ
@given(
    task=st.sampled_from(TASKS),
    suffix=st.sampled_from([".csv", ".tsv", ".txt", ".jsonl", ".json", ".parquet", ".csv.gz", ".json.gz"]),
    data=st.one_of(
        st.binary(max_size=200),
        st.text("ab,;\t\"'\r\n\\01[]{}:ก\u200b", max_size=200).map(lambda t: t.encode("utf-8", "replace")),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
            ),
            max_leaves=12,
        ).map(lambda value: json.dumps(value).encode()),
    ),
)
@example(task="classification", suffix=".json", data=b"[" * 100_000)
@example(task="classification", suffix=".jsonl", data=b'{"a": 1' + b"0" * 5000 + b"}\n")
@example(task="sts", suffix=".csv", data=b"score,sentence1,sentence2\n1e999,a b,c d\n")
@example(task="reranking", suffix=".jsonl", data=b'{"query": null, "document": {}, "relevance": []}\n')
def test_bytes_are_read_or_refused(place: Path, task: str, suffix: str, data: bytes) -> None:
    tried(place, task, write(place / f"raw{suffix}", data))


@given(
    st.one_of(
        names, st.booleans(), st.none(), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
    )
)
def test_a_literal_reads_back_as_its_value(value: Any) -> None:
    text = literal(value)
    assert ast.literal_eval(text) == value
    assert "\n" not in text
    assert text.isprintable()
