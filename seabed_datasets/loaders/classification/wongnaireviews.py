"""WongnaiReviews: Thai restaurant reviews with one to five stars."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Star names come from the file: its numbers start at 0, the stars at 1."""
    return {
        split: labelled(
            (row for path in raw.all(split) for row in parquet(path, columns=["review_body", "star_rating"])),
            text="review_body",
            label="star_rating",
        )
        for split in ("train", "test")
    }
