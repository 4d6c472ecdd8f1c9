"""GKLMIP News: Khmer news articles with eight topics."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import flags
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test."""
    return {split: articles(raw, config, split) for split in ("train", "test")}


def articles(raw: Raw, config: Config, split: str) -> Iterator[Row]:
    """The rows of one of upstream's splits.

    Args:
        raw: the archive.
        config: whose label names are the topics' columns.
        split: "train", "dev" or "test".

    Returns:
        Articles with the topics whose columns are 1.
    """
    labels = config.labels or []
    return flags(table(raw["archive"], f"{split}.csv", columns=["text", *labels]), text="text", labels=labels)
