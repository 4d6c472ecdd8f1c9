"""ContextSearch: Vietnamese queries with relevant and other passages, read from the authors' own copy."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import with_negatives
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Every passage of the split is in the corpus, whichever list it stands in."""
    return with_negatives(
        (None, row["query"], row["pos"], row["neg"])
        for path in raw.all("validation")
        for row in parquet(path, columns=["query", "pos", "neg"])
    )
