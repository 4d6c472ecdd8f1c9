"""NusaX for MINERS: English and Indonesian reviews, two columns of NusaX's translation table."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's train part: it is the one MINERS and the authors evaluate."""
    rows = table(raw["train"], columns=["english", "indonesian"])
    return {"test": side_by_side(rows, "english", "indonesian")}
