"""Whatever holds the numbers, they are read by position and exactly, or refused with their place; options likewise."""

import inspect
import itertools
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import torch
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.metrics.classification.scores import classification_scores
from seabed_evaluate.metrics.clustering.scores import clustering_scores
from seabed_evaluate.metrics.multilabel_classification.scores import multilabel_classification_scores
from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
from seabed_evaluate.metrics.reranking.scores import reranking_scores
from seabed_evaluate.metrics.retrieval.scores import retrieval_scores
from seabed_evaluate.metrics.shared.bootstrap import Resampling
from seabed_evaluate.metrics.shared.groups import numbered
from seabed_evaluate.metrics.shared.ranking import cut_offs
from seabed_evaluate.metrics.sts.scores import sts_scores

Score = Callable[..., dict[str, Any]]
LABELS: list[Score] = [bitext_mining_scores, classification_scores, clustering_scores]
SCALARS: list[Score] = [*LABELS, pair_classification_scores, sts_scores]
HITS = [[("a", 0.5), ("b", 0.5)], [("d", 0.5), ("c", 0.5)]]
JUDGED = [{"a": 1}, {"c": 1}]
SCORES, GRADES = [[0.25, 0.5, 0.75], [0.75, 0.25, 0.5]], [[1, 0, 0], [2, 0, 1]]
TABLE = [[1, 0, 1], [0, 1, 0]]
TRUTHS = [[0], [1, 2]]
ORDINARY: list[tuple[Score, Any, Any]] = [
    *((score, [0, 1, 1, 0], [0, 1, 0, 0]) for score in SCALARS),
    (multilabel_classification_scores, [[0, 2], [1]], TRUTHS),
    (reranking_scores, SCORES, GRADES),
    (retrieval_scores, HITS, JUDGED),
]


def shuffled(values: Any) -> Any:
    return pd.Series(values, index=range(len(values), 0, -1))


@pytest.mark.parametrize("score", SCALARS)
@pytest.mark.parametrize(
    "form",
    [
        tuple,
        np.asarray,
        shuffled,
        lambda v: pd.Series(v, dtype="Int64"),
        lambda v: pd.Series(v).astype("category"),
        lambda v: np.array(v, dtype=object),
        np.ma.array,
        lambda v: np.array(v, dtype=np.float16),
        lambda v: torch.tensor(v),
        lambda v: torch.tensor(v).bfloat16(),
        lambda v: torch.tensor(v, dtype=torch.float32, requires_grad=True),
        lambda v: [torch.tensor(x) for x in v],
        lambda v: [torch.tensor(float(x), requires_grad=True).bfloat16() for x in v],
        lambda v: dict(enumerate(v)).values(),
    ],
)
def test_every_form_of_a_flat_input_gives_the_same(score: Score, form: Any) -> None:
    predictions, references = [0, 1, 1, 0], [0, 1, 0, 0]
    assert score(form(predictions), form(references)) == score(predictions, references)


@pytest.mark.parametrize("score", SCALARS)
@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (np.ma.array([0, 1, 1, 0], mask=[0, 1, 0, 0]), r"predictions\[1\] is masked"),
        (np.array([0, 1, 1, 0], dtype="m8[s]"), "predictions holds timedelta"),
        (list(np.array([0, 1, 1, 0], dtype="m8[s]")), "predictions holds timedelta"),
        (pd.Series(pd.to_timedelta([0, 1, 1, 0], "s")), "predictions holds timedelta"),
        (np.array([0, 1, 1, 0], dtype="M8[s]"), "predictions holds datetime"),
        (np.array([0, 1j, 1, 0]), "predictions holds complex"),
        ([0, 1, np.timedelta64(1, "s"), None], r"predictions\[2\] is"),
        ([0, Decimal(1), 1, 0], r"predictions\[1\] is Decimal"),
        ([0, Fraction(1), 1, 0], r"predictions\[1\] is Fraction"),
        (["0", "1", "1", "0"], r"predictions\[0\] is '0', not a number; texts"),
        ([0, 1, 1, 10**400], r"predictions\[3\] is too large"),
        (pd.Series([0, 1, 1, pd.NA], dtype="Int64"), r"predictions\[3\] is"),
        (iter([0, 1, 1, 0]), "predictions must be a list or an array, found list_iterator"),
        ((x for x in [0, 1, 1, 0]), "predictions must be a list or an array, found generator"),
        ({0, 1}, "predictions must be a list or an array, found set"),
        ({"a": 1}, "predictions must be a list or an array, found dict"),
        ("0110", "predictions must be a list or an array, found str"),
        (None, "predictions must be a list or an array, found NoneType"),
        (7, "predictions must be a list or an array, found int"),
    ],
)
def test_what_is_no_list_of_numbers_is_refused(score: Score, bad: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        score(bad, [0, 1, 0, 0])


@settings(max_examples=100, deadline=None)
@drawn(
    st.integers(2**53 - 2, 2**65),
    st.integers(-2, 2),
    st.booleans(),
    st.sampled_from(["list", "array", "mixed"]),
)
def test_whole_numbers_are_exact_or_refused(large: int, step: int, negative: bool, form: str) -> None:
    one, other = large, large + step
    if negative:
        one, other = -one, -other
    make: Any = {"list": list, "array": np.asarray, "mixed": lambda v: [*v[:-1], float(v[-1])]}[form]
    for score in (classification_scores, clustering_scores):
        try:
            scores = score(make([one, 1, 1]), make([other, 1, 2]))
        except (ValueError, OverflowError):
            with pytest.raises(ValueError, match="too large"):
                score(make([one, 1, 1]), make([other, 1, 2]))
        else:
            assert scores == score([5 if step == 0 else 6, 1, 1], [5, 1, 2])
    with pytest.raises(ValueError, match=r"predictions\[0\] is .*too large to be exact"):
        sts_scores(make([2**53 + 1, 2**53, 1]), [1, 2, 3])


def test_labels_of_64_bits_are_told_apart() -> None:
    assert classification_scores([2**53 + 1, 1], [2**53, 1])["accuracy"] == 0.5
    hashes = [hash((i, "label")) for i in range(40)]
    assert classification_scores(hashes, hashes)["accuracy"] == 1.0
    assert multilabel_classification_scores([[2**60 + 1]], [[2**60]])["accuracy"] == 0.0
    with pytest.raises(ValueError, match="too large to be exact"):
        classification_scores([2.0**53], [2.0**53])  # through a float, 2**53 + 1 would look the same


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        lambda v: np.asarray(v, dtype=bool),
        lambda v: np.asarray(v, dtype=object),
        lambda v: torch.tensor(v),
        lambda v: torch.tensor(v).bfloat16(),
        lambda v: torch.tensor(v, dtype=torch.float32, requires_grad=True),
        lambda v: torch.tensor(v).to_sparse(),
        lambda v: pd.DataFrame(v, index=[9, 2]),
        scipy.sparse.csr_matrix,
        scipy.sparse.coo_matrix,
        scipy.sparse.csc_array,
    ],
)
def test_a_table_of_indicators_is_read_as_one_whatever_holds_it(form: Any) -> None:
    expected = multilabel_classification_scores([[0, 2], [1]], TRUTHS)
    assert multilabel_classification_scores(form(TABLE), TRUTHS) == expected
    two = [[0, 1], [1, 0]], [[1, 0], [1, 0]]
    assert multilabel_classification_scores(form(two[0]), form(two[1]))["accuracy"] == 0.5
    assert multilabel_classification_scores(form(two[0]), [[0], [0]])["accuracy"] == 0.5


@pytest.mark.parametrize(
    ("predictions", "references", "says"),
    [
        ([[0, 1], [1, 0]], [[1, 0], [1, 0]], "can be label indices or rows of 0 and 1"),
        ([[0, 1], [0, 1]], [[1, 0], [0, 1]], "can be label indices or rows of 0 and 1"),
        ([np.array([0, 1]), np.array([1, 0])], np.array([[1, 0], [1, 0]]), "can be label indices"),
        ([[1, 0, 1], [0, 1, 0]], TRUTHS, "are these rows of 0 and 1"),
        ([[True, False], [False, True]], TRUTHS, "holds True and False"),
        ([[0.9, 0.1], [0.2, 0.8]], TRUTHS, "not a whole number"),
        (np.array([[0.9, 0.1], [0.2, 0.8]]), TRUTHS, r"predictions\[0, 0\] is 0.9"),
        (np.array([[1, np.nan], [0, 1]]), TRUTHS, r"predictions\[0, 1\] is nan"),
        (np.array([[1, None], [0, 1]]), TRUTHS, r"predictions\[0\]\[1\] is None"),
        (np.ma.array([[1, 0], [0, 1]], mask=[[0, 0], [1, 0]]), TRUTHS, r"predictions\[1, 0\] is masked"),
        (scipy.sparse.csr_array([[2, 0], [0, 1]]), TRUTHS, r"predictions\[0, 0\] is 2"),
        ([[0], None], TRUTHS, r"predictions\[1\] must be a list"),
        ([0, 1], TRUTHS, r"predictions\[0\] must be a list"),
        (["01", "10"], TRUTHS, r"predictions\[0\] must be a list"),
    ],
)
def test_what_can_be_misread_as_label_sets_is_refused(predictions: Any, references: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        multilabel_classification_scores(predictions, references)


def test_ascending_lists_of_two_labels_are_label_sets() -> None:
    assert multilabel_classification_scores([[0, 1], [0, 1]], [[0, 1], [0, 1]])["accuracy"] == 1.0
    assert multilabel_classification_scores([[1, 0], [0]], [[0, 1], [0]])["accuracy"] == 1.0
    assert multilabel_classification_scores([[1, 0]], [[0, 1]], num_labels=3)["accuracy"] == 1.0


@pytest.mark.parametrize(("score", "predictions", "references"), ORDINARY)
def test_no_index_of_a_pandas_column_matters(score: Score, predictions: Any, references: Any) -> None:
    expected = score(predictions, references)
    count = len(predictions)
    for index in (
        range(count),
        range(count, 0, -1),
        range(7, 7 + count),
        [0] * count,
        [f"r{i}" for i in range(count)],
    ):
        for one, other in itertools.product((True, False), repeat=2):
            given = pd.Series(predictions, index=index) if one else predictions
            truth = pd.Series(references, index=index) if other else references
            assert score(given, truth) == expected
    frame = pd.DataFrame({"p": predictions, "r": references, "keep": [True] * count}).iloc[::-1]
    assert score(frame[frame["keep"]]["p"], frame["r"]) == pytest.approx(expected)


def test_rows_may_be_columns_too() -> None:
    rows = [pd.Series(row, index=range(len(row), 0, -1)) for row in SCORES]
    expected = reranking_scores(SCORES, GRADES)
    for given in (
        rows,
        pd.DataFrame(SCORES, index=[5, 1]),
        torch.tensor(SCORES).bfloat16(),
        np.ma.array(SCORES),
    ):
        assert reranking_scores(given, pd.DataFrame(GRADES)) == expected
    hits = [pd.Series(pairs, index=[5, 2]) for pairs in HITS]
    assert retrieval_scores(hits, JUDGED) == retrieval_scores(HITS, JUDGED)
    with pytest.raises(ValueError, match=r"predictions\[0\] must hold \(id, score\) pairs"):
        retrieval_scores([pd.Series({"a": 0.5, "b": 0.5})], [{"a": 1}])


@pytest.mark.parametrize("hits", [None, 3, "ab", iter([("a", 1.0)]), [("a", 1.0, 2)], [{"id": "a"}], ["a"]])
def test_what_is_no_ranking_names_the_query(hits: Any) -> None:
    with pytest.raises(ValueError, match=r"predictions\[1\] must hold \(id, score\) pairs"):
        retrieval_scores([[("a", 1.0)], hits], [{"a": 1}] * 2)
    with pytest.raises(ValueError, match=r"references\[0\] must hold \(id, score\) pairs"):
        retrieval_scores([[("a", 1.0)]], [hits if not hasattr(hits, "__next__") else iter([3])])


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (np.timedelta64(1, "s"), "holds timedelta"),
        (np.complex64(1 + 1j), "holds complex"),
        (10**400, r"\[0\] is too large"),
        (2**53 + 1, r"\[0\] is 9007199254740993, too large to be exact"),
        ("0.5", r"\[0\] is '0.5', not a number"),
        (Decimal("0.5"), r"\[0\] is Decimal"),
        ([0.5], "must be one flat list"),
    ],
)
def test_a_score_that_is_no_number_names_query_and_hit(value: Any, says: str) -> None:
    with pytest.raises(ValueError, match=r"predictions\[1\]" + says + r"|predictions\[1\] " + says):
        retrieval_scores([[("a", 1.0)], [("a", value)]], [{"a": 1}] * 2)


def test_all_runs_in_one_dict_are_refused() -> None:
    with pytest.raises(ValueError, match="predictions must be a list or an array, found dict"):
        retrieval_scores({"q1": {"a": 1.0}}, {"q1": {"a": 1}})  # type: ignore[arg-type]


def test_cut_offs_are_one_or_several() -> None:
    for k in (
        10,
        10.0,
        np.int32(10),
        np.array(10),
        torch.tensor(10),
        [10],
        (10, 10),
        {10},
        np.array([10]),
        shuffled([10]),
    ):
        assert cut_offs(k) == [10]
    for bad in (None, "10", True, [True], 2.5, 0, -1, [], [None], {"k": 10}, float("nan"), 10**30, [[10]]):
        with pytest.raises(ValueError, match="k"):
            cut_offs(bad)  # type: ignore[arg-type]


WRONG_OPTIONS: dict[str, list[Any]] = {
    "n_bootstrap": [None, "5", -1, 1.5, float("inf"), float("nan"), True, [5], 10**6, 10**400, np.array([5])],
    "seed": [None, "x", -1, 1.5, float("inf"), True, [1]],
    "confidence": [None, "0.9", 0, 1, 95, float("nan"), True, [0.9], np.array([0.9])],
    "draws": [None, "no", 1],
    "per_item": [None, "no", 1, [True]],
    "per_query": [None, "no", 1, [True]],
    "num_labels": ["3", 0, -1, 3.5, True, [3], float("inf"), float("nan")],
    "ties": [None, "random", ["id"], 1],
}


@pytest.mark.parametrize(("score", "predictions", "references"), ORDINARY)
def test_a_wrong_option_is_named(score: Score, predictions: Any, references: Any) -> None:
    names = (
        inspect.signature(score).parameters.keys() | Resampling.__annotations__.keys()
    ) & WRONG_OPTIONS.keys()
    for name in sorted(names):
        for value in WRONG_OPTIONS[name]:
            with pytest.raises(ValueError, match=name):
                score(predictions, references, **{name: value})


def test_options_may_be_numpys() -> None:
    expected = multilabel_classification_scores([[0]], [[0]], 3, per_item=True, n_bootstrap=5)
    options: dict[str, Any] = {"num_labels": np.int8(3), "per_item": np.True_, "n_bootstrap": np.float32(5)}
    assert multilabel_classification_scores([[0]], [[0]], seed=np.uint8(42), **options) == expected


def peak(score: Score, *args: Any, **options: Any) -> float:
    tracemalloc.start()
    score(*args, **options)
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size / 2**20


LONG = [(f"d{i}", 1.0) for i in range(20_000)]


@pytest.mark.parametrize(
    ("score", "predictions", "references", "options"),
    [
        (multilabel_classification_scores, [[10**12]], [[0]], {}),
        (multilabel_classification_scores, [[1]], [[0]], {"num_labels": 10**15}),
        (multilabel_classification_scores, [list(range(20_000))], [[0]], {"n_bootstrap": 1000}),
        *((score, [10**12, 1], [0, 1], {}) for score in LABELS),
        (retrieval_scores, HITS, JUDGED, {"k": 10**12}),
        (
            retrieval_scores,
            HITS * 999 + [LONG[:5]] * 2,
            JUDGED * 999 + [{"d1": 1}, dict(LONG)],
            {"k": 20_000},
        ),
        (retrieval_scores, HITS * 1000 + [LONG], JUDGED * 1000 + [{"d1": 1}], {"k": 20_000}),
        (reranking_scores, [[1.0, 0.5]] * 2000 + [[1.0] * 20_000], [[1, 0]] * 2000 + [[1, 0] * 10_000], {}),
    ],
)
def test_memory_does_not_follow_one_extreme_value(
    score: Score, predictions: Any, references: Any, options: dict[str, Any]
) -> None:
    assert peak(score, predictions, references, **options) < 50


@settings(max_examples=200, deadline=None)
@drawn(st.lists(st.integers(-5, 5) | st.integers(-(2**62), 2**62), max_size=30))
def test_numbering_is_that_of_unique(values: list[int]) -> None:
    array = np.array(values, dtype=np.int64)
    codes, count = numbered(array)
    distinct, expected = np.unique(array, return_inverse=True)
    assert count == len(distinct)
    assert codes.tolist() == expected.tolist()


@settings(max_examples=200, deadline=None)
@drawn(
    st.lists(st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)), min_size=3, max_size=40),
    st.integers(-30, 46),
    st.sampled_from([-300, -3, 0, 3, 300]),
)
def test_pearson_keeps_its_digits_beside_a_large_offset(
    pairs: list[tuple[int, int]], offset: int, scale: int
) -> None:
    """Whole numbers below 2**53 and powers of two leave no rounding in the input, so the ratio is the exact one."""
    x, y = (np.array(side) for side in zip(*pairs, strict=True))
    if len(set(x.tolist())) == 1 or len(set(y.tolist())) == 1:
        return
    n = len(x)
    a, b = n * x - x.sum(), n * y - y.sum()  # exact, in whole numbers
    covariance = int((a * b).sum())
    squared = Fraction(covariance**2, int((a * a).sum()) * int((b * b).sum()))
    shifted = np.ldexp((x + 2**offset if offset >= 0 else x).astype(np.float64), scale)
    assert sts_scores(shifted, y)["pearson"] == pytest.approx(
        np.sign(covariance) * float(squared) ** 0.5, abs=1e-12
    )


@pytest.fixture
def modules(evaluate_library: Any) -> Callable[[str], Any]:
    root = Path(__file__).resolve().parents[2] / "seabed_evaluate" / "metrics"
    return lambda task: evaluate_library.load(str(root / task), keep_in_memory=True)


def test_modules_take_every_form_as_the_plain_functions_do(modules: Callable[[str], Any]) -> None:
    sts, labels, ranked = modules("sts"), modules("multilabel_classification"), modules("reranking")
    x, y = [0.25, 0.5, 0.75, 0.125], [1.0, 2.0, 4.0, 3.0]
    for form in (
        shuffled,
        np.asarray,
        lambda v: torch.tensor(v, requires_grad=True).bfloat16(),
        np.ma.array,
        tuple,
    ):
        assert sts.compute(predictions=form(x), references=form(y)) == sts_scores(x, y)
    half = labels.compute(predictions=np.array([[0, 1], [1, 0]]), references=np.array([[1, 0], [1, 0]]))
    assert half["accuracy"] == 0.5
    for form in (np.asarray, torch.tensor, pd.DataFrame, scipy.sparse.csr_array):
        found = labels.compute(predictions=form(TABLE), references=TRUTHS)
        assert found == multilabel_classification_scores([[0, 2], [1]], TRUTHS)
    for form in (np.asarray, torch.tensor, pd.DataFrame, shuffled):
        assert ranked.compute(predictions=form(SCORES), references=form(GRADES)) == reranking_scores(
            SCORES, GRADES
        )
    hits = modules("retrieval")
    rows = [[{"id": name, "score": value} for name, value in pairs] for pairs in HITS]
    expected = retrieval_scores(HITS, JUDGED, k=2)
    for given in (
        rows,
        HITS,
        [dict(pairs) for pairs in HITS],
        shuffled(rows),
        [shuffled(row) for row in rows],
    ):
        assert hits.compute(predictions=given, references=JUDGED, k=2) == expected


@pytest.mark.parametrize(
    ("task", "predictions", "references", "says"),
    [
        ("sts", np.ma.array([1.0, 2.0], mask=[0, 1]), [1, 2], r"predictions\[1\] is masked"),
        ("sts", np.array([1, 2], dtype="m8[s]"), [1, 2], "holds timedelta"),
        ("sts", [1.0, 10**400], [1, 2], r"predictions\[1\] is too large"),
        ("sts", None, [1, 2], "predictions must be a list"),
        ("sts", np.ones((2, 1)), [1, 2], "flat list of numbers, found shape"),
        ("classification", ["pos", "neg"], [0, 1], r"predictions\[0\] is 'pos', not a number; texts"),
        ("classification", [2**53 + 1, 1], [2**53, 1], "too large to be exact"),
        ("multilabel_classification", [[0, 1], [1, 0]], [[1, 0], [1, 0]], "rows of 0 and 1"),
        ("multilabel_classification", [[0, 1, 1]], [[1]], "are these rows of 0 and 1"),
        ("reranking", [[0.1, None]], [[0, 1]], r"predictions\[0\]\[1\] is None"),
        ("retrieval", [None], [{"a": 1}], r"predictions\[0\] must hold"),
    ],
)
def test_modules_refuse_what_the_plain_functions_refuse(
    task: str, predictions: Any, references: Any, says: str, modules: Callable[[str], Any]
) -> None:
    with pytest.raises(ValueError, match=says):
        modules(task).compute(predictions=predictions, references=references)
