"""Checks shared by the nine metric modules: every refusal names the argument and the item."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

EXACT = 2**53  # float64 holds every whole number up to here


def numbers(values: Any, name: str) -> FloatArray:
    """Turn one flat sequence into finite float64 values.

    Args:
        values: list, tuple or array of numbers, shape (n,).
        name: what to call the argument in an error, such as ``predictions[3]``.

    Returns:
        float64 array of shape (n,).

    Raises:
        ValueError: something is not a number, is NaN or infinite, or the shape is not flat.
    """
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} must be one flat list of numbers: {error}") from None
    if array.ndim != 1:
        raise ValueError(f"{name} must be one flat list of numbers, found shape {array.shape}")
    if array.size and array.dtype.kind not in "biuf":
        for index, value in enumerate(values):
            if not isinstance(value, int | float | np.number | np.bool_):
                raise ValueError(f"{name}[{index}] is {value!r}, not a number")
    result = array.astype(np.float64)
    finite = np.isfinite(result)
    if not finite.all():
        index = int(np.argmin(finite))
        raise ValueError(f"{name}[{index}] is {result[index]}: NaN and infinity have no place in a score")
    return result


def integers(values: Any, name: str, minimum: int | None = None) -> IntArray:
    """Turn one flat sequence into int64 values; 2.0 is taken as 2, and 1.7 is refused, never cut to 1.

    Args:
        values: list, tuple or array of whole numbers, shape (n,).
        name: what to call the argument in an error.
        minimum: the smallest value allowed, or None for no limit.

    Returns:
        int64 array of shape (n,).

    Raises:
        ValueError: a value is not a finite whole number, exceeds 2**53 in size, or lies below ``minimum``.
    """
    array = numbers(values, name)
    wrong = (array != np.floor(array)) | (np.abs(array) > EXACT)
    if wrong.any():
        index = int(np.argmax(wrong))
        problem = "too large to be exact" if abs(array[index]) > EXACT else "not a whole number"
        raise ValueError(f"{name}[{index}] is {array[index]}, {problem}")
    result = array.astype(np.int64)
    if minimum is not None and (result < minimum).any():
        index = int(np.argmax(result < minimum))
        raise ValueError(f"{name}[{index}] is {result[index]}, below {minimum}")
    return result


def same_length(predictions: Sized, references: Sized) -> int:
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
