"""Fake News Filipino: articles, half of them fake."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, numbered, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has one split, so a part of it is held out; its label names are the digits themselves."""
    rows = parquet(raw["all"], columns=["article", "label"])
    return train_test(labelled(rows, text="article", label="label", names=numbered(config)))
