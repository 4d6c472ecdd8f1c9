"""What a check found: counted while rows stream by, then graded by the rule and the card's exceptions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from seabed_datasets.catalogue import Exemption
from seabed_datasets.checks.rules import RULES

Severity = Literal["error", "warning", "excepted"]
EXAMPLES = 3


@dataclass(frozen=True)
class Finding:
    """One rule broken by one card, config or split.

    `count` of `total` rows (or 1 of 1); `examples`: where, and what was found there; `excuse`: the card's
    reason where it makes an exception.
    """

    rule: str
    severity: Severity
    where: str
    split: str | None
    count: int
    total: int
    examples: list[str]
    excuse: str | None = None

    @property
    def title(self) -> str:
        """The rule in words."""
        return RULES[self.rule].title


@dataclass
class _Entry:
    count: int = 0
    examples: list[str] = field(default_factory=list)


class Tally:
    """Counts broken rules of one card or config."""

    def __init__(self, where: str) -> None:
        self.where = where
        self._entries: dict[tuple[str, str | None], _Entry] = {}

    def add(self, rule: str, example: str, split: str | None = None, count: int = 1) -> None:
        """Note that a rule was broken.

        Args:
            rule: its name.
            example: what was found, kept for the first few.
            split: where.
            count: the rows it concerns.
        """
        entry = self._entries.setdefault((RULES[rule].id, split), _Entry())
        entry.count += count
        if len(entry.examples) < EXAMPLES:
            entry.examples.append(example)

    def findings(self, totals: Mapping[str, int], exceptions: Iterable[Exemption]) -> list[Finding]:
        """What was counted, graded.

        Args:
            totals: split -> its rows.
            exceptions: those of the card.

        Returns:
            Findings by rule and split.
        """
        excuses = {
            e.rule: f"{e.reason} ({e.date})"
            for e in exceptions
            if e.configs is None or self.where in e.configs
        }
        found = []
        for (name, split), entry in sorted(
            self._entries.items(), key=lambda item: (item[0][0], item[0][1] or "")
        ):
            total = max(totals.get(split, 0) if split else sum(totals.values()), entry.count)
            limit = RULES[name].limit
            severity: Severity = "error" if limit is not None and entry.count >= limit * total else "warning"
            if name in excuses:
                severity = "excepted"
            found.append(
                Finding(
                    name, severity, self.where, split, entry.count, total, entry.examples, excuses.get(name)
                )
            )
        return found


def snippet(text: str, limit: int = 60) -> str:
    """The start of a text on one line, characters that would not be seen escaped.

    Args:
        text: any text.
        limit: characters kept.

    Returns:
        A short text.

    >>> snippet("a\\u200bb")
    'a\\\\u200bb'
    """
    shown = "".join(c if c.isprintable() or c == "\u200d" else repr(c)[1:-1] for c in text[:limit])
    return shown + ("…" if len(text) > limit else "")
