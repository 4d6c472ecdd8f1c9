"""Text that others chose (names of models, folders, files) as Markdown, LaTeX and CSV show it and never obey it."""

from __future__ import annotations

import re
from typing import Any

from seabed_datasets.terminal import plain

# Letters, digits and punctuation that mean nothing to Markdown inside a line, on GitHub's dialect neither.
_PLAIN = re.compile(r"[\w\s.,;:/()\[\]+%±§×'\"=?-]*")
# ... unless they make a link, an address, emphasis, a list or a heading's underline, or name an issue.
_ACTIVE = re.compile(
    r"\][(\[:]|://|www\.|:[\w+-]+:|(?<!\w)_|_(?!\w)|\bGH-\d|^(?:[-+=](?!\d)|\d+[.)]\s|\[.?\]\s)|^\s|\s$",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠\t\r\n]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    # After \\ at the end of the line before, these would be its argument.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
} | {c: f"\\{c}" for c in "&%$#_{}"}


def markdown(text: str) -> str:
    """A text inside a line or a table cell of Markdown.

    Args:
        text: any text.

    Returns:
        The text itself where nothing in it means anything to Markdown or HTML; else as code, in which nobody is
        notified and nothing is fetched, with every doubtful character as an HTML entity.

    >>> markdown("org/model-v1.5 [0123abcd]"), markdown("![x](http://y)|@me")
    ('org/model-v1.5 [0123abcd]', '<code>&#33;&#91;x&#93;&#40;http&#58;&#47;&#47;y&#41;&#124;&#64;me</code>')
    """
    shown = plain(text)
    if shown in ("", "-", "#") or (_PLAIN.fullmatch(shown) and not _ACTIVE.search(shown)):
        return shown
    return "<code>" + re.sub(r"[^\w\s]|_", lambda m: f"&#{ord(m.group())};", shown) + "</code>"


def latex(text: str) -> str:
    """A text inside a table cell or a caption of LaTeX.

    Args:
        text: any text.

    Returns:
        The text, no character of which is a command.

    >>> latex("a_b"), latex("\\\\input{x}")
    ('a\\\\_b', '\\\\textbackslash{}input\\\\{x\\\\}')
    """
    return "".join(_LATEX.get(c, c) for c in plain(text))


def csv_cell(value: Any) -> Any:
    """A cell of a CSV file that no spreadsheet takes for a formula.

    Args:
        value: a number, a text or None.

    Returns:
        Numbers as they are; a text that begins like a formula with "'" before it.

    >>> csv_cell(-0.5), csv_cell("+1"), csv_cell("=A1"), csv_cell("model")
    (-0.5, '+1', "'=A1", 'model')
    """
    if not isinstance(value, str):
        return value
    shown = plain(value)
    formula = _FORMULA.match(value) or _FORMULA.match(shown)
    return f"'{shown}" if formula and not _NUMBER.fullmatch(value) else shown


def csv_row(row: dict[str, Any]) -> dict[str, Any]:
    """Cells of a row, each by `csv_cell`.

    Args:
        row: column -> value.

    Returns:
        The same columns.
    """
    return {csv_cell(k): csv_cell(v) for k, v in row.items()}
