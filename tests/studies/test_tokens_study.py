"""Tokenizers: the counts behind Table 10, what a language costs, and Figure 4's correlations."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from seabed_datasets.errors import DataError, SeabedError
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.studies.tokenizers import read_tokenizer, token_texts
from seabed_evaluate.studies.tokens import (
    correlations,
    cost_sheet,
    token_costs,
    vocabulary_counts,
    vocabulary_sheet,
)

LANGUAGES = ("eng", "ind", "tha", "vie", "mya", "fil", "tam", "khm", "lao")


def write(folder: Path, tokenizer: Tokenizer, **config: Any) -> Path:
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def unigram(pieces: list[str]) -> Tokenizer:
    made = Tokenizer(models.Unigram([("<unk>", 0.0), *((p, -1.0) for p in pieces)], 0, False))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    return made


def test_the_mark_of_a_word_is_no_part_of_a_text(tmp_path: Path) -> None:
    files = read_tokenizer(str(write(tmp_path / "m", unigram(["▁ไทย", "ไทย", "▁ມ", "ă", "a"]))))
    assert (files.size, files.mark) == (6, "▁")
    assert vocabulary_counts(files) == {"tha": 1, "mya": 0, "tam": 0, "khm": 0, "lao": 1, "vie": 1}


def test_bytes_are_read_as_texts_and_a_blank_stays(tmp_path: Path) -> None:
    pieces = ["Ġà¸ģ", "à¸ģ", "à¸", "a"]  # " ก", "ก", two bytes of it, "a"
    made = Tokenizer(models.BPE({p: i for i, p in enumerate(pieces)}, []))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    files = read_tokenizer(str(write(tmp_path / "b", made)))
    assert set(token_texts(files)) == {" ก", "ก", "\ufffd", "a"}
    assert vocabulary_counts(files)["tha"] == 2


def test_what_a_language_costs(tmp_path: Path) -> None:
    made = unigram(["▁a", "▁b", "▁ไ", "ไ"])
    files = read_tokenizer(str(write(tmp_path / "m", made, model_max_length=3)))
    eng, tha = token_costs(files, {"eng": ["a b", "a"], "tha": ["ไไไไ ไ", "ก"]})
    assert (eng.premium, eng.per_sentence, eng.unknown) == (1.0, 1.5, 0.0)
    assert tha.premium == pytest.approx(tha.per_sentence / 1.5)
    assert tha.unknown > 0
    assert (eng.cut_limit, tha.cut_limit) == (0.0, 0.5)
    assert "over 3 tokens, %" in cost_sheet("m", [eng, tha], files.limit).rows[0]
    with pytest.raises(DataError, match="not the same sentences"):
        token_costs(files, {"eng": ["a"], "tha": []})


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SeabedError, match=r"has no tokenizer\.json"):
        read_tokenizer(str(tmp_path / "empty"))
    with pytest.raises(SeabedError, match="publishes no tokenizer files"):
        read_tokenizer("text-embedding-3-small")
    with pytest.raises(SeabedError, match="neither a model folder nor a Hub id"):
        read_tokenizer("nowhere")
    (tmp_path / "empty" / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SeabedError, match=r"tokenizer\.json"):
        read_tokenizer(str(tmp_path / "empty"))


def test_figure_4_from_tables_10_and_6(golden: dict[str, Any]) -> None:
    shares = {m: r for m, r in paper_table(10).rows.items() if m != "Average"}
    found = {c.model: c for c in correlations(shares, paper_table(6).rows)}
    for model, expected in golden["tokens"]["figure4_from_tables_10_and_6"].items():
        own = found[model]
        assert own.n == expected["n"]
        assert own.pearson == pytest.approx(expected["pearson"], abs=0.0006)
        assert own.spearman == pytest.approx(expected["spearman"], abs=0.0006)
        assert own.pearson_p == pytest.approx(expected["pearson_p"], abs=0.006)
        assert own.spearman_p == pytest.approx(expected["spearman_p"], abs=0.006)


def test_a_correlation_without_spread_is_refused() -> None:
    with pytest.raises(DataError, match="not defined"):
        correlations({"m": {"tha": 1.0, "lao": 1.0, "khm": 1.0}}, {"m": {"tha": 1.0, "lao": 2.0, "khm": 3.0}})
    with pytest.raises(DataError, match="three languages"):
        correlations({"m": {"tha": 1.0}}, {"m": {"tha": 1.0}})


@pytest.fixture(scope="session")
def real(e5_folder: Path) -> Any:
    return read_tokenizer(str(e5_folder))


@pytest.mark.slow
def test_the_real_vocabulary_gives_the_papers_figures(golden: dict[str, Any], real: Any) -> None:
    known = golden["tokens"]
    counts = vocabulary_counts(real)
    assert real.size == known["xlmr_size"]
    assert {lang: counts[lang] for lang in known["xlmr_counts"]} == known["xlmr_counts"]
    sheet = vocabulary_sheet({"multilingual-e5-large": (real.size, counts)})
    ours, printed = sheet.rows
    for lang in known["xlmr_counts"]:
        assert ours[lang] == pytest.approx(printed[lang], abs=0.0051)


@pytest.mark.slow
def test_the_real_rows_give_the_premium(golden: dict[str, Any], real: Any, real_mirror: Path) -> None:
    folder = real_mirror / "ntrex" / "NTREX-128"
    name = {lang: f"newstest2019-{'src' if lang == 'eng' else 'ref'}.{lang}.txt" for lang in LANGUAGES}
    texts = {lang: (folder / n).read_text(encoding="utf-8").splitlines() for lang, n in name.items()}
    (known,) = (v for k, v in golden["tokens"]["ntrex_400_lines"].items() if "XLM-R" in k)
    costs = {c.language: c for c in token_costs(real, texts)}
    for lang, premium in known["premium_to_eng"].items():
        assert costs[lang].premium == pytest.approx(premium, abs=golden["tokens"]["tolerance"])
    for lang, count in known["distinct_tokens"].items():
        assert costs[lang].distinct == count
    for lang, value in known["tokens_per_sentence"].items():
        assert costs[lang].per_sentence == pytest.approx(value, abs=0.051)
    assert 100 * costs["mya"].cut_128 == pytest.approx(
        known["percent_over_128_tokens_with_two_special"]["mya"], abs=0.051
    )
    premiums = {lang: c.premium for lang, c in costs.items() if lang != "eng"}
    scores = paper_table(6).rows
    for model, expected in golden["tokens"]["correlation_premium_with_table6"].items():
        if model in ("multilingual-e5-large", "bge-m3", "multilingual-MiniLM-L12"):
            (own,) = correlations({model: premiums}, scores)
            assert own.n == 8
            assert own.pearson == pytest.approx(expected["pearson"], abs=0.011)
            assert own.spearman == pytest.approx(expected["spearman"], abs=0.011)


def test_no_torch_is_loaded(tmp_path: Path) -> None:
    folder = write(tmp_path / "m", unigram(["▁ก"]))
    code = (
        "import sys; from seabed_evaluate.studies.tokens import vocabulary_counts as v; "
        f"from seabed_evaluate.studies.tokenizers import read_tokenizer as r; v(r({str(folder)!r})); "
        "sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
