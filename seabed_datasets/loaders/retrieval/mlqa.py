"""MLQA: Vietnamese questions over Vietnamese Wikipedia passages, SQuAD layout in a zip."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import question_answering, squad
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_value

MEMBER = "MLQA_V1/test/test-context-vi-question-vi.json"


def load(raw: Raw, config: Config) -> Splits:
    """The byte order marks inside the passages are removed, as the authors do for this set alone."""
    return question_answering(
        (name, question, [passage.replace("\ufeff", "") for passage in passages])
        for name, question, passages in squad(json_value(raw["archive"], MEMBER))
    )
