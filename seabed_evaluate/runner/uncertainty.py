"""Bootstrap intervals of a config from its per-item outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from seabed_evaluate.metrics.classification.scores import classification_scores
from seabed_evaluate.metrics.multilabel_classification.scores import multilabel_classification_scores
from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
from seabed_evaluate.metrics.shared.bootstrap import scores_with_intervals
from seabed_evaluate.metrics.sts.scores import sts_scores

RESAMPLES = 1000
SEED = 42
CONFIDENCE = 0.95

FloatArray = npt.NDArray[np.float64]

_SCORES: dict[str, Any] = {
    "classification": classification_scores,
    "multilabel_classification": multilabel_classification_scores,
    "pair_classification": pair_classification_scores,
    "sts": sts_scores,
}


@dataclass(frozen=True)
class Draws:
    """The score on the items themselves, and on every resample of them (NaN where undefined).

    The resampled scores are moved so that their mean is the score: repeated items by themselves shift some
    measures a little.
    """

    score: float
    resampled: FloatArray
    items: int


def draws(
    task: str,
    measure: str,
    outcomes: Mapping[str, npt.NDArray[Any]],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Draws:
    """Score resamples of a config's items.

    Args:
        task: name of the task.
        measure: name of the score.
        outcomes: of `seabed_evaluate.runner.outcomes`.
        resamples: how many.
        seed: which; two models scored on the same items are resampled alike.

    Returns:
        The score and its resampled values, shape (resamples,).

    Raises:
        ValueError: the score is undefined on these items, or cannot be had from them.
    """
    found = all_draws(task, measure, outcomes, resamples=resamples, seed=seed)
    if measure not in found:
        raise ValueError(f"{measure} cannot be resampled from the items; {', '.join(found)} can")
    return found[measure]


def all_draws(
    task: str,
    measure: str,
    outcomes: Mapping[str, npt.NDArray[Any]],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Draws]:
    """Score resamples of a config's items by every measure that the items allow.

    Args:
        task: name of the task.
        measure: what the items' values average to, where they are values.
        outcomes: see `draws`.
        resamples: see `draws`.
        seed: see `draws`.

    Returns:
        Name of the score -> its draws.

    Raises:
        ValueError: a score is undefined on these items.
    """
    if "values" in outcomes:
        values = np.asarray(outcomes["values"], dtype=np.float64)
        values = values[np.isfinite(values)]
        items = len(values)
        found = scores_with_intervals(
            lambda weights: {measure: weights @ values / items}, items, resamples, seed, draws=True
        )
    else:
        predictions, references = outcomes["predictions"], outcomes["references"]
        items = len(references)
        found = _SCORES[task](predictions, references, n_bootstrap=resamples, seed=seed, draws=True)
    return {
        name: Draws(float(found[name]), resampled - np.nanmean(resampled) + float(found[name]), items)
        for name, resampled in found["draws"].items()
    }


def interval(
    task: str, measure: str, outcomes: Mapping[str, npt.NDArray[Any]], *, resamples: int = RESAMPLES
) -> dict[str, Any] | None:
    """The percentile interval of a config's score.

    Args:
        task: name of the task.
        measure: name of the score.
        outcomes: of `seabed_evaluate.runner.outcomes`.
        resamples: how many.

    Returns:
        As `interval_of`; None where the resamples leave the score undefined.
    """
    try:
        return interval_of(task, draws(task, measure, outcomes, resamples=resamples))
    except ValueError:
        return None


def interval_of(task: str, found: Draws) -> dict[str, Any]:
    """The percentile interval of a score, for the result file.

    It says how far the score would move with another test set of this size from the same source.

    Args:
        task: name of the task.
        found: the score and its resampled values.

    Returns:
        low, high, se (standard deviation of the resampled scores), and how they were made.

    Source:
        Efron and Tibshirani (1993), chapters 6 and 13.
    """
    defined = found.resampled[np.isfinite(found.resampled)]
    low, high = np.quantile(defined, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    # Moving the resamples onto the score can push their ends past what the measure can be.
    least = -1.0 if task == "sts" else 0.0
    return {
        "low": max(float(low), least),
        "high": min(float(high), 1.0),
        "se": float(defined.std()),
        "confidence": CONFIDENCE,
        "resamples": len(found.resampled),
        "undefined": len(found.resampled) - len(defined),
        "seed": SEED,
        "items": found.items,
    }
