"""XNLI in Thai and Vietnamese: English pairs rendered by professional translators."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet

LABELS = ("entailment", "neutral", "contradiction")  # in the order of XNLI's numbers


def load(raw: Raw, config: Config) -> Splits:
    """The test split without its neutral rows."""
    names = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}
    rows = (row for path in raw.all("test") for row in parquet(path, columns=[*names]))
    return {"test": nli_pairs(rows, **names, numbers=LABELS)}
