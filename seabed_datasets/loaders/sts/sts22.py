"""STS22 in Thai and Burmese: pairs of news articles, translated by people for SEA-BED."""

from __future__ import annotations

from seabed_datasets.loaders.sts.sts17 import load

__all__ = ["load"]
