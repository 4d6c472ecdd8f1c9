"""PAWS in Filipino: paraphrase pairs whose two sentences share most of their words."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """Each record holds one pair under `prompts`; the label is taken by name, not by its letter."""
    records = json_rows(raw["pairs"], columns=["id", "prompts", "text_label"])
    return {
        "test": (
            {
                "id": record["id"],
                "sentence1": prompt["sentence1"],
                "sentence2": prompt["sentence2"],
                "label": record["text_label"],
            }
            for record in records
            for prompt in record["prompts"]
        )
    }
