"""Per-item outcomes of a config, kept beside its result file: what intervals and comparisons are made from.

`values`: one value per item whose mean is the score (NaN: the item does not count); or `predictions` and
`references` where the score is no mean. Arrays are as small as their values allow.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from seabed_datasets.errors import SeabedError

Outcomes = dict[str, npt.NDArray[Any]]


def compact(**arrays: Any) -> Outcomes:
    """Arrays in their smallest type: float32, or the narrowest whole-number type.

    Args:
        **arrays: anything numpy reads.

    Returns:
        The arrays.

    >>> [str(a.dtype) for a in compact(values=[0.5, 1.0], references=[0, 300]).values()]
    ['float32', 'uint16']
    """
    small: Outcomes = {}
    for name, given in arrays.items():
        array = np.asarray(given)
        if array.dtype.kind == "f":
            small[name] = array.astype(np.float32)
        else:
            low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
            small[name] = array.astype(np.result_type(np.min_scalar_type(low), np.min_scalar_type(high)))
    return small


def bitext_values(chosen: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """What each row of bitext mining adds to the weighted F1, so that F1 is a mean over rows.

    A wrong row also lowers the F1 of the right row whose target it took. Counting that loss against the wrong
    row makes the mean of the values the F1, and their spread its standard error; resampled rows would take
    each other's targets anew and give intervals that are off.

    Args:
        chosen: index of the target row chosen for each source row, shape (n,).

    Returns:
        Shape (n,): the derivative of the summed F1 by the weight of each row. With c other rows on its target,
        a right row adds 4 (1 + c) / (2 + c)^2, and a wrong row that took it adds -2 / (2 + c)^2.

    >>> values = bitext_values(np.array([0, 1, 2, 0]))
    >>> float(values.mean())  # row 3 took row 0's target: (2/3 + 1 + 1 + 0) / 4
    0.6666666666666666
    """
    rows = np.arange(len(chosen))
    right = chosen == rows
    others = np.bincount(chosen, minlength=len(chosen)) - right
    own = np.where(right, 4 * (1 + others) / (2 + others) ** 2, 0.0)
    taken = right[chosen] & ~right
    return own - np.where(taken, 2 / (2 + others[chosen]) ** 2, 0.0)


def clustering_values(clusters: npt.NDArray[Any], classes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """What each item adds to the V-measure, so that it is a mean over items.

    The jackknife: how the V-measure changes when an item is left out. Resampling items instead repeats them,
    and repeated items always share cluster and class, which gives intervals that are off and too narrow.

    Args:
        clusters: of each item, shape (n,), n at least 2.
        classes: of each item, shape (n,).

    Returns:
        Shape (n,): n V - (n - 1) V_without_i, moved so that the mean is V.

    Source:
        Efron and Tibshirani (1993), chapter 11.
    """
    n = len(classes)
    (_, by_class), (_, by_cluster) = (np.unique(a, return_inverse=True) for a in (classes, clusters))
    _, cell = np.unique(by_class * (by_cluster.max() + 1) + by_cluster, return_inverse=True)
    whole, without = [], []
    for group in (by_class, by_cluster, cell):
        counts = np.bincount(group).astype(np.float64)
        total = xlogy(counts, counts).sum()
        mine = counts[group]
        whole.append(np.log(n) - total / n)
        left = total - xlogy(mine, mine) + xlogy(mine - 1, mine - 1)
        without.append(np.log(n - 1) - left / (n - 1))
    v, v_without = _v_measure(*np.array(whole)[:, None])[0], _v_measure(*without)
    values: npt.NDArray[np.float64] = -(n - 1) * (v_without - v_without.mean()) + v
    return values


def _v_measure(h_class: Any, h_cluster: Any, h_joint: Any) -> Any:
    top, bottom = 2 * (h_class + h_cluster - h_joint), h_class + h_cluster
    return np.divide(top, bottom, out=np.ones_like(bottom), where=bottom > 1e-12)


def outcomes_path(result: Path) -> Path:
    """Where the outcomes of a result lie.

    Args:
        result: path of the result file.

    Returns:
        The path of the outcomes.
    """
    return result.with_suffix(".items.npz")


def write_outcomes(path: Path, outcomes: Mapping[str, npt.NDArray[Any]], settings_hash: str) -> None:
    """Write outcomes; a reader sees the old file or the new one.

    Args:
        path: where.
        outcomes: what.
        settings_hash: of the result they belong to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("wb") as stream:
        arrays: dict[str, Any] = {"settings_hash": np.array(settings_hash), **outcomes}
        np.savez_compressed(stream, **arrays)
    os.replace(temporary, path)


def read_outcomes(path: Path, settings_hash: str) -> Outcomes:
    """Read the outcomes of a result.

    Args:
        path: where.
        settings_hash: of the result.

    Returns:
        The arrays.

    Raises:
        SeabedError: the file is missing, damaged, or of another result.
    """
    try:
        with np.load(path, allow_pickle=False) as found:
            outcomes = {name: found[name] for name in found.files}
    except FileNotFoundError:
        raise SeabedError(
            f"{path} is missing, so items cannot be compared; delete the result file and run again"
        ) from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise SeabedError(
            f"{path} cannot be read ({error}); delete it and the result file, and run again"
        ) from None
    if str(outcomes.pop("settings_hash", "")) != settings_hash:
        raise SeabedError(
            f"{path} belongs to another result than {path.name.removesuffix('.items.npz')}.json"
        )
    return outcomes
