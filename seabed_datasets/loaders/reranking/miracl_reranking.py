"""MIRACL: questions with Wikipedia passages that native speakers judged relevant or not."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import RawFormatError
from seabed_datasets.loaders.shapes import rerank_row
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows, table


def load(raw: Raw, config: Config) -> Splits:
    """A query without a relevant or without another passage has nothing to rank and is left out."""
    return {"test": (rerank_row(*topic) for topic in judged(raw) if topic[2] and topic[3])}


def judged(raw: Raw) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """The queries with the texts of their judged passages; the corpus is streamed, only those are kept.

    Args:
        raw: files with the roles "topics", "qrels" and "corpus" (one or more parts).

    Returns:
        (query id, query, relevant passages, other passages), in the topics' and the judgements' order.
        Titles are left out.

    Raises:
        RawFormatError: a judged passage is not in the corpus.
    """
    verdicts: dict[str, list[tuple[str, bool]]] = {}
    fields = ["query", "q0", "passage", "relevance"]
    for row in table(raw["qrels"], columns=fields, header=False, delimiter="\t", quoting=False):
        verdicts.setdefault(row["query"], []).append((row["passage"], row["relevance"] != "0"))
    wanted = {passage for entries in verdicts.values() for passage, _ in entries}
    texts = {
        row["docid"]: row["text"]
        for path in raw.all("corpus")
        for row in json_rows(path, columns=["docid", "text"])
        if row["docid"] in wanted
    }
    if missing := wanted - texts.keys():
        raise RawFormatError(f"{len(missing)} judged passages are not in the corpus, e.g. {min(missing)!r}")
    for row in table(raw["topics"], columns=["id", "text"], header=False, delimiter="\t", quoting=False):
        entries = verdicts.get(row["id"], [])
        relevant = [texts[passage] for passage, yes in entries if yes]
        yield row["id"], row["text"], relevant, [texts[passage] for passage, yes in entries if not yes]
