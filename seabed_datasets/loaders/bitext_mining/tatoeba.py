"""Tatoeba: example sentences and translations by volunteers, from OPUS."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import moses
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Line i of both members is one pair."""
    return {"test": moses(raw["archive"], "Tatoeba", config.params["code"])}
