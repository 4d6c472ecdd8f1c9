"""TrueVoice Intent: Thai calls to a telephone company with the caller's action, object and destination."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Three labels a call; the column's name is part of the label, because some names occur in two columns."""
    kinds = ("action", "object", "destination")
    return {
        split: (
            {"text": row["texts"].strip(), "labels": [f"{kind}:{row[kind]}" for kind in kinds]}
            for row in table(raw["archive"], f"mari-{split}-balanced.csv", columns=["texts", *kinds])
        )
        for split in ("train", "test")
    }
