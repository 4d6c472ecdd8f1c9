"""News (Tamil), clustering: headlines of the test file of the classification set."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, numbered
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has no validation part, which the authors score; its test file stands in."""
    rows = table(raw["test"], columns=["NewsInTamil", "Category"])
    return {"test": labelled(rows, text="NewsInTamil", label="Category", names=numbered(config))}
