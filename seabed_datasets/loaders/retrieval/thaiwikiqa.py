"""ThaiQA in SQuAD form: questions over whole Thai Wikipedia articles, JSON lines in a zip."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import asked, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """The train split is evaluated; an article keeps the <doc> tags around it, as the authors' copy may."""
    return question_answering(
        asked(json_rows(raw["archive"], "data/train.jsonl", columns=["question", "context"]))
    )
