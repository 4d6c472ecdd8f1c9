"""WangchanX Seed-Free Synthetic Instruct Thai 120k: model-written Thai instructions on a context."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import instructions
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The context is the document, not the answer; instructions without a context are left out."""
    rows = (row for path in raw.all("all") for row in parquet(path, columns=["instruction", "context"]))
    return instructions((row["instruction"] or "", "", row["context"] or "") for row in rows)
