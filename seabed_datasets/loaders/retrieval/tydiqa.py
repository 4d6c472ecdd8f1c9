"""TyDi QA, gold-passage form with Thai kept: questions with the passage that answers them, JSON lines."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import asked, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's dev file is the evaluated split: there is no public test."""
    rows = json_rows(raw["dev"], columns=["question_text", "passage_text"])
    return question_answering(asked(rows, question="question_text", passage="passage_text"))
