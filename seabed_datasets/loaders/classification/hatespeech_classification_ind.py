"""Indonesian tweets on an election, hate speech or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30. A spreadsheet wrote the file on a Mac: quoted, bare CR line ends, Mac Roman."""
    rows = table(raw["all"], columns=["Label", "Tweet"], delimiter="\t", encoding="mac_roman")
    return train_test(labelled(rows, text="Tweet", label="Label"))
