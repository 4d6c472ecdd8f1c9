"""BIOSSES in Thai and Burmese: biomedical sentences, translated by people for SEA-BED."""

from __future__ import annotations

from seabed_datasets.loaders.sts.sts17 import load

__all__ = ["load"]
