"""SIB-200: sentences of Flores-200 with their topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test."""
    return {split: topics(raw[split]) for split in ("train", "test")}


def topics(path: Path) -> Iterator[Row]:
    """Sentences of one file with their topics.

    Args:
        path: a TSV file of upstream; a text that holds a double quote is quoted as in CSV.

    Returns:
        Rows with Flores' sentence id, the same in every language.
    """
    rows = table(path, columns=["index_id", "category", "text"], delimiter="\t")
    return labelled(rows, text="text", label="category", identity="index_id")
