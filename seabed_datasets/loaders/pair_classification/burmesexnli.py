"""XNLI in Burmese: the SEA-BED authors' own human translation."""

from __future__ import annotations

from seabed_datasets.loaders.pair_classification.xnlitranslated import load

__all__ = ["load"]
