"""Dengue: Filipino tweets of the dengue season with five labels."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import flags
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """`absent` is a label like the others. Records of another length are skipped, as upstream's script does."""
    labels = config.labels or []
    return {
        split: flags(
            table(raw["archive"], f"dengue/{split}.csv", columns=["text", *labels], ragged=True),
            text="text",
            labels=labels,
        )
        for split in ("train", "test")
    }
