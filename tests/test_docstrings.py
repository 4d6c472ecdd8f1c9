"""Every public name is documented: a docstring, and of a function each argument and what it returns.

A class is documented in its own docstring, a loader's `load` and a command by the module they belong to.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted(
    p
    for package in ("seabed_datasets", "seabed_evaluate", "upload")
    for p in (ROOT / package).rglob("*.py")
    if "__pycache__" not in p.parts and p.name != "__main__.py"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef | Function]]:
    """Public classes, functions and methods, those of private classes left out."""
    for node in body:
        if isinstance(node, (ast.ClassDef, *Function.__args__)) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{prefix}{node.name}.")


def faults(source: str, *, sections: bool = True) -> list[str]:
    """What the public names of a module lack."""
    tree, found = ast.parse(source), []
    if tree.body and not ast.get_docstring(tree):
        found.append("the module has no docstring")
    for name, node in public(tree.body):
        doc = ast.get_docstring(node)
        if not doc:
            found.append(f"{name} has no docstring")
        elif sections and not isinstance(node, ast.ClassDef) and not _is_decorated(node):
            found += [f"{name}: {fault}" for fault in _sections(node, doc)]
    return found


def _is_decorated(node: Function) -> bool:
    """Commands document their options where they declare them; a property is read like a field."""
    return any(
        "command" in ast.unparse(d) or ast.unparse(d).endswith("property") for d in node.decorator_list
    )


def _sections(node: Function, doc: str) -> Iterator[str]:
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a]
    names = [n for n in names if n not in ("self", "cls") and not n.startswith("_")]
    listed = re.search(r"^Args:\n((?:[ \t]+.*\n?|\n)+)", doc, re.MULTILINE)
    for name in names:
        if not listed or not re.search(rf"^\s+\**{name}\b", listed[1], re.MULTILINE):
            yield f"argument {name} is not described"
    returns = node.returns is not None and ast.unparse(node.returns) not in ("None", "NoReturn")
    if returns and not re.search(r"^(Returns|Yields):", doc, re.MULTILINE):
        yield "what it returns is not described"


def is_loader(path: Path) -> bool:
    return path.parent.parent.name == "loaders"


def is_hub_module(path: Path) -> bool:
    """Of a Space: `evaluate` and gradio fix the names and say what they mean."""
    return path.parent.parent.name == "metrics"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_public_names_are_documented(path: Path) -> None:
    sections = not is_loader(path) and not (is_hub_module(path) and path.stem in ("app", path.parent.name))
    source = path.read_text(encoding="utf-8")
    assert faults(source, sections=sections) == []


GOOD = '"""M."""\n\ndef f(a, *, b, **c) -> int:\n    """F.\n\n    Args:\n        a: x.\n        b: y.\n        **c: z.\n\n    Returns:\n        n.\n    """\n'


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        (GOOD, None),
        (GOOD.replace('"""M."""\n', ""), "the module has no docstring"),
        ('"""M."""\n\ndef f() -> None: ...\n', "f has no docstring"),
        ('"""M."""\n\ndef _f() -> None: ...\n', None),
        ('"""M."""\n\nclass C:\n    """C."""\n\n    def m(self) -> None: ...\n', "C.m has no docstring"),
        (GOOD.replace("        b: y.\n", ""), "f: argument b is not described"),
        (GOOD.replace("    Returns:\n        n.\n", ""), "f: what it returns is not described"),
    ],
)
def test_the_test_finds_what_is_missing(source: str, fault: str | None) -> None:
    assert faults(source) == ([] if fault is None else [fault])


EXAMPLES = [
    p for p in MODULES if ">>> " in p.read_text(encoding="utf-8") and p.parent == ROOT / "seabed_datasets"
]
EXAMPLES += [
    p for p in MODULES if ">>> " in p.read_text(encoding="utf-8") and p.parent.name in ("checks", "loaders")
]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_are_true(path: Path) -> None:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    outcome = doctest.testmod(importlib.import_module(name))
    assert outcome.attempted
    assert not outcome.failed
