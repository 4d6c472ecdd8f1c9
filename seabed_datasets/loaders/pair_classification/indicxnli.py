"""IndicXNLI in Tamil: XNLI, machine-translated."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.pair_classification.xnli import LABELS
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's own script reads {"test": [...]}; without the neutral rows."""
    names = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}
    rows = json_rows(raw["test"], columns=[*names], split="test")
    return {"test": nli_pairs(rows, **names, numbers=LABELS)}
