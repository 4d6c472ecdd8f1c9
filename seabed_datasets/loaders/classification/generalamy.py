"""GeneralAmy: Thai social-media messages, positive or negative."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines


def load(raw: Raw, config: Config) -> Splits:
    """TAB-separated in spite of the name, without quoting; a line without a TAB has no label."""
    fields = (line.split("\t") for line in lines(raw["messages"]) if "\t" in line)
    return train_test({"text": text.strip(), "label": label} for text, label in fields)
