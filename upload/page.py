"""What is written for the Hub beside the data: the README with the licence lists, the cards, the record."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.bundle.manifest import MANIFEST, card_text, readme
from seabed_datasets.catalogue.licences import notice
from seabed_datasets.catalogue.licences import rows as licence_rows
from seabed_datasets.errors import SeabedError
from upload.licence import Record

RECORD = "publication.json"
# The Hub's limit is not documented; cards of 157 KB were refused (413) and 100 KB is a common server default.
README_LIMIT = 100_000


def texts(manifest: dict[str, dict[str, Any]], record: Record) -> dict[str, bytes]:
    """The text files of the published bundle.

    Args:
        manifest: the configs that are published.
        record: what people decided.

    Returns:
        Path -> content.

    Raises:
        SeabedError: the README is larger than the Hub may take.
    """
    page = readme(manifest) + _sections(manifest, record)
    size = len(page.encode())
    if size > README_LIMIT:
        raise SeabedError(
            f"README.md would have {size} bytes, and the Hub may refuse more than {README_LIMIT}"
        )
    files = {
        "README.md": page,
        MANIFEST: as_json(dict(sorted(manifest.items()))),
        RECORD: as_json(asdict(record)),
    }
    for key in sorted({entry["key"] for entry in manifest.values()}):
        files[f"cards/{key}.md"] = _card(key)
    return {path: text.encode() for path, text in files.items()}


def as_json(value: Any) -> str:
    """JSON as the bundle writes it.

    Args:
        value: anything JSON holds.

    Returns:
        The text.
    """
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _card(key: str) -> str:
    text, line = card_text(key), notice(catalogue.dataset(key))
    if line is None:
        return text
    head, body = text[4:].split("\n---\n", 1)
    return f"---\n{head}\n---\n> **{line}**\n\n{body}"


def _sections(manifest: dict[str, dict[str, Any]], record: Record) -> str:
    published = {entry["key"] for entry in manifest.values()}
    known = catalogue.datasets()
    noted = [d for d in known if d.key in published and notice(d)]
    held = [
        row
        for row in licence_rows(known)
        if row["published"] == "no" and row["dataset"] not in {**record.included, **record.taken_down}
    ]
    late = sum(d.key not in published and not record.blocked(d.key) for d in known)
    parts = []
    if noted:
        rows = [f"- `{d.key}`: {notice(d)}" for d in noted]
        parts.append("## Noncommercial use, and sets made for SEA-BED\n\n" + "\n".join(rows))
    if held:
        rows = [
            f"| `{row['dataset']}` | {row['why']} | {row['what would change it']} | `seabed build "
            f"{' '.join(catalogue.dataset(row['dataset']).seabed.configs)} --out bundle` |"
            for row in held
        ]
        parts.append(
            "## Build it yourself\n\n"
            f"{sum(int(row['configs']) for row in held)} configs of {len(held)} datasets are part of SEA-BED but "
            "not copied here, for the reason beside them. With the `seabed` package the command makes them in a "
            "folder that `load_dataset` and `seabed run --data` read like this one.\n\n"
            "| dataset | why it is not here | what would change it | command |\n|---|---|---|---|\n"
            + "\n".join(rows)
        )
    if late:
        parts.append(f"{late} more datasets may be shared and are not here yet; `seabed build` makes them.")
    if record.included:
        rows = [f"- `{key}`: {reason}" for key, reason in record.included.items()]
        parts.append("## Published by a decision of their own\n\n" + "\n".join(rows))
    if record.taken_down:
        rows = [f"- `{k}` on {r['date']}: {r['reason']}" for k, r in record.taken_down.items()]
        parts.append("## Taken down\n\n" + "\n".join(rows))
    return "".join(f"\n{part}\n" for part in parts)
