"""Indonesian tweets on vaccines, with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30. The first header cell is empty: that column is the tweet's id."""
    names = {"-1.0": "-1", "0.0": "0", "1.0": "1"}
    rows = table(raw["all"], columns=["", "norm", "posneg"])
    return train_test(labelled(rows, text="norm", label="posneg", names=names, identity=""))
