"""IMDB reviews machine-translated to Javanese, with their sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import numbered_splits
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The two labelled splits; upstream's third, `unsupervised`, has no labels (-1)."""
    return numbered_splits(raw, config, parquet)
