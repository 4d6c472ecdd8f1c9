"""Alpaca in Indonesian: machine-written instructions and answers, machine-translated."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import instructions
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Where a row has an input, that is the query and `instruction` its instruction."""
    rows = json_rows(raw["all"], columns=["instruction", "input", "output"])
    return instructions((row["instruction"] or "", row["input"] or "", row["output"] or "") for row in rows)
