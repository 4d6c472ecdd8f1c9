"""MADLAD-400 for Tetum: Tetum web texts with an English side, in a file whose columns nobody has seen."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import RawFormatError
from seabed_datasets.loaders.shapes import side_by_side
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import parquet

ENGLISH = ("en", "eng", "eng_Latn", "english", "English", "source", "text_en", "translation")
TETUM = ("tet", "tdt", "tet_Latn", "tetun", "Tetun", "tetum", "Tetum", "target", "text_tet", "text")


def load(raw: Raw, config: Config) -> Splits:
    """One pair per row; the two columns are told by their names, and refused when that is not possible."""
    import pyarrow.parquet

    found = pyarrow.parquet.read_schema(raw["train"]).names
    english, tetum = (_only(found, names, side) for side, names in (("English", ENGLISH), ("Tetum", TETUM)))
    return {"test": side_by_side(parquet(raw["train"], columns=[english, tetum]), english, tetum)}


def _only(found: list[str], names: tuple[str, ...], side: str) -> str:
    usable = [name for name in found if name in names]
    if len(usable) != 1:
        raise RawFormatError(
            f"expected one {side} column, named like one of {list(names)}; the file has {found}"
        )
    return usable[0]
