"""Search in one corpus of all languages: does a query prefer its own language over the right passage?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from seabed_datasets.errors import DataError
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.runner.similarity import top_k


@dataclass(frozen=True)
class Mixed:
    """Queries of one language. Shares of queries, 0 to 1; right: a translation of the query, in any language.

    `alone`: the best hit is right when the corpus holds the other languages only; `mixed`: when it holds the
    queries' own language too (the query's own sentence left out); `own_language`: the best hit of the mixed
    corpus is a sentence of the query's language, which is always wrong; `preferred`: of the queries that are
    right alone, those lost to their own language.
    """

    language: str
    queries: int
    alone: float
    mixed: float
    own_language: float
    preferred: float | None


def mixed_search(vectors: Mapping[str, Vectors]) -> list[Mixed]:
    """Search every language's sentences in a corpus of all languages.

    Args:
        vectors: language -> unit vectors of shape (n, dimension), row i of all being translations.

    Returns:
        One entry per language.

    Raises:
        DataError: fewer than two languages or rows, or unequal numbers of rows.
    """
    sizes = {len(own) for own in vectors.values()}
    if len(vectors) < 2 or len(sizes) != 1 or min(sizes) < 2:
        raise DataError(
            f"two languages with the same rows are needed: { {k: len(v) for k, v in vectors.items()} }"
        )
    (n,) = sizes
    found = []
    for language, queries in vectors.items():
        others = [own for lang, own in vectors.items() if lang != language]
        corpus = np.concatenate(others)
        nearest, best = top_k(queries, corpus, 1)
        alone = nearest[:, 0] % n == np.arange(n)
        # The own sentence has cosine 1 with itself and is left out: it is among the two best.
        near, near_scores = top_k(queries, queries, 2)
        own = np.where(near[:, 0] == np.arange(n), near_scores[:, 1], near_scores[:, 0])
        lost = own > best[:, 0]
        mixed = alone & ~lost
        found.append(
            Mixed(
                language,
                n,
                float(alone.mean()),
                float(mixed.mean()),
                float(lost.mean()),
                float(lost[alone].mean()) if alone.any() else None,
            )
        )
    return found


def mixed_sheet(model: str, found: Sequence[Mixed]) -> Sheet:
    """The table of the study.

    Args:
        model: its name.
        found: of `mixed_search`.

    Returns:
        One row per language of the queries.
    """
    rows: list[Row] = [
        {
            "queries in": m.language,
            "right, other languages only": m.alone * 100,
            "right, all languages": m.mixed * 100,
            "own language first": m.own_language * 100,
            "lost to own language": None if m.preferred is None else m.preferred * 100,
        }
        for m in found
    ]
    return Sheet(
        f"One corpus of {len(found)} languages, {model}",
        rows,
        [
            f"Percent of {found[0].queries:,} queries; right: the best hit is a translation of the query.",
            "Lost: right among the other languages, but an unrelated sentence of the query's language is nearer.",
        ],
    )
