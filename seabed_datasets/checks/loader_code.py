"""What a loader script may use: a loader is code that runs on the machines of contributors, reviewers and CI.

This is a list of what may be imported and named, read off the source text before the loader runs. It stops what
has no business in a loader; it is no sandbox, and does not take the place of reading a loader.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

# Modules that are no part of this project -> what may be taken from them.
MODULES: dict[str, frozenset[str]] = {
    "__future__": frozenset({"annotations"}),
    "collections": frozenset({"Counter", "defaultdict", "deque"}),
    "collections.abc": frozenset(
        {"Callable", "Collection", "Generator", "Iterable", "Iterator", "Mapping", "Sequence"}
    ),
    "functools": frozenset({"cache", "lru_cache", "partial", "reduce"}),
    "itertools": frozenset(
        {
            *(
                "accumulate",
                "chain",
                "combinations",
                "compress",
                "count",
                "cycle",
                "dropwhile",
                "filterfalse",
            ),
            *("groupby", "islice", "pairwise", "permutations", "product", "repeat", "starmap", "takewhile"),
            *("tee", "zip_longest"),
        }
    ),
    "json": frozenset({"JSONDecodeError", "dumps", "loads"}),
    "pathlib": frozenset({"Path"}),
    "pyarrow.parquet": frozenset({"read_schema"}),
    "re": frozenset(
        {
            *(
                "ASCII",
                "DOTALL",
                "I",
                "IGNORECASE",
                "M",
                "MULTILINE",
                "Match",
                "Pattern",
                "S",
                "VERBOSE",
                "X",
            ),
            *("compile", "error", "escape", "findall", "finditer", "fullmatch", "match", "search", "split"),
            *("sub", "subn"),
        }
    ),
    "typing": frozenset({"Any", "TYPE_CHECKING"}),
    "unicodedata": frozenset({"category", "is_normalized", "name", "normalize"}),
    "xml.etree.ElementTree": frozenset({"Element"}),
}
# Classes that say what a value is, and may stand in annotations only: a Path that a loader makes itself may be any
# file of the machine, and pydantic's classes can read files.
TYPES = frozenset(
    {
        "pathlib",
        "seabed_datasets.catalogue",
        "seabed_datasets.sources.raw_files",
        "typing",
        "xml.etree.ElementTree",
    }
)

# Modules of this project -> what may be taken from them; None: whatever public is defined there.
OWN: dict[str, frozenset[str] | None] = {
    "seabed_datasets.catalogue": frozenset({"Config"}),
    "seabed_datasets.errors": frozenset({"DataError", "RawFormatError"}),
    "seabed_datasets.loaders.shapes": None,
    "seabed_datasets.schemas": frozenset({"Row", "Splits", "is_empty"}),
    "seabed_datasets.sources.raw_files": frozenset({"Raw"}),
    "seabed_datasets.sources.readers": None,
}
_LOADERS = "seabed_datasets.loaders."

BUILTINS = frozenset(
    {
        *("Exception", "IndexError", "KeyError", "LookupError", "StopIteration", "TypeError", "ValueError"),
        *("abs", "all", "any", "bool", "bytes", "chr", "dict", "divmod", "enumerate", "filter", "float"),
        *("frozenset", "hash", "id", "int", "isinstance", "iter", "len", "list", "map", "max", "min", "next"),
        *("object", "ord", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum"),
        *("tuple", "type", "zip"),
    }
)
_ALL_BUILTINS = frozenset(dir(builtins))

# What leads from a value to files, modules and frames.
ATTRIBUTES = frozenset(
    {
        *("absolute", "chmod", "cwd", "expanduser", "glob", "hardlink_to", "home", "iterdir", "joinpath"),
        *("lchmod", "mkdir", "open", "parent", "parents", "read_bytes", "read_text", "readlink", "rename"),
        *("resolve", "rglob", "rmdir", "symlink_to", "touch", "unlink", "walk", "with_name", "write_bytes"),
        *("write_text", "ag_frame", "cr_frame", "f_back", "f_builtins", "f_globals", "f_locals", "gi_frame"),
        *("tb_frame", "tb_next", "parse_file", "parse_raw"),
    }
)


def faults(loader: Path) -> list[str]:
    """What a loader uses that loaders may not, in its own file and in those of other loaders it imports.

    Args:
        loader: its file, below `loaders/<task>/`.

    Returns:
        One line per fault, with file and line number; [] where there is none.
    """
    found: list[str] = []
    home, seen, waiting = loader.parents[1], set[Path](), [loader]
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen.add(file)
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            found.append(f"{file.name}: not Python: {error}")
            continue
        check = _Check(home)
        check.visit(tree)
        found += [f"{file.name}, line {line}: {what}" for line, what in sorted(set(check.found))]
        waiting += check.loaders
    return found


def _defined(file: Path) -> frozenset[str]:
    """The public names that a module defines itself: those it imports are not its own to give away."""
    names: set[str] = set()
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return frozenset(name for name in names if not name.startswith("_"))


class _Check(ast.NodeVisitor):
    """Walks a loader's source text; annotations are walked for nothing but the names of types."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.found: list[tuple[int, str]] = []
        self.loaders: list[Path] = []
        # Name in the loader -> (module, what may be taken from it).
        self.modules: dict[str, tuple[str, frozenset[str]]] = {}
        self.types: set[str] = set()

    def fault(self, node: ast.AST, what: str) -> None:
        self.found.append((getattr(node, "lineno", 0), what))

    # Imports

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name not in MODULES:
                self.fault(node, f"imports {alias.name}, which loaders may not")
                continue
            first = alias.asname or alias.name.partition(".")[0]
            self.modules[first] = (alias.name, MODULES[alias.name])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        allowed = self._may_give(node, module)
        for alias in node.names:
            name = alias.asname or alias.name
            if node.level or allowed is None:
                self.fault(node, f"imports from {'.' * node.level}{module}, which loaders may not")
            elif alias.name not in allowed:
                self.fault(node, f"imports {alias.name} from {module}, which loaders may not")
            elif module in TYPES and alias.name != "TYPE_CHECKING":
                self.types.add(name)
            elif self._is_folder(module):
                file = self._file(module, alias.name)
                self.modules[name] = (f"{module}.{alias.name}", self._given(node, file))

    def _is_folder(self, module: str) -> bool:
        return module.startswith(_LOADERS) and self.home.joinpath(module.removeprefix(_LOADERS)).is_dir()

    def _file(self, module: str, name: str = "") -> Path:
        parts = [*module.removeprefix(_LOADERS).split("."), *([name] if name else [])]
        return self.home.joinpath(*parts).with_suffix(".py")

    def _may_give(self, node: ast.AST, module: str) -> frozenset[str] | None:
        """The names that may be imported from a module; None where it may not be imported from at all."""
        if module in MODULES:
            return MODULES[module]
        if module in OWN:
            names = OWN[module]
            package = self.home.parents[1]
            return (
                _defined(package.joinpath(*module.split(".")).with_suffix(".py")) if names is None else names
            )
        if self._is_folder(module):
            folder = self.home / module.removeprefix(_LOADERS)
            return frozenset(p.stem for p in folder.glob("*.py") if not p.stem.startswith("_"))
        if module.startswith(_LOADERS) and module.count(".") == 3 and self._file(module).is_file():
            return self._given(node, self._file(module))
        return None

    def _given(self, node: ast.AST, file: Path) -> frozenset[str]:
        """The names of another loader, which is looked at as well: it runs, too."""
        self.loaders.append(file)
        try:
            names = _defined(file)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()
        # What a loader passes on from another one by __all__ is checked there.
        tree = ast.parse(file.read_bytes())
        passed = {
            alias.asname or alias.name
            for n in tree.body
            if isinstance(n, ast.ImportFrom) and (n.module or "").startswith(_LOADERS)
            for alias in n.names
        }
        return names | frozenset(name for name in passed if not name.startswith("_"))

    # Names

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if name in self.types:
            self.fault(node, f"uses {name} as a value; it may stand in annotations only")
        elif name in self.modules:
            self.fault(node, f"uses the module {name} as a value")
        elif name == "__all__" and isinstance(node.ctx, ast.Store):
            return
        elif (name in _ALL_BUILTINS and name not in BUILTINS) or name.startswith("__"):
            self.fault(node, f"uses {name}, which loaders may not")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = _dotted(node)
        first = path.partition(".")[0]
        if first in self.modules:
            module, allowed = self.modules[first]
            prefix = module if module.startswith(f"{first}.") else first
            rest = path.removeprefix(prefix).removeprefix(".")
            inner = rest.partition(".")[0]
            if inner in allowed:
                self._attribute(node)
            elif path != prefix:
                self.fault(node, f"uses {path}, which loaders may not")
            else:
                self.fault(node, f"uses the module {path} as a value")
            return
        self._attribute(node)
        self.visit(node.value)

    def _attribute(self, node: ast.Attribute) -> None:
        if (node.attr.startswith("__") and node.attr != "__name__") or node.attr in ATTRIBUTES:
            self.fault(node, f"uses .{node.attr}, which loaders may not")

    # Annotations are not run (from __future__ import annotations), so types may stand in them.

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._definition(node)
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults, *node.body):
            if part is not None:
                self.visit(part)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.fault(node, "defines an asynchronous function, which no loader needs")

    def _definition(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        if node.name.startswith("__") and node.name != "__init__":
            self.fault(node, f"defines {node.name}, which loaders may not")

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._definition(node)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_Module(self, node: ast.Module) -> None:
        annotated = any(isinstance(n, (ast.FunctionDef, ast.AnnAssign)) for n in ast.walk(node))
        lazy = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in node.body[:2])
        if annotated and not lazy:
            self.fault(node, "lacks `from __future__ import annotations` as its first import")
        self.generic_visit(node)


def _dotted(node: ast.expr) -> str:
    """The names before an attribute, as they are written; "" where it is not names alone."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def every_loader(home: Path) -> Iterator[Path]:
    """The loader scripts of a package.

    Args:
        home: its `loaders` folder.

    Yields:
        Their files.
    """
    yield from sorted(p for p in home.glob("*/*.py") if p.stem != "__init__")
