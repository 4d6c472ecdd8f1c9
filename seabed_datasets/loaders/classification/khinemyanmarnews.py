"""KhineMyanmarNews: Burmese news snippets; the file a line stands in is its topic."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import train_test
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has no test part."""
    return train_test(articles(raw))


def articles(raw: Raw) -> Iterator[Row]:
    """Every line of the topics' files, one topic after the other.

    Args:
        raw: files with the role "articles", each named as its topic.

    Returns:
        One row per line. These are no CSV files: a lone double quote stands in some lines.
    """
    for path in raw.all("articles"):
        yield from ({"text": line.strip(), "label": path.stem} for line in lines(path))
