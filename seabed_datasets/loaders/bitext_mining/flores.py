"""FLORES-200: English sentences and their translations, one column per language."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Both sides of a pair stand in the same row."""
    columns = ("eng_Latn", config.params["column"])
    rows = (row for path in raw.all("test") for row in parquet(path, columns=columns))
    return {"test": side_by_side(rows, *columns)}
