"""Minang: tweets and hotel reviews in Indonesian (parallel to Minangkabau), positive or negative."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import sheet

SENTIMENTS = {"0": "negative", "1": "positive"}


def load(raw: Raw, config: Config) -> Splits:
    """Fold 0 only: the five folds hold the same sentences."""
    return {
        split: labelled(
            sheet(raw[split], columns=["minang", "indo", "sentiment"]),
            text="indo",
            label="sentiment",
            names=SENTIMENTS,
        )
        for split in ("train", "test")
    }
