"""Whether a BibTeX entry would parse: enough of the grammar to catch what breaks a bibliography."""

from __future__ import annotations

import re

_START = re.compile(r"@\s*(\w+)\s*\{\s*([^\s,{}]+)\s*,")
_FIELD = re.compile(r"\s*(\w+)\s*=\s*")
_NEEDED = (("author", "editor", "organization", "institution", "howpublished", "url"), ("title", "booktitle"))
_DATED = ("year", "date")
# A repository often states no year, and inventing one would be worse.
_UNDATED = ("misc", "software", "online", "dataset")


def faults(bibtex: str) -> list[str]:
    """What is wrong with BibTeX entries.

    Args:
        bibtex: the text of one or more entries.

    Returns:
        One line per fault; none when all entries parse and say who or where, what, and (but for
        repositories and web pages) when.

    >>> faults("@misc{a, author = {B}, title = {C}, year = 2024}")
    []
    >>> faults("@misc{a, author = {B}, title = {C}")
    ['entry a: braces are not balanced']
    """
    found: list[str] = []
    text, position = bibtex.strip(), 0
    while position < len(text):
        start = _START.match(text, position)
        if start is None:
            return [
                *found,
                f"expected an entry like @misc{{key, ...}}, found {text[position : position + 30]!r}",
            ]
        name = start[2]
        end = _closing(text, text.index("{", start.start()))
        if end is None:
            return [*found, f"entry {name}: braces are not balanced"]
        fields, problem = _fields(text[start.end() : end])
        if problem:
            found.append(f"entry {name}: {problem}")
        needed = _NEEDED if start[1].lower() in _UNDATED else (*_NEEDED, _DATED)
        found += [
            f"entry {name}: no {' or '.join(names)}"
            for names in needed
            if not any(fields.get(n) for n in names)
        ]
        position = end + 1
        while position < len(text) and text[position].isspace():
            position += 1
    return found or ([] if text else ["no entry"])


def _closing(text: str, opening: int) -> int | None:
    depth = 0
    for i in range(opening, len(text)):
        if text[i] == "\\":
            continue
        if text[i] in "{}" and text[i - 1] != "\\":
            depth += 1 if text[i] == "{" else -1
            if depth == 0:
                return i
    return None


def _fields(body: str) -> tuple[dict[str, str], str | None]:
    """Name -> value of the fields of one entry; and what stopped the reading."""
    fields: dict[str, str] = {}
    position = 0
    while position < len(body.rstrip().rstrip(",")):
        match = _FIELD.match(body, position)
        if match is None:
            return fields, f"expected `field = {{value}},`, found {body[position : position + 30].strip()!r}"
        start = match.end()
        if body[start : start + 1] == "{":
            end = (_closing(body, start) or len(body)) + 1
        elif body[start : start + 1] == '"':
            end = body.find('"', start + 1) + 1 or len(body)
        else:
            end = next((i for i in range(start, len(body)) if body[i] in ",\n"), len(body))
        fields[match[1].lower()] = body[start:end].strip().strip('{}"').strip()
        position = end
        while position < len(body) and body[position].isspace():
            position += 1
        if position < len(body):
            if body[position] != ",":
                return fields, f"a comma is missing after {match[1]}"
            position += 1
    return fields, None
