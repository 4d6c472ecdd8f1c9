"""ALT: English Wikinews sentences and their translations, one table for all languages."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet

# ISO 639-3 -> key of the upstream struct; Khmer is "khm" there although the others have two letters.
KEYS = {
    "eng": "en",
    "ind": "id",
    "tha": "th",
    "vie": "vi",
    "mya": "my",
    "fil": "fil",
    "khm": "khm",
    "zsm": "ms",
    "lao": "lo",
}


def load(raw: Raw, config: Config) -> Splits:
    """One pair per sentence id; a language without the sentence has no text, so the pair is left out."""
    one, two = (KEYS[code] for code in config.languages)
    return {
        "test": (
            {
                "id": row["SNT.URLID.SNTID"],
                "sentence1": row["translation"][one],
                "sentence2": row["translation"][two],
            }
            for row in parquet(raw["test"], columns=["SNT.URLID.SNTID", "translation"])
        )
    }
