"""TyDi QA Indonesian as inference: a passage, and a question with a right or wrong answer."""

from __future__ import annotations

from seabed_datasets.loaders.pair_classification.idkmrcnli import load

__all__ = ["load"]
