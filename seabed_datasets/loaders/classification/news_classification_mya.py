"""News (Burmese): the same four text files as KhineMyanmarNews."""

from __future__ import annotations

from seabed_datasets.loaders.classification.khinemyanmarnews import load

__all__ = ["load"]
