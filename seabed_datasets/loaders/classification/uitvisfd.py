"""UIT-ViSFD: Vietnamese feedback on smartphones with its stars."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """`n_star` is the label: `label` holds aspects, several a row, and SEA-BED's task has one class a row."""
    members = {"train": "Train.csv", "test": "Test.csv"}
    return {
        split: labelled(
            table(raw["archive"], member, columns=["comment", "n_star"]), text="comment", label="n_star"
        )
        for split, member in members.items()
    }
