"""Multi-label classification: weighted F1 (main), macro and micro F1, and two accuracies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from seabed_evaluate.metrics.shared.bootstrap import Resampling, scores_with_intervals
from seabed_evaluate.metrics.shared.groups import numbered
from seabed_evaluate.metrics.shared.inputs import (
    FloatArray,
    IntArray,
    as_array,
    flag,
    integers,
    is_table,
    nested,
    numbers,
    same_length,
    whole,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

MAIN_SCORE = "f1_weighted"
HINT = "; are these rows of 0 and 1? Pass the indices of the 1s, or an array of two dimensions"


class Labelled(NamedTuple):
    """Which labels items have: ``row`` ascending, ``label`` ascending inside a row, each of shape (entries,)."""

    row: IntArray
    label: IntArray
    n_items: int
    is_pairs: bool  # every item is [0, 1] or [1, 0], so it may be meant as a row of 0 and 1
    is_reversed: bool  # some item is [1, 0]


def _labels(values: Any, name: str) -> IntArray:
    array = as_array(values, name)
    if array.dtype.kind == "b" and array.size:
        raise ValueError(f"{name} holds True and False, not label indices{HINT}")
    return integers(array, name, 0)


def _from_lists(rows: Any, name: str, width: int | None) -> Labelled:
    labels, lengths = nested(rows, name, _labels)
    row = np.repeat(np.arange(len(lengths)), lengths)
    if width is not None and (labels >= width).any():
        index = np.argmax(labels >= width)
        raise ValueError(f"{name}[{row[index]}] holds label {labels[index]}, but num_labels is {width}")
    is_pairs = bool((lengths == 2).all() and labels.max(initial=0) <= 1 and width in (None, 2))
    ascending = not (labels[1:] <= labels[:-1])[row[1:] == row[:-1]].any()
    if not ascending:
        order = np.lexsort((labels, row))
        given, labels = labels, labels[order]
        repeated = (labels[1:] == labels[:-1]) & (row[1:] == row[:-1])
        if repeated.any():
            index = row[np.argmax(repeated)]
            raise ValueError(f"{name}[{index}] repeats a label: {given[row == index].tolist()}{HINT}")
    return Labelled(row, labels, len(lengths), is_pairs, is_pairs and not ascending)


def _from_table(rows: Any, name: str, width: int | None) -> Labelled:
    if hasattr(rows, "tocsr"):
        matrix = csr_array(rows.tocsr())
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        row, label, value = (
            np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)),
            matrix.indices,
            matrix.data,
        )
        shape = matrix.shape
    else:
        table = as_array(rows, name)
        if table.dtype.kind not in "biuf":
            table = np.array([numbers(line, f"{name}[{index}]") for index, line in enumerate(table)])
        row, label = np.nonzero(table)
        value, shape = table[row, label], tuple(rows.shape)
    if (value != 1).any():
        index = np.argmax(value != 1)
        raise ValueError(
            f"{name}[{row[index]}, {label[index]}] is {value[index]}: an array of two dimensions has a column "
            "per label, and an indicator is 0 or 1; label indices go into a list of lists"
        )
    if width is not None and shape[1] > width:
        raise ValueError(f"{name} has {shape[1]} label columns, but num_labels is {width}")
    return Labelled(row.astype(np.int64), label.astype(np.int64), shape[0], shape[1] == 2, False)


def labelled(rows: Any, name: str, width: int | None = None) -> Labelled:
    """Read label sets; memory follows how many labels there are, not how large they are.

    Args:
        rows: n lists of label indices; or an array, tensor, frame or sparse matrix of 0 and 1, shape
            (n, labels). Nested lists are always label indices.
        name: what to call the argument in an error.
        width: number of labels, or None for no limit.

    Returns:
        The labels of each item.

    Raises:
        ValueError: a label is repeated, not a whole number, or outside 0 ... width - 1.

    >>> labelled([[2, 0], []], "predictions").label.tolist()
    [0, 2]
    """
    return (_from_table if is_table(rows) else _from_lists)(rows, name, width)


def label_lists(rows: Any, name: str) -> list[IntArray]:
    """Turn label sets into lists of label indices.

    Args:
        rows: see ``labelled``.
        name: what to call the argument in an error.

    Returns:
        n arrays of label indices, ascending.

    Raises:
        ValueError: see ``labelled``.
    """
    found = labelled(rows, name)
    return np.split(found.label, np.searchsorted(found.row, np.arange(1, found.n_items)))


def indicators(rows: Any, name: str, width: int) -> FloatArray:
    """Turn label sets into a dense 0/1 matrix.

    Args:
        rows: see ``labelled``.
        name: what to call the argument in an error.
        width: number of labels.

    Returns:
        float64 array of shape (n, width).

    Raises:
        ValueError: see ``labelled``.
    """
    found = labelled(rows, name, width)
    matrix = np.zeros((found.n_items, width))
    matrix[found.row, found.label] = 1
    return matrix


def multilabel_classification_scores(
    predictions: Any,
    references: Any,
    num_labels: int | None = None,
    *,
    per_item: bool = False,
    **resampling: Unpack[Resampling],
) -> dict[str, Any]:
    """Score predicted label sets against true label sets.

    Args:
        predictions: n lists of label indices (an empty list is "no label"); or an array, tensor, frame or sparse
            matrix of 0 and 1, shape (n, labels).
        references: the same, in a form of its own.
        num_labels: number of labels, or None for no limit. No score depends on it: it only refuses labels out of
            range.
        per_item: also return ``per_item``: whether each item's whole set is right.
        **resampling: of the items; see ``bootstrap.Resampling``.

    Returns:
        Fractions in [0, 1]: ``f1_weighted`` (label F1 weighted by true items), ``f1_macro`` (over labels seen
        in references or predictions), ``f1_micro``, ``accuracy`` (share of items whose set is exactly right)
        and ``label_weighted_accuracy`` (per-label accuracy weighted by true items); with resampling
        ``<name>_low`` and ``<name>_high``.

    Raises:
        ValueError: lengths differ, nothing to score, a bad label, no reference has any label, an option of a
            wrong type, or lists that can be read as label indices and as rows of 0 and 1 alike.

    Source:
        SEA-BED section 3.2. Which F1 average or accuracy the paper prints is not stated, so all are given.

    >>> scores = multilabel_classification_scores([[0], [1, 2]], [[0], [1]])
    >>> scores["f1_weighted"], scores["f1_micro"], scores["accuracy"]
    (1.0, 0.8, 0.5)
    """
    width = None if num_labels is None else whole(num_labels, "num_labels", 1)
    guess, truth = labelled(predictions, "predictions", width), labelled(references, "references", width)
    n_items = same_length(range(guess.n_items), range(truth.n_items))
    if guess.is_pairs and truth.is_pairs and (guess.is_reversed or truth.is_reversed):
        # Rows of 0 and 1 would pass for lists of indices, and score 1 whatever they say.
        raise ValueError(
            "every list is [0, 1] or [1, 0], which can be label indices or rows of 0 and 1: write label indices "
            "in ascending order, or pass the rows as an array of two dimensions"
        )
    if not len(truth.label):
        raise ValueError("references hold no label at all: F1 is undefined")
    codes, n_labels = numbered(np.concatenate([guess.label, truth.label]))
    guesses = _matrix(guess, codes[: len(guess.label)], n_labels)
    truths = _matrix(truth, codes[len(guess.label) :], n_labels)
    both = guesses.multiply(truths).tocsr()
    n_guess, n_truth, n_both = (np.diff(matrix.indptr) for matrix in (guesses, truths, both))
    exact = ((n_guess == n_both) & (n_truth == n_both)).astype(np.float64)

    def statistics(weights: FloatArray) -> dict[str, FloatArray]:
        support, guessed, hits = weights @ truths, weights @ guesses, weights @ both
        total, all_support = weights.sum(axis=1), support.sum(axis=1)
        seen = support + guessed > 0
        f1 = np.divide(2 * hits, support + guessed, out=np.zeros_like(hits), where=seen)
        agreed = total[:, None] - support - guessed + 2 * hits  # both have the label, or neither has
        with np.errstate(divide="ignore", invalid="ignore"):  # a resample without labels: NaN, counted
            return {
                "f1_weighted": (support * f1).sum(axis=1) / all_support,
                "f1_macro": f1.sum(axis=1) / seen.sum(axis=1),
                "f1_micro": 2 * hits.sum(axis=1) / (all_support + guessed.sum(axis=1)),
                "accuracy": weights @ exact / total,
                "label_weighted_accuracy": (support * agreed).sum(axis=1) / all_support / total,
            }

    result = scores_with_intervals(statistics, n_items, width=6 * n_labels, **resampling)
    if flag(per_item, "per_item"):
        result["per_item"] = {"accuracy": exact.tolist()}
    return result


def _matrix(found: Labelled, codes: IntArray, n_labels: int) -> csr_array:
    """A sparse 0/1 matrix, shape (items, labels)."""
    bounds = np.searchsorted(found.row, np.arange(found.n_items + 1))
    return csr_array((np.ones(len(codes)), codes, bounds), shape=(found.n_items, n_labels))
