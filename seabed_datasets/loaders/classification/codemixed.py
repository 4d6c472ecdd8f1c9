"""Javanese-Indonesian code-mixed tweets, translated to Indonesian, with sentiment."""

from __future__ import annotations

from itertools import islice

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30. The names in the sheet's first row were not seen, so columns go by position."""
    rows = table(raw["all"], columns=["tweet", "label", "indonesian"], header=False)
    return train_test(labelled(islice(rows, 1, None), text="indonesian", label="label"))
