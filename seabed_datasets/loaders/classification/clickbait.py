"""Clickbait (CLICK-ID): Indonesian news headlines, clickbait or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import sheet


def load(raw: Raw, config: Config) -> Splits:
    """An empty row stands above the header; `label_score` is a formula, so `label` is read."""
    rows = sheet(raw["headlines"], columns=["title", "label"], skip=1)
    return train_test(labelled(rows, text="title", label="label"))
