"""What a config is made by: versions, and a hash of the code and the card that decide its rows."""

from __future__ import annotations

import ast
import hashlib
import json
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

from seabed_datasets.catalogue import SAMPLE_DIR, Config, dataset

_ROOT = Path(__file__).parents[1]
# Imports are followed from here and from the loader; these modules decide nothing about rows.
_START = "bundle.staging"
_NEUTRAL = {
    "bundle.manifest",
    "bundle.recipe",
    "catalogue",
    "catalogue.vocabulary",
    "errors",
    "files",
    "sources.raw_files",
}


def made_by(config: Config) -> dict[str, str]:
    """The makers of a config, as its manifest entry names them.

    Args:
        config: which config.

    Returns:
        seabed and pyarrow -> version; recipe -> 16 hex digits that change when the loader, code it uses, or
        what its card says of sources and labels changes.
    """
    card = dataset(config.key).seabed
    facts = {
        "config": config.model_dump(mode="json", exclude={"origin", "origin_paper"}),
        "upstream": [source.model_dump(mode="json", exclude={"note", "access"}) for source in card.upstream],
        "release": card.authors_release and card.authors_release.model_dump(mode="json", exclude={"note"}),
    }
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    files = _code(f"loaders.{config.task}.{config.key}")
    if config.sample:
        files = (*files, *sorted((SAMPLE_DIR / config.name).iterdir()))
    for path in files:
        digest.update(_hash(path, path.stat().st_mtime_ns))
    return {"seabed": version("seabed"), "pyarrow": version("pyarrow"), "recipe": digest.hexdigest()[:16]}


def _code(loader: str) -> tuple[Path, ...]:
    """The source files of a loader, of what all configs go through, and of what these import from here."""
    found: dict[str, Path] = {}
    waiting = [_START, loader]
    while waiting:
        name = waiting.pop()
        path = (_ROOT / name.replace(".", "/")).with_suffix(".py")
        if name not in found and path.is_file():
            found[name] = path
            waiting += _imports(path)
    return tuple(found[name] for name in sorted(found))


@lru_cache(maxsize=1024)
def _imports(path: Path) -> list[str]:
    """Modules of this package that a file names; a name that is no module is left out by who reads the list."""
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == _ROOT.name:
            module = str(node.module).removeprefix(_ROOT.name).lstrip(".")
            names += [module, *(f"{module}.{alias.name}".lstrip(".") for alias in node.names)]
    return [name for name in names if name and name not in _NEUTRAL]


@lru_cache(maxsize=1024)
def _hash(path: Path, changed: int) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()
