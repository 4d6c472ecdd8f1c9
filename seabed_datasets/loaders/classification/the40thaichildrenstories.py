"""The 40 Thai Children Stories: sentences of fairy tales with the sentiment a reader gave them."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table

SENTIMENTS = {"-1": "negative", "0": "neutral", "1": "positive"}


def load(raw: Raw, config: Config) -> Splits:
    """All sentences, also those the three readers disagree on."""
    rows = table(raw["sentences"], columns=["id_sentence", "text", "Y_vote"])
    return train_test(labelled(rows, text="text", label="Y_vote", names=SENTIMENTS, identity="id_sentence"))
