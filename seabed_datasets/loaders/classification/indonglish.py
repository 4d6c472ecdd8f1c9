"""Indonglish: Indonesian-English code-mixed tweets with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The splits of `skenario-ori`, the unchanged tweets (the other folders hold translations)."""
    return {
        split: labelled(table(raw[split], columns=["tweet", "label"]), text="tweet", label="label")
        for split in ("train", "test")
    }
