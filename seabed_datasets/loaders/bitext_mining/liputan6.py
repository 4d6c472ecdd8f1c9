"""Liputan6: Indonesian news articles and the summaries their editors wrote, one file per article."""

from __future__ import annotations

from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import RawFormatError
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_value


def load(raw: Raw, config: Config) -> Splits:
    """The canonical test part, in the order of the article numbers."""
    return {"test": (_pair(path) for path in sorted(raw.all("articles"), key=lambda p: int(p.stem)))}


def _pair(path: Path) -> Row:
    article = json_value(path)
    try:
        one, two = (
            " ".join(token for sentence in article[part] for token in sentence)
            for part in ("clean_article", "clean_summary")
        )
    except (KeyError, TypeError) as error:
        raise RawFormatError(
            f"{path.name}: expected clean_article and clean_summary, lists of token lists: {error!r}"
        ) from None
    return {"id": path.stem, "sentence1": one, "sentence2": two}
