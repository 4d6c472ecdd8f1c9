"""Which configs a change of cards and loaders concerns."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError

ROOT = Path(__file__).parents[1]


def changed_configs(since: str, root: Path = ROOT) -> list[str]:
    """The configs whose card or loader differs from an earlier commit.

    Args:
        since: a commit, branch or tag of this repository.
        root: the checkout.

    Returns:
        Their names. A change of code that loaders share is not among what is looked at.

    Raises:
        SeabedError: git cannot compare.
    """
    done = subprocess.run(
        ["git", "diff", "--name-only", "--end-of-options", since, "--", "cards", "seabed_datasets/loaders"],
        cwd=root,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise SeabedError(
            f"git cannot compare with {since!r}: {done.stderr.strip()}; is the history fetched?"
        )
    return configs_of(done.stdout.splitlines())


def configs_of(paths: Iterable[str]) -> list[str]:
    """The configs of the datasets that files belong to.

    Args:
        paths: of cards, loaders or anything else.

    Returns:
        Names of configs; none for files of no dataset, or of one that was removed.

    >>> configs_of(["cards/embassy.md", "README.md"])
    ['embassy_tha_lao']
    """
    keys = {PurePosixPath(path).stem for path in paths}
    return [name for ds in catalogue.datasets() if ds.key in keys for name in ds.seabed.configs]
