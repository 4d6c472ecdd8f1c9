"""The loader scripts: raw files -> rows, one small pure function per dataset.

`load(raw, config)` returns split -> rows. A row has the columns of the task's schema, with label *names*;
`seabed_datasets.schemas.unify` checks it, normalises its texts and turns names into integers.
"""

from __future__ import annotations

from importlib import import_module
from typing import cast

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def run(config: Config, raw: Raw) -> Splits:
    """Run the loader of a config on its raw files.

    Args:
        config: which config.
        raw: its raw files by role.

    Returns:
        Split -> iterable of rows, not yet checked.

    Raises:
        SeabedError: the dataset has no loader.
    """
    module = f"seabed_datasets.loaders.{config.task}.{config.key}"
    try:
        loader = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise SeabedError(f"{config.name}: no loader at {module.replace('.', '/')}.py") from None
    return cast(Splits, loader.load(raw, config))
