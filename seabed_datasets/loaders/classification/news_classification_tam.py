"""Tamil news headlines by topic."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, numbered
from seabed_datasets.readers import table
from seabed_datasets.schemas import Splits
from seabed_datasets.sources import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test. Its topics are numbers; the names are those of the site's six largest."""
    return {
        split: labelled(
            table(raw[split], columns=["NewsInTamil", "Category"]),
            text="NewsInTamil",
            label="Category",
            names=numbered(config),
        )
        for split in ("train", "test")
    }
