"""Rows of a loader -> rows of the schema."""

from __future__ import annotations

import json
import math
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.errors import DataError
from seabed_datasets.schemas import INVISIBLE, is_empty, unify, with_labels

CLASSES = catalogue.config("sample_classification_ind")
STS = catalogue.config("sample_sts_mya")
FOUND = catalogue.config("sample_retrieval_tha")
RERANK = catalogue.config("sample_reranking_ind")
TAGS = catalogue.config("sample_multilabel_classification_fil")


def made(config: catalogue.Config, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    return list(unify(config, "test", rows, {}))


def test_label_names_become_integers_in_the_cards_order() -> None:
    assert CLASSES.labels
    rows = made(CLASSES, *({"text": name, "label": name} for name in CLASSES.labels))
    assert [r["label"] for r in rows] == [0, 1, 2]
    assert [r["id"] for r in rows] == ["0", "1", "2"]


def test_label_sets_are_sorted_and_may_be_empty() -> None:
    assert TAGS.labels
    rows = made(TAGS, {"text": "a", "labels": TAGS.labels[::-1]}, {"text": "b", "labels": []})
    assert [r["labels"] for r in rows] == [[0, 1, 2, 3], []]


@pytest.mark.parametrize(
    ("config", "row", "message"),
    [
        (CLASSES, {"text": "a", "label": "happy"}, "label 'happy' is not one of"),
        (CLASSES, {"text": "a"}, "the loader gave no 'label'"),
        (CLASSES, {"text": "a", "label": "neutral", "lable": 1}, "unknown columns"),
        (CLASSES, {"text": 5, "label": "neutral"}, "expected a text, found int"),
        (STS, {"sentence1": "a", "sentence2": "b", "score": 5.5}, "outside the card's range"),
        (STS, {"sentence1": "a", "sentence2": "b", "score": float("nan")}, "outside the card's range"),
        (RERANK, {"query": "q", "documents": ["a", "b"], "relevance": [1]}, "2 documents but 1 relevance"),
        (
            RERANK,
            {"query": "q", "documents": ["a"], "relevance": [0.9]},
            "relevance 0.9 is not a whole number",
        ),
        (RERANK, {"query": "q", "documents": ["a"], "relevance": [True]}, "relevance True is not a whole"),
        (RERANK, {"query": "q", "documents": ["a"], "relevance": [None]}, "relevance None is not a whole"),
        (RERANK, {"query": "q", "documents": ["a"], "relevance": ["0.5"]}, "relevance '0.5' is not a whole"),
        (RERANK, {"query": "q", "documents": ["a"], "relevance": [math.nan]}, "relevance nan is not a whole"),
        (RERANK, {"query": "q", "documents": ["a"], "relevance": [math.inf]}, "relevance inf is not a whole"),
        (RERANK, {"query": "q", "documents": ["a"], "relevance": [2**31]}, "larger than a 32-bit integer"),
        (
            FOUND,
            {"text": "a", "relevant": [{"id": "d", "score": 0.5}]},
            "document: 0.5 is not a whole number",
        ),
        (FOUND, {"text": "a", "relevant": [{"id": "\ud800", "score": 1}]}, "lone surrogate U.D800"),
        (CLASSES, {"text": "ดี\ud83d", "label": "neutral"}, "lone surrogate U.D83D at place 2"),
        (CLASSES, {"id": "\udfff", "text": "a", "label": "neutral"}, "lone surrogate U.DFFF at place 0"),
        (STS, {"sentence1": "a", "sentence2": "b\udc00", "score": 1}, "lone surrogate"),
        (RERANK, {"query": "q", "documents": ["\udc00"], "relevance": [1]}, "lone surrogate"),
    ],
)
def test_a_wrong_row_is_named(config: catalogue.Config, row: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        made(config, row)
    assert f"{config.name}, split 'test', row 0" in str(caught.value)


def test_a_repeated_id_is_refused() -> None:
    row = {"id": "x", "text": "a", "label": "neutral"}
    with pytest.raises(DataError, match="id 'x' is used twice"):
        made(CLASSES, row, row)


def test_empty_texts_are_left_out_and_counted() -> None:
    dropped: dict[str, int] = {}
    rows = [{"text": t, "label": "neutral"} for t in ("a", "\u200b", " \ufeff", "", "b")]
    kept = list(unify(CLASSES, "test", rows, dropped))
    assert [(r["id"], r["text"]) for r in kept] == [("0", "a"), ("4", "b")]
    assert dropped == {"empty": 3}


@given(st.text(alphabet=INVISIBLE + " \t\n"))
def test_invisible_texts_are_empty(text: str) -> None:
    assert is_empty(text)


@given(st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda t: not is_empty(t)))
def test_texts_are_stored_nfc_and_otherwise_unchanged(text: str) -> None:
    (row,) = made(CLASSES, {"text": text, "label": "neutral"})
    assert row["text"] == unicodedata.normalize("NFC", text)


def test_thai_and_lao_am_are_not_split() -> None:
    (row,) = made(CLASSES, {"text": "น้ำ ນໍ້າ ນ້ຳ", "label": "neutral"})
    assert row["text"] == "น้ำ ນໍ້າ ນ້ຳ"


def test_whole_numbers_in_other_dress_are_taken() -> None:
    (row,) = made(RERANK, {"query": "q", "documents": ["a", "b", "c"], "relevance": [1.0, "2", np.int64(0)]})
    assert row["relevance"] == [1, 2, 0]


def test_whatever_unify_accepts_can_be_stored() -> None:
    """A pair of surrogates in JSON is one character; only half of one is refused."""
    (row,) = made(CLASSES, {"text": json.loads('"\\ud83d\\ude00"'), "label": "neutral"})
    assert row["text"].encode() == "😀".encode()


@pytest.mark.parametrize(
    "text",
    ["\u202a\u202c", "\u2066\u2069", "\u061c", "\ufe0f", "\u2800 \u2800", "\u3164", "\u17b4", "\U000e0101"],
)
def test_marks_of_direction_fillers_and_selectors_are_empty(text: str) -> None:
    assert is_empty(text)
    assert not is_empty(f"{text}ก")


def test_label_names_that_cannot_be_stored_are_refused() -> None:
    config = CLASSES.model_copy(update={"labels": None})
    with pytest.raises(DataError, match="lone surrogate"):
        with_labels(config, {"train": [], "test": [{"text": "a", "label": "\ud800"}]})
