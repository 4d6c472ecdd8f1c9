"""UIT-VSMEC: Vietnamese Facebook comments with one of seven emotions."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import sheet


def load(raw: Raw, config: Config) -> Splits:
    """The first column, without a name, is a row number that repeats; it is no id."""
    return {
        split: labelled(sheet(raw[split], columns=["Emotion", "Sentence"]), text="Sentence", label="Emotion")
        for split in ("train", "test")
    }
