"""Indonesian hoax news: 250 whole articles, valid or hoax."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Windows-1252, not UTF-8 and not Latin-1: bytes 0x85 and 0x91 to 0x97 are dots, quotes and dashes."""
    rows = table(raw["all"], columns=["berita", "tagging"], delimiter=";", encoding="cp1252")
    return train_test(labelled(rows, text="berita", label="tagging"))
