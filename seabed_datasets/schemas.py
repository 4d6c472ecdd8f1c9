"""One schema per task, and the one place where a loader's rows become rows of that schema."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from seabed_datasets.catalogue import Config
from seabed_datasets.errors import DataError

if TYPE_CHECKING:
    from datasets import Features

Row = dict[str, Any]
Splits = dict[str, Iterable[Row]]

# str.strip() keeps these, yet a text of nothing else is empty to every reader and model.
INVISIBLE = (
    "\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u00ad\u034f\u180e"  # zero width, joiners, soft hyphen
    "\u200e\u200f\u061c\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # direction of writing
    "\u2800\u3164\uffa0\u115f\u1160\u17b4\u17b5"  # blanks and fillers of Braille, Hangul and Khmer
    + "".join(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))  # variation selectors
)
_INVISIBLE = {ord(c): None for c in INVISIBLE}
_RELEVANCE = range(-(2**31), 2**31)  # what the column's int32 holds

SPLITS: dict[str, tuple[str, ...]] = {
    "bitext_mining": ("test",),
    "pair_classification": ("test",),
    "classification": ("train", "test"),
    "multilabel_classification": ("train", "test"),
    "clustering": ("test",),
    "sts": ("test",),
    "retrieval": ("test", "corpus"),
    "instruction_retrieval": ("test", "corpus"),
    "reranking": ("test",),
}


def features(config: Config) -> Features:
    """The columns of a config, the same in each of its splits.

    Args:
        config: whose columns.

    Returns:
        A `datasets.Features`; label columns are ClassLabel with the card's names in the card's order.

    >>> from seabed_datasets import config
    >>> list(features(config("sample_sts_mya")))
    ['id', 'sentence1', 'sentence2', 'score']
    """
    from datasets import ClassLabel, Features, List, Value

    string = Value("string")
    pair = {"id": string, "sentence1": string, "sentence2": string}
    retrieval = {
        "id": string,
        "title": string,
        "text": string,
        "instruction": string,
        "relevant": List({"id": string, "score": Value("int32")}),
    }

    def label() -> ClassLabel:
        if not config.labels:
            raise DataError(f"{config.name}: the card lists no label names (seabed.labels)")
        return ClassLabel(names=config.labels)

    by_task: dict[str, Callable[[], dict[str, Any]]] = {
        "bitext_mining": lambda: pair,
        "pair_classification": lambda: pair | {"label": label()},
        "classification": lambda: {"id": string, "text": string, "label": label()},
        "multilabel_classification": lambda: {"id": string, "text": string, "labels": List(label())},
        "clustering": lambda: {"id": string, "text": string, "label": label()},
        "sts": lambda: pair | {"score": Value("float64")},
        "retrieval": lambda: retrieval,
        "instruction_retrieval": lambda: retrieval,
        "reranking": lambda: {
            "id": string,
            "query": string,
            "documents": List(string),
            "relevance": List(Value("int32")),
        },
    }
    return Features(by_task[config.task]())


def is_empty(text: str | None) -> bool:
    """Whether nothing is left of a text once blanks and invisible characters are gone.

    Args:
        text: any text, or None.

    Returns:
        True when a reader would see nothing.

    >>> is_empty("\\u200b\\ufeff ")
    True
    """
    if not isinstance(text, str):
        return text is None
    seen = text.strip()
    # Most texts begin with something to read, and need no second look.
    return not seen or (ord(seen[0]) in _INVISIBLE and not seen.translate(_INVISIBLE).strip())


def with_labels(config: Config, splits: Splits) -> tuple[Config, Splits]:
    """Name the labels of a set whose card names none, because nobody has seen them.

    Args:
        config: which config.
        splits: what the loader made, label names included.

    Returns:
        The config with the names its rows have, numbers in their order, then words in theirs; and the splits,
        held in memory. A config whose card names labels, or whose task has none, comes back as it is.
    """
    if (
        config.labels
        or not {"label", "labels"} & set(COLUMNS[config.task])
        or config.task == "pair_classification"
    ):
        return config, splits
    held: Splits = {split: list(rows) for split, rows in splits.items()}
    names = {
        _storable(str(n)) for rows in held.values() for r in rows for n in r.get("labels", [r.get("label")])
    }
    ordered = sorted(names, key=lambda n: (float(n), "") if n.lstrip("-").isdigit() else (math.inf, n))
    return config.model_copy(update={"labels": ordered}), held


def unify(
    config: Config,
    split: str,
    rows: Iterable[Row],
    dropped: dict[str, int],
    refused: Callable[[DataError], None] | None = None,
) -> Iterator[Row]:
    """Turn a loader's rows into rows of the task's schema, checking each.

    Texts are stored NFC. Label names become integers. A missing `id` becomes the row's position in the
    loader's output. Rows with an empty required text are left out and counted in `dropped`.

    Args:
        config: whose rows.
        split: the split they belong to.
        rows: what the loader made.
        dropped: reason -> number of rows left out; filled while the iterator runs.
        refused: is told of a row that breaks the schema, which is then left out; without it the first such
            row raises.

    Returns:
        Rows that fit `features(config)`.

    Raises:
        DataError: a column is missing or unknown, a label is not in the card, a score is not a finite
            number in the card's range, a relevance is no whole number, a text cannot be stored, an id repeats;
            the message names config, split and row.
    """
    seen: set[str] = set()
    for position, row in enumerate(rows):
        try:
            clean = _checked(config, row)
            if clean is None:
                dropped["empty"] = dropped.get("empty", 0) + 1
                continue
            identity = _storable(str(row["id"])) if row.get("id") is not None else str(position)
            if identity in seen:
                raise DataError(f"id {identity!r} is used twice", "SB210")
        except DataError as error:
            explained = DataError(f"{config.name}, split {split!r}, row {position}: {error}", error.rule)
            if refused is None:
                raise explained from None
            refused(explained)
            continue
        seen.add(identity)
        yield {"id": identity, **clean}


def _checked(config: Config, row: Row) -> Row | None:
    strange = set(row) - set(COLUMNS[config.task])
    if strange:
        raise DataError(f"unknown columns {sorted(strange)}, expected {COLUMNS[config.task]}")
    try:
        return _ROW[config.task](config, row)
    except KeyError as error:
        raise DataError(f"the loader gave no {error}") from None
    except (TypeError, ValueError) as error:
        raise DataError(f"a value has the wrong type: {error}") from None


# Of each task, in order.
COLUMNS: dict[str, list[str]] = {
    "bitext_mining": ["id", "sentence1", "sentence2"],
    "pair_classification": ["id", "sentence1", "sentence2", "label"],
    "classification": ["id", "text", "label"],
    "multilabel_classification": ["id", "text", "labels"],
    "clustering": ["id", "text", "label"],
    "sts": ["id", "sentence1", "sentence2", "score"],
    "retrieval": ["id", "title", "text", "instruction", "relevant"],
    "instruction_retrieval": ["id", "title", "text", "instruction", "relevant"],
    "reranking": ["id", "query", "documents", "relevance"],
}


def _nfc(text: Any) -> str:
    if not isinstance(text, str):
        raise DataError(f"expected a text, found {type(text).__name__} {text!r}")
    return _storable(unicodedata.normalize("NFC", text))


def _storable(text: str) -> str:
    """The text, unless it holds half a character: JSON can spell a lone surrogate, no UTF-8 file can hold it."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"the text holds half a character, the lone surrogate U+{ord(text[error.start]):04X} at place "
            f"{error.start}, which cannot be stored: {text[max(0, error.start - 20) : error.end]!r}"
        ) from None
    return text


def _whole(value: Any, what: str) -> int:
    """A whole number that an int32 holds; 0.9 is not 0."""
    try:
        number = int(value)
        if isinstance(value, bool) or (not isinstance(value, str) and number != value):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} {value!r} is not a whole number") from None
    if number not in _RELEVANCE:
        raise DataError(f"{what} {value!r} is larger than a 32-bit integer holds")
    return number


def _label(config: Config, name: Any) -> int:
    labels = config.labels or []
    if name not in labels:
        raise DataError(f"label {name!r} is not one of the card's {labels}", "SB207")
    return labels.index(name)


def _sentences(config: Config, row: Row) -> Row | None:
    one, two = row["sentence1"], row["sentence2"]
    if is_empty(one) or is_empty(two):
        return None
    return {"sentence1": _nfc(one), "sentence2": _nfc(two)}


def _pair(config: Config, row: Row) -> Row | None:
    clean = _sentences(config, row)
    return clean and clean | {"label": _label(config, row["label"])}


def _sts(config: Config, row: Row) -> Row | None:
    clean, score = _sentences(config, row), float(row["score"])
    low, high = config.score_range or (-math.inf, math.inf)
    if not (math.isfinite(score) and low <= score <= high):
        raise DataError(f"score {score} is outside the card's range {low} to {high}", "SB208")
    return clean and clean | {"score": score}


def _labelled(config: Config, row: Row) -> Row | None:
    label = _label(config, row["label"])
    return None if is_empty(row["text"]) else {"text": _nfc(row["text"]), "label": label}


def _multi(config: Config, row: Row) -> Row | None:
    labels = sorted({_label(config, name) for name in row["labels"]})
    return None if is_empty(row["text"]) else {"text": _nfc(row["text"]), "labels": labels}


def _retrieval(config: Config, row: Row) -> Row | None:
    if is_empty(row["text"]):
        return None
    title, instruction = row.get("title"), row.get("instruction")
    return {
        "title": None if is_empty(title) else _nfc(title),
        "text": _nfc(row["text"]),
        "instruction": None if is_empty(instruction) else _nfc(instruction),
        "relevant": [
            {"id": _storable(str(r["id"])), "score": _whole(r["score"], "relevance of a document:")}
            for r in row.get("relevant") or []
        ],
    }


def _rerank(config: Config, row: Row) -> Row | None:
    documents = [_nfc(d) for d in row["documents"]]
    relevance = [_whole(r, "relevance") for r in row["relevance"]]
    if len(documents) != len(relevance):
        raise DataError(f"{len(documents)} documents but {len(relevance)} relevance values")
    return (
        None
        if is_empty(row["query"]) or not documents
        else {"query": _nfc(row["query"]), "documents": documents, "relevance": relevance}
    )


_ROW: dict[str, Callable[[Config, Row], Row | None]] = {
    "bitext_mining": _sentences,
    "pair_classification": _pair,
    "classification": _labelled,
    "multilabel_classification": _multi,
    "clustering": _labelled,
    "sts": _sts,
    "retrieval": _retrieval,
    "instruction_retrieval": _retrieval,
    "reranking": _rerank,
}
