"""ReviewShopping: Thai reviews of online shops, positive or negative; GeneralAmy's format."""

from __future__ import annotations

from seabed_datasets.loaders.classification.generalamy import load

__all__ = ["load"]
