"""UIT-ViHSD: Vietnamese social-media comments: clean, offensive or hateful."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table

CLASSES = {"0": "CLEAN", "1": "OFFENSIVE", "2": "HATE"}


def load(raw: Raw, config: Config) -> Splits:
    """Members are named in full: the archive also holds `__MACOSX/vihsd/._*.csv`, which is no data."""
    return {
        split: labelled(
            table(raw["archive"], f"vihsd/{split}.csv", columns=["free_text", "label_id"]),
            text="free_text",
            label="label_id",
            names=CLASSES,
        )
        for split in ("train", "test")
    }
