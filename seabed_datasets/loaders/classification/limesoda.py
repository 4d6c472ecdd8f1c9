"""LimeSoda: Thai health news and posts, fact or fake, kept as lists of tokens."""

from __future__ import annotations

from collections.abc import Iterable

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows

# "" stands where upstream's tokeniser met white space; "|||" divides the title from the body.
MARKS = {"": " ", "|||": " | "}


def load(raw: Raw, config: Config) -> Splits:
    """Documents as text again; the test part has a third label."""
    return {
        split: (
            {"text": document(row["Text"]), "label": row["Document Tag"]}
            for row in json_rows(raw[split], columns=["Text", "Document Tag"])
        )
        for split in ("train", "test")
    }


def document(tokens: Iterable[str]) -> str:
    """The text of a token list.

    Args:
        tokens: upstream's tokens.

    Returns:
        The tokens in a row, without the spaces that upstream lost.

    >>> document(["ข่าว", "|||", "ดื่ม", "น้ำ", "", "พอ"])
    'ข่าว | ดื่มน้ำ พอ'
    """
    return "".join(MARKS.get(token, token) for token in tokens)
