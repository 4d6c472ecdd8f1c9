"""SB4xx: rules about size and balance, read off a config's statistics."""

from __future__ import annotations

import unicodedata
from typing import Any

from seabed_datasets.catalogue import Config, Dataset
from seabed_datasets.checks.findings import Tally, snippet
from seabed_datasets.checks.statistics import Stats
from seabed_datasets.schemas import INVISIBLE

FEW = 100
NEARLY_ALL = 0.95
_INVISIBLE = {ord(c): None for c in INVISIBLE}

SIZE_CATEGORIES = {
    "n<1K": (0, 1_000),
    "1K<n<10K": (1_000, 10_000),
    "10K<n<100K": (10_000, 100_000),
    "100K<n<1M": (100_000, 1_000_000),
    "1M<n<10M": (1_000_000, 10_000_000),
    "10M<n<100M": (10_000_000, 100_000_000),
}


def check_sizes(dataset: Dataset, config: Config, stats: Stats, tally: Tally, *, truncated: bool) -> None:
    """Compare the rows of a config with what its card says.

    Args:
        dataset: the card.
        config: one of its configs.
        stats: statistics of all its rows.
        tally: where findings go.
        truncated: whether a raw file was cut, so that fewer rows are no fault.
    """
    splits = stats["splits"]
    for split, found in splits.items():
        if not found["rows"]:
            tally.add(
                "SB223", f"{found['dropped']:,} rows were left out" if found["dropped"] else "no row", split
            )
    if not truncated:
        for split, expected in stated_sizes(dataset, config).items():
            found = splits.get(split, {"rows": 0, "dropped": 0})
            # A card may count upstream's rows, those without a text among them.
            if expected not in (found["rows"], found["rows"] + found["dropped"]):
                tally.add("SB401", f"{found['rows']:,} rows, the card says {expected:,}", split)
    if config.sample:
        return
    if splits["test"]["rows"] < FEW:
        tally.add("SB402", f"{splits['test']['rows']} rows", "test")
    total = sum(s["rows"] for s in splits.values())
    fitting = [c for c, (low, high) in SIZE_CATEGORIES.items() if low <= total <= high]
    # The Hub counts a repository, so the categories of a card may be those of all its configs together.
    if len(dataset.seabed.configs) == 1 and not truncated and not set(fitting) & set(dataset.size_categories):
        tally.add("SB405", f"{total:,} rows, the card says {', '.join(dataset.size_categories)}")


def stated_sizes(dataset: Dataset, config: Config) -> dict[str, int]:
    """Split -> rows, as a card states them for one config.

    Args:
        dataset: the card.
        config: one of its configs.

    Returns:
        The sizes of this config's own entry, else those that hold for every config.
    """
    sizes = dataset.seabed.sizes
    own = sizes.get(config.name)
    stated: dict[str, Any] = own if isinstance(own, dict) else sizes
    return {split: n for split, n in stated.items() if isinstance(n, int)}


def check_balance(stats: Stats, tally: Tally) -> None:
    """Look for labels that are missing or have nearly all rows.

    Args:
        stats: statistics of all rows of a config.
        tally: where findings go.
    """
    for split, s in stats["splits"].items():
        labels: dict[str, int] = s.get("labels") or {}
        for name, count in labels.items():
            if not count:
                tally.add("SB403", name, split)
        most = max(labels, key=lambda name: labels[name], default=None)
        if most is not None and len(labels) > 1 and labels[most] > NEARLY_ALL * s["rows"]:
            tally.add("SB404", f"{most}: {labels[most]:,} of {s['rows']:,} rows", split)


def check_names(config: Config, tally: Tally) -> None:
    """Look for labels that nobody would tell apart.

    Args:
        config: whose labels.
        tally: where findings go.
    """
    alike: dict[str, list[str]] = {}
    for name in config.labels or []:
        alike.setdefault(seen_as(name), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            tally.add("SB222", " and ".join(map(_shown, names)))


def _shown(name: str) -> str:
    note = "" if unicodedata.is_normalized("NFC", name) else " (not in NFC)"
    return f"{snippet(name)!r}{note}"


def seen_as(label: str) -> str:
    """A label as a reader sees it.

    Args:
        label: its name.

    Returns:
        The name without invisible characters and outer blanks, inner blanks as one, in NFC and small letters.

    >>> seen_as(" Not\\u200b  Spam"), seen_as("cafe\\u0301") == seen_as("caf\\u00e9")
    ('not spam', True)
    """
    text = unicodedata.normalize("NFC", label.translate(_INVISIBLE))
    return unicodedata.normalize("NFC", " ".join(text.split()).casefold())
