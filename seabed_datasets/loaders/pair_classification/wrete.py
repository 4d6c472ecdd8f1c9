"""WReTE: pairs from the revision history of the Indonesian Wikipedia."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """The test file with its real labels: the masked one beside it says NotEntail for every row."""
    rows = table(raw["test"], columns=["sent_A", "sent_B", "label"])
    return {
        "test": (
            {"sentence1": row["sent_A"], "sentence2": row["sent_B"], "label": row["label"]} for row in rows
        )
    }
