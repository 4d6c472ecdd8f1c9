"""The table that `seabed models` prints."""

from __future__ import annotations

from typing import Any

from seabed_datasets.errors import unknown
from seabed_evaluate.encoders.loading import known_models


def model_rows(name: str | None = None) -> list[dict[str, str]]:
    """The models known by name, as text.

    Args:
        name: this one only.

    Returns:
        One row per model; "-" where nothing is said, and then the model's own files decide.

    Raises:
        UnknownName: no such model.
    """
    table = known_models()
    if name is not None and name not in table:
        raise unknown("model", name, table, "`seabed models` lists them.")
    return [_row(n, m) for n, m in table.items() if name in (None, n)]


def _row(name: str, m: dict[str, Any]) -> dict[str, str]:
    millions = f"{m['parameters'] / 1e6:,.0f}M" if "parameters" in m else "-"
    return {
        "name": name,
        "model": f"{m['api']}:{m['id']}" if "api" in m else m["id"],
        "paper": "yes" if m.get("in_paper") else "no",
        "loads": _loads(m),
        "parameters": f"about {millions}" if "rounded" in m else millions,
        "dimension": str(m.get("dimension", "-")),
        "pooling": _pooling(m),
        "max length": str(m.get("max_length", "-")),
        "dtype": m.get("dtype", "-"),
        "prompts": _prompts(m),
        "licence": m.get("license", "-"),
        "unknown": ", ".join(m.get("unknown", [])) or "-",
        "only from mteb": ", ".join(m.get("only_mteb", [])) or "-",
        "only secondhand": ", ".join(m.get("secondhand", [])) or "-",
        "source": m["source"],
    }


def _loads(m: dict[str, Any]) -> str:
    """What was shown to load here: nothing is claimed of an API, nor of a model without a word on it."""
    shown = "API" if "api" in m else str(m.get("loads", "not shown"))
    return f"{shown}, needs --trust-remote-code" if m.get("code") else shown


def _pooling(m: dict[str, Any]) -> str:
    parts = [m.get("pooling", "-")]
    if m.get("bidirectional"):
        parts.append("bidirectional")
    if not m.get("include_prompt", True):
        parts.append("without the prompt")
    return ", ".join(parts)


def _prompts(m: dict[str, Any]) -> str:
    """Query, document and symmetric prompt, each once and only where it adds something."""
    if "input_types" in m:
        return "input types: " + ", ".join(dict.fromkeys(m["input_types"].values()))
    templates = dict.fromkeys(m.get(k, "{text}") for k in ("query", "document", "symmetric"))
    return (
        " | ".join(t.removesuffix("{text}").replace("\n", "\\n") for t in templates if t != "{text}") or "-"
    )
