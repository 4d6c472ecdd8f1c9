"""The authors' copies, read from a Hub on loopback: every task's columns, labels, splits and files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets.catalogue import read_card
from seabed_datasets.loaders import release
from seabed_datasets.loaders.shapes import document_id
from tests.hub import Hub
from tests.loopback import make
from tests.toy_card import write_card

Rows = list[dict[str, Any]]
TEST, TRAIN = (f"data/{split}-00000-of-00001.parquet" for split in ("test", "train"))


def parquet(rows: Rows, class_names: list[str] | None = None) -> bytes:
    """A Parquet file; `class_names` make its column `label` one of `datasets`' ClassLabels."""
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.Table.from_pylist(rows)
    if class_names:
        info = {"info": {"features": {"label": {"names": class_names, "_type": "ClassLabel"}}}}
        table = table.replace_schema_metadata({"huggingface": json.dumps(info)})
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    return out.getvalue()


def comma_separated(rows: Rows) -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def columns(*names: str, rows: list[tuple[Any, ...]]) -> Rows:
    return [dict(zip(names, row, strict=True)) for row in rows]


# A repository and a card per case: name -> (task, files, the card's `authors_release`, more of its block).
Case = tuple[str, dict[str, bytes], dict[str, Any], dict[str, Any]]
CASES: dict[str, Case] = {}


def case(name: str, task: str, files: Any, more: dict[str, Any] | None = None, **said: Any) -> None:
    held = {TEST: parquet(files)} if isinstance(files, list) else files
    CASES[name] = (task, held, said, more or {})


PAIRS = columns("source", "target", rows=[("one", "หนึ่ง"), ("two", "สอง"), ("three", "สาม")])
case("bitext", "bitext_mining", PAIRS, columns={"sentence1": "source", "sentence2": "target"})
case("bitextreversed", "bitext_mining", PAIRS, columns={"sentence1": "target", "sentence2": "source"})
case("bitextusual", "bitext_mining", columns("sentence1", "sentence2", rows=[("one", "หนึ่ง")]))
GOLD: list[Any] = [[1, 2], [3, 1], []]
case("gold", "bitext_mining", [r | {"gold": g} for r, g in zip(PAIRS, GOLD, strict=True)])
case("gapfirst", "bitext_mining", [r | {"gold": g} for r, g in zip(PAIRS, GOLD[::-1], strict=True)])
case("goldfromzero", "bitext_mining", [r | {"gold": [i, i]} for i, r in enumerate(PAIRS)])

NLI = {"labels": ["contradiction", "entailment"]}


def nli(*labels: Any) -> Rows:
    return [{"sentence1": f"a{i}", "sentence2": f"b{i}", "label": v} for i, v in enumerate(labels)]


case("two", "pair_classification", nli(0, 1, 1), NLI)
case("three", "pair_classification", nli(0, 1, 2, 1, 0), NLI)
case("four", "pair_classification", nli(0, 1, 3), NLI)
case("unlabelled", "pair_classification", nli(1, -1), NLI)
case("named", "pair_classification", nli("entailment", "contradiction"), NLI)
case("threetext", "pair_classification", {"test.csv": comma_separated(nli(0, 1, 2))}, NLI)
case("classnames", "pair_classification", {TEST: parquet(nli(0, 1), ["contradiction", "entailment"])}, NLI)

SCORED = columns("sentence1", "sentence2", "score", rows=[("a", "b", 4.2), ("c", "d", 0.0)])
STRAY = comma_separated([{"sentence1": "stray", "sentence2": "row", "score": 1}])
case("sts", "sts", SCORED)
case("ststrain", "sts", {TRAIN: parquet(SCORED)}, split="train")
case("ststext", "sts", {"data/test.csv": comma_separated(SCORED)})
case("stray", "sts", {"my-test.csv": STRAY, "test.csv": STRAY, TEST: parquet(SCORED), "README.md": b"#"})
SHARDS = {f"data/test-0000{i}-of-00002.parquet": parquet(SCORED[i : i + 1]) for i in (1, 0)}
case("shards", "sts", SHARDS | {"data/test2-00000-of-00001.parquet": parquet(SCORED)})
HASHED = {"data/test-00000-of-00001-0123456789abcdef.parquet": parquet(SCORED)}
case("hashed", "sts", HASHED)
THAI = {"configs": {"devsplit_tha": {"languages": ["tha"], "params": {"code": "th"}}}}
case("devsplit", "sts", {TEST.replace("test", "th_dev"): parquet(SCORED)}, THAI, split="{code}_dev")
case("lone", "sts", {"everything.jsonl": "\n".join(json.dumps(r) for r in SCORED).encode()})
case("exception", "sts", SCORED, pattern="org/nothing-{lang}", ids={"exception_tha": "org/exception"})

TONE = {"labels": ["neg", "pos"]}
TEXTS = [{"texts": f"text {i}", "labels": i % 2} for i in range(20)]
LEARNT = [{"texts": "learnt", "labels": 1}]


def texts(*labels: Any, text: str = "texts", label: str = "labels") -> Rows:
    return [{text: f"text {i}", label: value} for i, value in enumerate(labels)]


def both(test: Rows, train: Rows = LEARNT) -> dict[str, bytes]:
    return {TEST: parquet(test), TRAIN: parquet(train)}


case("byorder", "classification", both(texts(0, 1, 1)), TONE)
case("byname", "classification", both(texts("pos", "neg"), [{"texts": "learnt", "labels": "neg"}]), TONE)
case(
    "bymap",
    "classification",
    both(texts(1, 2, 3)),
    {"labels": ["c", "b", "a"]},
    labels={1: "a", 2: "b", 3: "c"},
)
case("bymaptext", "classification", both(texts("N", "P")), TONE, labels={"N": "neg", "P": "pos", 1: "pos"})
case("stars", "classification", both(texts(1, 2)), {"labels": ["1", "2", "3"]})
case("gaps", "classification", both(texts(1.0, 0.0)), TONE)
flat = {"test.csv": comma_separated(texts(0, 1)), "train.csv": comma_separated(LEARNT)}
case("flat", "classification", flat, TONE)
case("nolabel", "classification", both(texts(0, 2)), TONE)
case("nonlabel", "classification", both(texts(0, None)), TONE)
case("unmapped", "classification", both(texts(1, 0)), TONE, labels={1: "pos"})
case("trainonly", "classification", {TRAIN: parquet(TEXTS)}, TONE)
case("cut", "classification", {TRAIN: parquet(TEXTS)}, TONE, cut=[0.2, 0.1])
VALID = {TEST.replace("test", "validation"): parquet(texts(1, 0)), TRAIN: parquet(LEARNT)}
case("validation", "classification", VALID, TONE)
case("testfirst", "classification", both(texts(1)) | {next(iter(VALID)): parquet(TEXTS)}, TONE)
TUNE = {TEST: parquet(texts(1)), TEST.replace("test", "tune"): parquet(texts(0))}
case("trainnamed", "classification", TUNE, TONE, train_split="tune")
OTHERS = {"columns": {"text": "body_text", "label": "section"}}
NAMED = [{"body_text": "text 0", "section": 1}]
case("othernames", "classification", both(NAMED, NAMED), TONE, **OTHERS)
case("nocolumn", "classification", both(texts(1, text="content")), TONE)
case("othercolumn", "classification", both(texts(1)), TONE, **OTHERS)
case("testtext", "classification", {"test.csv": comma_separated(texts(0, 1))}, TONE)
case("clusters", "clustering", texts(1, 0, 1), TONE)

TOPICS = {"labels": ["food", "art", "sport"]}
case("many", "multilabel_classification", both(texts([0, 2], [1], []), texts([1])), TOPICS)
case("manynames", "multilabel_classification", both(texts(["art", "food"]), texts(["sport"])), TOPICS)
case("manytext", "multilabel_classification", both(texts([0]), texts("[art]")), TOPICS)
case("manytrain", "multilabel_classification", {TRAIN: parquet(texts(*[[i % 3] for i in range(10)]))}, TOPICS)

ASKED = columns("question", "context", rows=[("q1", "one"), ("q2", "one"), ("q1", "two"), ("q3", "")])
case("ask", "retrieval", ASKED)
case(
    "asknamed", "retrieval", columns("q", "p", rows=[("q1", "one")]), columns={"query": "q", "document": "p"}
)
LISTS = columns("query", "pos", "neg", rows=[("q1", ["one", "two"], ["three"]), ("q2", ["three"], [])])
case("asklists", "retrieval", LISTS, columns={"query": "query", "document": "pos", "negative": "neg"})
NESTED = [
    {"context": "one", "qas": [{"question": "q1"}, {"question": "q2"}]},
    {"context": "two", "qas": []},
    {"context": "three", "qas": [{"question": "q3"}]},
]
case("asknested", "retrieval", NESTED, columns={"query": "qas.question", "document": "context"})
case("asknone", "retrieval", columns("q", "context", rows=[("q1", "one")]))
case("askother", "retrieval", columns("q", "context", rows=[("q1", "one")]), columns={"query": "query"})
DRAWN = [{"question": f"q{i}", "context": f"c{i}"} for i in range(20)]
case("askdrawn", "retrieval", {TRAIN: parquet(DRAWN)}, split="train", draw=0.25)
DO = columns("Instruction", "Input", "Output", rows=[("do it", "with this", "done"), ("again", "", "done")])
case("instruct", "instruction_retrieval", {TRAIN: parquet(DO)}, split="train")
RANKED = columns(
    "query",
    "positive",
    "negative",
    rows=[
        ("q0", ["yes"], ["no", "never"]),
        ("q1", [], ["no"]),
        ("q2", ["yes"], []),
        ("q3", ["a", "b"], ["c"]),
    ],
)
case("rank", "reranking", {TEST.replace("test", "dev"): parquet(RANKED)}, split="dev")

case("empty", "sts", {"README.md": b"#", "notes.txt": b"-"})
case("norepo", "sts", [], pattern="org/none")
case("norelease", "sts", [])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("release")


@pytest.fixture(scope="module")
def made(folder: Path) -> Iterator[dict[str, Any]]:
    """What the loader makes of every case, by the case's name; `commit` is that of its repository."""
    cards, commits = [], {}
    with Hub() as hub:
        for name, (task, files, said, more) in CASES.items():
            commits[name] = hub.store.put("dataset", f"org/{name}", files).oid
            copy = None if name == "norelease" else {"pattern": f"org/{name}"} | said
            cards.append(write_card(folder, name, task, authors_release=copy, **more))
        results = make(hub.url, folder, "release", cards)
        yield {n: results[f"{n}_tha"] | {"commit": commits[n]} for n in CASES}


def rows(result: dict[str, Any], split: str = "test") -> list[tuple[Any, ...]]:
    """The values of a split's rows, without ids."""
    assert "splits" in result, result
    return [tuple(v for k, v in row.items() if k != "id") for row in result["splits"][split]]


# the shape of each task


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bitext", [("one", "หนึ่ง"), ("two", "สอง"), ("three", "สาม")]),
        ("bitextreversed", [("หนึ่ง", "one"), ("สอง", "two"), ("สาม", "three")]),
        ("bitextusual", [("one", "หนึ่ง")]),
        ("gold", [("one", "สอง"), ("three", "หนึ่ง")]),
        ("gapfirst", [("three", "หนึ่ง"), ("one", "สอง")]),
        ("two", [("a0", "b0", "contradiction"), ("a1", "b1", "entailment"), ("a2", "b2", "entailment")]),
        ("three", [("a0", "b0", "entailment"), ("a2", "b2", "contradiction"), ("a4", "b4", "entailment")]),
        ("threetext", [("a0", "b0", "entailment"), ("a2", "b2", "contradiction")]),
        ("named", [("a0", "b0", "entailment"), ("a1", "b1", "contradiction")]),
        ("classnames", [("a0", "b0", "contradiction"), ("a1", "b1", "entailment")]),
        ("sts", [("a", "b", 4.2), ("c", "d", 0.0)]),
        ("clusters", [("text 0", "pos"), ("text 1", "neg"), ("text 2", "pos")]),
    ],
)
def test_pairs_scores_and_clusters(made: dict[str, Any], name: str, expected: list[Any]) -> None:
    assert list(made[name]["splits"]) == ["test"]
    assert rows(made[name]) == expected


def test_a_row_keeps_its_position_as_id(made: dict[str, Any]) -> None:
    for name, ids in {"gold": ["0", "1"], "gapfirst": ["1", "2"], "three": ["0", "2", "4"]}.items():
        assert [r["id"] for r in made[name]["splits"]["test"]] == ids


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("byorder", ["neg", "pos", "pos"]),
        ("byname", ["pos", "neg"]),
        ("bymap", ["a", "b", "c"]),
        ("bymaptext", ["neg", "pos"]),
        ("stars", ["1", "2"]),
        ("gaps", ["pos", "neg"]),
        ("flat", ["neg", "pos"]),
        ("othernames", ["pos"]),
        ("many", [["food", "sport"], ["art"], []]),
        ("manynames", [["art", "food"]]),
    ],
)
def test_labels_become_names(made: dict[str, Any], name: str, labels: list[Any]) -> None:
    assert rows(made[name]) == [(f"text {i}", label) for i, label in enumerate(labels)]
    assert len(rows(made[name], "train")) == 1


def test_a_query_per_row_and_a_document_per_text(made: dict[str, Any]) -> None:
    one, two, three = (document_id(t) for t in ("one", "two", "three"))

    def found(name: str) -> list[tuple[str, list[str]]]:
        queries = made[name]["splits"]["test"]
        assert {d["score"] for q in queries for d in q["relevant"]} <= {1}
        return [(q["text"], [d["id"] for d in q["relevant"]]) for q in queries]

    assert found("ask") == [("q1", [one]), ("q2", [one]), ("q1", [two]), ("q3", [])]
    assert made["ask"]["splits"]["corpus"] == [{"id": one, "text": "one"}, {"id": two, "text": "two"}]
    assert found("asknamed") == [("q1", [one])]
    assert found("asklists") == [("q1", [one, two]), ("q2", [three])]
    assert sorted(rows(made["asklists"], "corpus")) == [("one",), ("three",), ("two",)]
    assert found("asknested") == [("q1", [one]), ("q2", [one]), ("q3", [three])]
    assert rows(made["asknested"], "corpus") == [("one",), ("three",)]
    assert found("instruct") == [(t, [document_id("done")]) for t in ("do it", "again")]
    assert rows(made["instruct"], "corpus") == [("done",)]


def test_a_share_is_drawn_where_the_card_says_so(made: dict[str, Any]) -> None:
    asked = [r["text"] for r in made["askdrawn"]["splits"]["test"]]
    assert len(asked) == 5
    assert asked == sorted(set(asked), key=lambda q: int(q[1:]))
    assert [f"c{q[1:]}" for q in asked] == [d["text"] for d in made["askdrawn"]["splits"]["corpus"]]


def test_reranking_leaves_out_rows_with_one_kind_of_document(made: dict[str, Any]) -> None:
    ranked = made["rank"]["splits"]["test"]
    assert [(r["id"], r["query"]) for r in ranked] == [("0", "q0"), ("3", "q3")]
    graded = [dict(zip(r["documents"], r["relevance"], strict=True)) for r in ranked]
    assert graded == [{"yes": 1, "no": 0, "never": 0}, {"a": 1, "b": 1, "c": 0}]
    assert all(r["documents"] == sorted(r["documents"], key=document_id) for r in ranked)


# splits


def test_a_train_split_alone_is_cut_as_the_authors_do(made: dict[str, Any]) -> None:
    from sklearn.model_selection import train_test_split

    named = [(f"text {i}", ("neg", "pos")[i % 2]) for i in range(20)]
    train, test = train_test_split(named, test_size=0.30, random_state=42)
    assert (rows(made["trainonly"], "train"), rows(made["trainonly"])) == (train, test)
    train, test = train_test_split(named, test_size=0.2, random_state=42)
    train, _unused = train_test_split(train, test_size=0.1, random_state=42)
    assert (rows(made["cut"], "train"), rows(made["cut"])) == (train, test)
    assert [len(made["manytrain"]["splits"][s]) for s in ("train", "test")] == [7, 3]


def test_validation_stands_in_for_test_only(made: dict[str, Any]) -> None:
    assert rows(made["validation"]) == [("text 0", "pos"), ("text 1", "neg")]
    assert rows(made["validation"], "train") == [("learnt", "pos")]
    assert rows(made["testfirst"]) == [("text 0", "pos")]


def test_splits_with_other_names(made: dict[str, Any]) -> None:
    assert rows(made["trainnamed"], "train") == [("text 0", "neg")]
    for name in ("ststrain", "devsplit", "exception", "hashed"):
        assert rows(made[name]) == rows(made["sts"])


def test_a_test_split_alone_is_not_trained_on(made: dict[str, Any]) -> None:
    assert len(rows(made["testtext"])) == 2
    assert rows(made["testtext"], "train") == []


# files


def test_only_files_under_data_are_read_where_they_are(made: dict[str, Any]) -> None:
    assert rows(made["stray"]) == rows(made["sts"])
    assert rows(made["shards"]) == rows(made["sts"])
    used = made["shards"]["used"]
    assert [u["path"] for u in used] == sorted(SHARDS)
    assert {(u["kind"], u["id"], u["revision"]) for u in used} == {
        ("hf", "org/shards", made["shards"]["commit"])
    }


def test_flat_files_are_read_where_no_others_are(made: dict[str, Any]) -> None:
    assert rows(made["ststext"]) == [("a", "b", "4.2"), ("c", "d", "0.0")]
    assert rows(made["lone"]) == rows(made["sts"])


# what goes wrong


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("goldfromzero", "RawFormatError", "gold [0, 0] is not a pair of row numbers from 1 to 3"),
        ("four", "RawFormatError", "label 3 is not 0, 1 or 2"),
        ("unlabelled", "RawFormatError", "label -1 is not 0, 1 or 2"),
        ("nolabel", "RawFormatError", "the authors' label 2 has no name in the card"),
        ("nonlabel", "RawFormatError", "the authors' label None has no name in the card"),
        ("unmapped", "RawFormatError", "the authors' label 0 has no name in the card"),
        ("manytext", "RawFormatError", "expected a list of labels, found '[art]'"),
        ("nocolumn", "RawFormatError", "has columns ['content', 'labels'], expected texts or text for text"),
        ("othercolumn", "RawFormatError", "has columns ['labels', 'texts'], expected section for label"),
        ("asknone", "RawFormatError", "has columns ['context', 'q'], expected question or query"),
        ("askother", "RawFormatError", "has columns ['context', 'q'], expected query and context"),
        (
            "empty",
            "SourceError",
            "org/empty has no data files among ['.gitattributes', 'README.md', 'notes.txt']",
        ),
        ("norepo", "SourceError", "cannot list org/none: "),
        (
            "norelease",
            "SourceError",
            "the card names no authors' release; try `seabed build norelease_tha --from",
        ),
    ],
)
def test_a_copy_that_does_not_fit_says_why(made: dict[str, Any], name: str, error: str, said: str) -> None:
    assert made[name].get("error") == error, made[name]
    assert made[name]["message"].startswith(f"{name}_tha")
    assert said in made[name]["message"]


def test_whether_an_id_was_seen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = {
        "pattern": "org/set-{lang}",
        "seen": ["org/set-tha", "org/Set_vie"],
        "ids": {"set_vie": "org/Set_vie"},
    }
    card = read_card(write_card(folder, "set", langs="tha mya vie", authors_release=said))
    monkeypatch.setattr(release, "dataset", {"set": card}.__getitem__)
    known = {
        c: (release.repository(card.config(c)), release.was_seen(card.config(c))) for c in card.seabed.configs
    }
    assert known == {
        "set_tha": ("org/set-tha", True),
        "set_mya": ("org/set-mya", False),
        "set_vie": ("org/Set_vie", True),
    }
