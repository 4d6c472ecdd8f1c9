"""SB3xx: rules about scripts and encodings, checked one row at a time."""

from __future__ import annotations

import unicodedata
from collections import Counter

from seabed_datasets.catalogue import Config
from seabed_datasets.checks.fields import languages_of, text_columns, texts
from seabed_datasets.checks.findings import Tally, snippet
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
from seabed_datasets.schemas import Row

# Fewer letters than this are a name or a formula, in any script.
JUDGED_LETTERS = 5
# Scripts of the region: nobody writes one inside another on purpose, as with Greek or Chinese names.
NEIGHBOURS = set(SCRIPT_OF.values()) - {"Latin"}
# Function words, all rows together, before a whole column is called another language.
WORDS_OF_ALL = 30


class ScriptRules:
    """Checks the texts of one config."""

    def __init__(self, config: Config, tally: Tally) -> None:
        self._tally = tally
        self._columns = {c: languages_of(config, c) for c in text_columns(config)}
        self._scripts = {
            c: {SCRIPT_OF[lang] for lang in langs} if all(lang in SCRIPT_OF for lang in langs) else set()
            for c, langs in self._columns.items()
        }
        judged = judged_languages()
        self._spoken = {
            c: langs
            for c, langs in self._columns.items()
            if self._scripts[c] == {"Latin"} and all(lang in judged for lang in langs)
        }
        self._words: dict[tuple[str, str], Counter[tuple[str, ...]]] = {}
        self._rows: dict[str, int] = {}
        self._other: dict[str, int] = {}

    def see(self, split: str, row: Row) -> None:
        """Check one row; a rule counts it once however many of its texts break it.

        Args:
            split: the split it belongs to.
            row: a row of the task's schema.
        """
        self._rows[split] = self._rows.get(split, 0) + 1
        found: dict[str, str] = {}
        for column in self._columns:
            for text in texts(row, column):
                self._encoding(text, found)
                self._script(column, text, found)
                if column in self._spoken:
                    self._language(split, column, text, found)
        for rule, what in found.items():
            self._tally.add(rule, f"{row['id']}: {what}", split)
        self._other[split] = self._other.get(split, 0) + ("SB305" in found)

    def finish(self) -> None:
        """Check what only all rows together show: the language most of them are in."""
        for (split, column), words in self._words.items():
            languages = self._spoken[column]
            if other := other_language(words, languages, WORDS_OF_ALL):
                note = f"{column}: the function words of all rows are those of {other}, not {', '.join(languages)}"
                self._tally.add("SB305", note, split, self._rows[split] - self._other[split])

    def _encoding(self, text: str, found: dict[str, str]) -> None:
        if not text.isascii():
            if not unicodedata.is_normalized("NFC", text):
                found.setdefault("SB301", snippet(text))
            there = kinds(text)
            if "replacement" in there:
                found.setdefault("SB302", f"U+FFFD in {snippet(text)}")
            elif wrong := mojibake(text):
                found.setdefault("SB302", f"{wrong!r} in {snippet(text)}")
            if "Myanmar" in there and is_zawgyi(text):
                found.setdefault("SB303", snippet(text))
            if "zero-width" in there and zero_width(text):
                found.setdefault("SB306", snippet(text))
        if "odd" in kinds(text):
            found.setdefault("SB309", snippet(text))
        if mark := html(text):
            found.setdefault("SB307", f"{mark} in {snippet(text)}")

    def _script(self, column: str, text: str, found: dict[str, str]) -> None:
        expected = self._scripts[column]
        there = letters(kinds(text))
        total = sum(there.values())
        if not expected or total < JUDGED_LETTERS:
            return
        own = sum(there.get(s, 0) for s in expected)
        if own * 2 < total:
            most = max(there, key=lambda s: (there[s], s))
            found.setdefault("SB304", f"{most}, expected {' or '.join(sorted(expected))}: {snippet(text)}")
            return
        for script in sorted(there.keys() - expected - {"Latin"}):
            rule = "SB308" if script in NEIGHBOURS else "SB310"
            found.setdefault(rule, f"{script} in {snippet(text)}")

    def _language(self, split: str, column: str, text: str, found: dict[str, str]) -> None:
        words = small_words(text)
        if other := other_language(words, self._spoken[column]):
            found.setdefault("SB305", f"{other}: {snippet(text)}")
        self._words.setdefault((split, column), Counter()).update(words)
