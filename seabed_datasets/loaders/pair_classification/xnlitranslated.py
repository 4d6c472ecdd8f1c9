"""XNLI in Khmer, Malay and Lao: the SEA-BED authors' reviewed machine translation."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.pair_classification.xnli import LABELS
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """The authors' copy, whose label 1 is entailment."""
    names = {"premise": "sentence1", "hypothesis": "sentence2", "label": "label"}
    rows = [row for path in raw.all("test") for row in parquet(path, columns=[*names.values()])]
    # An older copy of theirs held XNLI's own three numbers, in which 0 is entailment.
    three = any(row["label"] == 2 for row in rows)
    numbers = LABELS if three else ("contradiction", "entailment")
    return {"test": nli_pairs(rows, **names, numbers=numbers)}
