"""News (Lao), clustering: the test headlines of the classification set with their topic."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification.news_classification_lao import headlines
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's test part."""
    return {"test": headlines(raw.all("test"))}
