"""NewsPH-NLI: pairs of Filipino news sentences, made from the structure of the articles."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import nli_pairs
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet


def load(raw: Raw, config: Config) -> Splits:
    """Upstream's 0 is entailment and its 1 contradiction, the reverse of ours."""
    names = {"premise": "premise", "hypothesis": "hypothesis", "label": "label"}
    rows = (
        row | {"label": str(row["label"])}
        for path in raw.all("test")
        for row in parquet(path, columns=[*names])
    )
    return {"test": nli_pairs(rows, **names, entailment="0", contradiction="1", neutral=None)}
