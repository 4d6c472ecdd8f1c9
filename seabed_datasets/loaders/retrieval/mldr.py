"""MLDR: model-written questions over long Thai documents, gzipped JSON lines."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import with_negatives
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows

COLUMNS = ["query_id", "query", "positive_passages", "negative_passages"]


def load(raw: Raw, config: Config) -> Splits:
    """The corpus is what the test rows name, not upstream's full corpus of 10,000 documents."""
    return with_negatives(
        (
            row["query_id"],
            row["query"],
            [p["text"] for p in row["positive_passages"]],
            [p["text"] for p in row["negative_passages"]],
        )
        for row in json_rows(raw["test"], columns=COLUMNS)
    )
