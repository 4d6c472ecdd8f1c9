"""News (Indonesian), clustering: articles of a news site with their section."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import RawFormatError
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import pickled_value


def load(raw: Raw, config: Config) -> Splits:
    """The test file is a pickle of two lists, texts and labels; it is read without running anything."""
    try:
        texts, labels = pickled_value(raw["test"])
        rows = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    except (TypeError, ValueError) as error:
        raise RawFormatError(f"{raw['test'].name}: not two lists of the same length: {error}") from None
    return {"test": rows}
