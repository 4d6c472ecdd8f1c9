"""EMoTES-3K: Filipino scenarios judged moral or immoral."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Row, Splits, is_empty
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has one file, so a part of it is held out."""
    return train_test(rows(raw))


def rows(raw: Raw) -> Iterator[Row]:
    """The Filipino side with its judgement; rows that lack either are left out.

    Args:
        raw: upstream's one file.

    Returns:
        Rows of text and label, in upstream's order.
    """
    scenarios = labelled(
        json_rows(raw["data"], columns=["Filipino", "Annotation"]), text="Filipino", label="Annotation"
    )
    return (row for row in scenarios if not is_empty(row["text"]) and not is_empty(row["label"]))
