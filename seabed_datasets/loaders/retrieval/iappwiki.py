"""iApp Wiki QA: questions over whole Thai Wikipedia articles, JSON lines."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import asked, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """One article is one document."""
    return question_answering(asked(json_rows(raw["test"], columns=["question", "context"])))
