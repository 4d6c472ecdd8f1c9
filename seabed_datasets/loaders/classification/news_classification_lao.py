"""Lao news headlines by topic."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import RawFormatError
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet

# Which column holds the topic was not seen: these are its usual names.
TOPIC = ("label", "category")


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test; headlines with line breaks become one line."""
    return {split: headlines(raw.all(split)) for split in ("train", "test")}


def headlines(paths: list[Path]) -> Iterator[Row]:
    """The headlines of a split with their topics.

    Args:
        paths: its Parquet files.

    Returns:
        Rows of text and label.

    Raises:
        RawFormatError: a file has no column that can be the topic.
    """
    for path in paths:
        for row in parquet(path, columns=["title"], optional=TOPIC):
            topics = [row[name] for name in TOPIC if name in row]
            if not topics:
                raise RawFormatError(f"{path.name}: no column {' or '.join(TOPIC)} with the topic")
            yield {"text": " ".join((row["title"] or "").split()), "label": str(topics[0])}
