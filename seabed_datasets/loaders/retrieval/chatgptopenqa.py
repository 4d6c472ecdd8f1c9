"""ChatGPT Malaysian open QA: questions a model wrote about paragraphs, JSON lines in three files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import drawn, question_answering
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """A tenth of the paragraphs, drawn as the authors draw it but with a fixed seed, in the files' order."""
    # The files hold 0.9 GB, so they are read twice instead of being kept in memory.
    chosen = set(drawn(range(sum(1 for _ in _rows(raw))), 0.1))
    return question_answering(
        (None, qa["question"], [row["paragraph"]])
        for position, row in enumerate(_rows(raw))
        if position in chosen
        for qa in row["qa"]["qa"]
    )


def _rows(raw: Raw) -> Iterator[dict[str, Any]]:
    for path in raw.all("paragraphs"):
        yield from json_rows(path, columns=["paragraph", "qa"])
