"""LazadaReview: Filipino product reviews with one to five stars."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has no test part."""
    stars = {number: str(number) for number in range(1, 6)}
    return train_test(labelled(json_rows(raw["reviews"]), text="review", label="rating", names=stars))
