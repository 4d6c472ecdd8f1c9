"""Netifier: Indonesian posts with four labels of harmful content."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import flags
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The raw files with the posts as written; line ends and quoting marks inside a post are kept."""
    labels = config.labels or []
    return {
        split: flags(
            table(raw[split], columns=["original_text", *labels]), text="original_text", labels=labels
        )
        for split in ("train", "test")
    }
