"""Tagalog tweets with a swear word: used abusively or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, numbered
from seabed_datasets.readers import table
from seabed_datasets.schemas import Splits
from seabed_datasets.sources import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has no test file; its validation file is our test split."""
    return {
        split: labelled(
            table(raw[split], columns=["text", "label"]), text="text", label="label", names=numbered(config)
        )
        for split in ("train", "test")
    }
