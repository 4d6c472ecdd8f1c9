"""Filipino tweets about elections with a toxicity label; only the benchmark authors' copy is known."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification import phelectionssa
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The same layout as the authors' sentiment set of the same elections."""
    return phelectionssa.load(raw, config)
