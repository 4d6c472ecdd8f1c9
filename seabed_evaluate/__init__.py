"""How a model is scored: metric modules, encoders, runner, report.

Importing this package is cheap; torch and transformers are loaded when a model is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seabed_evaluate.encoders.loading import load_encoder
    from seabed_evaluate.runner.run import run

__all__ = ["load_encoder", "run"]

_HOME = {"run": "runner.run", "load_encoder": "encoders.loading"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        from importlib import import_module

        return getattr(import_module(f"seabed_evaluate.{_HOME[name]}"), name)
    raise AttributeError(f"module 'seabed_evaluate' has no attribute {name!r}")
