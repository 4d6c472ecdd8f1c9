"""The licence rule, written once: whose word counts, what is published, and why the rest is held back.

The maker's own statement counts before the licence that SEA-BED's paper prints, and that before another
catalogue's word (`license_source` in the card). The first two allow publication within what the licence says
(`redistribution`); another catalogue's word alone does not. Sets that SEA-BED's authors made and publish
themselves are published with a notice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from seabed_datasets.catalogue import cards
from seabed_datasets.catalogue.cards import Dataset
from seabed_datasets.catalogue.vocabulary import LicenseSource, Redistribution

# Whose word lets a copy be published.
PUBLISHES: tuple[LicenseSource, ...] = ("maker", "paper")
COPIES: tuple[Redistribution, ...] = ("allowed", "noncommercial")

# What holds a set back -> (why, what would change it).
REASONS = {
    "forbidden": ("its licence forbids copies", "a licence of its makers that allows them"),
    "no-derivatives": (
        "its licence forbids derived works, and unified columns are one",
        "its makers' consent to this form",
    ),
    "ask-first": (
        "its makers ask to be written to before it goes into a benchmark",
        "their consent",
    ),
    "unknown": (
        "no licence that allows copies is known",
        "a statement of its makers: LICENSE, README or dataset page",
    ),
    "secondary": (
        "only another catalogue names a licence, neither its makers nor the paper",
        "the same statement by its makers",
    ),
}


@dataclass(frozen=True)
class Held:
    """Why a dataset is not published, and what would change that; `reason` is a key of REASONS."""

    reason: str
    why: str
    change: str


def made_for_seabed(dataset: Dataset) -> bool:
    """Whether SEA-BED's own authors made a set, and so publish it themselves.

    Args:
        dataset: the card.

    Returns:
        True where the paper's Tables 12 and 13 call it created (Table 2 has its size).
    """
    paper = dataset.seabed.paper
    return dataset.seabed.in_paper and paper is not None and paper.sample_creation == "created"


def held_back(dataset: Dataset) -> Held | None:
    """The rule.

    Args:
        dataset: the card.

    Returns:
        Why it is held back, or None where it is published.
    """
    s = dataset.seabed
    if made_for_seabed(dataset) and s.redistribution in (*COPIES, "unknown"):
        return None
    reason: str = s.redistribution
    if s.redistribution in COPIES:
        if s.license_source in PUBLISHES:
            return None
        reason = "secondary" if s.license_source == "secondary" else "unknown"
    return Held(reason, *REASONS[reason])


def notice(dataset: Dataset) -> str | None:
    """The line that goes with the copy of a dataset.

    Args:
        dataset: the card.

    Returns:
        What a user has to know of its licence beyond the licence's name, or None.
    """
    s, lines = dataset.seabed, []
    if s.redistribution == "noncommercial":
        said = s.license_paper if s.license_source == "paper" else s.license_upstream or s.license_paper
        lines.append(f"Noncommercial use only. Licence: {said or dataset.license}")
    if made_for_seabed(dataset):
        named = s.license_paper or (dataset.license if dataset.license != "unknown" else None)
        source = f"is {named}" if named else "is not stated"
        lines.append(
            "Translated for SEA-BED by its authors, who publish it themselves; "
            f"the licence of the source sentences {source}."
        )
    return " ".join(lines) or None


def rows(datasets: Iterable[Dataset] | None = None) -> list[dict[str, str]]:
    """Every dataset's standing by the rule, as rows of a table.

    Args:
        datasets: which; all of SEA-BED by default.

    Returns:
        Column -> cell: dataset, configs (their number), licence, license_source, published (yes or no), and,
        for those held back, why and what would change it; for the others the notice stands under why.
    """
    table = []
    for d in cards.datasets() if datasets is None else datasets:
        held = held_back(d)
        table.append(
            {
                "dataset": d.key,
                "configs": str(len(d.seabed.configs)),
                "licence": d.license,
                "license_source": d.seabed.license_source or "none",
                "published": "no" if held else "yes",
                "why": _explained(d, held) if held else notice(d) or "",
                "what would change it": held.change if held else "",
            }
        )
    return table


def _explained(dataset: Dataset, held: Held) -> str:
    said = dataset.seabed.license_upstream or "nothing was found"
    # Where a licence decides, its name stands beside; elsewhere what was found is the reason.
    return f"{held.why}: {said}" if held.reason in ("unknown", "ask-first", "secondary") else held.why


def counts(table: Iterable[dict[str, str]]) -> str:
    """How many configs and datasets are published and held back.

    Args:
        table: rows of `rows()`.

    Returns:
        One line.
    """
    said = []
    found = list(table)
    for word, name in (("yes", "published"), ("no", "held back")):
        part = [r for r in found if r["published"] == word]
        said.append(f"{name}: {sum(int(r['configs']) for r in part)} configs of {len(part)} datasets")
    return "; ".join(said)
