"""Tamil Murasu: Tamil news articles with the section they appeared in."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.loaders.shapes import labelled, train_test
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import table


def load(raw: Raw, config: Config) -> Splits:
    """Upstream has no split, so a part is held out."""
    return train_test(rows(raw))


def rows(raw: Raw) -> Iterator[Row]:
    """All articles with their sections.

    Args:
        raw: upstream's CSV files, whatever their names.

    Returns:
        Rows of text and label, in upstream's order.
    """
    for path in raw.all("all"):
        articles = table(path, columns=["news_article", "news_category"])
        yield from labelled(articles, text="news_article", label="news_category")
