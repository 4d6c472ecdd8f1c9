"""Result files made by hand, for tests and benchmarks of everything that reads results."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_evaluate.runner.outcomes import RESAMPLED, outcomes_path, write_outcomes
from seabed_evaluate.runner.protocols import protocol
from seabed_evaluate.runner.results import result_path, write_result
from seabed_evaluate.runner.uncertainty import draws

Score = Callable[[Config], float]


def make_result(
    config: Config,
    score: float,
    *,
    model: str = "org/model",
    protocol_name: str = "published",
    dtype: str = "fp32",
    truncated: bool = False,
    rows: str = "rows",
    se: float | None = 0.01,
) -> dict[str, Any]:
    """A result as the runner writes it, for a score that was never computed."""
    rules = protocol(protocol_name)
    run = hashlib.sha256(f"{model} {protocol_name} {dtype}".encode()).hexdigest()[:16]
    interval = {"low": max(0, score - 2 * (se or 0)), "high": min(1, score + 2 * (se or 0)), "se": se}
    return {
        "schema": 1,
        "settings_hash": hashlib.sha256(f"{run} {config.name} {rows}".encode()).hexdigest()[:16],
        "run": run,
        "config": config.name,
        "dataset": config.key,
        "task": config.task,
        "languages": config.languages,
        "units": config.units,
        "origin": config.origin,
        "sample": config.sample,
        "main_score": rules.main[config.task],
        "score": score,
        "interval": None if se is None else interval,
        "scores": {rules.main[config.task]: score},
        "data": {
            "name": "bundle",
            "revision": None,
            "splits": {"test": rows},
            "version": 1,
            "from": "upstream",
            "rows": {"test": 100},
            "truncated": truncated,
        },
        "model": {"encoder": "test", "model": model, "revision": "1", "dtype": dtype},
        "prompts": {},
        "protocol": rules.settings(),
        "counts": {"seconds": 1.0},
        "environment": {"packages": {"seabed": "0.1.0"}},
    }


def make_run(
    score: float | Score = 0.5, configs: Iterable[Config] | None = None, **options: Any
) -> list[dict[str, Any]]:
    """Results of one run on all of SEA-BED's configs, or on some."""
    chosen = list(catalogue.configs()) if configs is None else list(configs)
    return [make_result(c, score(c) if callable(score) else score, **options) for c in chosen]


def write_run(
    results: Iterable[dict[str, Any]], out: Path, values: Callable[[dict[str, Any]], Any] | None = None
) -> Path:
    """Write results, with per-item values where a function gives them; returns the run's folder."""
    path = out
    for r in results:
        path = result_path(out, r["model"]["model"], r["run"], r["config"])
        if values is not None:
            items = {"values": np.asarray(values(r), dtype=np.float32)}
            items[RESAMPLED] = draws(r["task"], r["main_score"], items).resampled.astype(np.float32)
            write_outcomes(outcomes_path(path), items, r["settings_hash"])
            r = r | {"data": r["data"] | {"rows": r["data"]["rows"] | {"test": len(items["values"])}}}
        write_result(path, r)
    return path.parent
