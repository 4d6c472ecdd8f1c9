"""Which column of a raw file is which: by its name, else by what it holds; and what does not fit is named."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seabed_datasets.contribute.column_names import NAMES
from seabed_datasets.contribute.headers import NUMBER, bare, counts
from seabed_datasets.contribute.sniffing import Sniffed
from seabed_datasets.errors import unknown
from seabed_datasets.loaders.shapes import WRITTEN_LIST
from seabed_datasets.terminal import plain

MANY_LABELS = 200
LABEL_LENGTH = 60
SEPARATORS = ("|", ";", ",")

_COUNTERS = ("", "id", "idx", "index", "no", "number", "unnamed0")


@dataclass(frozen=True)
class Kind:
    """What the values of a column must be.

    `what`: in words; `one`: whether a value is it; `together`: why values that are, are not it all together.
    """

    what: str
    one: Callable[[Any], bool]
    together: Callable[[list[Any]], str] = lambda values: ""


def _number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return False
    if isinstance(value, str) and not NUMBER.fullmatch(value):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _no_numbers(values: list[Any]) -> str:
    return "they are all numbers" if values and all(_number(v) for v in values) else ""


def _few(values: list[Any]) -> str:
    kinds, most = len({str(v) for v in values}), min(MANY_LABELS, max(2, len(values) // 2))
    return f"{kinds:,} different values in {len(values):,} rows are no labels" if kinds > most else ""


def is_written_list(value: Any) -> bool:
    """Whether a value is a list of texts as Python or JSON writes it, kept as text.

    Args:
        value: of a column.

    Returns:
        True or False.

    >>> is_written_list("['a', \\"it's\\"]"), is_written_list("[]"), is_written_list("['a' 'b']")
    (True, True, False)
    """
    return isinstance(value, str) and WRITTEN_LIST.fullmatch(value.strip()) is not None


TEXT = Kind("a text", lambda v: isinstance(v, str) and bool(v.strip()), _no_numbers)
NUMBERS = Kind("a number", _number)
LABEL = Kind(
    "a label",
    lambda v: isinstance(v, (str, int, float)) and _short(v),
    _few,
)
LIST = Kind("a list of texts", lambda v: isinstance(v, list) and all(isinstance(x, str) for x in v))
LABEL_LIST = Kind(
    "a list of labels",
    lambda v: isinstance(v, list) and all(isinstance(x, (str, int)) and _short(x) for x in v),
)
WRITTEN = Kind("a list in Python's or JSON's writing", is_written_list)
FLAG = Kind("yes or no as 0 and 1", lambda v: flag(v) is not None)


def _short(value: Any) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return bool(str(value).strip()) and len(str(value)) <= LABEL_LENGTH


def flag(value: Any) -> bool | None:
    """What a value of a yes/no column says.

    Args:
        value: a number, a truth value, or one of them as text.

    Returns:
        True or False; None where it is neither.
    """
    if not isinstance(value, (str, int, float)):
        return None
    return {"1": True, "1.0": True, "true": True, "0": False, "0.0": False, "false": False}.get(
        str(value).strip().lower()
    )


def separator(values: list[Any]) -> str | None:
    """What separates the labels inside values like "price|service".

    Args:
        values: of one column.

    Returns:
        The separator, or None: its parts must be few and short, as labels are, not clauses of a sentence.

    >>> separator(["a|b", "b", "a", "", "b|a"])
    '|'
    >>> separator(["first, this", "then, that"])
    >>> separator(["['a', 'b']", "['a']"])
    """
    texts = [v for v in values if isinstance(v, str)]
    if not texts or any(re.fullmatch(r"\s*([\[({]).*[\])}]\s*", v, re.DOTALL) for v in texts):
        return None
    for mark in SEPARATORS:
        parts = label_parts(texts, mark)
        few = 0 < len(parts) <= min(MANY_LABELS, max(2, len(texts) // 2))
        if few and any(mark in v for v in texts) and all(len(part) <= LABEL_LENGTH for part in parts):
            return mark
    return None


def label_parts(values: list[str], mark: str) -> list[str]:
    """The labels inside values.

    Args:
        values: of one column.
        mark: what separates them.

    Returns:
        Each once, sorted.
    """
    return sorted({part.strip() for v in values for part in v.split(mark) if part.strip()})


def list_items(value: Any) -> list[Any]:
    """The items of a list, or of a list that is kept as text.

    Args:
        value: either.

    Returns:
        Its items; [] where it is neither.
    """
    if is_written_list(value):
        items: list[Any] = ast.literal_eval(value.strip())
        return items
    return value if isinstance(value, list) else []


@dataclass
class Roles:
    """Gives the columns of a file their roles. `chosen`: role -> column, as told; `notes`: what is to be said."""

    file: Sniffed
    chosen: Mapping[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def find(self, role: str, kind: Kind, taken: Iterable[str | None] = ()) -> str | None:
        """The column of a role: the one told, else by its name, else the only one that holds such values.

        A column of the right name is never passed over for another one: where few of its values do not fit it
        is taken and they are named; where most do not, no column is.

        Args:
            role: a key of `NAMES`.
            kind: what its values must be.
            taken: columns that have a role already.

        Returns:
            The column, or None where nobody can tell.
        """
        named = self.named(role, taken)
        if named is not None:
            return self.fitting(role, named, kind)
        close = [c for c in self.free(taken) if self.share(c, kind) > 0.5]
        if len(close) == 1:
            return self.fitting(role, close[0], kind)
        if close:
            self.say(role, f"{_listed(close)} could each be it")
        else:
            self.say(role, f"no column holds {kind.what} in every row")
        return None

    def named(self, role: str, taken: Iterable[str | None] = ()) -> str | None:
        """The column that was told for a role, or has one of its usual names.

        Args:
            role: a key of `NAMES`.
            taken: columns that have a role already.

        Returns:
            The column, or None.
        """
        if role in self.chosen:
            return self.chosen[role]
        free: dict[str, str] = {}
        for column in self.free(taken, counters=True):
            free.setdefault(bare(column), column)
        return next((free[name] for name in NAMES[role] if name in free), None)

    def fitting(self, role: str, column: str, kind: Kind) -> str | None:
        """A column whose values are looked at, and those that do not fit are named.

        Args:
            role: what it is to be.
            column: its name.
            kind: what its values must be.

        Returns:
            The column; None where most values do not fit, unless it was told.
        """
        told = self.chosen.get(role) == column
        values = self.file.values(column)
        wrong = [i for i, v in enumerate(values) if not kind.one(v)]
        why = kind.together([v for v in values if kind.one(v)]) if 2 * len(wrong) < len(values) else ""
        if not wrong and not why:
            return column
        if why:
            found = f"column {_shown(column)}: {why}"
        else:
            row, value = wrong[0] * self.file.step + 1, values[wrong[0]]
            found = (
                f"column {_shown(column)}: {len(wrong):,} of {len(values):,} values are not {kind.what}, "
                f"the first in row {row:,}: {_shown(value)}"
            )
        if told or (not why and 2 * len(wrong) < len(values)):
            self.notes.append(f"{role}: {found}")
            return column
        self.say(role, found)
        return None

    def free(self, taken: Iterable[str | None] = (), *, counters: bool = False) -> list[str]:
        """Columns that have a name and no role.

        Args:
            taken: those with a role.
            counters: whether those that only count rows are among them.

        Returns:
            Their names, in order.
        """
        used = {*taken, *self.chosen.values()}
        return [
            c
            for c in self.file.columns
            if c.strip() and c not in used and (counters or not self._counts_rows(c))
        ]

    def longest(self, taken: Iterable[str | None] = ()) -> list[str]:
        """Columns of texts, the longest first.

        Args:
            taken: columns that have a role already.

        Returns:
            Their names.
        """
        sizes = {
            c: sum(len(v) for v in self.file.values(c) if isinstance(v, str))
            for c in self.free(taken)
            if self.share(c, TEXT) > 0.5
        }
        return sorted(sizes, key=lambda c: -sizes[c])

    def text(self, role: str, taken: Iterable[str | None] = (), place: int = 0) -> str | None:
        """The column of a text: as `find`, else of all texts the longest.

        Args:
            role: a key of `NAMES`.
            taken: columns that have a role already.
            place: 1 takes the second longest where there are two.

        Returns:
            The column, or None.
        """
        named = self.named(role, taken)
        if named is not None:
            return self.fitting(role, named, TEXT)
        texts = self.longest(taken)
        if len(texts) <= place:
            self.say(role, "no column holds a text in every row")
            return None
        return self.fitting(role, texts[place], TEXT)

    def say(self, role: str, found: str) -> None:
        """Note why a role has no column, and how to give it one.

        Args:
            role: which.
            found: why not.
        """
        self.notes.append(f"{role}: {found}; --column {role}=NAME says which it is")

    def share(self, column: str, kind: Kind) -> float:
        """How much of a column fits.

        Args:
            column: its name.
            kind: what its values must be.

        Returns:
            From 0 to 1; 0 where its values are not of that kind all together.
        """
        values = self.file.values(column)
        fits = [v for v in values if kind.one(v)]
        return 0.0 if not values or kind.together(fits) else len(fits) / len(values)

    def _counts_rows(self, column: str) -> bool:
        values = [v for v in self.file.values(column) if v is not None and str(v).strip()]
        return bare(column) in _COUNTERS or (self.file.step == 1 and len(values) > 2 and counts(values))


def chosen_columns(given: Iterable[str], roles: Iterable[str], columns: Iterable[str]) -> dict[str, str]:
    """What --column says.

    Args:
        given: texts like "text=kalimat".
        roles: those of the task.
        columns: those of the file.

    Returns:
        Role -> column.

    Raises:
        UnknownName: a role or a column does not exist.
    """
    known, found = list(columns), {}
    exact = {c.strip(): c for c in known}
    for text in given:
        role, _, column = text.partition("=")
        if role.strip() not in roles:
            raise unknown("role in --column", role.strip(), roles, "Write --column ROLE=NAME.")
        if column not in known and column.strip() not in exact:
            raise unknown("column", column, known)
        found[role.strip()] = column if column in known else exact[column.strip()]
    return found


def _shown(value: Any) -> str:
    text = plain(str(value))
    short = text if len(text) <= 40 else f"{text[:40]}…"
    return f"'{short}'" if isinstance(value, str) else short


def _listed(names: list[str]) -> str:
    return ", ".join(_shown(n) for n in names[:5])
