"""UIT-ViCTSD: Vietnamese comments on news, constructive or not (or toxic or not)."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The card's `column` says which of the two judgements is the label."""
    column = config.params["column"]
    return {
        split: labelled(table(raw[split], columns=["Comment", column]), text="Comment", label=column)
        for split in ("train", "test")
    }
