"""AC-IQuAD: Indonesian questions made from Wikidata triples, with the Wikipedia passage that answers them."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import asked, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Questions of one triple, then questions of two; which of them the authors kept is not known."""
    return question_answering(
        asked(
            row
            for member in ("single_test.json", "complex_test.json")
            for row in json_rows(raw["archive"], member, columns=["question", "context"])
        )
    )
