"""ThuraMyanmarNews: Burmese news snippets in one CSV file whose quoted records span lines."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The GitHub copy has no test part."""
    rows = table(raw["articles"], columns=["News", "Category"])
    return train_test(labelled(rows, text="News", label="Category"))
