"""SCB-MT-EN-TH-2020: English and Thai segments from many sources, already split."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's whole test part; both sides lie in one struct."""
    rows = (row["translation"] for row in parquet(raw["test"], columns=["translation"]))
    return {"test": side_by_side(rows, "en", "th")}
