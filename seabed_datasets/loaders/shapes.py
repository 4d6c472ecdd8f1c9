"""Shapes that several loaders share: a fixed split, question-answering as retrieval, NLI as pairs."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from typing import Any

from seabed_datasets.errors import RawFormatError
from seabed_datasets.schemas import Row, Splits, is_empty


def aligned(one: Iterable[str], two: Iterable[str]) -> Iterator[Row]:
    """Two texts aligned by line, as pairs.

    Args:
        one: sentences of the first language.
        two: sentences of the second language.

    Returns:
        One row per line, its number as id.

    Raises:
        RawFormatError: the texts have different numbers of lines.
    """
    for number, (a, b) in enumerate(zip_longest(one, two)):
        if a is None or b is None:
            raise RawFormatError(
                f"the two sides stop being aligned at line {number + 1}: one has no such line"
            )
        yield {"id": str(number), "sentence1": a, "sentence2": b}


def train_test(rows: Iterable[Row]) -> Splits:
    """Cut a set that has one split only, as the authors' evaluator does.

    Args:
        rows: all rows, in upstream's order.

    Returns:
        70 % train and 30 % test, by scikit-learn's `train_test_split(test_size=0.30, random_state=42)`,
        not stratified; each row keeps its position as id.

    Source:
        the authors' classification task: splits without a test or validation part.
    """
    from sklearn.model_selection import train_test_split

    numbered = [{"id": str(i), **row} for i, row in enumerate(rows)]
    train, test = train_test_split(numbered, test_size=0.30, random_state=42)
    return {"train": train, "test": test}


def document_id(text: str) -> str:
    """An id that stays the same across rebuilds, whatever the order of the documents.

    Args:
        text: the document.

    Returns:
        "d" and 16 hex digits of the text's hash.

    >>> document_id("กรุงเทพ")
    'd9e07b5c0dc1a6a55'
    """
    normal = unicodedata.normalize("NFC", text).encode()
    return "d" + hashlib.blake2b(normal, digest_size=8).hexdigest()


def question_answering(
    questions: Iterable[tuple[str | None, str, Iterable[str]]], documents: Iterable[str] = ()
) -> Splits:
    """Questions with their own passages, as retrieval.

    Args:
        questions: (id or None, question, relevant passages).
        documents: further passages of the corpus, relevant to no question (hard negatives).

    Returns:
        `test` = one query per question, never merged; `corpus` = distinct passages by exact text, in order
        of first use. Every relevance is 1.

    Source:
        the paper's retrieval setting: the corpus is what the evaluated split mentions.
    """
    corpus: dict[str, str] = {}
    queries: list[Row] = []

    def add(text: str) -> str:
        name = document_id(text)
        corpus.setdefault(name, text)
        return name

    for identity, question, passages in questions:
        relevant = dict.fromkeys(add(p) for p in passages if not is_empty(p))
        row: Row = {"text": question, "relevant": [{"id": d, "score": 1} for d in relevant]}
        queries.append(row if identity is None else {"id": identity, **row})
    for text in documents:
        if not is_empty(text):
            add(text)
    return {"test": queries, "corpus": [{"id": d, "text": t} for d, t in corpus.items()]}


def squad(value: Any) -> Iterator[tuple[str | None, str, list[str]]]:
    """Walk a value in SQuAD's layout.

    Args:
        value: the parsed JSON: data > paragraphs > qas.

    Returns:
        (id, question, [its paragraph]) for every question, answerable or not.

    Raises:
        RawFormatError: the value has another layout.
    """
    try:
        for article in value["data"]:
            for paragraph in article["paragraphs"]:
                for qa in paragraph["qas"]:
                    yield qa.get("id"), qa["question"], [paragraph["context"]]
    except (KeyError, TypeError) as error:
        raise RawFormatError(f"not in SQuAD's layout (data > paragraphs > qas): {error!r}") from None


def nli_pairs(
    rows: Iterable[Mapping[str, str]],
    *,
    premise: str,
    hypothesis: str,
    label: str,
    entailment: str = "entailment",
    contradiction: str = "contradiction",
    neutral: str | None = "neutral",
) -> Iterator[Row]:
    """Natural language inference as pair classification, by label NAME, never by number.

    Args:
        rows: upstream's rows.
        premise: its column, becomes sentence1.
        hypothesis: its column, becomes sentence2.
        label: its column.
        entailment: upstream's name for it; becomes label 1.
        contradiction: upstream's name for it; becomes label 0.
        neutral: upstream's name for it; such rows are left out. None when upstream has no such class.

    Returns:
        Rows with label "entailment" or "contradiction".

    Raises:
        DataError: (later, by the schema) a label is none of these names.

    Source:
        the paper's pair classification keeps entailment and contradiction only.
    """
    names = {entailment: "entailment", contradiction: "contradiction"}
    for position, row in enumerate(rows):
        if neutral is not None and row[label] == neutral:
            continue
        yield {
            "id": str(position),
            "sentence1": row[premise],
            "sentence2": row[hypothesis],
            "label": names.get(row[label], row[label]),
        }


def rerank_row(identity: str, query: str, positive: Iterable[str], negative: Iterable[str]) -> Row:
    """One reranking row from its relevant and other documents.

    Args:
        identity: the row's id.
        query: the query.
        positive: relevant documents.
        negative: the others.

    Returns:
        The row, documents in the order of their ids: a scorer that cannot tell them apart must not be
        rewarded for a list that puts the relevant ones first.
    """
    graded = [(document_id(d), d, 1) for d in positive] + [(document_id(d), d, 0) for d in negative]
    graded.sort(key=lambda entry: entry[0])
    return {
        "id": identity,
        "query": query,
        "documents": [d for _, d, _ in graded],
        "relevance": [r for _, _, r in graded],
    }
