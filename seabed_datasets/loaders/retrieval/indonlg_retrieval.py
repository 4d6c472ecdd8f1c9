"""IndoNLG's question answering set: the first Indonesian questions of TyDi QA's gold-passage train file."""

from __future__ import annotations

from itertools import islice

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import question_answering, squad
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_value

TEST_QUESTIONS = 855


def load(raw: Raw, config: Config) -> Splits:
    """IndoNLG's test split is the head of the file, the rest is its train split; an id names its language."""
    questions = squad(json_value(raw["goldp_train"]))
    indonesian = (q for q in questions if q[0] is not None and q[0].startswith("indonesian"))
    return question_answering(islice(indonesian, TEST_QUESTIONS))
