"""Prompts: without, the model's own, and others from a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError
from seabed_evaluate.encoders.prompts import Prompts
from seabed_evaluate.runner.options import RunOptions
from seabed_evaluate.studies.prompts import prompt_scores, prompt_sheets, read_variants, with_instruction
from tests.toy_encoder import ToyEncoder


def test_an_instruction_takes_the_place_of_the_models_own() -> None:
    own = Prompts(query="Instruct: {instruction}\nQuery: {text}", document="{text}", symmetric="{text}")
    made = with_instruction(own, "Cari {ini}.")
    assert made.query == "Instruct: Cari {{ini}}.\nQuery: {text}"
    assert made.document == "{text}"
    assert made.symmetric == "Cari {{ini}}.\n{text}"
    assert with_instruction(own, "q: {text}").query == "q: {text}"


def test_scores_by_prompt_and_their_spread(tmp_path: Path) -> None:
    build(["sample_sts_mya", "sample_retrieval_tha"], tmp_path / "bundle")
    file = tmp_path / "prompts.csv"
    file.write_text("name,task,text\nburmese,sts,အဓိပ္ပာယ်တူသလား\nburmese,retrieval,ရှာပါ\n", encoding="utf-8")
    encoder = ToyEncoder()
    before = encoder.prompts
    found = prompt_scores(RunOptions(data=str(tmp_path / "bundle")), encoder, read_variants(file))
    assert encoder.prompts == before
    assert list(found) == ["own", "none", "burmese"]
    assert all(set(own) == {"sample_sts_mya", "sample_retrieval_tha"} for own in found.values())
    (sheet,) = prompt_sheets("toy", found)
    assert {r["task"] for r in sheet.rows} == {"sts", "retrieval"}
    for row in sheet.rows:
        values = [row[n] for n in ("own", "none", "burmese")]
        assert row["range"] == pytest.approx(max(values) - min(values))  # type: ignore[type-var, operator]


def test_a_file_of_prompts_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "prompts.csv"
    for text, reason in (
        ("name,task,text\nown,,x\n", "line 2"),
        ("name,task,text\n", "holds no prompt"),
        ("a\n", "holds no prompt"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(SeabedError, match=reason):
            read_variants(file)
