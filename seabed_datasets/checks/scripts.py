"""What a text is written in: scripts, Zawgyi, mojibake, remains of HTML, odd characters, other languages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from seabed_datasets.schemas import INVISIBLE

# By the first word of a letter's Unicode name. Letters of other names (mathematical alphabets, modifier
# letters) belong to no script here.
SCRIPTS = {
    "ARABIC": "Arabic",
    "BALINESE": "Balinese",
    "BENGALI": "Bengali",
    "BOPOMOFO": "Han",
    "CJK": "Han",
    "CYRILLIC": "Cyrillic",
    "DEVANAGARI": "Devanagari",
    "FULLWIDTH": "Latin",
    "GREEK": "Greek",
    "GUJARATI": "Gujarati",
    "GURMUKHI": "Gurmukhi",
    "HANGUL": "Hangul",
    "HEBREW": "Hebrew",
    "HIRAGANA": "Kana",
    "JAVANESE": "Javanese",
    "KANNADA": "Kannada",
    "KATAKANA": "Kana",
    "KHMER": "Khmer",
    "LAO": "Lao",
    "LATIN": "Latin",
    "MALAYALAM": "Malayalam",
    "MYANMAR": "Myanmar",
    "ORIYA": "Odia",
    "SINHALA": "Sinhala",
    "SUNDANESE": "Sundanese",
    "TAMIL": "Tamil",
    "TELUGU": "Telugu",
    "THAI": "Thai",
}

# The script a language of the cards is written in; a language that is not here is not judged.
SCRIPT_OF = {
    "btx": "Latin",
    "eng": "Latin",
    "fil": "Latin",
    "ind": "Latin",
    "jav": "Latin",
    "khm": "Khmer",
    "lao": "Lao",
    "mya": "Myanmar",
    "tam": "Tamil",
    "tet": "Latin",
    "tha": "Thai",
    "vie": "Latin",
    "zsm": "Latin",
}


class _Kinds(dict[str, str]):
    """Character -> its script, or "digit", "zero-width", "replacement", "odd", or "other"."""

    def __missing__(self, char: str) -> str:
        self[char] = kind = _kind(char)
        return kind


def _kind(char: str) -> str:
    if char in INVISIBLE:
        return "zero-width"
    if char == "\ufffd":
        return "replacement"
    category = unicodedata.category(char)
    if category[0] in "LM":
        return SCRIPTS.get(unicodedata.name(char, "").partition(" ")[0], "other")
    if category[0] == "N":
        return "digit"
    return "odd" if category in ("Co", "Cs") or (category == "Cc" and char not in "\t\n\r") else "other"


_KINDS = _Kinds()
_SCRIPT_NAMES = frozenset(SCRIPTS.values())


@lru_cache(maxsize=256)
def kinds(text: str) -> Mapping[str, int]:
    """How many characters of each kind a text has.

    Args:
        text: any text.

    Returns:
        Script -> letters and marks of it; and, where there are any, "digit", "zero-width", "replacement"
        (U+FFFD), "odd" (control characters and private use), "other" (blanks, punctuation, symbols).

    >>> kinds("แมว 2 cats")
    {'Thai': 3, 'other': 2, 'digit': 1, 'Latin': 4}
    """
    found: dict[str, int] = {}
    for char, count in Counter(text).items():
        kind = _KINDS[char]
        found[kind] = found.get(kind, 0) + count
    return found


def letters(found: Mapping[str, int]) -> dict[str, int]:
    """The scripts among the kinds of a text.

    Args:
        found: what `kinds` returned.

    Returns:
        Script -> letters and marks.
    """
    return {kind: n for kind, n in found.items() if kind in _SCRIPT_NAMES}


# Signs Burmese in Unicode never has: a virama that stacks nothing, a vowel sign e before its consonant, and
# the code points Zawgyi gave to its own glyph variants.
_MAYBE_ZAWGYI = re.compile(
    "\u1039(?![\u1000-\u1021])|(?:^|[^\u1000-\u103f\u1050-\u109f])\u1031|[\u1060-\u1097]"
)
ZAWGYI_SURE = 0.95
_ZAWGYI_CHARACTERS = 400


def is_zawgyi(text: str) -> bool:
    """Whether Burmese text is in the Zawgyi font encoding, which looks like Unicode and reads as nonsense.

    Args:
        text: any text, best before normalisation, which moves marks.

    Returns:
        True when Google's detector gives 95 % or more to the first characters that look like it.

    >>> is_zawgyi("ျမန္မာႏိုင္ငံ"), is_zawgyi("မြန်မာနိုင်ငံ")
    (True, False)
    """
    sign = _MAYBE_ZAWGYI.search(text)
    if sign is None:
        return False
    start = max(0, sign.start() - _ZAWGYI_CHARACTERS // 2)
    chance: float = _zawgyi_detector().get_zawgyi_probability(text[start : start + _ZAWGYI_CHARACTERS])
    return chance >= ZAWGYI_SURE


@lru_cache(maxsize=1)
def _zawgyi_detector() -> Any:
    import warnings

    with warnings.catch_warnings():  # it opens its model by a function that Python calls deprecated
        warnings.simplefilter("ignore", DeprecationWarning)
        from myanmartools import ZawgyiDetector

        return ZawgyiDetector()


def _single_bytes(first: int, last: int) -> str:
    """Characters that Latin-1 or Windows-1252 shows for bytes, as the inside of a regular expression set."""
    found = {bytes([b]).decode("latin-1") for b in range(first, last + 1)}
    found |= {bytes([b]).decode("cp1252", "ignore") for b in range(first, last + 1)}
    return "".join(sorted(found - {""}))


_NEXT = f"[{re.escape(_single_bytes(0x80, 0xBF))}]"
# U+FFFD read as Mac Roman; UTF-8 read as Latin-1 or Windows-1252. Of the two-byte leads only those of Latin letters and marks: real
# words end in E with an accent before a closing quotation mark.
_MOJIBAKE = re.compile(
    f"\u00d4\u00f8\u03a9|[\u00c2-\u00c6\u00cc]{_NEXT}|[\u00e0-\u00ef]{_NEXT}{{2}}|[\u00f0-\u00f4]{_NEXT}{{3}}"
)


def mojibake(text: str) -> str | None:
    """The first place where UTF-8 was once read as a one-byte encoding.

    Args:
        text: any text.

    Returns:
        The wrong characters, or None.

    >>> mojibake("à¸ªà¸§à¸±à¸ªà¸”à¸µ"), mojibake("Quần áo ở Việt Nam giá rẻ: 5 € «đồ cũ»")
    ('à¸ª', None)
    """
    found = _MOJIBAKE.search(text)
    return found.group() if found else None


_TAGS = "a|b|br|div|em|font|h[1-6]|hr|i|iframe|img|li|ol|p|pre|script|span|strong|style|table|td|tr|u|ul"
_HTML = re.compile(
    rf"</?(?:{_TAGS})(?:\s[^<>]*)?/?>|&(?:amp|apos|gt|hellip|ldquo|lt|mdash|nbsp|ndash|quot|rdquo|#\d{{2,6}}|#x[0-9a-f]{{2,5}});",
    re.IGNORECASE,
)


def html(text: str) -> str | None:
    """The first HTML tag or character reference of a text.

    Args:
        text: any text.

    Returns:
        It, or None.

    >>> html("Tom &amp; Jerry"), html("3 < 5 && a > b")
    ('&amp;', None)
    """
    if "<" not in text and "&" not in text:
        return None
    found = _HTML.search(text)
    return found.group() if found else None


def zero_width(text: str) -> bool:
    """Whether a text has invisible characters that do no work: joiners inside emoji are left alone.

    Args:
        text: any text.

    Returns:
        True when it has any.

    >>> zero_width("a\\u200bb"), zero_width("👩\\u200d🔬")
    (True, False)
    """
    return any(
        char in INVISIBLE
        # A variation selector chooses the form of the character before it: half of all hearts have one.
        and not (i and "\ufe00" <= char <= "\ufe0f")
        and not (char == "\u200d" and i and unicodedata.category(text[i - 1]) in ("So", "Sk", "Mn"))
        for i, char in enumerate(text)
    )


_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_WORDS_READ = 60


@lru_cache(maxsize=1)
def _function_words() -> dict[str, frozenset[str]]:
    """Language -> its most frequent small words, of the languages written in Latin letters."""
    file = Path(__file__).with_name("function_words.yaml")
    lists: dict[str, str] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {lang: frozenset(unicodedata.normalize("NFC", words).split()) for lang, words in lists.items()}


@lru_cache(maxsize=1)
def _homes() -> dict[str, tuple[str, ...]]:
    """Function word -> the languages whose list has it."""
    homes: dict[str, list[str]] = {}
    for lang, words in _function_words().items():
        for word in words:
            homes.setdefault(word, []).append(lang)
    return {word: tuple(sorted(langs)) for word, langs in homes.items()}


@lru_cache(maxsize=256)
def small_words(text: str) -> Mapping[tuple[str, ...], int]:
    """Function words of the Latin-script languages among the first words of a text.

    Args:
        text: any text.

    Returns:
        Languages that share a word -> how many such words there are.

    >>> dict(small_words("The cat and the dog"))
    {('eng',): 3}
    """
    homes = _homes()
    words = _WORD.findall(text[: _WORDS_READ * 12].lower().replace("’", "'"))[:_WORDS_READ]
    return Counter(homes[word] for word in words if word in homes)


def other_language(
    found: Mapping[tuple[str, ...], int], languages: Iterable[str], least: int = 3
) -> str | None:
    """The language that function words plainly belong to, when it is none of those expected.

    Args:
        found: what `small_words` returned, of one text or the sum over many.
        languages: ISO 639-3 codes that are expected.
        least: words it takes.

    Returns:
        The language with at least that many words which no expected one has, when the expected ones have
        no more than a quarter as many which it lacks; else None.

    >>> other_language(small_words("It is not what they said to me."), ["ind"])
    'eng'
    >>> other_language(small_words("Ini buku saya yang ada di meja."), ["ind"])
    """
    expected = set(languages)
    theirs: Counter[str] = Counter()
    for homes, count in found.items():
        if not expected & set(homes):
            theirs.update(dict.fromkeys(homes, count))
    for lang, count in sorted(theirs.items(), key=lambda item: (-item[1], item[0])):
        own = sum(n for homes, n in found.items() if expected & set(homes) and lang not in homes)
        if count >= least and own * 4 <= count:
            return lang
    return None


def judged_languages() -> set[str]:
    """The languages whose function words are known.

    Returns:
        ISO 639-3 codes.
    """
    return set(_function_words())
