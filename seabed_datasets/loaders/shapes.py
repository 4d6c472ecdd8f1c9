"""Shapes that several loaders share: a fixed split, question-answering as retrieval, NLI as pairs."""

from __future__ import annotations

import ast
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeVar

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import RawFormatError
from seabed_datasets.loaders.spool import Spool
from seabed_datasets.schemas import Row, Splits, is_empty
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines

T = TypeVar("T")

_ITEM = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
# A list of texts as Python or JSON writes it; two texts side by side without a comma are not one.
WRITTEN_LIST = re.compile(rf"\[\s*(?:{_ITEM}(?:\s*,\s*{_ITEM})*\s*,?\s*)?\]", re.DOTALL)


def written_list(text: str) -> list[str]:
    """A list of texts that upstream's table holds as Python or JSON wrote it.

    Args:
        text: e.g. "['price', 'service']".

    Returns:
        Its items.

    Raises:
        RawFormatError: it is no such list.

    >>> written_list("['price', 'room']")
    ['price', 'room']
    """
    try:
        if WRITTEN_LIST.fullmatch(text.strip()):
            items: list[str] = ast.literal_eval(text.strip())
            return items
    except (ValueError, SyntaxError):
        pass
    raise RawFormatError(f"expected a list as Python writes it, found {text[:80]!r}")


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


def side_by_side(
    rows: Iterable[Mapping[str, Any]], one: str, two: str, *, identity: str | None = None
) -> Iterator[Row]:
    """Rows that hold both texts of a pair, as pairs.

    Args:
        rows: upstream's rows.
        one: the column that becomes sentence1.
        two: the column that becomes sentence2.
        identity: the column of upstream's own id, where it is unique.

    Returns:
        One row per upstream row.
    """
    for row in rows:
        pair: Row = {"sentence1": row[one], "sentence2": row[two]}
        yield pair if identity is None else {"id": row[identity], **pair}


def moses(archive: Path, corpus: str, code: str) -> Iterator[Row]:
    """English and another language in the Moses form of OPUS, as pairs.

    Args:
        archive: the zip; it also holds README, LICENSE and alignment files, which are no data.
        corpus: the name the members begin with.
        code: OPUS's code of the other language.

    Returns:
        One row per line, its number as id; the English side first.

    Raises:
        RawFormatError: a member is missing, or the two have different numbers of lines.
    """
    stem = f"{corpus}.en-{code}"
    return aligned(lines(archive, f"{stem}.en"), lines(archive, f"{stem}.{code}"))


def train_test(rows: Iterable[Row], test_size: float = 0.30, aside: float = 0.0) -> Splits:
    """Cut a set that has one split only, as the authors' evaluator does.

    Args:
        rows: all rows, in upstream's order.
        test_size: the share that becomes test.
        aside: the share of the rest that is not used at all.

    Returns:
        train and test, by scikit-learn's `train_test_split(test_size=..., random_state=42)`, not stratified;
        each row keeps its position as id.

    Source:
        the authors' classification task: 30 % of sets without a test or validation part.
    """
    from sklearn.model_selection import train_test_split

    numbered = [{"id": str(i), **row} for i, row in enumerate(rows)]
    train, test = train_test_split(numbered, test_size=test_size, random_state=42)
    if aside:
        train, _unused = train_test_split(train, test_size=aside, random_state=42)
    return {"train": train, "test": test}


def drawn(rows: Sequence[T], share: float) -> list[T]:
    """The rows a random cut of the authors' code scores, with the seed it lacks fixed to 42.

    Args:
        rows: all rows (a range serves to draw positions).
        share: how much of them is drawn.

    Returns:
        The drawn rows, in upstream's order.
    """
    from sklearn.model_selection import train_test_split

    _, chosen = train_test_split(range(len(rows)), test_size=share, shuffle=True, random_state=42)
    return [rows[i] for i in sorted(chosen)]


def labelled(
    rows: Iterable[Mapping[str, Any]],
    *,
    text: str,
    label: str,
    names: Mapping[Any, str] | None = None,
    identity: str | None = None,
    strip: bool = False,
) -> Iterator[Row]:
    """Rows with one text and one label column, as classification rows.

    Args:
        rows: upstream's rows.
        text: the column of the text.
        label: the column of the label.
        names: upstream's value -> label name; a value that is not in it is passed on, for the schema to refuse.
        identity: the column of upstream's own id, where it is unique.
        strip: whether blanks around the text go, where the dataset's own description takes them off.

    Returns:
        Rows with text and label.
    """
    for row in rows:
        value = row[label]
        clean = row[text].strip() if strip else row[text]
        made: Row = {"text": clean, "label": names.get(value, value) if names else value}
        yield made if identity is None else {"id": row[identity], **made}


def numbered(config: Config) -> dict[Any, str]:
    """The card's names for labels that upstream writes as numbers, counted from 0.

    Args:
        config: whose labels.

    Returns:
        0, "0" and "0.0" -> the first name, and so on: the `names` of `labelled`.
    """
    return {key: name for i, name in enumerate(config.labels or []) for key in (i, str(i), f"{i}.0")}


def numbered_splits(
    raw: Raw,
    config: Config,
    read: Callable[..., Iterable[Mapping[str, Any]]],
    *,
    text: str = "text",
    label: str = "label",
) -> Splits:
    """Train and test files of one form, whose labels are numbers counted from 0.

    Args:
        raw: files with the roles "train" and "test".
        config: whose card names the labels.
        read: the reader of a file; it is given the path and `columns`.
        text: the column of the text.
        label: the column of the label.

    Returns:
        train and test.
    """
    names = numbered(config)
    return {
        split: labelled(read(raw[split], columns=[text, label]), text=text, label=label, names=names)
        for split in ("train", "test")
    }


def labelled_lines(texts: Path, labels: Path, names: Mapping[Any, str] | None = None) -> Iterator[Row]:
    """Two files aligned by line, a text in one and its label in the other, as classification rows.

    Args:
        texts: the file of the texts.
        labels: the file of the labels.
        names: as in `labelled`.

    Returns:
        Rows with text and label.

    Raises:
        RawFormatError: the files have different numbers of lines.
    """
    return labelled(aligned(lines(texts), lines(labels)), text="sentence1", label="sentence2", names=names)


def found_columns(rows: Iterable[Mapping[str, Any]], labels: Sequence[str]) -> Iterator[Row]:
    """Classification rows of a table whose header nobody has seen: its columns are told by what they hold.

    Args:
        rows: upstream's rows.
        labels: upstream's labels.

    Returns:
        Rows with text (the column with the most characters) and label (the one column where every value is
        one of the labels; whole numbers may be stored as 1.0).

    Raises:
        RawFormatError: no column, or more than one, holds nothing but labels.
    """
    table = [{k: "" if v is None else str(v) for k, v in row.items()} for row in rows]
    names = {label + end: label for label in labels for end in ("", ".0")}
    columns = list(table[0]) if table else []
    marked = [c for c in columns if all(row[c] in names for row in table)]
    if len(marked) != 1:
        raise RawFormatError(f"expected one column of labels {list(labels)} among {columns}, found {marked}")
    text = max(columns, key=lambda c: sum(len(row[c]) for row in table))
    return labelled(table, text=text, label=marked[0], names=names)


def document_id(text: str) -> str:
    """An id that stays the same across rebuilds, whatever the order of the documents.

    Args:
        text: the document.

    Returns:
        "d" and 16 hex digits of the text's hash.

    >>> document_id("กรุงเทพ")
    'd34829cab5a976f31'
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
        of first use. Every relevance is 1. Both are read back from disk when they are large: the questions
        are taken in once, and only the passages' ids stay in memory.

    Source:
        the paper's retrieval setting: the corpus is what the evaluated split mentions.
    """
    queries, corpus, known = Spool(), Spool(), set[str]()

    def add(text: str) -> str:
        name = document_id(text)
        if name not in known:
            known.add(name)
            corpus.add({"id": name, "text": text})
        return name

    for identity, question, passages in questions:
        relevant = dict.fromkeys(add(p) for p in passages if not is_empty(p))
        row: Row = {"text": question, "relevant": [{"id": d, "score": 1} for d in relevant]}
        queries.add(row if identity is None else {"id": identity, **row})
    for text in documents:
        if not is_empty(text):
            add(text)
    return {"test": queries, "corpus": corpus}


def asked(
    rows: Iterable[Mapping[str, Any]], *, question: str = "question", passage: str = "context"
) -> Iterator[tuple[str | None, str, list[str]]]:
    """Rows with a question and its one passage, as `question_answering` takes them.

    Args:
        rows: upstream's rows.
        question: the column of the question.
        passage: the column of its passage.

    Returns:
        (the row's position upstream, question, [passage]); rows without a passage are left out, there is
        nothing to find for them.
    """
    for position, row in enumerate(rows):
        if not is_empty(row[passage]):
            yield str(position), row[question], [row[passage]]


def with_negatives(rows: Iterable[tuple[str | None, str, Iterable[str], Iterable[str]]]) -> Splits:
    """Queries with passages judged relevant and passages judged not, as retrieval.

    Args:
        rows: (id or None, query, relevant passages, other passages).

    Returns:
        As `question_answering`: the others join the corpus and are relevant to no query. A query without a
        relevant passage is left out, there is nothing to find for it; its other passages stay.
    """
    others = Spool()

    def questions() -> Iterator[tuple[str | None, str, list[str]]]:
        for name, query, yes, no in rows:
            for text in no:
                others.add(text)
            if relevant := list(yes):
                yield name, query, relevant

    return question_answering(questions(), others)


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
    rows: Iterable[Mapping[str, Any]],
    *,
    premise: str,
    hypothesis: str,
    label: str,
    entailment: str = "entailment",
    contradiction: str = "contradiction",
    neutral: str | None = "neutral",
    numbers: Sequence[str] = (),
    identity: str | None = None,
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
        numbers: upstream's names in the order of its numbers, for files that may hold numbers.
        identity: the column of upstream's id where it is unique; else the id is the row's position.

    Returns:
        Rows with label "entailment" or "contradiction".

    Raises:
        DataError: (later, by the schema) a label is none of these names.

    Source:
        the paper's pair classification keeps entailment and contradiction only.
    """
    names = {entailment: "entailment", contradiction: "contradiction"}
    by_number = dict(enumerate(numbers))
    for position, row in enumerate(rows):
        name = by_number.get(row[label], row[label])
        if neutral is not None and name == neutral:
            continue
        yield {
            "id": str(position if identity is None else row[identity]),
            "sentence1": row[premise],
            "sentence2": row[hypothesis],
            "label": names.get(name, name),
        }


def flags(
    rows: Iterable[Mapping[str, Any]],
    *,
    text: str,
    labels: Sequence[str],
    on: Sequence[Any] = ("1",),
    off: Sequence[Any] = ("0",),
) -> Iterator[Row]:
    """Rows with one yes/no column per label, as label lists.

    Args:
        rows: upstream's rows.
        text: the column of the text.
        labels: the columns of the labels; a label is named as its column.
        on: upstream's values for a label that applies.
        off: upstream's values for one that does not.

    Returns:
        Rows with the names of the columns that are on, in the order given; [] where none is.

    Raises:
        RawFormatError: a value is none of these.
    """
    for number, row in enumerate(rows):
        strange = {name: row[name] for name in labels if row[name] not in (*on, *off)}
        if strange:
            raise RawFormatError(f"row {number}: expected one of {[*on, *off]}, found {strange}")
        yield {"text": row[text], "labels": [name for name in labels if row[name] in on]}


def instructions(rows: Iterable[tuple[str, str, str]]) -> Splits:
    """Instructions with their own answers, as instruction retrieval.

    Args:
        rows: (instruction, the input it applies to or "", answer).

    Returns:
        `test` = one query per row, never merged: the input with its instruction where there is an input,
        else the instruction itself; `corpus` = distinct answers by exact text. Rows without an answer are
        left out, there is nothing to find for them; the id is the row's position upstream.

    Source:
        the authors' instruction retrieval task: the row's own answer is the one relevant document.
    """
    kept = Spool((str(i), *row) for i, row in enumerate(rows) if not is_empty(row[2]))
    splits = question_answering(
        (name, task if is_empty(given) else given, [answer]) for name, task, given, answer in kept
    )
    queries = splits["test"]
    splits["test"] = (
        {**query, "instruction": None if is_empty(given) else task}
        for query, (_name, task, given, _answer) in zip(queries, kept, strict=True)
    )
    return splits


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
