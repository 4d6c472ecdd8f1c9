"""WangchanX-Legal-ThaiCCL-RAG: questions on Thai commercial law with the sections that answer them, Parquet."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import with_negatives
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet

COLUMNS = ["question", "positive_contexts", "hard_negative_contexts"]


def load(raw: Raw, config: Config) -> Splits:
    """A question may have no hard negatives."""
    return with_negatives(
        (
            None,
            row["question"],
            [section["text"] for section in row["positive_contexts"]],
            [section["text"] for section in row["hard_negative_contexts"] or []],
        )
        for path in raw.all("test")
        for row in parquet(path, columns=COLUMNS)
    )
