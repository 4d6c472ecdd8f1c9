"""HateSpeech (Ibrohim and Budi): Indonesian tweets with twelve labels of abuse, its target and its strength."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import flags, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One 0/1 column per label. Bytes that are broken UTF-8 become U+FFFD; nothing can tell what they were."""
    labels = config.labels or []
    rows = table(raw["tweets"], columns=["Tweet", *labels], errors="replace")
    return train_test(flags(rows, text="Tweet", labels=labels))
