"""USEmbassy: articles of the United States embassy in Thailand, in English and Thai."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Whole articles, not their titles."""
    return {"test": side_by_side(parquet(raw["train"], columns=["en", "th"]), "en", "th")}
