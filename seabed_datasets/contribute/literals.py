"""Source text of a loader: what a raw file calls its columns and labels enters it as literals, and as nothing else."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from seabed_datasets.errors import SeabedError

Quote = Callable[[Any], str]


def literal(value: Any) -> str:
    """A value as Python source text, in the quotes that the formatter leaves as they are.

    Args:
        value: a text, a number, a truth value or None.

    Returns:
        The literal; characters that would not be seen are escaped.

    Raises:
        TypeError: the value is of another type.

    >>> print(literal("it's"), literal('say "a"'), literal("a\\\\u202eb"), literal(1.0))
    "it's" 'say "a"' "a\\\\u202eb" 1.0
    """
    if not isinstance(value, str):
        if value is not None and type(value) not in (bool, int, float):
            raise TypeError(f"no literal of {type(value).__name__}")
        return repr(value)
    mark = "'" if value.count('"') > value.count("'") else '"'
    escaped = {"\\": "\\\\", mark: "\\" + mark}
    return mark + "".join(escaped.get(c) or (c if c.isprintable() else repr(c)[1:-1]) for c in value) + mark


def verified(write: Callable[[Quote], str], path: Path) -> str:
    """A loader's source text, proved to be the template's code whatever the raw file calls its parts.

    The text is written twice, the second time with a harmless word in place of every text of the raw file. Both
    must be the same code, word for word, but for these literals.

    Args:
        write: makes the text; everything that comes from the raw file goes through the function it is given.
        path: where the text is to be written, for the formatter's settings.

    Returns:
        The text, formatted where the formatter is installed.

    Raises:
        SeabedError: the two are not the same code, or the text is none.
    """
    words: dict[str, str] = {}

    def harmless(value: Any) -> str:
        return literal(words.setdefault(value, f"word{len(words)}") if isinstance(value, str) else value)

    text, template = write(literal), write(harmless)
    try:
        code = ast.parse(text)
        same = _same(code, ast.parse(template), words)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        same = False
    if not same:
        raise SeabedError(
            "the names in the raw file would change the loader's code: rename its columns or labels, or write "
            "the loader by hand"
        )
    formatted = _formatted(text, path)
    return formatted if ast.dump(ast.parse(formatted)) == ast.dump(code) else text


def _same(one: Any, two: Any, words: dict[str, str]) -> bool:
    """Whether two trees differ in nothing but texts that stand for each other."""
    if isinstance(one, str) and isinstance(two, str):
        return one == two or words.get(one) == two
    if type(one) is not type(two):
        return False
    if isinstance(one, ast.AST):
        return all(
            _same(getattr(one, name, None), getattr(two, name, None), words if _is_text(one, name) else {})
            for name in one._fields
        )
    if isinstance(one, list):
        return len(one) == len(two) and all(_same(a, b, words) for a, b in zip(one, two, strict=True))
    return bool(one == two)


def _is_text(node: ast.AST, field: str) -> bool:
    """Names and attributes are texts of the tree, too, and must be the template's own."""
    child = getattr(node, field, None)
    return not isinstance(child, str) or isinstance(node, ast.Constant)


def _formatted(text: str, path: Path) -> str:
    if find_spec("ruff") is None:
        return text
    from ruff.__main__ import find_ruff_bin

    try:
        done = subprocess.run(
            [find_ruff_bin(), "format", "--quiet", "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            encoding="utf-8",
            timeout=30,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return text
    return done.stdout
