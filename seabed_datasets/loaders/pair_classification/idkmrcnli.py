"""IDK-MRC as inference: a passage, and a question with a right or wrong answer."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The test file; of its many columns only three are data."""
    names = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}
    return {"test": nli_pairs(table(raw["test"], columns=[*names]), **names)}
