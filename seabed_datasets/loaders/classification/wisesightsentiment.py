"""Wisesight Sentiment: Thai social-media messages with four sentiment labels."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Members are named in full: the archive also holds `__MACOSX/data/._*.jsonl`, which is no data."""
    return {
        split: (
            {"text": row["texts"], "label": row["category"]}
            for row in json_rows(raw["archive"], f"data/{split}.jsonl", columns=["texts", "category"])
        )
        for split in ("train", "test")
    }
