"""Runs `create` in a bare checkout, and the loader it wrote on the raw files it was written from."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.contribute.new import Created, Reading, create
from seabed_datasets.schemas import unify, with_labels
from seabed_datasets.sources.raw_files import Raw

Rows = list[dict[str, Any]]


def checkout(place: Path) -> Path:
    """A folder that passes for a checkout."""
    (place / "cards").mkdir(parents=True, exist_ok=True)
    (place / "seabed_datasets" / "loaders").mkdir(parents=True, exist_ok=True)
    return place


def scaffold(
    place: Path, task: str, files: Sequence[Path], lang: str = "ind", key: str = "k", **reading: Any
) -> Created:
    """What `seabed new` writes for files."""
    return create(key, task, [lang], files=files, root=checkout(place), reading=Reading(**reading))


def loaded(made: Created, files: Sequence[Path], lang: str = "ind") -> Rows:
    """The rows of all splits that the loader makes of the raw files, with label names."""
    card, loader = made.paths[:2]
    config = catalogue.read_card(card).config(f"{card.stem}_{lang}")
    spec = importlib.util.spec_from_file_location(f"loader_of_{card.stem}", loader)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    upstream = catalogue.read_card(card).seabed.upstream[0].files
    by_name = {f.name: f for f in files}
    raw = Raw({role: [by_name[str(path)]] for role, path in upstream.items()})
    named, splits = with_labels(config, module.load(raw, config))
    rows: Rows = []
    for split, found in splits.items():
        for row in unify(named, split, found, {}):
            if "label" in row:
                row = row | {"label": (named.labels or [])[row["label"]]}
            if "labels" in row:
                row = row | {"labels": [(named.labels or [])[i] for i in row["labels"]]}
            rows.append(row)
    return rows


def write(path: Path, content: str | bytes, encoding: str = "utf-8") -> Path:
    """A raw file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode(encoding) if isinstance(content, str) else content)
    return path


def json_lines(rows: Sequence[Any]) -> str:
    """Rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
