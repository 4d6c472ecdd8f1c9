"""XQuAD: questions over translated Wikipedia paragraphs, SQuAD layout."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import question_answering, squad
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_value


def load(raw: Raw, config: Config) -> Splits:
    """Every question is a query; the corpus is the distinct paragraphs that have questions."""
    return question_answering(squad(json_value(raw["test"])))
