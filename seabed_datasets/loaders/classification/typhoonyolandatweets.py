"""Tweets about typhoon Yolanda (Haiyan): one file per sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines


def load(raw: Raw, config: Config) -> Splits:
    """One tweet a line, the file's name is the label."""
    return {
        split: ({"text": line.strip(), "label": path.stem} for path in raw.all(split) for line in lines(path))
        for split in ("train", "test")
    }
