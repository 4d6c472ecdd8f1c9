"""Checks shared by the nine metric modules: every refusal names the argument and the item."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Set
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
AnyArray = npt.NDArray[Any]

EXACT = 2**53  # float64 holds every whole number below here, and takes some above for their neighbours
TEXT = "; texts, such as names of labels, must be turned into numbers first"


def as_array(values: Any, name: str) -> AnyArray:
    """Read anything list-like or array-like, by position, wherever it lies.

    Args:
        values: list, tuple, numpy or masked array, tensor (of any device, bfloat16 or with a gradient), pandas
            or polars column or frame, sparse matrix.
        name: what to call the argument in an error.

    Returns:
        A numpy array; its dtype is object where the items do not fit one type.

    Raises:
        ValueError: it has no order or no length, a value is masked, or it holds times or complex numbers.
    """
    _check_ordered(values, name)
    if hasattr(values, "detach"):  # a tensor: numpy knows neither gradients nor devices nor bfloat16
        values = values.detach().cpu()
        values = values.to_dense() if values.is_sparse else values
        values = values.double() if values.is_floating_point() else values
    elif hasattr(values, "toarray"):
        values = values.toarray()
    elif not hasattr(values, "__array__") and not isinstance(values, list | tuple):
        values = list(values)
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = ", ".join(map(str, np.argwhere(np.ma.getmaskarray(values))[0]))
        raise ValueError(f"{name}[{place}] is masked: leave it out of predictions and references both")
    try:
        array = np.asarray(values)
    except Exception:  # of a ragged list, or of whatever library the items come from
        array = np.fromiter(values, dtype=object, count=len(values))
    if array.dtype.kind == "V" and array.dtype.names is None and array.dtype.type is not np.void:
        array = array.astype(np.float64)  # bfloat16 and float8 of the package ml_dtypes
    if array.dtype.kind in "mMc":
        raise ValueError(f"{name} holds {array.dtype}, not real numbers")
    return array


def _check_ordered(values: Any, name: str) -> None:
    ordered = hasattr(values, "shape") or (hasattr(values, "__len__") and hasattr(values, "__iter__"))
    if not ordered or isinstance(values, str | bytes | Mapping | Set):
        raise ValueError(f"{name} must be a list or an array, found {_shown(values)}")


def _shown(value: Any) -> str:
    return f"{type(value).__name__} {reprlib.repr(value)}"


def is_table(values: Any) -> bool:
    """Tell an array with rows and columns, of any library, from a list of rows.

    Args:
        values: anything.

    Returns:
        Whether it has a shape of two dimensions.

    >>> is_table([[0, 1]]), is_table(np.array([[0, 1]]))
    (False, True)
    """
    shape = getattr(values, "shape", None)
    return shape is not None and len(shape) == 2


def rows_of(values: Any, name: str) -> list[Any]:
    """List the items of an argument by position, so that no index of a pandas column can matter.

    Args:
        values: list-like or array-like, one item per entry or row.
        name: what to call the argument in an error.

    Returns:
        The items.

    Raises:
        ValueError: it has no order or no length.
    """
    if type(values) is list:
        return values
    if is_table(values) or hasattr(values, "detach"):
        values = as_array(values, name)
    _check_ordered(values, name)
    return list(values)


def _one_by_one(values: Any, name: str) -> FloatArray:
    """Look at every value by itself: slow, exact, and the message names the value."""
    result = np.empty(len(values))
    for index, given in enumerate(values):
        value = given
        if value is np.ma.masked or isinstance(value, np.timedelta64 | np.datetime64 | np.complexfloating):
            raise ValueError(f"{name}[{index}] is {given!r}, not a number")
        if getattr(value, "shape", None) == () and hasattr(value, "item"):  # a scalar of numpy or torch
            value = value.item()
        if not isinstance(value, int | float):
            hint = TEXT if isinstance(value, str) else ""
            raise ValueError(f"{name}[{index}] is {reprlib.repr(given)}, not a number{hint}")
        try:
            result[index] = value
        except OverflowError:
            raise ValueError(f"{name}[{index}] is too large to be a number here") from None
        if isinstance(value, int) and abs(value) > EXACT and int(result[index]) != value:
            raise ValueError(f"{name}[{index}] is {value}, too large to be exact")
    return result


def _flat(values: Any, name: str) -> AnyArray:
    """One flat array of finite numbers: bool, whole or float64, and none rounded to its neighbour."""
    array = as_array(values, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one flat list of numbers, found shape {array.shape}")
    if array.dtype.kind in "biu":
        return array
    result = array.astype(np.float64) if array.dtype.kind == "f" else _one_by_one(values, name)
    finite = np.isfinite(result)
    if not finite.all():
        index = int(np.argmin(finite))
        raise ValueError(f"{name}[{index}] is {result[index]}: NaN and infinity have no place in a score")
    if array.dtype.kind == "f" and not hasattr(values, "dtype") and (np.abs(result) >= EXACT).any():
        _one_by_one(values, name)  # a list of whole numbers and others: numpy has rounded the whole ones
    return result


def numbers(values: Any, name: str) -> FloatArray:
    """Turn one flat sequence into finite float64 values.

    Args:
        values: anything ``as_array`` reads, shape (n,).
        name: what to call the argument in an error, such as ``predictions[3]``.

    Returns:
        float64 array of shape (n,).

    Raises:
        ValueError: something is not a number, is NaN, infinite, masked or too large to be exact, or the shape
            is not flat.
    """
    array = _flat(values, name)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size:
        wrong = (array > EXACT) | (array < -EXACT) if array.dtype.kind == "i" else array > EXACT
        if wrong.any():
            index = int(np.argmax(wrong))
            raise ValueError(f"{name}[{index}] is {array[index]}, too large to be exact")
    return array.astype(np.float64)


def integers(values: Any, name: str, minimum: int | None = None) -> IntArray:
    """Turn one flat sequence into int64 values; 2.0 is taken as 2, and 1.7 is refused, never cut to 1.

    Args:
        values: anything ``as_array`` reads, shape (n,).
        name: what to call the argument in an error.
        minimum: the smallest value allowed, or None for no limit.

    Returns:
        int64 array of shape (n,).

    Raises:
        ValueError: a value is not a finite whole number, is a float of 2**53 or more in size (which may stand
            for its neighbour), or lies below ``minimum``.
    """
    array = _flat(values, name)
    if array.dtype.kind == "f":
        wrong = (array != np.floor(array)) | (np.abs(array) >= EXACT)
        problem = "too large to be exact"
    else:
        wrong = array > np.iinfo(np.int64).max if array.dtype == np.uint64 else np.zeros(1, dtype=bool)
        problem = "too large"
    if wrong.any():
        index = int(np.argmax(wrong))
        problem = problem if abs(array[index]) >= EXACT else "not a whole number"
        raise ValueError(f"{name}[{index}] is {array[index]}, {problem}")
    result = array.astype(np.int64)
    if minimum is not None and (result < minimum).any():
        index = int(np.argmax(result < minimum))
        raise ValueError(f"{name}[{index}] is {result[index]}, below {minimum}")
    return result


def nested(values: Any, name: str, check: Callable[[Any, str], AnyArray]) -> tuple[AnyArray, IntArray]:
    """Read one list of numbers per query, all in one pass.

    Args:
        values: n lists or arrays, or an array of two dimensions.
        name: what to call the argument in an error.
        check: ``numbers`` or ``integers``, called with flat values and a name.

    Returns:
        All numbers, one row behind the other, and the length of each row, shape (n,).

    Raises:
        ValueError: as ``check`` says, naming row and value.
    """
    rows = rows_of(values, name)
    types = set(map(type, rows))
    try:
        if types <= {list, tuple}:
            flat = check(list(chain.from_iterable(rows)), name)
        elif types == {np.ndarray}:
            flat = check(np.concatenate(rows), name)
        else:
            raise ValueError
    except (ValueError, TypeError):  # again row by row, so that the message names the row
        checked = [check(row, f"{name}[{index}]") for index, row in enumerate(rows)]
        return np.concatenate(checked), np.array([len(row) for row in checked])
    return flat, np.array(list(map(len, rows)), dtype=np.int64)


def same_length(predictions: Any, references: Any) -> int:
    """Return the common number of items.

    Args:
        predictions: n items.
        references: n items.

    Returns:
        n, at least 1.

    Raises:
        ValueError: the lengths differ, or there is nothing to score.
    """
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} predictions but {len(references)} references")
    if len(references) == 0:
        raise ValueError("predictions and references are empty: there is nothing to score")
    return len(references)


def whole(value: Any, name: str, minimum: int = 0, maximum: int | None = None) -> int:
    """Check an option that is a whole number; 2.0 is taken as 2.

    Args:
        value: the option.
        name: its name.
        minimum: the smallest value allowed.
        maximum: the largest value allowed, or None for no limit.

    Returns:
        The value.

    Raises:
        ValueError: it is something else, or out of range.
    """
    kinds = (int, float, np.integer, np.floating)
    limit = f"{minimum} or more" if maximum is None else f"from {minimum} to {maximum:,}"
    if (
        isinstance(value, bool)
        or not isinstance(value, kinds)
        or value != value // 1
        or value < minimum
        or (maximum is not None and value > maximum)
    ):
        raise ValueError(f"{name} must be a whole number, {limit}; found {_shown(value)}")
    return int(value)


def flag(value: Any, name: str) -> bool:
    """Check an option that is True or False.

    Args:
        value: the option.
        name: its name.

    Returns:
        The value.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False; found {_shown(value)}")
    return bool(value)
