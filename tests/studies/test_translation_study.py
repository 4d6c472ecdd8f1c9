"""Machine and human translation: the paper's figures, paired intervals, and rows that do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.ranks import rank_changes, scores_of
from seabed_evaluate.runner.options import RunOptions
from seabed_evaluate.studies.translation import (
    Pairing,
    compare_variants,
    read_pairs,
    template,
    translation,
    translation_sheets,
    variant,
)
from seabed_evaluate.studies.vectors import Session, open_session, rows
from tests.toy_encoder import ToyEncoder

SET = "sample_sts_mya"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    out = tmp_path_factory.mktemp("bundle")
    build([SET], out)
    return open_session(RunOptions(data=str(out)), ToyEncoder(), task="sts")


@pytest.mark.parametrize("language", ["mya", "tha"])
def test_the_papers_figures(golden: dict[str, Any], language: str) -> None:
    known = golden["translation"]["printed"][language]
    table = paper_table(7).rows
    gaps = {
        m: r[f"human_{language}"] - r[f"machine_{language}"]
        for m, r in table.items()
        if m != "Average"  # type: ignore[operator]
    }
    assert gaps == pytest.approx(known["human_minus_machine"], abs=0.006)
    values = np.array(list(gaps.values()))
    assert values.mean() == pytest.approx(known["mean"], abs=0.005)
    assert np.abs(values).mean() == pytest.approx(known["mean_abs"], abs=0.005)
    assert np.abs(values).max() == pytest.approx(known["max_abs"], abs=0.005)
    assert (int((values > 0.005).sum()), len(values)) == (known["human_higher"], known["of"])
    changes = rank_changes(scores_of(f"table7:machine_{language}"), scores_of(f"table7:human_{language}"))
    assert {c.model: c.change for c in changes if c.change} == known["rank_moves_machine_to_human"]


def test_a_set_against_itself_has_no_gap(session: Session) -> None:
    found, foreign = translation(session, [Pairing("mya", SET, SET, SET)])
    assert (found[0].gap, found[0].low, found[0].high) == (0, 0, 0)
    assert found[0].scores["original"] == found[0].scores["human"]
    sheets = translation_sheets(found, foreign)
    assert sheets[0].rows[0]["human - machine"] == 0
    assert sheets[1].rows[0]["human, %"] == sheets[1].rows[0]["machine, %"]


def test_shuffled_sentences_score_lower_and_the_interval_says_so() -> None:
    rng = np.random.default_rng(0)
    gold = rng.uniform(0, 5, 400)
    cosines = gold / 5 + rng.normal(0, 0.1, 400)
    worse = cosines.copy()
    some = rng.permutation(400)[:120]
    worse[some] = rng.permutation(worse[some])
    sets = {"set": {"human": (worse, gold), "machine": (cosines, gold)}}
    found = compare_variants("m", "tha", sets, resamples=300)
    assert found.gap < 0
    assert found.high < 0
    assert found.scores["original"] is None


def test_a_translation_comes_as_a_csv(session: Session, tmp_path: Path) -> None:
    gold = rows(session, catalogue.config(SET))
    text = template(gold)
    file = tmp_path / "machine.csv"
    file.write_text(text, encoding="utf-8")
    assert variant(session, str(file), gold)["sentence1"] == list(gold["sentence1"])
    found, _ = translation(session, [Pairing("mya", SET, str(file))])
    assert found[0].gap == 0
    lines = text.splitlines(keepends=True)
    file.write_text("".join([lines[0], lines[2], lines[1], *lines[3:]]), encoding="utf-8")
    with pytest.raises(SeabedError, match=r"row 0: id .* is not the row of the human variant"):
        variant(session, str(file), gold)
    file.write_text("".join(lines[:-1]), encoding="utf-8")
    with pytest.raises(SeabedError, match="rows, the human variant"):
        variant(session, str(file), gold)
    file.write_text("id,sentence1\n1,a\n", encoding="utf-8")
    with pytest.raises(SeabedError, match="sentence2 is missing"):
        variant(session, str(file), gold)


def test_pairs_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("language,human,machine,original\ntha,sts17_tha,mt.csv,\n", encoding="utf-8")
    assert read_pairs(file) == [Pairing("tha", "sts17_tha", "mt.csv")]
    file.write_text("language,human,machine\nxx,sts17_tha,mt.csv\n", encoding="utf-8")
    with pytest.raises(SeabedError, match="line 2: language"):
        read_pairs(file)
