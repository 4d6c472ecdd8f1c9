"""Which configs a change of cards and loaders concerns."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError

ROOT = Path(__file__).parents[1]
NAME = re.compile(r"[a-z0-9_]+")


def changed_configs(since: str, root: Path = ROOT) -> list[str]:
    """The configs whose card or loader differs from an earlier commit.

    Args:
        since: a commit, branch or tag of this repository; zeros only, as GitHub gives for a new branch, stand
            for a state before all cards.
        root: the checkout.

    Returns:
        Their names. A change of code that loaders share is not among what is looked at.

    Raises:
        SeabedError: git cannot compare, or a name is none that a command line takes as it is.
    """
    if re.fullmatch(r"0{40}|0{64}", since):
        return _plain(name for ds in catalogue.datasets() for name in ds.seabed.configs)
    if not since.strip():
        raise SeabedError("--since is empty: give a commit, branch or tag")
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
    return _plain(configs_of(done.stdout.splitlines()))


def _plain(names: Iterable[str]) -> list[str]:
    """The names, which go on to a shell and to the environment of later steps: nothing but these letters."""
    found = list(names)
    if odd := [name for name in found if not NAME.fullmatch(name)]:
        raise SeabedError(f"no name for a config: {odd[0]!r}; only a-z, 0-9 and _ are")
    return found


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
