"""Embassy: announcements of the Thai embassy in Vientiane, in Thai and Lao."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Thai comes first in the config's name, Lao in the file."""
    rows = table(raw["sentences"], columns=["lao_sent", "thai_sent"])
    return {"test": side_by_side(rows, "thai_sent", "lao_sent")}
