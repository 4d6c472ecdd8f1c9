"""BibleNLP: Bible verses in English and another language, one JSON object per verse."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """The columns carry the codes of the two languages."""
    columns = ("eng", config.params["code"])
    return {"test": side_by_side(json_rows(raw["test"], columns=columns), *columns)}
