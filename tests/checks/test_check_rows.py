"""SB2xx, SB3xx, SB4xx: rows that break each rule, and rows that keep it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.checks.balance import check_sizes
from seabed_datasets.checks.findings import Tally
from seabed_datasets.checks.inspection import Inspection
from seabed_datasets.checks.rules import ALWAYS, RULES
from seabed_datasets.checks.statistics import Statistics
from seabed_datasets.schemas import SPLITS
from tests.check_cases import ZAWGYI, Rows, Spoil, by_rule, clean, found

Case = tuple[str, Spoil]


def text(split: str, column: str, *values: str, start: int = 0) -> Spoil:
    """Put texts into the first rows of a split."""

    def spoil(rows: Rows) -> None:
        for i, value in enumerate(values):
            rows[split][start + i][column] = value

    return spoil


def each(split: str, column: str, change: Callable[[str], str]) -> Spoil:
    """Change the text of every row."""

    def spoil(rows: Rows) -> None:
        for row in rows[split]:
            row[column] = change(row[column])

    return spoil


def leak(rows: Rows) -> None:
    rows["test"][0]["text"] = rows["train"][0]["text"]
    rows["test"][0]["label"] = rows["train"][0]["label"]


def conflict(rows: Rows) -> None:
    one, two = (next(r for r in rows["train"] if r["label"] == name) for name in ("positive", "negative"))
    two["text"] = one["text"]


def repeat(rows: Rows) -> None:
    rows["test"][1] |= {k: v for k, v in rows["test"][0].items() if k != "id"}


def repeat_id(rows: Rows) -> None:
    rows["test"][1]["id"] = rows["test"][0]["id"]


def one_label(rows: Rows) -> None:
    for row in rows["test"]:
        row["label"] = "positive"


def one_label_but_one(rows: Rows) -> None:
    one_label(rows)
    rows["test"][0]["label"] = "negative"


def swap_labels(rows: Rows) -> None:
    """As a real fault does it, on rows enough to learn from: train 240, test 80, clear words per label."""
    words = {"positive": "bagus enak senang puas indah", "negative": "buruk rusak kecewa marah jelek"}
    other = {"positive": "negative", "negative": "positive", "neutral": "neutral"}
    rows["train"], rows["test"] = ([_made(i, words) for i in range(n)] for n in (240, 80))
    for row in rows["test"]:
        row["label"] = other[row["label"]]


def unswapped_labels(rows: Rows) -> None:
    swap_labels(rows)
    for row in rows["test"]:
        row["label"] = {"positive": "negative", "negative": "positive"}[row["label"]]


def _made(i: int, words: dict[str, str]) -> dict[str, Any]:
    label = list(words)[i % 2]
    chosen = random.Random(i).sample(words[label].split(), 3)
    return {"text": f"barang nomor {i} {' '.join(chosen)} sekali", "label": label}


def shuffle_relevant(rows: Rows) -> None:
    given = [r["relevant"] for r in rows["test"]]
    for row, relevant in zip(rows["test"], given[7:] + given[:7], strict=True):
        row["relevant"] = relevant


def slip(rows: Rows) -> None:
    rows["test"] = aligned_rows()
    second = [r["sentence2"] for r in rows["test"]]
    for row, other in zip(rows["test"], second[5:] + second[:5], strict=True):
        row["sentence2"] = other


def aligned_rows() -> list[dict[str, Any]]:
    rng = random.Random(1)
    sizes = [rng.randrange(3, 60) for _ in range(120)]
    return [{"sentence1": f"word{i} " * n, "sentence2": f"คำที่{i} " * n} for i, n in enumerate(sizes)]


def unaligned_is_not(rows: Rows) -> None:
    rows["test"] = aligned_rows()


def drop_document(rows: Rows) -> None:
    wanted = rows["test"][0]["relevant"][0]["id"]
    rows["corpus"] = [r for r in rows["corpus"] if r["id"] != wanted]


def set_first(split: str, column: str, value: Any) -> Spoil:
    def spoil(rows: Rows) -> None:
        rows[split][0][column] = value

    return spoil


def all_relevant(rows: Rows) -> None:
    rows["test"][0]["relevance"] = [1] * len(rows["test"][0]["documents"])


def none_relevant(rows: Rows) -> None:
    rows["test"][0]["relevance"] = [0] * len(rows["test"][0]["documents"])


def untranslated(rows: Rows) -> None:
    rows["test"][0]["sentence2"] = rows["test"][0]["sentence1"]


def empty_document(rows: Rows) -> None:
    rows["test"][0]["documents"][0] = "\u200b "


def empty_texts(rows: Rows) -> None:
    for row in rows["test"][:3]:
        row["text"] = "\u200b\u200b"


def a_label_less(rows: Rows) -> None:
    rows["test"] = [r for r in rows["test"] if r["label"] != "neutral"]


def no_rows(rows: Rows) -> None:
    rows["test"] = []


ENGLISH = ("It is not what they said to me.", "This was the best of all the things that we have.")
INDONESIAN = (
    "Ini yang terbaik dari semua hal yang kita punya.",
    "Bukan itu yang mereka katakan kepada saya.",
)

BREAKS: dict[str, Case] = {
    "SB202": ("classification", empty_texts),
    "SB203": ("classification", repeat),
    "SB204": ("classification", leak),
    "SB205": ("classification", conflict),
    "SB207": ("classification", set_first("test", "label", "angry")),
    "SB208": ("sts", set_first("test", "score", 5.1)),
    "SB209": ("classification", one_label),
    "SB210": ("classification", repeat_id),
    "SB211": ("retrieval", drop_document),
    "SB212": ("retrieval", set_first("test", "relevant", [])),
    "SB213": ("reranking", empty_document),
    "SB214": ("classification", text("test", "text", "😍😍 100 %!")),
    "SB215": ("classification", text("test", "text", "panjang sekali " * 2000)),
    "SB216": ("classification", set_first("test", "text", 7)),
    "SB217": ("classification", swap_labels),
    "SB218": ("retrieval", shuffle_relevant),
    "SB219": ("bitext_mining", slip),
    "SB220": ("bitext_mining", untranslated),
    "SB221": ("reranking", all_relevant),
    "SB223": ("clustering", no_rows),
    "SB302": ("clustering", text("test", "text", "BÃ³ng Ä‘Ã¡ hÃ´m nay cÃ³ gÃ¬ má»›i?")),
    "SB303": ("sts", text("test", "sentence1", *ZAWGYI)),
    "SB304": ("retrieval", text("corpus", "text", "This passage is not Thai at all.")),
    "SB305": ("classification", text("test", "text", *ENGLISH)),
    "SB306": ("sts", text("test", "sentence1", "ကလေးက\u200b ပန်းသီး စားနေတယ်။")),
    "SB307": ("classification", text("test", "text", "Bagus sekali<br/>saya suka")),
    "SB308": ("sts", text("test", "sentence1", "ကလေးက แอปเปิ้ล စားနေတယ်။")),
    "SB309": ("classification", text("test", "text", "Bagus\x07 sekali, saya suka \ue000")),
    "SB310": ("classification", text("test", "text", "Bagus sekali, кот saya suka")),
    "SB403": ("classification", a_label_less),
    "SB404": ("classification", one_label_but_one),
}
KEEPS: dict[str, Case] = {
    "SB202": ("classification", text("test", "text", "a\u200b")),
    "SB203": ("classification", text("test", "text", "Satu.", "satu.")),
    "SB204": ("classification", text("test", "text", "Nasi gorengnya enak sekali.")),
    "SB207": ("classification", set_first("test", "label", "neutral")),
    "SB208": ("sts", set_first("test", "score", 5.0)),
    "SB209": ("classification", one_label_but_one),
    "SB212": ("retrieval", lambda rows: rows["corpus"].append({"id": "extra", "text": "ไม่มีใครถามถึงข้อความนี้"})),
    "SB214": ("classification", text("test", "text", "😍 a")),
    "SB215": ("classification", text("test", "text", "panjang " * 2000)),
    "SB217": ("classification", unswapped_labels),
    "SB219": ("bitext_mining", unaligned_is_not),
    "SB220": ("bitext_mining", text("test", "sentence2", "YouTube 2024")),
    "SB302": ("clustering", text("test", "text", "ĐÃ BÁN HẾT «Ô» VÀ «Ê»")),
    "SB303": ("sts", text("test", "sentence1", "မြန်မာနိုင်ငံသည် အာရှတွင် ရှိသည်။", "ဩဂုတ်လ ၁၅ ရက်")),
    "SB304": ("retrieval", text("corpus", "text", "iPhone 15 เป็นโทรศัพท์รุ่นใหม่ของบริษัท")),
    "SB305": ("classification", text("test", "text", *INDONESIAN)),
    "SB306": ("sts", text("test", "sentence1", "ကလေးက 👩\u200d🔬 ပန်းသီး စားနေတယ်။")),
    "SB307": ("classification", text("test", "text", "Nilai x < 5 && y > 3 & seterusnya")),
    "SB308": ("sts", text("test", "sentence1", "ကလေးက apple စားနေတယ်။")),
    "SB309": ("classification", text("test", "text", "Bagus\tsekali,\nsaya suka")),
}
# Broken only by what a bundle may hold (tests/test_check_bundle.py) or by a card's numbers (below).
ELSEWHERE = {"SB201", "SB206", "SB222", "SB301", "SB401", "SB402", "SB405", "SB406", "SB407"}


def test_every_rule_is_tested() -> None:
    assert set(BREAKS) | ELSEWHERE == {r for r in RULES if r > "SB200"}
    assert KEEPS.keys() <= BREAKS.keys()


@pytest.mark.parametrize("task", TASKS)
def test_the_clean_sets_have_no_findings(task: str) -> None:
    assert found(task) == {}


@pytest.mark.parametrize("rule", BREAKS)
def test_rows_that_break_the_rule(rule: str) -> None:
    findings = found(*BREAKS[rule])
    assert rule in findings
    if RULES[rule].limit == ALWAYS:
        assert findings[rule][0].severity == "error"
    assert findings[rule][0].examples


@pytest.mark.parametrize("rule", KEEPS)
def test_rows_that_keep_it(rule: str) -> None:
    assert rule not in found(*KEEPS[rule])


def test_a_share_decides_between_warning_and_error() -> None:
    (few,) = found("classification", text("train", "text", "Satu.", "Satu."))["SB203"]
    (many,) = found("classification", each("train", "text", lambda t: t[:3]))["SB203"]
    assert (few.severity, few.count, few.total) == ("warning", 1, 36)
    assert many.severity == "error"


@pytest.mark.parametrize(
    "label", ["Positive", "positive ", "posi\u200btive", "\u00a0positive", "pos\u0069\u00adtive"]
)
def test_labels_that_look_alike(label: str) -> None:
    names = ["positive", "negative", "neutral"]
    assert "SB222" not in found("classification", labels=names)
    (finding,) = found("classification", labels=[*names, label])["SB222"]
    assert (finding.severity, finding.split) == ("error", None)


def test_labels_in_two_normal_forms_look_alike() -> None:
    assert "SB222" in found("classification", labels=["positive", "negative", "neutral", "bé", "be\u0301"])
    assert "SB222" not in found("classification", labels=["positive", "negative", "neutral", "bé", "be"])


def test_what_cannot_be_stored_is_an_error_of_its_row() -> None:
    (finding,) = found("classification", text("test", "text", "half \ud83d"))["SB216"]
    assert finding.severity == "error"
    assert "split 'test', row 0" in finding.examples[0]


def test_other_faults_of_rankings() -> None:
    assert "SB212" in found("reranking", none_relevant)
    assert "SB213" in found("reranking", empty_document)


def test_rows_in_another_latin_language_are_found_all_together() -> None:
    malay = "kerana boleh bahawa daripada sahaja ialah mahu kepada"
    spoil = each("train", "text", lambda t: f"{malay} {t}")
    (finding,) = found("classification", spoil)["SB305"]
    assert finding.severity == "error"
    assert "zsm" in finding.examples[0]


def test_a_language_that_is_expected_is_no_other() -> None:
    spoil = text("test", "text", *ENGLISH)
    assert "SB305" not in found("classification", spoil, languages=["ind", "eng"])
    assert "SB304" in found("retrieval", languages=["lao"])
    assert "SB304" not in found("retrieval", languages=["lao", "tha"])


def test_columns_of_a_pair_have_their_own_languages() -> None:
    (finding,) = found("bitext_mining", languages=["tha", "eng"])["SB304"]
    assert (finding.severity, finding.count) == ("error", 36)
    assert found("bitext_mining", languages=["eng", "tha"]) == {}


@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, 23), max_size=24))
def test_leaked_rows_are_counted(chosen: set[int]) -> None:
    def spoil(rows: Rows) -> None:
        for i in chosen:
            rows["test"][i] |= {"text": rows["train"][i]["text"], "label": rows["train"][i]["label"]}

    findings = found("classification", spoil).get("SB204", [])
    assert sum(f.count for f in findings) == len(chosen)


@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, 23), max_size=23), st.text("\u200b\ufeff \u00ad\t", max_size=4))
def test_invisible_rows_are_counted(chosen: set[int], nothing: str) -> None:
    def spoil(rows: Rows) -> None:
        for i in chosen:
            rows["test"][i]["text"] = nothing

    assert sum(f.count for f in found("classification", spoil).get("SB202", [])) == len(chosen)


def inspected(task: str, sizes: dict[str, Any], rows: Rows, *, truncated: bool = False) -> dict[str, Any]:
    """Findings of rows against the sizes a card states."""
    config = clean(task)[0].model_copy(update={"sample": False})
    dataset = catalogue.dataset(config.key)
    seabed = dataset.seabed.model_copy(update={"sizes": sizes})
    statistics, tally = Statistics(config), Tally(config.name)
    for split in SPLITS[task]:
        for row in rows[split]:
            statistics.see(split, row)
    check_sizes(
        dataset.model_copy(update={"seabed": seabed}), config, statistics.result(), tally, truncated=truncated
    )
    return by_rule(tally.findings({}, []))


def made(n: int) -> Rows:
    return {
        "test": [{"id": str(i), "sentence1": f"a{i}", "sentence2": f"b{i}", "score": 1.0} for i in range(n)]
    }


def test_sizes_a_card_states() -> None:
    assert set(inspected("sts", {"test": 150}, made(150))) == set()
    assert set(inspected("sts", {"test": 151}, made(150))) == {"SB401"}
    assert set(inspected("sts", {"test": 1}, made(150), truncated=True)) == set()
    assert set(inspected("sts", {"sample_sts_mya": {"test": 151}}, made(150))) == {"SB401"}
    assert set(inspected("sts", {}, made(99))) == {"SB402"}
    assert set(inspected("sts", {}, made(1001))) == {"SB405"}


def test_an_inspection_changes_no_row() -> None:
    for task in TASKS:
        config, rows = clean(task)
        watch, before = Inspection(config), clean(task)[1]
        for split in SPLITS[task]:
            assert list(watch.watched(split, iter(rows[split]))) == before[split]
