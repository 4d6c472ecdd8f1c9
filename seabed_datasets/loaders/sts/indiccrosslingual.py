"""IndicCrosslingualSTS: an English and a Tamil sentence with their similarity."""

from __future__ import annotations

from seabed_datasets.loaders.sts.sts17 import load

__all__ = ["load"]
