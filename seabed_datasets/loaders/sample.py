"""The hand-written sample sets: JSON lines that already have the schema's columns."""

from __future__ import annotations

from seabed_datasets.catalogue import SAMPLE_DIR, Config
from seabed_datasets.schemas import SPLITS, Splits
from seabed_datasets.sources.readers import jsonl


def load(config: Config) -> Splits:
    """Read the sample files of a config.

    Args:
        config: a sample config.

    Returns:
        Split -> rows.
    """
    return {split: jsonl(SAMPLE_DIR / config.name / f"{split}.jsonl") for split in SPLITS[config.task]}
