"""Similarity of languages: the figures on real rows, and what must hold of any vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from seabed_datasets.errors import DataError, SeabedError
from seabed_evaluate.runner.options import RunOptions
from seabed_evaluate.runner.similarity import unit
from seabed_evaluate.studies.similarity import pair_similarity, similarity, similarity_sheet
from seabed_evaluate.studies.vectors import open_session
from tests.studies.conftest import LANGUAGES


def test_orthogonal_vectors_are_told_apart() -> None:
    vectors = np.eye(130, dtype=np.float32)
    vectors[-1, 0] = 1e-3  # so that the negatives are not all one number
    found = pair_similarity("a", "b", vectors, unit(vectors), batch=130)
    assert (found.positive, found.auc, found.batches) == (pytest.approx(1), 1.0, 1)
    assert abs(found.negative) < 1e-6


def test_shuffled_translations_are_as_alike_as_any_other() -> None:
    rng = np.random.default_rng(0)
    a = unit(rng.normal(size=(1280, 16)).astype(np.float32))
    found = pair_similarity("a", "b", a, a[rng.permutation(len(a))])
    error = found.sd / np.sqrt(len(a))
    assert abs(found.margin) < 3 * error
    assert abs(found.auc - 0.5) < 0.05


def test_what_is_left_over_is_not_used_and_few_rows_are_one_batch() -> None:
    a = unit(np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32))
    assert pair_similarity("a", "b", a, a).batches == 2
    assert pair_similarity("a", "b", a[:256], a[:256]) == pair_similarity("a", "b", a, a)
    assert pair_similarity("a", "b", a[:50], a[:50]).batches == 1


def test_what_gives_no_number_is_refused() -> None:
    same = np.ones((4, 2), np.float32)
    with pytest.raises(DataError, match="z is not defined"):
        pair_similarity("a", "b", same, same)
    with pytest.raises(DataError, match="two parallel rows"):
        pair_similarity("a", "b", same[:1], same[:1])


@pytest.mark.slow
def test_real_rows_give_the_golden_figures(
    golden: dict[str, Any], ntrex_options: RunOptions, e5: Any
) -> None:
    what = replace(ntrex_options, configs=tuple(f"ntrex_{lang}" for lang in LANGUAGES))
    found = {f"{p.one}_{p.two}": p for p in similarity(open_session(what, e5, task="bitext_mining"))}
    assert len(found) == 36  # eight languages and English
    for name, expected in golden["similarity"]["real"]["pairs"].items():
        one, two = name.split("_")
        pair = found.get(name) or found[f"{two}_{one}"]
        for figure in ("positive", "negative", "margin"):
            assert getattr(pair, figure) == pytest.approx(expected[figure], abs=0.0005), (name, figure)
        assert pair.auc == pytest.approx(expected["auc"], abs=0.0005)
        assert pair.z == pytest.approx(expected["z"], abs=0.02)
        assert pair.batches == 3
    sheet = similarity_sheet("e5", list(found.values()), 128)
    assert sheet.rows[-1]["pair"] == "mean"


def test_two_sets_are_not_mixed(tmp_path: Any) -> None:
    from seabed_datasets.bundle.build import build
    from tests.toy_encoder import ToyEncoder

    build(["sample_bitext_mining_tha"], tmp_path)
    session = open_session(RunOptions(data=str(tmp_path)), ToyEncoder(), task="bitext_mining")
    (pair,) = similarity(session)
    assert {pair.one, pair.two} == {"eng", "tha"}
    (config,) = session.configs
    other = replace(session, configs=(config, config.model_copy(update={"key": "x"})))
    with pytest.raises(SeabedError, match="one set at a time"):
        similarity(other)
