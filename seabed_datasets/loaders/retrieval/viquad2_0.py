"""UIT-ViQuAD 2.0: Vietnamese questions over Wikipedia passages, some unanswerable, Parquet."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import asked, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The hidden answers of the test split are not needed: the passage is the answer."""
    return question_answering(
        asked(row for path in raw.all("test") for row in parquet(path, columns=["question", "context"]))
    )
