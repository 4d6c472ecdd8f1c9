"""Prachathai-67k in Burmese: the machine translation made for SEA-BED, which only its authors hold."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The authors' cut of their one split: 20 % test, then 10 % of the rest set aside and not used."""
    columns = ["body_text", "labels"]
    articles = (row for path in raw.all("all") for row in parquet(path, columns=columns))
    return train_test(({"text": row["body_text"], "labels": row["labels"]} for row in articles), 0.20, 0.10)
