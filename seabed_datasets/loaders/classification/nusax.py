"""NusaX: Indonesian tweets and reviews with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's columns are ours; ids are the same in all languages of NusaX."""
    return {split: table(raw[split], columns=["id", "text", "label"]) for split in ("train", "test")}
