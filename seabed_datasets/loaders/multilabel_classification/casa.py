"""CASA: Indonesian car reviews with a polarity for each of six aspects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The labels are the aspects a review judges, each with its polarity."""
    return {split: aspects(raw[split], text="sentence", neutral="neutral") for split in ("train", "test")}


def aspects(path: Path, *, text: str, neutral: str) -> Iterator[Row]:
    """Rows of an IndoNLU file with one column per aspect.

    Args:
        path: the CSV file.
        text: the column of the text; every other column is an aspect.
        neutral: the value of an aspect that a text does not judge.

    Returns:
        Rows with the labels "<aspect>_<polarity>".
    """
    for row in table(path, columns=[text]):
        judged = row.pop(text)
        yield {"text": judged, "labels": [f"{a}_{value}" for a, value in row.items() if value != neutral]}
