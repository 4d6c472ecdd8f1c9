"""MyXNLI: XNLI in Burmese, translated by people."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The Burmese columns without the neutral rows; a double quote is an ordinary character."""
    names = {"premise": "sentence1_my", "hypothesis": "sentence2_my", "label": "label"}
    rows = table(raw["test"], columns=[*names.values()], delimiter="\t", quoting=False)
    return {"test": nli_pairs(rows, **names)}
