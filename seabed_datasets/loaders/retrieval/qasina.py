"""QASiNa: Indonesian questions over passages on the life of the Prophet, JSON."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """There is one split; upstream numbers its questions across all passages."""
    return question_answering(
        (str(qa["question_id"]), qa["question"], [row["context"]])
        for row in json_rows(raw["train"], columns=["context", "question_answers"])
        for qa in row["question_answers"]
    )
