"""StudentFeedback (UIT-VSFC): what Vietnamese students wrote about their courses, with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled_lines
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw

SENTIMENTS = {"0": "negative", "1": "neutral", "2": "positive"}


def load(raw: Raw, config: Config) -> Splits:
    """Line i of one file is the sentence, of the other its sentiment."""
    return {
        split: labelled_lines(raw[f"{split}_texts"], raw[f"{split}_labels"], SENTIMENTS)
        for split in ("train", "test")
    }
