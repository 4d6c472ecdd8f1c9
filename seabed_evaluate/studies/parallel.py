"""Rows that say the same in several languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import DataError


def parallel_texts(sets: Sequence[tuple[Config, Mapping[str, Sequence[str]]]]) -> dict[str, list[str]]:
    """Sentences of several languages that say the same, from pairs that share one language.

    Args:
        sets: config and its columns sentence1 and sentence2; e.g. ntrex_tha and ntrex_vie, both from English.

    Returns:
        Language -> sentences, row i of every language being translations of each other.

    Raises:
        DataError: no sentence is in all of them, or the configs do not share a first language.
    """
    firsts = {config.languages[0] for config, _ in sets}
    if len(firsts) != 1:
        raise DataError(f"the configs do not share their first language: {', '.join(sorted(firsts))}")
    by_source: list[tuple[str, dict[str, str]]] = []
    for config, columns in sets:
        # A sentence that stands there twice counts once, with its first translation.
        pairs: dict[str, str] = {}
        for source, target in zip(columns["sentence1"], columns["sentence2"], strict=True):
            pairs.setdefault(source, target)
        by_source.append((config.languages[1], pairs))
    shared = [s for s in by_source[0][1] if all(s in pairs for _, pairs in by_source)]
    if not shared:
        raise DataError(f"no sentence is in all of {', '.join(c.name for c, _ in sets)}")
    return {firsts.pop(): shared} | {lang: [pairs[s] for s in shared] for lang, pairs in by_source}
