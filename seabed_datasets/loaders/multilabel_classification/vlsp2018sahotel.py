"""VLSP 2018 sentiment analysis, hotels: Vietnamese reviews with a polarity per aspect and category."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table

_POLARITY = {"1": "positive", "2": "negative", "3": "neutral"}


def load(raw: Raw, config: Config) -> Splits:
    """The labels are "<ASPECT#CATEGORY>,<polarity>" for every column that is not 0 (not mentioned)."""
    return {split: _reviews(raw[split]) for split in ("train", "test")}


def _reviews(path: Path) -> Iterator[Row]:
    for row in table(path, columns=["Review"]):
        text = row.pop("Review")
        # An unknown code stays in the label's name, where the schema refuses it.
        labels = [f"{aspect},{_POLARITY.get(code, code)}" for aspect, code in row.items() if code != "0"]
        yield {"text": text, "labels": labels}
