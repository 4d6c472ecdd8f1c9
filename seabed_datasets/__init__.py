"""What the data of SEA-BED is and how it is made: catalogue, loaders, bundle.

Importing this package is cheap: cards are read and heavy libraries loaded when a name is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seabed_datasets.bundle.build import build
    from seabed_datasets.bundle.reading import load
    from seabed_datasets.catalogue import config, configs, dataset, datasets

__all__ = ["build", "config", "configs", "dataset", "datasets", "load"]

_HOME = {
    "build": "bundle.build",
    "config": "catalogue",
    "configs": "catalogue",
    "dataset": "catalogue",
    "datasets": "catalogue",
    "load": "bundle.reading",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"seabed_datasets.{_HOME[name]}"), name)
    raise AttributeError(f"module 'seabed_datasets' has no attribute {name!r}")
