"""Karonese tweets with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30; upstream's running number is the id."""
    rows = table(raw["all"], columns=["no", "tweet", "label"])
    return train_test(labelled(rows, text="tweet", label="label", identity="no"))
