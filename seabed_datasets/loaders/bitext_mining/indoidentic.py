"""IDENTIC: Indonesian and English sentences of several genres in one table."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table

MEMBER = "IDENTICv1.0/identic.raw.npp.txt"


def load(raw: Raw, config: Config) -> Splits:
    """The untokenised variant; quotes are plain text."""
    rows = table(
        raw["archive"], MEMBER, columns=["id", "ind", "eng"], header=False, delimiter="\t", quoting=False
    )
    return {"test": side_by_side(rows, "eng", "ind")}
