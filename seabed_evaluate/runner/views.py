"""One encoder's vectors at several dimensions and precisions: encoded and kept once, scored once for each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from seabed_datasets.errors import DataError, SeabedError, unknown
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.encoders.loading import Encoder
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.encoders.prompts import Prompts

PRECISIONS = ("float32", "int8", "binary")


@dataclass(frozen=True)
class View:
    """An encoder whose vectors are cut and quantised after they were made, or kept."""

    base: Encoder
    dimension: int | None = None
    precision: str = "float32"
    settings: dict[str, Any] = field(init=False)
    prompts: Prompts = field(init=False)

    def __post_init__(self) -> None:
        more: dict[str, Any] = {}
        if self.dimension is not None:
            more |= {"truncate_dim": self.dimension}
            more |= {"dimension": self.dimension} if "dimension" in self.base.settings else {}
        if self.precision != "float32":
            more |= {"precision": self.precision}
        object.__setattr__(self, "settings", self.base.settings | more)
        object.__setattr__(self, "prompts", self.base.prompts)

    def cut(self, vectors: Vectors) -> Vectors:
        """The first values of each vector.

        Args:
            vectors: shape (n, dimension of the model).

        Returns:
            Shape (n, dimension of the view); of an API at unit length again, as its own option `dimensions` gives
            them.

        Raises:
            DataError: the vectors are shorter.
        """
        if self.dimension is None:
            return vectors
        if self.dimension > vectors.shape[1]:
            raise DataError(f"--truncate-dim {self.dimension}: the vectors have {vectors.shape[1]} values")
        made = vectors[:, : self.dimension]
        if self.base.settings["encoder"] == "api":
            made = made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-12)
        return np.ascontiguousarray(made)

    def ranges(self, vectors: Vectors) -> Any:
        """What int8's 256 steps are spread over.

        Args:
            vectors: cut, of the first texts of a config (queries, first sentences, the train split).

        Returns:
            Least and greatest value by dimension, shape (2, dimension); None for other precisions.

        Raises:
            DataError: a single text has no range.
        """
        if self.precision != "int8":
            return None
        if len(np.unique(vectors, axis=0)) < 2:
            raise DataError(
                "--precision int8 spreads its steps over the first texts' vectors, and they are one"
            )
        return np.stack([vectors.min(axis=0), vectors.max(axis=0)])

    def quantised(self, vectors: Vectors, ranges: Any) -> Vectors:
        """Vectors as they come back from sentence-transformers' quantization.

        Args:
            vectors: cut, shape (n, dimension).
            ranges: see `ranges`; the same for all texts of a config.

        Returns:
            Shape (n, dimension): the values that int8 codes stand for; for binary 1 and -1, whose cosine orders
            texts as the Hamming distance does.
        """
        if self.precision == "float32":
            return vectors
        from sentence_transformers.util.quantization import quantize_embeddings

        made: Any
        if self.precision == "binary":
            bits = np.unpackbits(
                np.asarray(quantize_embeddings(vectors, "ubinary")), axis=1, count=vectors.shape[1]
            )
            made = np.where(bits, 1, -1)
        else:
            codes = np.asarray(quantize_embeddings(vectors, "uint8", ranges=ranges), np.float32)
            steps = (ranges[1] - ranges[0]) / 255
            made = ranges[0] + codes * np.where(steps == 0, 1, steps)
        return np.asarray(made, dtype=np.float32)


def views(encoder: Encoder, how: ModelOptions | None) -> list[View]:
    """The runs that an encoder's vectors are asked for.

    Args:
        encoder: the model.
        how: its options; None gives one view, the vectors as they are.

    Returns:
        Each dimension in each precision.

    Raises:
        SeabedError: a dimension is no whole number above 0.
        UnknownName: no such precision.
    """
    dimensions: list[int | None] = []
    for given in _several(how.truncate_dim if how else None):
        if not str(given).isdecimal() or int(given) < 1:
            raise SeabedError(f"--truncate-dim takes whole numbers above 0, e.g. 64,128, not {given!r}")
        dimensions.append(int(given))
    precisions = [str(p) for p in _several(how.precision if how else None)]
    for name in precisions:
        if name not in PRECISIONS:
            raise unknown("precision", name, PRECISIONS)
    dims = list(dict.fromkeys(dimensions)) or [None]
    return [View(encoder, d, p) for d in dims for p in dict.fromkeys(precisions or ["float32"])]


def _several(given: Any) -> list[Any]:
    """A call may say 64, "64,128" or (64, 128)."""
    if given is None:
        return []
    return str(given).split(",") if isinstance(given, (int, str)) else list(given)
