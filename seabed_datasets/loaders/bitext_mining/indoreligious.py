"""IndoReligious: English and Indonesian religious texts, laid out as IndoNews is."""

from __future__ import annotations

from seabed_datasets.loaders.bitext_mining.indonews import load

__all__ = ["load"]
