"""SemRel2024 in Indonesian: sentence pairs ranked by how related they are."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The column called `label` is the relatedness."""
    rows = (
        row for path in raw.all("test") for row in parquet(path, columns=["sentence1", "sentence2", "label"])
    )
    return {
        "test": (
            {"sentence1": row["sentence1"], "sentence2": row["sentence2"], "score": row["label"]}
            for row in rows
        )
    }
