"""Comments on Indonesian online news, three classes of abuse."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import sheet


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30; the label is upstream's number."""
    rows = sheet(raw["all"], columns=["Kalimat", "label"])
    return train_test(labelled(rows, text="Kalimat", label="label"))
