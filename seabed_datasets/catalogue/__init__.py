"""The cards as records: what datasets and configs there are, and everything known of them.

The records are made when one of these names is first used: the vocabularies alone, and a command's help, need none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


def __getattr__(name: str) -> Any:
    if name in __all__:
        from seabed_datasets.catalogue import cards

        return getattr(cards, name)
    raise AttributeError(f"module 'seabed_datasets.catalogue' has no attribute {name!r}")
