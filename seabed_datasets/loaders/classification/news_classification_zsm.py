"""Malay news sentences with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30."""
    rows = table(raw["all"], columns=["label", "text"])
    return train_test(labelled(rows, text="text", label="label", strip=True))
