"""A deterministic encoder for tests: a text's vector is the counts of its hashed character trigrams."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

DIMENSION = 64
calls: list[list[str]] = []


def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Vectors of shape (n, DIMENSION); every call is noted in `calls`."""
    calls.append(list(texts))
    out = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for row, text in enumerate(texts):
        for start in range(max(1, len(text) - 2)):
            out[row, zlib.crc32(text[start : start + 3].encode()) % DIMENSION] += 1
    return out


def broken(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """One vector is not a number."""
    out = encode(texts)
    out[-1, 0] = np.nan
    return out


def short(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """One vector too few."""
    return encode(texts)[:-1]


def dense(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Counts mixed at random, so that different texts hardly ever have equal cosines: no score rests on ties."""
    mixing = np.random.default_rng(0).normal(size=(DIMENSION, DIMENSION)).astype(np.float32)
    return encode(texts) @ mixing
