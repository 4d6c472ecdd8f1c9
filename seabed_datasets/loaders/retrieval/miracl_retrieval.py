"""MIRACL as retrieval: the same questions and judged passages as its reranking set."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.reranking.miracl_reranking import judged
from seabed_datasets.loaders.shapes import with_negatives
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The corpus is the judged passages of all queries, not the whole Wikipedia collection."""
    return with_negatives(judged(raw))
