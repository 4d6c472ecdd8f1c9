"""SpamReviews (ViSpamReviews): Vietnamese shop reviews, spam or not."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table

CLASSES = {
    "Label": {"0": "NO-SPAM", "1": "SPAM"},
    "SpamLabel": {"0": "NO-SPAM", "1": "SPAM-1", "2": "SPAM-2", "3": "SPAM-3"},
}


def load(raw: Raw, config: Config) -> Splits:
    """The card's `column` says which of the two judgements is the label."""
    column = config.params["column"]
    return {
        split: labelled(
            table(raw["archive"], f"dataset/{split}.csv", columns=["Comment", column]),
            text="Comment",
            label=column,
            names=CLASSES[column],
        )
        for split in ("train", "test")
    }
