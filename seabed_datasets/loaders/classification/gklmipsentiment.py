"""GKLMIP: Burmese product reviews with one to five stars."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test; its dev part is left out."""
    return {
        split: labelled(
            json_rows(raw["archive"], f"product_sentiment_dataset_{split}.json"), text="text", label="label"
        )
        for split in ("train", "test")
    }
