"""STS Benchmark, machine-translated: two public copies, and the authors' own for the rest."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.sts import sts17
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Three formats; in the Indonesian one `score` is the pair's number and `correlation` the similarity."""
    if config.lang == "tha":
        columns = ["sentence1", "sentence2", "score"]
        return {"test": table(raw["thai"], columns=columns, header=False)}
    if config.lang == "ind":
        rows = table(raw["indonesian"], columns=["correlation", "text_1", "text_2"])
        return {
            "test": (
                {"sentence1": row["text_1"], "sentence2": row["text_2"], "score": row["correlation"]}
                for row in rows
            )
        }
    return sts17.load(raw, config)
