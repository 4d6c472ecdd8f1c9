"""Philippine election tweets, hate speech (1) or not (0)."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test. Tweets were cut at line ends; pieces without a label are no rows."""
    return {
        split: labelled(
            (row for row in table(raw[split], columns=["text", "label"], short=True) if row["label"].strip()),
            text="text",
            label="label",
        )
        for split in ("train", "test")
    }
