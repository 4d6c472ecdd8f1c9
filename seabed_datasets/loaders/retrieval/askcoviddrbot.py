"""AskCovidDrBot: questions and answers on Covid-19, a CSV with Burmese rows first and English ones after."""

from __future__ import annotations

import re

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import asked, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table

MYANMAR = re.compile("[\u1000-\u109f]")


def load(raw: Raw, config: Config) -> Splits:
    """Only rows whose question is in Myanmar script: the file mixes two languages without naming them."""
    rows = table(raw["train"], columns=["Question", "Answer"])
    burmese = (row for row in rows if MYANMAR.search(row["Question"]))
    return question_answering(asked(burmese, question="Question", passage="Answer"))
