"""IN22-Gen: Indian sentences of many subjects in English and Tamil, laid out as FLORES is."""

from __future__ import annotations

from seabed_datasets.loaders.bitext_mining.flores import load

__all__ = ["load"]
