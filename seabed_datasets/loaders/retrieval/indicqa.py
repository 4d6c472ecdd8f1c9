"""IndicQA: Tamil questions over Tamil passages, SQuAD layout."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.retrieval import xquad
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Read as XQuAD; questions without an answer are queries too."""
    return xquad.load(raw, config)
