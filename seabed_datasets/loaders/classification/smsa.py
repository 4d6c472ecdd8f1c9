"""SmSA: Indonesian comments and reviews, lower-case and tokenised, with sentiment."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """No header line, no quoting."""
    return {
        split: table(raw[split], columns=["text", "label"], header=False, delimiter="\t", quoting=False)
        for split in ("train", "test")
    }
