"""Indonesian news articles with the section they appeared in."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's `validation` file holds what its author first published as the test set."""
    return {
        split: labelled(parquet(raw[split], columns=["text", "label"]), text="text", label="label")
        for split in ("train", "test")
    }
