"""The paper's tables as data, as printed, with their known misprints."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from seabed_datasets.errors import unknown
from seabed_evaluate.encoders.prompts import read_toml

_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Misprint:
    """A printed figure that the paper's own figures, or the model's files, contradict."""

    row: str
    column: str
    printed: float | str
    computed: float | str
    why: str

    def text(self, number: int) -> str:
        """One sentence.

        Args:
            number: of the table.

        Returns:
            The sentence.
        """

        def two(value: float | str) -> str:
            return value if isinstance(value, str) else f"{value:.2f}"

        return (
            f"Table {number} prints {self.column} {two(self.printed)} for {self.row}, not {two(self.computed)} "
            f"({self.why})."
        )


@dataclass(frozen=True)
class Copy:
    """Figures of a row that are another row's, though they cannot be its own: what they should be is not known."""

    row: str
    of: str
    columns: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class PaperTable:
    """One table: rows in printed order, model -> column -> figure (None where the paper prints none)."""

    number: int
    title: str
    columns: tuple[str, ...]
    rows: dict[str, dict[str, float | None]]
    parameters: dict[str, str]
    misprints: tuple[Misprint, ...]
    copies: tuple[Copy, ...]
    notes: tuple[str, ...]


@lru_cache(maxsize=16)
def paper_table(number: int) -> PaperTable:
    """A table of the paper (arXiv 2508.12243).

    Args:
        number: 3, 5, 6, 7, 8, 9 or 10.

    Returns:
        The table; scores are x100, as printed.

    Raises:
        UnknownName: this table is not among the data.

    >>> paper_table(5).rows["bge-m3"]["bitext_mining"]
    86.18
    """
    known = read_toml(_FOLDER / "tables.toml")
    if str(number) not in known:
        raise unknown("table of the paper", str(number), known)
    entry = known[str(number)]
    with (_FOLDER / entry["file"]).open(encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    columns = tuple(c for c in lines[0] if c not in ("model", "parameters"))
    return PaperTable(
        number=number,
        title=entry["title"],
        columns=columns,
        rows={r["model"]: {c: float(r[c]) if r[c] else None for c in columns} for r in lines},
        parameters={r["model"]: r["parameters"] for r in lines},
        misprints=tuple(Misprint(**m) for m in entry.get("misprints", [])),
        copies=tuple(Copy(**c | {"columns": tuple(c["columns"])}) for c in entry.get("copies", [])),
        notes=tuple(entry["note"]),
    )
