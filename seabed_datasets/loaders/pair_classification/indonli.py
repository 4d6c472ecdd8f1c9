"""IndoNLI: Indonesian premises and hypotheses, the test part written and labelled by experts."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """The expert test set without its neutral rows; labels are single letters."""
    columns = ["pair_id", "premise", "hypothesis", "label"]
    rows = nli_pairs(
        json_rows(raw["test"], columns=columns),
        premise="premise",
        hypothesis="hypothesis",
        label="label",
        entailment="e",
        contradiction="c",
        neutral="n",
        identity="pair_id",
    )
    return {"test": rows}
