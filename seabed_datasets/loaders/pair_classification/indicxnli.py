"""IndicXNLI in Tamil: XNLI, machine-translated."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.pair_classification.xnli import LABELS
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_value


def load(raw: Raw, config: Config) -> Splits:
    """One JSON array; the test split without its neutral rows."""
    names = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}
    return {"test": nli_pairs(json_value(raw["test"]), **names, numbers=LABELS)}
