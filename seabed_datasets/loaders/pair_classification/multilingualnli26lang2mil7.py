"""multilingual-NLI-26lang-2mil7: its machine-translated ANLI part."""

from __future__ import annotations

from seabed_datasets.loaders.pair_classification.xnli import load

# The translated pairs stand in the columns that XNLI uses, with XNLI's label numbers.
__all__ = ["load"]
