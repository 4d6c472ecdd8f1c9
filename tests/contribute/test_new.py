"""`seabed new`, as a contributor uses it: from a raw file to a scored model, for every task and format."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.contribute import new
from seabed_datasets.contribute.sniffing import sniff
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_datasets.loaders import sample
from seabed_evaluate.cli import app

ROOT = Path(__file__).parents[2]
FORMATS = ("csv", "jsonl", "tsv", "parquet")
CASES = [(task, form) for task in TASKS for form in FORMATS]

Raw = list[dict[str, Any]]


def raw_rows(task: str, form: str) -> Raw:
    """The rows of a sample set as upstream data might look: in a table flat, in JSON and Parquet nested."""
    (config,) = (c for c in catalogue.configs(sample=True) if c.task == task)
    splits = {name: list(rows) for name, rows in sample.load(config).items()}
    test, flat = splits["test"], form in ("csv", "tsv")
    if task == "bitext_mining":
        return [{"english": r["sentence1"], "thai": r["sentence2"]} for r in test]
    if task == "sts":
        return [{"text_a": r["sentence1"], "text_b": r["sentence2"], "gold": r["score"]} for r in test]
    if task == "pair_classification":
        return [{"premise": r["sentence1"], "hypothesis": r["sentence2"], "label": r["label"]} for r in test]
    if task == "clustering":
        return [{"headline": r["text"], "topic": r["label"]} for r in test]
    if task == "classification":
        return [{"review": r["text"], "sentiment": r["label"]} for r in splits["train"] + test]
    if task == "multilabel_classification":
        every = splits["train"] + test
        if form == "csv":
            names = config.labels or []
            return [{"text": r["text"]} | {n: int(n in r["labels"]) for n in names} for r in every]
        return [{"text": r["text"], "tags": "|".join(r["labels"]) if flat else r["labels"]} for r in every]
    if task == "reranking":
        judged = [(r["query"], list(zip(r["documents"], r["relevance"], strict=True))) for r in test]
        if flat:
            return [{"query": q, "passage": d, "relevance": y} for q, pairs in judged for d, y in pairs]
        return [
            {"query": q, "positive": [d for d, y in pairs if y], "negative": [d for d, y in pairs if not y]}
            for q, pairs in judged
        ]
    corpus = {d["id"]: d["text"] for d in splits["corpus"]}
    asked = [(r, corpus[r["relevant"][0]["id"]]) for r in test]
    if task == "retrieval":
        return [{"question": r["text"], "context": text} for r, text in asked]
    return [{"instruction": r["instruction"], "input": r["text"], "output": text} for r, text in asked]


def write(rows: Raw, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    elif path.suffix == ".tsv":  # without a header
        path.write_text("".join("\t".join(map(str, r.values())) + "\n" for r in rows), encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
    else:
        hub_like(rows, path)
    return path


def hub_like(rows: Raw, path: Path) -> None:
    """As `push_to_hub` writes it: label columns are ClassLabel, their names in the Parquet's metadata."""
    from datasets import ClassLabel, Dataset

    dataset = Dataset.from_list(rows)
    for column in {"label", "topic", "sentiment"} & set(rows[0]):
        names = sorted({r[column] for r in rows})
        dataset = dataset.cast_column(column, ClassLabel(names=names))
    dataset.to_parquet(str(path))


def languages(task: str) -> str:
    return next(c for c in catalogue.configs(sample=True) if c.task == task).lang


def fill(path: Path) -> None:
    """What a contributor does with the TODOs, for a set that nobody licensed."""
    text = path.read_text(encoding="utf-8")
    text = text.replace(
        "license_upstream: TODO what upstream states, and where; null if nothing", "license_upstream: null"
    )
    text = re.sub(
        r"TODO what upstream states and where.*",
        "Upstream states no licence: neither its page nor its files name one.",
        text,
    )
    text = re.sub(r"id: TODO.*", "id: https://data.example.org/files", text)
    text = re.sub(r"year = \{TODO\}", "year = {2024}", text)
    text = re.sub(r"\s+# TODO.*", "", text)
    text = re.sub(r"TODO_(\w+)", r"value \1", text)
    path.write_text(re.sub(r"\bTODO\b", "For this test", text), encoding="utf-8")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of its own, with the code of this one and no cards."""
    place = tmp_path_factory.mktemp("checkout")
    for package in ("seabed_datasets", "seabed_evaluate"):
        shutil.copytree(
            ROOT / package, place / package, ignore=shutil.ignore_patterns("__pycache__", "cards")
        )
    (place / "cards").mkdir()
    (place / "tests").mkdir()
    for name in ("__init__.py", "fake_raw.py", "toy.py"):
        shutil.copy(ROOT / "tests" / name, place / "tests")
    return place


def run(checkout: Path, *command: str, code: int = 0) -> str:
    env = os.environ | {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=checkout, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


NEW_ALL = """
import json, sys
from typer.testing import CliRunner
from seabed_evaluate.cli import app
for arguments in json.load(sys.stdin if len(sys.argv) < 2 else open(sys.argv[1], encoding="utf-8")):
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    print(done.output)
"""

FAKES = """
import sys, tempfile
from pathlib import Path
from seabed_datasets import catalogue
from tests.fake_raw import made, materialise
with tempfile.TemporaryDirectory() as folder:
    for key in sys.argv[1:]:
        materialise(key, Path(folder))
        for name in catalogue.dataset(key).seabed.configs:
            rows = made(catalogue.config(name), Path(folder))
            assert all(rows.values()), (name, rows)
            print(name, {split: len(found) for split, found in rows.items()})
"""


def test_from_a_raw_file_to_a_score_for_every_task_and_format(checkout: Path, tmp_path: Path) -> None:
    mirror, commands = tmp_path / "raw", []
    keys = [f"new{task.replace('_', '')}{f}" for task, f in CASES]
    for key, (task, f) in zip(keys, CASES, strict=True):
        file = write(raw_rows(task, f), mirror / key / f"rows.{f}")
        command = ["new", "--key", key, "--task", task, "--langs", languages(task), "--from-file", str(file)]
        commands.append([*command, "--root", str(checkout)])
    (tmp_path / "commands.json").write_text(json.dumps(commands), encoding="utf-8")
    told = run(checkout, "-c", NEW_ALL, str(tmp_path / "commands.json"))
    assert told.count("next: fill in every TODO") == len(keys)

    # Unfilled, every one is refused by name.
    refused = json.loads(
        run(checkout, "-m", "seabed_evaluate", "check", *keys, "--cards-only", "--format", "json", code=1)
    )
    assert {f["where"] for f in refused["findings"] if f["rule"] == "SB102"} == set(keys)

    for key, (task, _) in zip(keys, CASES, strict=True):
        fill(checkout / "cards" / f"{key}.md")
        fill(checkout / "seabed_datasets" / "loaders" / task / f"{key}.py")
    checked = json.loads(
        run(
            checkout,
            "-m",
            "seabed_evaluate",
            "check",
            *keys,
            "--mirror",
            str(mirror),
            "--format",
            "json",
            "-q",
        )
    )
    assert checked["passed"]
    assert len(checked["configs"]) == len(keys)
    assert checked["skipped"] == {}

    fakes = run(checkout, "-c", FAKES, *keys)
    assert len(fakes.splitlines()) == len(keys)

    configs = checked["configs"]
    built = run(
        checkout,
        "-m",
        "seabed_evaluate",
        "build",
        *configs,
        "--mirror",
        str(mirror),
        "--out",
        str(tmp_path / "bundle"),
        "-q",
    )
    assert f"built {len(keys)}" in built
    scored = run(
        checkout,
        "-m",
        "seabed_evaluate",
        "run",
        "--model",
        "tests.toy:encode",
        "--data",
        str(tmp_path / "bundle"),
        "--out",
        str(tmp_path / "results"),
        "-q",
    )
    assert f"scored {len(keys)}, kept 0, failed 0" in scored
    scores = {
        p.stem: json.loads(p.read_text(encoding="utf-8"))["score"]
        for p in (tmp_path / "results").rglob("new*.json")
    }
    # The format must not change the data, so it must not change the score.
    for task in TASKS:
        of_task = {f: scores[f"new{task.replace('_', '')}{f}_{languages(task)}"] for f in FORMATS}
        assert len({round(s, 9) for s in of_task.values()}) == 1, of_task


def create(place: Path, file: Path | None = None, **options: Any) -> new.Created:
    """`create` for Lao question answering, in a bare checkout."""
    (place / "cards").mkdir(exist_ok=True)
    (place / "seabed_datasets" / "loaders").mkdir(parents=True, exist_ok=True)
    given: dict[str, Any] = {"key": "laoqa", "task": "retrieval", "langs": ["lao"], "root": place}
    return new.create(**(given | ({"files": [file]} if file else {}) | options))


@pytest.fixture
def lao(tmp_path: Path) -> Path:
    rows = [{"question": f"ຄຳຖາມ {i}?", "context": f"ນີ້ແມ່ນຄຳຕອບຂອງຄຳຖາມທີ {i}"} for i in range(9)]
    return write(rows, tmp_path / "lao_qa.csv")


def test_what_a_new_dataset_starts_with(tmp_path: Path, lao: Path) -> None:
    made = create(tmp_path, lao)
    names = [p.relative_to(tmp_path).as_posix() for p in made.paths]
    assert names == [
        "cards/laoqa.md",
        "seabed_datasets/loaders/retrieval/laoqa.py",
        "tests/raw/laoqa/SOURCE.json",
        "tests/raw/laoqa/lao_qa.csv",
    ]
    card = catalogue.read_card(made.paths[0])
    assert list(card.seabed.configs) == ["laoqa_lao"]
    assert not card.seabed.in_paper
    assert len(card.seabed.upstream[0].sha256["lao_qa.csv"]) == 64
    loader = made.paths[1].read_text(encoding="utf-8")
    assert 'asked(rows, question="question", passage="context")' in loader
    assert "TODO" in loader


def test_fake_rows_hold_no_row_of_the_data(tmp_path: Path) -> None:
    for task in TASKS:
        for form in FORMATS:
            rows = raw_rows(task, form)
            root = tmp_path / f"{task}{form}"
            root.mkdir()
            made = create(
                root, write(rows, root / f"rows.{form}"), key="k", task=task, langs=[languages(task)]
            )
            fake = made.paths[-1].read_text(encoding="utf-8")
            real = {v for r in rows for v in r.values() if isinstance(v, str) and len(v) > 15}
            assert not [v for v in real if v in fake], (task, form)
            assert fake.count("\n") >= new.FAKE_ROWS


def test_a_column_nobody_can_tell_is_a_todo(tmp_path: Path) -> None:
    rows = [{"a": f"satu {i}", "b": f"dua puluh {i}", "c": f"tiga puluh ribu {i}"} for i in range(9)]
    made = create(tmp_path, write(rows, tmp_path / "x.csv"), task="classification", langs=["ind"])
    assert 'label="TODO"' in made.paths[1].read_text(encoding="utf-8")
    assert "labels: [TODO]" in made.paths[0].read_text(encoding="utf-8")


def test_numbers_that_stand_for_labels_ask_for_their_names(tmp_path: Path) -> None:
    rows = [{"text": f"kalimat nomor {i}", "label": i % 3} for i in range(30)]
    made = create(tmp_path, write(rows, tmp_path / "x.csv"), task="classification", langs=["ind"])
    assert "labels: [TODO_0, TODO_1, TODO_2]" in made.paths[0].read_text(encoding="utf-8")
    assert "names=numbered(config)" in made.paths[1].read_text(encoding="utf-8")


def test_two_files_are_two_splits(tmp_path: Path) -> None:
    rows = [{"text": f"kalimat nomor {i}", "label": "ya" if i % 2 else "bukan"} for i in range(30)]
    files = [write(rows, tmp_path / name) for name in ("my_test.jsonl", "my_train.jsonl")]
    made = create(tmp_path, files=files, task="classification", langs=["ind"])
    assert catalogue.read_card(made.paths[0]).seabed.upstream[0].files == {
        "train": "my_train.jsonl",
        "test": "my_test.jsonl",
    }
    assert 'for split in ("train", "test")' in made.paths[1].read_text(encoding="utf-8")
    with pytest.raises(SeabedError, match="each needs train, test or validation"):
        create(tmp_path, key="other", files=[files[0], write(rows, tmp_path / "b.jsonl")], task="sts")


def test_one_file_per_language(tmp_path: Path) -> None:
    rows = [{"question": f"Apa itu nomor {i}?", "context": f"Itu adalah jawaban {i}"} for i in range(9)]
    made = create(tmp_path, write(rows, tmp_path / "qa_ind.csv"), langs=["ind", "zsm"])
    card = catalogue.read_card(made.paths[0])
    assert card.seabed.upstream[0].files == {"test": "qa_{lang}.csv"}
    assert {p.name for p in made.paths} >= {"qa_ind.csv", "qa_zsm.csv"}


def test_from_a_repository_on_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub, commit = tmp_path / "hub", "a" * 40
    rows = [{"text": f"kalimat nomor {i}", "label": "ya" if i % 2 else "bukan"} for i in range(30)]
    files = ["data/train-00000-of-00001.parquet", "data/validation-00000-of-00001.parquet"]
    files.append("data/test-00000-of-00001.parquet")
    for name in files:
        write(rows, hub / name)
    monkeypatch.setattr(new, "hub_list", lambda *_: ["README.md", ".gitattributes", *files])
    monkeypatch.setattr(new, "hub_file", lambda _name, _repo, path, _revision: (hub / path, commit))
    made = create(tmp_path, hub="someone/something", task="classification", langs=["ind"])
    source = catalogue.read_card(made.paths[0]).seabed.upstream[0]
    assert (source.kind, source.id, source.revision) == ("hf", "someone/something", commit)
    assert source.files == {"train": "data/train-*.parquet", "test": "data/test-*.parquet"}
    assert catalogue.read_card(made.paths[0]).seabed.labels == ["bukan", "ya"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"key": "Lao QA"}, SeabedError, "lower-case letters"),
        ({"task": "retreival"}, UnknownName, "Did you mean 'retrieval'"),
        ({"langs": ["laos"]}, UnknownName, "Did you mean 'lao'"),
        ({"langs": []}, SeabedError, "at least one language"),
        ({"hub": "a/b"}, SeabedError, "give the raw data once"),
        ({"files": []}, SeabedError, "give the raw data once"),
        ({"root": Path("/nowhere")}, SeabedError, "is no checkout"),
        ({"files": [Path("missing.csv")]}, SeabedError, "there is no file"),
    ],
)
def test_what_cannot_be_started(
    tmp_path: Path, lao: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        create(tmp_path, lao, **options)
    assert not list((tmp_path / "cards").iterdir())


def test_nothing_is_overwritten(tmp_path: Path, lao: Path) -> None:
    first = create(tmp_path, lao)
    before = {p: p.read_bytes() for p in first.paths}
    with pytest.raises(SeabedError, match="exists"):
        create(tmp_path, lao)
    assert {p: p.read_bytes() for p in first.paths} == before


@pytest.mark.parametrize(
    ("name", "text", "columns"),
    [
        ("a.csv", "text,label\nbaik,ya\n", ["text", "label"]),
        ("a.csv", "baik sekali,ya\nburuk,ya\n", ["column1", "column2"]),
        ("a.tsv", "ດີ\tyes\nບໍ່ດີ\tno\nບໍ່\tno\nດີຫຼາຍ\tyes\n", ["column1", "column2"]),
        ("a.jsonl", '{"q": "a"}\n{"q": "b", "z": 1}\n', ["q", "z"]),
        ("a.json", '[{"q": "a"}]', ["q"]),
    ],
)
def test_sniffing_columns(tmp_path: Path, name: str, text: str, columns: list[str]) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert sniff(tmp_path / name).columns == columns


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", ""), ("a.jsonl", ""), ("a.xyz", "a"), ("a.jsonl", "no json")]
)
def test_files_that_show_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(SeabedError, match=name):
        sniff(tmp_path / name)


def test_the_command_says_what_comes_next(tmp_path: Path, lao: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "seabed_datasets" / "loaders").mkdir(parents=True)
    arguments = ["new", "--key", "laoqa", "--task", "retrieval", "--langs", "lao"]
    done = CliRunner().invoke(app, [*arguments, "--from-file", str(lao), "--root", str(tmp_path)])
    assert done.exit_code == 0
    assert "seabed check laoqa --mirror" in done.output
