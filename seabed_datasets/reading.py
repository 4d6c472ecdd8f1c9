"""Reading a bundle back: `load(config)`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError

if TYPE_CHECKING:
    from datasets import DatasetDict

HUB_BUNDLE = "seabed/SEA-BED"


def load(config: str, data: str | Path = HUB_BUNDLE, *, revision: str | None = None) -> DatasetDict:
    """Load one config from the Hub or from a bundle folder.

    Args:
        config: its name; a wrong one is answered with the closest, without asking the Hub.
        data: a bundle folder or a Hub repository.
        revision: a commit, branch or tag of the repository.

    Returns:
        A DatasetDict with the splits of the config's task.

    Raises:
        UnknownName: no such config.
        SeabedError: the folder does not hold it.
    """
    from datasets import load_dataset

    from seabed_datasets.bundle import read_manifest

    catalogue.config(config)
    if Path(data).is_dir() and config not in read_manifest(data):
        raise SeabedError(f"{data} holds no {config}; `seabed build {config} --out {data}` adds it")
    return load_dataset(str(data), config, revision=revision)
