"""IndoNLG: verses of the English and Indonesian New Testament."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows

MEMBER = "IndoNLG_downstream_tasks/MT_ENGKJV_INZNTV/test_preprocess.json"


def load(raw: Raw, config: Config) -> Splits:
    """`text` is the English verse, `label` the Indonesian one."""
    rows = json_rows(raw["archive"], MEMBER, columns=["id", "text", "label"])
    return {"test": side_by_side(rows, "text", "label", identity="id")}
