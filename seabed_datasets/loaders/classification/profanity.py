"""Tagalog tweets with a swear word: used abusively or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import numbered_splits
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has no test file; its validation file is our test split."""
    return numbered_splits(raw, config, table)
