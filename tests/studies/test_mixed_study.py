"""One corpus of all languages."""

from __future__ import annotations

import numpy as np
import pytest

from seabed_datasets.errors import DataError
from seabed_evaluate.runner.similarity import unit
from seabed_evaluate.studies.mixed import mixed_search, mixed_sheet

RNG = np.random.default_rng(5)
MEANING = RNG.normal(size=(60, 32)).astype(np.float32)


def language(strength: float, seed: int) -> np.ndarray:
    """Sentences of one language: their meaning, and what all of the language share."""
    shared = np.random.default_rng(seed).normal(size=32).astype(np.float32)
    return unit(MEANING + strength * shared)


def test_vectors_of_meaning_alone_prefer_no_language() -> None:
    for m in mixed_search({"tha": language(0, 1), "lao": language(0, 2)}):
        assert (m.alone, m.mixed, m.own_language, m.preferred) == (1, 1, 0, 0)


def test_vectors_of_language_prefer_their_own() -> None:
    found = mixed_search({"tha": language(4, 1), "lao": language(4, 2)})
    assert all(m.own_language > 0.9 for m in found)
    assert all(m.mixed <= m.alone for m in found)
    assert [r["queries in"] for r in mixed_sheet("m", found).rows] == ["tha", "lao"]


def test_one_language_is_not_enough() -> None:
    with pytest.raises(DataError, match="two languages"):
        mixed_search({"tha": language(0, 1)})
    with pytest.raises(DataError, match="two languages"):
        mixed_search({"tha": language(0, 1), "lao": language(0, 2)[:5]})
