"""XL-Sum: BBC articles and the summaries their editors wrote, in the same language."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The article and its summary; the headline is not used."""
    rows = (row for path in raw.all("test") for row in parquet(path, columns=["text", "summary"]))
    return {"test": side_by_side(rows, "text", "summary")}
