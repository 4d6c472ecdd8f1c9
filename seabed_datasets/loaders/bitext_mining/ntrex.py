"""NTREX-128: English news sentences and their translations, aligned by line."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import aligned
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines


def load(raw: Raw, config: Config) -> Splits:
    """Line i of both files is one pair."""
    return {"test": aligned(lines(raw["english"]), lines(raw["other"]))}
