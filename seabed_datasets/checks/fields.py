"""Which columns of a row hold texts, in which languages, and what makes two rows the same."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.checks.scripts import kinds
from seabed_datasets.schemas import INVISIBLE, Row

_INVISIBLE = {ord(c): None for c in INVISIBLE}

_TEXT_COLUMNS: dict[str, tuple[str, ...]] = {
    "bitext_mining": ("sentence1", "sentence2"),
    "pair_classification": ("sentence1", "sentence2"),
    "sts": ("sentence1", "sentence2"),
    "classification": ("text",),
    "multilabel_classification": ("text",),
    "clustering": ("text",),
    "retrieval": ("text",),
    "instruction_retrieval": ("text",),
    "reranking": ("query", "documents"),
}


def text_columns(config: Config) -> tuple[str, ...]:
    """The columns that must hold a text (or a list of texts) in every row.

    Args:
        config: whose rows.

    Returns:
        Names of columns.
    """
    return _TEXT_COLUMNS[config.task]


def languages_of(config: Config, column: str) -> list[str]:
    """The languages a column is written in.

    Args:
        config: whose rows.
        column: one of `text_columns(config)`.

    Returns:
        ISO 639-3 codes: of a pair of sentences the first language is sentence1's, the second sentence2's;
        any other column may be in every language of the config.
    """
    if column in ("sentence1", "sentence2") and len(config.languages) == 2:
        return [config.languages[column == "sentence2"]]
    return config.languages


def texts(row: Row, column: str) -> Iterator[str]:
    """The texts a row has in a column.

    Args:
        row: a row of the task's schema.
        column: its column.

    Returns:
        One text, or those of a list; missing ones are left out.
    """
    value = row.get(column)
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str):
            yield text


def same(config: Config, split: str, row: Row) -> int:
    """What two rows must share to be exact duplicates: a hash of their texts.

    Blanks around a text and invisible characters do not count.

    Args:
        config: whose rows.
        split: a corpus is compared with its titles, queries with their instructions.
        row: the row.

    Returns:
        A number to compare inside this process only.
    """
    if "sentence1" in row:
        return hash((_bare(row["sentence1"]), _bare(row["sentence2"])))
    if split == "corpus":
        return hash((_bare(row.get("title")), _bare(row["text"])))
    if "query" in row:
        return hash(_bare(row["query"]))
    if row.get("instruction"):
        return hash((_bare(row["instruction"]), _bare(row["text"])))
    return hash(_bare(row["text"]))


def _bare(text: str | None) -> str:
    if text and "zero-width" in kinds(text):
        text = text.translate(_INVISIBLE)
    return (text or "").strip()
