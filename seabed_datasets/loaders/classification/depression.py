"""Thai blog posts, signs of depression or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_value


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test; each file is one array of [text, label]."""
    return {
        split: (
            {"text": text, "label": label}
            for text, label in json_value(raw["archive"], f"splits/{split}.json")
        )
        for split in ("train", "test")
    }
