"""Myanmar Agriculture 1K: sister set of Burmese Microbiology 1K, same makers, same CSV."""

from __future__ import annotations

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.retrieval import microbiology1k
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw


def load(raw: Raw, config: Config) -> Splits:
    """Read exactly as its sister set."""
    return microbiology1k.load(raw, config)
