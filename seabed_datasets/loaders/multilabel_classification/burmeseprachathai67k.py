"""Prachathai-67k in Burmese: the machine translation made for SEA-BED, which only its authors hold."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.readers import parquet
from seabed_datasets.schemas import Splits
from seabed_datasets.sources import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The authors' cut of their one split: 20 % test, then 10 % of the rest set aside and not used."""
    from sklearn.model_selection import train_test_split

    columns = ["body_text", "labels"]
    articles = (row for path in raw.all("all") for row in parquet(path, columns=columns))
    rows = [
        {"id": str(i), "text": row["body_text"], "labels": row["labels"]} for i, row in enumerate(articles)
    ]
    rest, test = train_test_split(rows, test_size=0.20, random_state=42)
    train, _unused = train_test_split(rest, test_size=0.10, random_state=42)
    return {"train": train, "test": test}
