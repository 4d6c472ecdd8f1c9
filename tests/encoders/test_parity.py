"""Vectors of model folders of many kinds are sentence-transformers' own, whatever the batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.prompts import Prompted, fill
from tests.encoders.zoo import FOLDERS, TEXTS, make

pytest.importorskip("sentence_transformers")


def peer(folder: Path, name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu", trust_remote_code=name.startswith("own code"))


def loaded(folder: Path, name: str, **options: Any) -> Any:
    return load_encoder(str(folder), device="cpu", trust_remote_code=name.startswith("own code"), **options)


def difference(one: Any, two: Any) -> float:
    return float(np.abs(np.asarray(one, np.float64) - np.asarray(two, np.float64)).max())


def test_there_are_thirty_kinds() -> None:
    assert len(FOLDERS) >= 30


@pytest.mark.parametrize("name", FOLDERS)
def test_vectors_equal_sentence_transformers(name: str, tmp_path: Path) -> None:
    folder = make(name, tmp_path / "model")
    ours, theirs = loaded(folder, name), peer(folder, name)
    vectors = ours.encode(TEXTS)
    expected = theirs.encode(TEXTS, prompt="")
    assert difference(vectors, expected) < 1e-5 * max(1.0, float(np.abs(expected).max()))
    # A comparison that can fail: vectors of different texts differ.
    spread = np.abs(vectors[:5, None] - vectors[None, :5]).max(axis=2)
    assert (spread + np.eye(5)).min() > 1e-3
    # Another order, small batches, and each text alone: the same.
    ours.budget = 40
    assert difference(ours.encode(TEXTS[::-1])[::-1], vectors) < 1e-5 * max(1.0, float(np.abs(vectors).max()))
    # A prompt goes where sentence-transformers puts it.
    template = "Find: {text}"
    prompted = [fill(template, t) for t in TEXTS[:5]]
    expected = theirs.encode(TEXTS[:5], prompt="Find: ")
    assert difference(ours.encode(prompted), expected) < 1e-5 * max(1.0, float(np.abs(expected).max()))


def test_a_router_s_texts_go_their_ways(tmp_path: Path) -> None:
    folder = make("router", tmp_path / "model")
    ours, theirs = loaded(folder, "router"), peer(folder, "router")
    assert ours.prompts.input_types == {"query": "query", "document": "document"}
    mixed = [Prompted(t, 0, "document" if i % 2 else "query") for i, t in enumerate(TEXTS)]
    queries, documents = theirs.encode_query(TEXTS, prompt=""), theirs.encode_document(TEXTS, prompt="")
    assert difference(queries, documents) > 1e-2
    expected = np.where(np.arange(len(TEXTS))[:, None] % 2, documents, queries)
    assert difference(ours.encode(mixed), expected) < 1e-5
