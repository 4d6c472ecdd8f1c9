"""WangchanThaiInstruct: Thai instructions by experts, each with its answer."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import instructions
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's test part. Where a row has an Input, that is the query and Instruction its instruction."""
    columns = ["Instruction", "Input", "Output"]
    rows = (row for path in raw.all("test") for row in parquet(path, columns=columns))
    return instructions((row["Instruction"] or "", row["Input"] or "", row["Output"] or "") for row in rows)
