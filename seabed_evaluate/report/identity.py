"""Which of the models known here a result is of: by its whole id only, never by a part of its name."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.encoders.loading import known_models


def known_model(model: str) -> tuple[str, dict[str, Any]] | None:
    """A model of models.toml by its whole id.

    Args:
        model: as `seabed_evaluate.runner.results.shown_name` gives it.

    Returns:
        Its name and settings there; None for every other model, whatever it is called.

    >>> known_model("intfloat/multilingual-e5-small")[0], known_model("somebody/multilingual-e5-small")
    ('multilingual-e5-small', None)
    """
    for name, entry in known_models().items():
        if model == (f"{entry['api']}:{entry['id']}" if "api" in entry else entry["id"]):
            return name, entry
    return None
