"""How alike the languages of a parallel set are to a model (the paper, section 5.6 and Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np

from seabed_datasets.catalogue.vocabulary import LANGUAGES
from seabed_datasets.errors import DataError, SeabedError
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.studies.vectors import Session, embed, language_vectors, rows, same_set

BATCH = 128


@dataclass(frozen=True)
class Pair:
    """Two languages. `positive`: mean cosine of translations; `negative`: of all other pairs of a batch.

    `margin` is their difference, `sd` the negatives' in a batch, mean over batches, `z` = margin / sd, `auc` the share of
    (row, other row of the batch) whose negative lies below the row's positive, ties counting half. The last
    two do not depend on how narrow a model's cone is, so they compare models; cosines do not.
    """

    one: str
    two: str
    positive: float
    negative: float
    margin: float
    sd: float
    z: float
    auc: float
    batches: int


def pair_similarity(one: str, two: str, a: Vectors, b: Vectors, *, batch: int = BATCH) -> Pair:
    """Positive and negative cosines of two languages.

    Args:
        one: language of a.
        two: language of b.
        a: unit vectors of shape (n, dimension).
        b: unit vectors of their translations, row by row.
        batch: rows compared with each other; what is left over at the end is not used.

    Returns:
        The figures. Negatives are all off-diagonal entries of a batch's matrix, in both directions.

    Raises:
        DataError: fewer than two rows, or all negatives are one number.

    Source:
        the paper, section 5.6: "batch of 128", cosine.
    """
    if a.shape != b.shape or len(a) < 2:
        raise DataError(f"{one}-{two}: {a.shape} against {b.shape} vectors; two parallel rows are needed")
    size = min(batch, len(a))
    positives, negatives, below = [], [], []
    for start in range(0, len(a) - size + 1, size):
        part = slice(start, start + size)
        table = a[part].astype(np.float64) @ b[part].astype(np.float64).T
        others = ~np.eye(size, dtype=bool)
        right = np.diagonal(table)
        positives.append(right)
        negatives.append(table[others])
        column = right[:, None]
        below.append(((table < column) + 0.5 * (table == column))[others])
    positive, negative = float(np.concatenate(positives).mean()), np.concatenate(negatives)
    mean, sd = float(negative.mean()), float(np.mean([own.std() for own in negatives]))
    if sd == 0:
        raise DataError(f"{one}-{two}: all {len(negative):,} negatives have cosine {mean}; z is not defined")
    auc = float(np.concatenate(below).mean())
    return Pair(one, two, positive, mean, positive - mean, sd, (positive - mean) / sd, auc, len(positives))


def similarity(session: Session, *, batch: int = BATCH) -> list[Pair]:
    """All pairs of languages of one parallel set.

    Args:
        session: configs of one bitext set: a config per pair of languages (altdialect), or configs that share
            their first language (ntrex, flores, ...).
        batch: see `pair_similarity`.

    Returns:
        One entry per pair, in the order of the benchmark's languages. Each text is encoded once.

    Raises:
        SeabedError: the configs are of several sets.
    """
    sets = same_set(session.configs)
    if len(sets) > 1:
        raise SeabedError(
            f"one set at a time, not {', '.join(sets)}: name its configs with --configs, e.g. "
            + ",".join(c.name for c in next(iter(sets.values()))[:3])
        )
    (configs,) = sets.values()
    if len({c.languages[0] for c in configs}) == 1 and len(configs) > 1:
        vectors = language_vectors(session)
        pairs = combinations(_ordered(vectors), 2)
        return [pair_similarity(x, y, vectors[x], vectors[y], batch=batch) for x, y in pairs]
    found = []
    for config in configs:
        columns = rows(session, config)
        one, two = config.languages
        a, b = (embed(session, config, columns[f"sentence{i}"], what=config.name) for i in (1, 2))
        found.append(pair_similarity(one, two, a, b, batch=batch))
    return found


def _ordered(languages: Mapping[str, Vectors]) -> list[str]:
    """English first, then the benchmark's order."""
    order = ["eng", *LANGUAGES]
    return sorted(languages, key=lambda lang: order.index(lang) if lang in order else len(order))


def similarity_sheet(model: str, pairs: Sequence[Pair], batch: int) -> Sheet:
    """The table of the study.

    Args:
        model: its name.
        pairs: of `similarity`.
        batch: rows of a batch.

    Returns:
        One row per pair and their mean.
    """
    columns = ("positive", "negative", "margin", "z", "auc")
    table: list[Row] = [
        {"pair": f"{p.one}-{p.two}", **{c: asdict(p)[c] for c in columns}, "batches": p.batches}
        for p in pairs
    ]
    mean: Row = {c: float(np.mean([asdict(p)[c] for p in pairs])) for c in columns}
    return Sheet(
        f"Similarity of languages, {model}",
        [*table, {"pair": "mean", **mean, "batches": sum(p.batches for p in pairs)}],
        [
            f"Cosine of translations (positive) and of all other pairs within {batch} rows (negative).",
            "Cosines are not comparable between models: compare z (margin in SDs of the negatives) and AUC.",
        ],
        digits=4,
    )
