"""SIB-200, clustering: the test part of the classification set."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification.sib200_classification import topics
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's test part."""
    return {"test": topics(raw["test"])}
