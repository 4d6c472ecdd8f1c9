"""Emoji: short Thai sentences (translated) and the emoji that fits."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table

EMOJI = {"0": "heart", "1": "baseball", "2": "smile", "3": "disappointed", "4": "fork_and_knife"}


def load(raw: Raw, config: Config) -> Splits:
    """No header line."""
    return {
        split: labelled(
            table(raw[split], columns=["text", "label"], header=False),
            text="text",
            label="label",
            names=EMOJI,
        )
        for split in ("train", "test")
    }
