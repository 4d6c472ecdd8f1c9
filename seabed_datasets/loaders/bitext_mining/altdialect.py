"""ALTDialect: the 28 pairs of ALT's eight Southeast Asian languages, without English."""

from __future__ import annotations

from seabed_datasets.loaders.bitext_mining.alt import load

__all__ = ["load"]
