"""Abusive-language tweets in Indonesian, three classes."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30. Escapes spelled out in the text (a backslash and n) are kept as they are."""
    names = {"1": "not_abusive", "2": "abusive", "3": "abusive_and_offensive"}
    rows = table(raw["all"], columns=["Label", "Tweet"])
    return train_test(labelled(rows, text="Tweet", label="Label", names=names))
