"""Thai blog posts, signs of depression or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import RawFormatError
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_value


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test; each file is one array of [text, label]."""
    return {split: _rows(raw["archive"], f"splits/{split}.json") for split in ("train", "test")}


def _rows(archive: Path, member: str) -> Iterator[Row]:
    value = json_value(archive, member)
    if not isinstance(value, list):
        raise RawFormatError(f"{member}: expected a list of [text, label], found {type(value).__name__}")
    for number, entry in enumerate(value, 1):
        if not isinstance(entry, list) or len(entry) != 2:
            raise RawFormatError(f"{member}, entry {number}: expected [text, label], found {str(entry)[:80]}")
        yield {"text": entry[0], "label": entry[1]}
