"""The cards as records: what datasets and configs there are, and everything known of them."""

from __future__ import annotations

from seabed_datasets.catalogue.cards import (
    SAMPLE_DIR,
    Config,
    Dataset,
    Exemption,
    Release,
    Source,
    cards_dir,
    check_names,
    config,
    configs,
    dataset,
    datasets,
    paper_datasets,
    read_card,
)

__all__ = [
    "SAMPLE_DIR",
    "Config",
    "Dataset",
    "Exemption",
    "Release",
    "Source",
    "cards_dir",
    "check_names",
    "config",
    "configs",
    "dataset",
    "datasets",
    "paper_datasets",
    "read_card",
]
