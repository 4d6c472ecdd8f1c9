"""Whether the first record of a table names its columns, judged by the records below it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Sequence
from itertools import pairwise

NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_STRONG, _FAIR, _WEAK = 3, 2, 1
_ENOUGH = 2
# A name is hardly longer than this.
_NAME_LENGTH = 40


def names_columns(first: Sequence[str], below: Sequence[Sequence[str]], known: Container[str]) -> bool | None:
    """Whether a record names the columns of those below it.

    Args:
        first: the first record.
        below: further records, as long.
        known: usual names of columns, as `bare` writes them.

    Returns:
        True or False; None where nothing tells, or signs contradict each other.

    >>> names_columns(["id", "score"], [["a", "1"], ["b", "2"]], {"id", "score"})
    True
    >>> names_columns(["Makan", "ya"], [["Minum", "ya"], ["Tidur", "bukan"]], set())
    False
    """
    name = data = familiar = 0
    for place, cell in enumerate(first):
        cell = cell.strip()
        values = [record[place].strip() for record in below if record[place].strip()]
        if not cell:
            # As pandas writes its index: no name above numbers that count.
            name += _STRONG * counts(values)
            continue
        if cell in values:
            data += _STRONG
            continue
        familiar += bare(cell) in known
        if not values:
            continue
        if all(NUMBER.fullmatch(v) for v in values):
            if NUMBER.fullmatch(cell):
                data += _STRONG
            else:
                name += _STRONG
            continue
        kinds = Counter(values)
        if len(values) >= 8 and len(kinds) * 4 <= len(values):
            name += _FAIR  # few labels that come again and again, and this is none of them
            continue
        lengths = sorted(map(len, values))
        usual = lengths[len(lengths) // 10] <= len(cell) <= lengths[-1 - len(lengths) // 10]
        if usual or len(cell) > _NAME_LENGTH:
            data += _WEAK
        elif len(values) >= 5 and len(cell) < lengths[0] and 3 * len(cell) <= lengths[len(lengths) // 2]:
            name += _WEAK
    name += _STRONG if familiar > 1 else familiar * _WEAK
    if abs(name - data) < _ENOUGH:
        return None
    return name > data


def counts(values: Sequence[object]) -> bool:
    """Whether values count rows: whole numbers, each one more than the one before.

    Args:
        values: of one column, blank ones left out.

    Returns:
        True or False.

    >>> counts(["0", "1", "2"]), counts([1, 2]), counts(["5", "3"]), counts([])
    (True, True, False, False)
    """
    numbers = []
    for value in values:
        if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,18}", str(value)):
            return False
        numbers.append(int(str(value)))
    return len(numbers) > 1 and all(b - a == 1 for a, b in pairwise(numbers))


def bare(name: str) -> str:
    """A column's name as names are compared: letters and digits only, in small letters.

    Args:
        name: as it stands in the file.

    Returns:
        The name for comparing.

    >>> bare(" Sentence_1 ")
    'sentence1'
    """
    return re.sub(r"[\W_]+", "", name.lower())
