"""SPAMID-PAIR: is this comment on an Instagram post spam?"""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import numbered, train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import sheet

MEMBER = "SPAMID-PAIR/Raw/dataset-raw.xlsx"


def load(raw: Raw, config: Config) -> Splits:
    """Comment and post are one text, the comment first; an empty cell is an empty line."""
    names = numbered(config)
    return train_test(
        {"text": f"{row['comment']}\n{row['posting']}", "label": names.get(row["spam"], row["spam"])}
        for row in sheet(raw["archive"], MEMBER, columns=["comment", "posting", "spam"])
    )
