"""HoASA: Indonesian hotel reviews with a polarity for each of ten aspects."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.multilabel_classification.casa import aspects
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The labels are the aspects a review judges; `neg_pos` (praised and blamed at once) is one label."""
    return {split: aspects(raw[split], text="review", neutral="neut") for split in ("train", "test")}
