"""EmoT: Indonesian tweets by emotion, in IndoNLU's split."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """IndoNLU's train and test (not its masked test file, where every label is "happy")."""
    return {
        split: labelled(table(raw[split], columns=["label", "tweet"]), text="tweet", label="label")
        for split in ("train", "test")
    }
