"""NusaX: Indonesian tweets and reviews with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.readers import table
from seabed_datasets.schemas import Splits
from seabed_datasets.sources import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's columns are ours; ids are the same in all languages of NusaX."""
    return {split: table(raw[split], columns=["id", "text", "label"]) for split in ("train", "test")}
