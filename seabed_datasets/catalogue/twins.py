"""Datasets that hold the same rows as another one, so that a mean over both counts them twice."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml

from seabed_datasets.catalogue import cards
from seabed_datasets.catalogue.cards import Dataset

_FILE = Path(__file__).parent / "twins.yaml"


def twins(dataset: Dataset) -> list[str]:
    """Keys whose rows a dataset shares: by `twins.yaml`, or because both read the same file of one source.

    Args:
        dataset: the card.

    Returns:
        Keys, sorted.

    >>> twins(cards.dataset("tiktokhatespeech"))
    ['hatespeech_classification_fil']
    """
    found = {key for group in _groups() if dataset.key in group for key in group}
    mine = _files(dataset)
    found |= {d.key for d in cards.datasets() if _share(mine, _files(d))}
    return sorted(found - {dataset.key})


@lru_cache(maxsize=1)
def _groups() -> list[list[str]]:
    return [entry["keys"] for entry in yaml.safe_load(_FILE.read_text(encoding="utf-8"))]


def _files(dataset: Dataset) -> dict[tuple[str, str, str], str | None]:
    """(kind, id, path) of every raw file -> its sha256 where the card gives one."""
    return {
        (source.kind, source.id, path): source.sha256.get(path)
        for source in dataset.seabed.upstream
        for paths in source.files.values()
        for path in ([paths] if isinstance(paths, str) else paths)
    }


def _share(
    mine: dict[tuple[str, str, str], str | None], theirs: dict[tuple[str, str, str], str | None]
) -> bool:
    # Two checksums tell files of one name apart.
    return any(mine[f] == theirs[f] or None in (mine[f], theirs[f]) for f in mine.keys() & theirs.keys())
