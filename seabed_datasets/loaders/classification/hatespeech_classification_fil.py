"""Philippine election tweets, hate speech (1) or not (0)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test. Tweets were cut at line ends; pieces without a label are no rows."""
    return {split: rows(raw[split]) for split in ("train", "test")}


def rows(path: Path, *, strict: bool = True) -> Iterator[Row]:
    """The labelled tweets of one file.

    Args:
        path: the file.
        strict: as in `table`.

    Returns:
        Rows with text and label.
    """
    records = table(path, columns=["text", "label"], short=True, strict=strict)
    return labelled((row for row in records if row["label"].strip()), text="text", label="label")
