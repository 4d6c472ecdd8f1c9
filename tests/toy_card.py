"""Cards that tests write: every field the catalogue asks for, and whatever the test wants to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml


def write_card(folder: Path, key: str, task: str = "sts", langs: str = "tha", **seabed: Any) -> Path:
    """Write `folder/key.md`, a card with one config per language; `seabed` adds to or replaces its block."""
    block: dict[str, Any] = {
        "task": task,
        "subtask": None,
        "domains": [],
        "origin": "human",
        "origin_reason": "written for a test",
        "configs": {f"{key}_{lang}": {"languages": [lang]} for lang in langs.split()},
        "score_range": [0, 5] if task == "sts" else None,
        "license_upstream": None,
        "redistribution": "unknown",
        "status": "guessed",
    }
    hub = {
        "pretty_name": key,
        "license": "unknown",
        "language": langs.split(),
        **{name: [] for name in ("task_categories", "annotations_creators", "language_creators")},
        **{name: [] for name in ("source_datasets", "size_categories", "tags")},
    }
    head = yaml.safe_dump(hub | {"seabed": block | seabed}, allow_unicode=True, sort_keys=False)
    path = folder / f"{key}.md"
    path.write_text(f"---\n{head}---\n# {key}\n", encoding="utf-8")
    return path
