"""PhoATIS: what callers ask a flight information service, in Vietnamese, with the intent."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled_lines
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Line i of `seq.in` is the text, line i of `label` its intent; "a#b" is a class of its own."""
    return {split: labelled_lines(raw[f"{split}_text"], raw[f"{split}_label"]) for split in ("train", "test")}
