"""Krathu-500: posts of the Thai forum Pantip and their first comments, with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Columns by name: their order was never seen. Rows without a label are left out."""
    rows = table(raw["comments"], columns=["comment_id", "text", "class_label"])
    return train_test(labelled((r for r in rows if r["class_label"]), text="text", label="class_label"))
