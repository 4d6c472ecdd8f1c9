"""Khmer news articles, about accidents or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import pickled_frame


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30. Every other category, and none at all (None or ""), counts as "other"."""
    return train_test(
        {"text": row["text"], "label": "accident" if row["cat"] == "accident" else "other"}
        for row in pickled_frame(raw["all"], columns=["text", "cat"])
    )
