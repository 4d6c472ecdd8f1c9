"""UIT-ViOCD: Vietnamese reviews, complaint or not."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, numbered
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test splits."""
    return {split: rows(raw, config, split) for split in ("train", "test")}


def rows(raw: Raw, config: Config, split: str) -> Iterator[Row]:
    """The rows of one of upstream's splits.

    Args:
        raw: upstream's files, one role per split.
        config: whose label names stand for upstream's 0 and 1.
        split: a role of the card.

    Returns:
        Raw reviews (not the word-segmented ones) with their labels.
    """
    reviews = parquet(raw[split], columns=["review", "label"])
    return labelled(reviews, text="review", label="label", names=numbered(config))
