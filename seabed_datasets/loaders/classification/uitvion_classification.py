"""UIT-ViON: titles of Vietnamese news with their topic."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, numbered
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test files."""
    return {split: rows(raw, config, split) for split in ("train", "test")}


def rows(raw: Raw, config: Config, split: str) -> Iterator[Row]:
    """The rows of one of upstream's splits.

    Args:
        raw: the archive.
        config: whose label names stand for upstream's 0 to 12.
        split: "train", "dev" or "test".

    Returns:
        Titles with their topics.
    """
    titles = table(raw["archive"], f"UIT-ViON_{split}.csv", columns=["title", "label"])
    return labelled(titles, text="title", label="label", names=numbered(config))
