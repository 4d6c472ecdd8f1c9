"""Alpaca in Vietnamese, from the authors' copy: its upstream was not found."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import instructions
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The copy is scored by its instructions and answers alone; other columns were not seen."""
    rows = (row for path in raw.all("all") for row in parquet(path, columns=["Instruction", "Output"]))
    return instructions((row["Instruction"] or "", "", row["Output"] or "") for row in rows)
