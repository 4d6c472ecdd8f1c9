"""Golden rows: facts about real raw files, read independently of the loaders, kept as hashes.

`tests/golden/<key>.json`: config -> split -> {"rows", "labels", "first", "tenth", "last"}. A row is hashed
without its id; `relevant` is replaced by the texts of the relevant documents, so that no id scheme matters.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden"


def sha(row: dict[str, Any]) -> str:
    """Hash of a row's canonical JSON: keys and label lists sorted, no blanks, no id, label names, NFC texts."""
    plain = {k: sorted(v) if k == "labels" else v for k, v in row.items() if k != "id"}
    text = json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def facts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What is kept of a split; rows as in EXPECTED.json (label names), `relevant` as a list of texts."""
    found: dict[str, Any] = {"rows": len(rows), "first": sha(rows[0]), "last": sha(rows[-1])}
    if len(rows) >= 10:
        found["tenth"] = sha(rows[9])
    if "label" in rows[0]:
        found["labels"] = dict(sorted(Counter(r["label"] for r in rows).items()))
    if "labels" in rows[0]:
        found["labels"] = dict(sorted(Counter(x for r in rows for x in r["labels"]).items()))
    return found


def without_ids(splits: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Replace document ids in `relevant` by the documents' texts."""
    texts = {d["id"]: d["text"] for d in splits.get("corpus", [])}
    return {
        split: [
            r | {"relevant": [texts[d["id"]] for d in r["relevant"]]} if "relevant" in r else r for r in rows
        ]
        for split, rows in splits.items()
        if not split.endswith(" dropped")
    }
