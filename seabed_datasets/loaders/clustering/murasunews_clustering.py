"""Tamil Murasu, clustering: all articles with their section."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification.murasunews_classification import rows
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has one part only; all of it is scored."""
    return {"test": rows(raw)}
