"""What people decided beyond the licence rule, and cards that claim more than their licence.

The rule itself is `seabed_datasets.catalogue.licences`: which datasets may be copied to the Hub, and why the
others are not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Dataset
from seabed_datasets.catalogue.licences import COPIES, held_back
from seabed_datasets.errors import CardError, SeabedError

_LIMITS = {
    "noncommercial": re.compile(r"(?<![a-z])nc(?![a-z])|non-?\s?commercial", re.IGNORECASE),
    "no-derivatives": re.compile(r"(?<![a-z])nd(?![a-z])|no-?\s?deriv", re.IGNORECASE),
}


@dataclass(frozen=True)
class Record:
    """What people decided about datasets, kept in the repository as publication.json.

    `included`: key -> why it is published although the rule would not. `taken_down`: key -> reason, date and
    the configs that were there.
    """

    included: dict[str, str] = field(default_factory=dict)
    taken_down: dict[str, dict[str, Any]] = field(default_factory=dict)

    def blocked(self, key: str) -> str | None:
        """Why a dataset is not published.

        Args:
            key: of the dataset.

        Returns:
            The reason, or None when it may be.
        """
        if key in self.taken_down:
            return f"taken down on {self.taken_down[key]['date']}: {self.taken_down[key]['reason']}"
        if key in self.included:
            return None
        held = held_back(catalogue.dataset(key))
        return held.why if held else None

    def include(self, keys: Mapping[str, str]) -> Record:
        """The record with more datasets named; naming one that was taken down lifts that.

        Args:
            keys: key -> reason.

        Returns:
            A new record.

        Raises:
            UnknownName: a key does not exist.
            SeabedError: a reason is empty.
        """
        for key, reason in keys.items():
            catalogue.dataset(key)
            if not reason.strip():
                raise SeabedError(f"--include {key} needs --reason: why may it be published?")
        left = {k: v for k, v in self.taken_down.items() if k not in keys}
        return Record(dict(sorted({**self.included, **keys}.items())), left)


def check(dataset: Dataset) -> None:
    """Refuse a card whose `redistribution` is wider than the licences it prints.

    Args:
        dataset: the card.

    Raises:
        CardError: it is.
    """
    s = dataset.seabed
    if s.redistribution not in COPIES:
        return
    # Only the words that count bind: those of the card's license_source.
    words = {"maker": [s.license_paper, s.license_upstream], "paper": [s.license_paper]}
    printed = [dataset.license, *words.get(s.license_source or "maker", [s.license_upstream])]
    if dataset.license == "unknown" and not (s.license_paper or s.license_upstream):
        raise CardError(
            f"cards/{dataset.key}.md: redistribution is {s.redistribution!r} but no licence is named; "
            "name it, or write redistribution: unknown"
        )
    # What the Hub's licence field says binds; the printed words may mention other copies' licences.
    for limit, words in _LIMITS.items():
        said = printed if s.redistribution == "allowed" else printed[:1]
        found = next((p for p in said if p and words.search(p)), None)
        if found and not (limit == s.redistribution == "noncommercial"):
            raise CardError(
                f"cards/{dataset.key}.md: redistribution is {s.redistribution!r} but the licence reads "
                f"{found!r}; write redistribution: {limit}, or correct the licence"
            )
