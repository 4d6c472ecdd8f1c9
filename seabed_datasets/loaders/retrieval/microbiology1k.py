"""Burmese Microbiology 1K: questions and their written answers, CSV with an unnamed index column."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import asked, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """An answer is the document its question has to find."""
    rows = table(raw["train"], columns=["Instruction", "Output"])
    return question_answering(asked(rows, question="Instruction", passage="Output"))
