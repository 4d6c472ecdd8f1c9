"""News (Burmese), clustering: every line of the four files of KhineMyanmarNews."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification.khinemyanmarnews import articles
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has one part only; all of it is scored."""
    return {"test": articles(raw)}
