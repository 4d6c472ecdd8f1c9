"""Tamil news headlines by topic."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import numbered_splits
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test. Its topics are numbers; the names are those of the site's six largest."""
    return numbered_splits(raw, config, table, text="NewsInTamil", label="Category")
