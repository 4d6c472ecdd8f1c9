"""TALPCo: example sentences of a language course, joined with English on the sentence id."""

from __future__ import annotations

from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines


def load(raw: Raw, config: Config) -> Splits:
    """Pairs in the order of the English file."""
    other = _sentences(raw["other"])
    return {
        "test": (
            {"id": name, "sentence1": text, "sentence2": other[name]}
            for name, text in _sentences(raw["english"]).items()
            if name in other
        )
    }


def _sentences(path: Path) -> dict[str, str]:
    # One Burmese line ends with a further TAB, so only the first one separates.
    fields = (line.split("\t", 1) for line in lines(path) if "\t" in line)
    return {name: text.strip() for name, text in fields}
