"""Prachathai-67k: Thai news articles with twelve topic tags."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import flags
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train and test; a tag's column says "pos" or "neg" (1 or 0 where names are not stored)."""
    labels = config.labels or []
    return {
        split: flags(
            (row for path in raw.all(split) for row in parquet(path, columns=["body_text", *labels])),
            text="body_text",
            labels=labels,
            on=("pos", 1),
            off=("neg", 0),
        )
        for split in ("train", "test")
    }
