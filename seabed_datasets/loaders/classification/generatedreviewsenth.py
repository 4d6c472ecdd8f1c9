"""Generated Reviews EN-TH: is this Thai machine translation of a generated review acceptable?"""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The Thai side only: the benchmark shows the model no English source."""
    return {
        split: (
            {"text": row["translation"]["th"], "label": row["correct"]}
            for row in parquet(raw[split], columns=["translation", "correct"])
        )
        for split in ("train", "test")
    }
