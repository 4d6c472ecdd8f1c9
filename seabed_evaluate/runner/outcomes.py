"""Per-item outcomes of a config, kept beside its result file: what intervals and comparisons are made from.

`values`: one value per item whose mean is the score (NaN: the item does not count); or `predictions` and
`references` where the score is no mean. `resampled`: the main score of every bootstrap resample, kept so that many
models can be told apart without scoring all resamples again. Arrays are as small as their values allow.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy
from scipy.special import xlogy

from seabed_datasets.errors import SeabedError
from seabed_datasets.files import replacing

Outcomes = dict[str, npt.NDArray[Any]]
RESAMPLED = "resampled"


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

    Raises:
        SeabedError: the place cannot be written.
    """
    with replacing(path) as temporary, temporary.open("wb") as stream:
        arrays: dict[str, Any] = {"settings_hash": np.array(settings_hash), **outcomes}
        np.savez_compressed(stream, **arrays)


def read_outcomes(path: Path, settings_hash: str) -> Outcomes:
    """Read the outcomes of a result.

    Args:
        path: where.
        settings_hash: of the result.

    Returns:
        `values`, shape (items,), or `predictions` and `references`, shape (items,) or (items, labels); beside them
        perhaps `resampled`, shape (resamples,).

    Raises:
        SeabedError: the file is missing, damaged, too large, lacks an array, or is of another result.
    """
    if not path.is_file():
        raise SeabedError(
            f"{path} is missing, so items cannot be compared; delete the result file and run again"
        )
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise SeabedError(f"it has more than {_MAX_BYTES:,} bytes")
        with zipfile.ZipFile(path) as archive:
            outcomes = {name: _array(archive, name) for name in _names(archive)}
    except (SeabedError, OSError, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise _damaged(path, error) from None
    except (zipfile.BadZipFile, zlib.error, OverflowError, MemoryError, SyntaxError) as error:
        raise _damaged(path, error) from None
    if str(outcomes.pop("settings_hash", "")) != settings_hash:
        raise SeabedError(
            f"{path} belongs to another result than {path.name.removesuffix('.items.npz')}.json"
        )
    sizes = {name: len(array) for name, array in outcomes.items() if name != RESAMPLED}
    if set(sizes) not in ({"values"}, {"predictions", "references"}) or len(set(sizes.values())) > 1:
        raise _damaged(path, SeabedError(f"it holds {sizes or 'nothing'}"))
    return outcomes


def check_outcomes(path: Path, outcomes: Outcomes, result: Mapping[str, Any]) -> Outcomes:
    """Refuse outcomes that have another number of items than their result.

    Args:
        path: where they lie, for the error.
        outcomes: of `read_outcomes`.
        result: a valid result.

    Returns:
        The outcomes.

    Raises:
        SeabedError: their number is not the one the result gives, or no item counts.
    """
    items = outcomes["values" if "values" in outcomes else "references"]
    counted = len(items) if "values" not in outcomes else int(np.isfinite(items).sum())
    rows = (result["data"].get("rows") or {}).get("test", len(items))
    said = (result.get("interval") or {}).get("items")
    if len(items) != rows or counted != (counted if said is None else said) or not counted:
        raise SeabedError(
            f"{path} holds {len(items)} items of which {counted} count, its result says "
            f"{rows if said is None else f'{rows} and {said}'}; delete both files and run again"
        )
    return outcomes


_ARRAYS = {
    "settings_hash": ("U", 1),
    "values": ("f", 1),
    "predictions": ("biuf", 2),
    "references": ("biuf", 2),
    RESAMPLED: ("f", 1),
}
# The largest config has some 100,000 items; the rest is head room.
_MAX_BYTES = 1 << 28


def _names(archive: zipfile.ZipFile) -> list[str]:
    members = archive.namelist()
    if len(set(members)) < len(members) or set(members) - {f"{name}.npy" for name in _ARRAYS}:
        raise SeabedError(f"it holds {', '.join(ascii(m[:40]) for m in members[:5])}")
    return [member.removesuffix(".npy") for member in members]


def _array(archive: zipfile.ZipFile, name: str) -> npt.NDArray[Any]:
    """One array; its header is checked against the size of the file before any memory is taken."""
    member = archive.getinfo(f"{name}.npy")
    kinds, dimensions = _ARRAYS[name]
    with archive.open(member) as stream:
        version = npy.read_magic(stream)
        if version not in ((1, 0), (2, 0)):
            raise SeabedError(f"{name} is of an unknown version of the format")
        header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = header(stream)
    if dtype.kind not in kinds or dtype.itemsize > 256 or len(shape) > dimensions:
        raise SeabedError(f"{name} is an array of {dtype} in {len(shape)} dimensions")
    # Not numpy: its products wrap around.
    size = math.prod(shape) * dtype.itemsize
    if size > min(member.file_size, _MAX_BYTES):
        raise SeabedError(f"{name} has shape {shape}, more than its file can hold")
    with archive.open(member) as stream:
        array: npt.NDArray[Any] = npy.read_array(stream, allow_pickle=False)
    if name != "settings_hash" and (not array.ndim or not len(array)):
        raise SeabedError(f"{name} is empty")
    if name not in ("values", RESAMPLED) and array.dtype.kind == "f" and not np.isfinite(array).all():
        raise SeabedError(f"{name} holds NaN or infinity")
    if name in ("values", RESAMPLED) and np.isinf(array).any():
        raise SeabedError(f"{name} holds infinity")
    return array


def _damaged(path: Path, error: Exception) -> SeabedError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return SeabedError(f"{path} cannot be read ({reason}); delete it and the result file, and run again")
