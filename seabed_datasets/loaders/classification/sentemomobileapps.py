"""Indonesian app reviews with sentiment (upstream also has emotions)."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import train_test
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """One split, cut 70/30. Read without quoting: a quote that is never closed would glue two reviews."""
    rows = table(raw["all"], columns=["content", "Sentiment"], delimiter="\t", quoting=False)
    # Three labels occur with blanks around them or in lower case ("Negative ", "negative", " Positive").
    return train_test(
        {"text": row["content"].strip(), "label": row["Sentiment"].strip().title()} for row in rows
    )
