"""GooglePlayReview: Indonesian app reviews, positive (five stars) or negative (fewer)."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The labels are upstream's, never recomputed from the stars; its validation part is the test."""
    return {
        split: labelled(table(raw[split], columns=["text", "label", "stars"]), text="text", label="label")
        for split in ("train", "test")
    }
