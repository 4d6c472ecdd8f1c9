"""Shopee reviews in Filipino with their stars."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import numbered_splits
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Columns go by name, sources disagree on their order; the number is the stars minus one."""
    return numbered_splits(raw, config, table)
