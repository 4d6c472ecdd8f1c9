"""Filipino election tweets with a hate-speech label (published as TikTok transcripts)."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.classification import hatespeech_classification_fil
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The same tweets and the same layout as hatespeech_classification_fil; some fragments end in `"" `."""
    return {
        split: hatespeech_classification_fil.rows(raw[split], strict=False) for split in ("train", "test")
    }
