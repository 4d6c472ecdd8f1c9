"""SEA translationese: was this text written in the language, or translated into it by people or by machine?"""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet

# The table writes tgl and zsm, its README fil and zlm.
CODES = {"fil": ("fil", "tgl"), "zsm": ("zsm", "zlm")}


def load(raw: Raw, config: Config) -> Splits:
    """One table holds all languages."""
    codes = CODES.get(config.lang, (config.lang,))
    return {
        split: labelled(
            (r for r in parquet(raw[split], columns=["text", "label", "lang"]) if r["lang"] in codes),
            text="text",
            label="label",
        )
        for split in ("train", "test")
    }
