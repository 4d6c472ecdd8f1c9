"""UIT-ViOCD, clustering: the test reviews, complaint or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification.viocd_classification import rows
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's test part."""
    return {"test": rows(raw, config, "test")}
