"""TCAS61: Thai messages about the university admission of 2018, positive or negative; GeneralAmy's format."""

from __future__ import annotations

from seabed_datasets.loaders.classification.generalamy import load

__all__ = ["load"]
