"""Indonesian tweets by emotion, one file per emotion."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The six files in order, one split, cut 70/30. Read without quoting: a quote would glue tweets."""
    rows = (
        row
        for path in raw.all("all")
        for row in table(path, columns=["Tweet", "Label"], delimiter="\t", quoting=False)
    )
    return train_test(labelled(rows, text="Tweet", label="Label"))
