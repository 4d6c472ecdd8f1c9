"""JaDi-Ide: Javanese tweets by dialect."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import sheet


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30; the file's running number restarts, so it is no id."""
    rows = sheet(raw["all"], columns=["Text", "Label"])
    return train_test(labelled(rows, text="Text", label="Label", strip=True))
