"""Filipino tweets about elections with a sentiment; only the benchmark authors' copy is known."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The authors' own columns; a label that is a number is named by its digits, no meaning is known."""
    return {
        split: (
            {"text": row["texts"], "label": str(row["labels"])}
            for path in raw.all(split)
            for row in parquet(path, columns=["texts", "labels"])
        )
        for split in ("train", "test")
    }
