"""News (Khmer), clustering: the test part of GKLMIP News with one topic per article."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.multilabel_classification.gklmipnews import articles
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """The first topic whose column is 1; articles without a topic are left out."""
    rows = articles(raw, config, "test")
    return {"test": ({"text": row["text"], "label": row["labels"][0]} for row in rows if row["labels"])}
