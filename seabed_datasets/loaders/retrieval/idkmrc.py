"""IDK-MRC: Indonesian questions over Wikipedia passages, half of them without an answer in the passage."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import question_answering, squad
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Unanswerable questions are queries too; a passage that no question belongs to is no document."""
    passages = json_rows(raw["test"], columns=["context", "qas"])
    return question_answering(squad({"data": [{"paragraphs": passages}]}))
