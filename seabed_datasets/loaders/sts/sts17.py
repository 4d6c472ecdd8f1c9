"""STS17 in Thai and Burmese: English pairs, translated by people for SEA-BED."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """A Parquet copy that already has the unified columns."""
    columns = ["sentence1", "sentence2", "score"]
    return {"test": (row for path in raw.all("test") for row in parquet(path, columns=columns))}
