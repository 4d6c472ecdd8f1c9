"""MASSIVE with the scenario, the intent's domain, as label."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification.massiveintent import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The 18 scenarios."""
    return labelled(raw, config, "scenario")
