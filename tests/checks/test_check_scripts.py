"""Scripts, Zawgyi, mojibake and languages, on texts of every language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabed_datasets.catalogue.vocabulary import LANGUAGES
from seabed_datasets.checks.scripts import (
    SCRIPT_OF,
    html,
    is_zawgyi,
    judged_languages,
    kinds,
    letters,
    mojibake,
    other_language,
    small_words,
    zero_width,
)
from seabed_datasets.contribute.fake_rows import sentences
from tests.check_cases import ZAWGYI, clean

SENTENCES = {lang: text.format(n=7) for lang, text in sentences().items()}


@given(st.text())
def test_every_character_is_of_one_kind(text: str) -> None:
    assert sum(kinds(text).values()) == len(text)


@given(st.text(max_size=40))
def test_ascii_is_never_odd_to_the_other_detectors(text: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    assert mojibake(plain) is None
    assert not is_zawgyi(plain)
    assert not zero_width(plain)


def test_every_language_has_a_script_and_a_fake_sentence() -> None:
    assert LANGUAGES.keys() <= SCRIPT_OF.keys()
    assert LANGUAGES.keys() <= SENTENCES.keys()
    assert judged_languages() - {"eng"} == {lang for lang in LANGUAGES if SCRIPT_OF[lang] == "Latin"}


@pytest.mark.parametrize("lang", SENTENCES)
def test_a_sentence_is_in_its_language_and_nothing_else(lang: str) -> None:
    text = SENTENCES[lang]
    assert set(letters(kinds(text))) == {SCRIPT_OF[lang]}
    assert not is_zawgyi(text)
    assert mojibake(text) is None
    assert other_language(small_words(text), [lang]) is None


@pytest.mark.parametrize("lang", ["tha", "lao", "khm", "mya", "tam", "vie"])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_utf8_read_as_a_one_byte_encoding_is_mojibake(lang: str, encoding: str) -> None:
    raw = SENTENCES[lang].encode()
    wrong = "".join(bytes([b]).decode(encoding, "replace").replace("\ufffd", chr(b)) for b in raw)
    assert mojibake(wrong)


def test_burmese_of_the_sample_is_unicode_and_zawgyi_is_found_anywhere() -> None:
    _, rows = clean("sts")
    texts = [r[c] for r in rows["test"] for c in ("sentence1", "sentence2")]
    assert not any(map(is_zawgyi, texts))
    assert all(map(is_zawgyi, ZAWGYI))
    # The detector reads a part of a long text, the part that looks like it.
    assert is_zawgyi("x" * 5000 + ZAWGYI[0] * 3)


@pytest.mark.parametrize("text", ["<br>", "a</p>b", '<a href="x">', "&nbsp;", "&#39;", "&#x2019;"])
def test_html(text: str) -> None:
    assert html(f"kata {text} lagi")


@pytest.mark.parametrize("text", ["<3", "a < b > c", "AT&T; ok", "<nama>", "R&D", "&;"])
def test_not_html(text: str) -> None:
    assert html(f"kata {text} lagi") is None
