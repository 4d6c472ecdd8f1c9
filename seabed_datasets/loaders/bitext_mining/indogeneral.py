"""IndoGeneral: English and Indonesian sentences mined from the web, aligned by line."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import aligned
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Each line is a CSV record of one field: quoted where it holds a comma or a quote."""
    english, indonesian = (
        (row["text"] for row in table(raw[role], columns=["text"], header=False))
        for role in ("english", "indonesian")
    )
    return {"test": aligned(english, indonesian)}
