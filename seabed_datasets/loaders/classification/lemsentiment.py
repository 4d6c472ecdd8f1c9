"""IndoLEM sentiment: Indonesian tweets and hotel reviews."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import numbered_splits
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Fold 0 of upstream's five; the folds overlap, so they are never joined."""
    return numbered_splits(raw, config, table, text="sentence", label="sentiment")
