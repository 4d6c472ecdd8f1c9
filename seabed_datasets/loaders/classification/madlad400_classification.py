"""Tetum web documents of MADLAD-400; only the benchmark authors' labelled copy is known."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification import phelectionssa
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The authors' own columns: MADLAD-400 itself has no labels, so none can be derived from it."""
    return phelectionssa.load(raw, config)
