"""UIT-ViON, clustering: the test titles with their topic."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification.uitvion_classification import rows
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's test part."""
    return {"test": rows(raw, config, "test")}
