"""Long Indonesian Facebook posts, hate speech or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30; runs of blanks and line ends become one blank, as the dataset's loaders do."""
    return train_test(
        {"text": " ".join(row["text"].split()), "label": row["label"]}
        for row in table(raw["all"], columns=["text", "label"])
    )
