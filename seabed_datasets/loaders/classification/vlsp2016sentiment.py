"""VLSP 2016 sentiment: Vietnamese product reviews, positive, negative or neutral."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines

LABELS = ("POS", "NEG", "NEU")


def load(raw: Raw, config: Config) -> Splits:
    """Train: one file per class. Test: each comment's label is on the line below it."""
    train = ({"text": text, "label": label} for label in LABELS for text in _blocks(raw[label]))
    return {"train": train, "test": _answers(raw["test"])}


def _clean(path: Path) -> Iterator[str]:
    return (line.replace("\N{NO-BREAK SPACE}", " ").strip() for line in lines(path))


def _blocks(path: Path) -> Iterator[str]:
    """Comments between blank lines; one may span lines."""
    return ("\n".join(block) for some, block in groupby(_clean(path), bool) if some)


def _answers(path: Path) -> Iterator[Row]:
    for text, label in pairwise(line for line in _clean(path) if line):
        if label in LABELS:
            yield {"text": text, "label": label}
