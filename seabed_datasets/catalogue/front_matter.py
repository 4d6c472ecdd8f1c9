"""YAML that anybody may have written, read as plain values: no aliases, each key once, bounded in size and depth.

PyYAML's own constructor lets aliases multiply a few lines into billions of values, and lets the last of two equal
keys win in silence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

MAX_CHARACTERS = 1 << 20
MAX_DEPTH = 12

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_TEXT = f"{_TAG}str"
_SCALARS: dict[str, Callable[[Any, Any], Any]] = {
    f"{_TAG}{name}": _Loader.yaml_constructors[f"{_TAG}{name}"]
    for name in ("null", "bool", "int", "float", "timestamp")
}


def parse(text: str, first_line: int = 1) -> Any:
    """The value of a YAML text.

    Args:
        text: one YAML document.
        first_line: number of its first line in its file, for messages.

    Returns:
        Dicts, lists, strings, numbers, dates and None.

    Raises:
        ValueError: it is not YAML, or breaks a rule of this module; one line that says where.

    >>> parse("a: [1, x]")
    {'a': [1, 'x']}
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"{len(text):,} characters of YAML, more than {MAX_CHARACTERS:,}")
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            return None if node is None else _value(loader, node, first_line, 1, set())
        finally:
            loader.dispose()
    except RecursionError:
        raise ValueError(f"YAML nested more than {MAX_DEPTH} deep") from None
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())[:300]}") from None


def _value(loader: Any, node: Any, first_line: int, depth: int, seen: set[int]) -> Any:
    def where(other: Any) -> str:
        return f"line {other.start_mark.line + first_line}"

    # Only an alias gives one node two places.
    if id(node) in seen:
        raise ValueError(f"an alias (*name) stands for the value of {where(node)}: write it out")
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        if node.tag == _TEXT:
            return node.value
        if node.tag not in _SCALARS:
            raise ValueError(f"{where(node)}: the tag {node.tag[:60]!r} is not allowed here")
        try:
            return _SCALARS[node.tag](loader, node)
        except (ValueError, OverflowError, KeyError) as error:
            raise ValueError(f"{where(node)}: {node.value[:60]!r} is no value ({str(error)[:100]})") from None
    if depth > MAX_DEPTH:
        raise ValueError(f"{where(node)}: nested more than {MAX_DEPTH} deep")
    if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
        return [_value(loader, item, first_line, depth + 1, seen) for item in node.value]
    if not isinstance(node, yaml.MappingNode) or node.tag != f"{_TAG}map":
        raise ValueError(f"{where(node)}: the tag {node.tag[:60]!r} is not allowed here")
    found: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            raise ValueError(f"{where(key_node)}: a key is a list or a mapping")
        key = _value(loader, key_node, first_line, depth + 1, seen)
        if key in found:
            raise ValueError(f"{where(key_node)}: the key {str(key)[:60]!r} stands twice")
        found[key] = _value(loader, value_node, first_line, depth + 1, seen)
    return found
