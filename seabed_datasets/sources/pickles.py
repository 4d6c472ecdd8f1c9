"""Pickles without running what they name: plain values, and the tables of old pandas versions."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from typing import IO, Any

# What a damaged or foreign pickle can end in; MemoryError stands for a size it only claims.
FAULTS = (
    pickle.UnpicklingError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)


def plain(file: IO[bytes]) -> Any:
    """The value of a pickle that names no class and no function.

    Args:
        file: the open file.

    Returns:
        The value.

    Raises:
        Exception: one of FAULTS.
    """
    return _Unpickler(file, {}).load()


def frame(file: IO[bytes]) -> dict[Any, list[Any]]:
    """The columns of a pickled pandas 0.2x DataFrame.

    Args:
        file: the open file.

    Returns:
        Column -> values.

    Raises:
        Exception: one of FAULTS.
    """
    parts = _Unpickler(file, _FRAME_NAMES).load().state["_data"].state[3]["0.14.1"]
    names = _array(parts["axes"][0].args[1]["data"])[0]
    found: dict[Any, list[Any]] = {}
    for block in parts["blocks"]:
        places = range(*block["mgr_locs"].indices(len(names)))
        found.update(zip((names[i] for i in places), _array(block["values"]), strict=True))
    return found


class _Shell:
    """Stands for a class or function a pickle names: it keeps what it is given and runs nothing."""

    args: tuple[Any, ...] = ()
    state: Any = None

    def __init__(self, *args: Any) -> None:
        self.args = args

    def __setstate__(self, state: Any) -> None:
        self.state = state


# All that a pandas 0.2x DataFrame of numbers and texts names. `builtins.id` occurs as a column's NAME.
_FRAME_NAMES: dict[tuple[str, str], Any] = {
    ("pandas.core.frame", "DataFrame"): _Shell,
    ("pandas.core.internals.managers", "BlockManager"): _Shell,
    ("pandas.core.indexes.base", "_new_Index"): _Shell,
    ("pandas.core.indexes.base", "Index"): _Shell,
    ("pandas.core.indexes.range", "RangeIndex"): _Shell,
    ("numpy.core.multiarray", "_reconstruct"): _Shell,
    ("numpy", "ndarray"): _Shell,
    ("numpy", "dtype"): _Shell,
    ("builtins", "slice"): slice,
    ("builtins", "id"): "id",
}


class _Unpickler(pickle.Unpickler):
    """Loads nothing by name but the stand-ins it is given: a pickle cannot run code through it."""

    def __init__(self, file: IO[bytes], names: Mapping[tuple[str, str], Any]) -> None:
        super().__init__(file)
        self._names = names

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._names:
            raise pickle.UnpicklingError(f"it names {module}.{name}, which is not allowed here")
        return self._names[module, name]


def _array(shell: _Shell) -> list[list[Any]]:
    """The rows of a pickled numpy array of one or two dimensions; objects lie in it as a list."""
    import numpy

    _, shape, kind, fortran, data = shell.state
    flat = data if isinstance(data, list) else numpy.frombuffer(data, dtype=str(kind.args[0])).tolist()
    *_, width = shape
    height = len(flat) // width if width else 0
    if fortran:
        return [flat[i::height] for i in range(height)]
    return [flat[i * width : (i + 1) * width] for i in range(height)]
