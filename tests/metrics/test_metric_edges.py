"""What every metric refuses, and that the message names the argument and the item."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.metrics.classification.scores import classification_scores
from seabed_evaluate.metrics.clustering.scores import clustering_scores
from seabed_evaluate.metrics.instruction_retrieval.scores import instruction_retrieval_scores
from seabed_evaluate.metrics.multilabel_classification.scores import multilabel_classification_scores
from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
from seabed_evaluate.metrics.reranking.scores import reranking_scores
from seabed_evaluate.metrics.retrieval.scores import retrieval_scores
from seabed_evaluate.metrics.sts.scores import sts_scores

Score = Callable[..., dict[str, Any]]
LABELS: list[Score] = [bitext_mining_scores, classification_scores, clustering_scores]
SCALARS: list[Score] = [*LABELS, pair_classification_scores, sts_scores]
NESTED: list[Score] = [
    multilabel_classification_scores,
    reranking_scores,
    retrieval_scores,
    instruction_retrieval_scores,
]
RANKED: list[Score] = [retrieval_scores, instruction_retrieval_scores]


@pytest.mark.parametrize("score", SCALARS + NESTED)
def test_nothing_to_score_is_an_error(score: Score) -> None:
    with pytest.raises(ValueError, match="empty"):
        score([], [])


@pytest.mark.parametrize("score", SCALARS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, None, "1"])
def test_bad_number_names_the_item(score: Score, bad: Any) -> None:
    with pytest.raises(ValueError, match=r"predictions\[2\] is"):
        score([0, 1, bad], [0, 1, 1])
    with pytest.raises(ValueError, match=r"references\[1\] is"):
        score([0, 1, 1], [0, bad, 1])


@pytest.mark.parametrize("score", LABELS)
def test_labels_are_never_rounded(score: Score) -> None:
    with pytest.raises(ValueError, match=r"predictions\[1\] is 1.7, not a whole number"):
        score([0, 1.7], [0, 1])
    with pytest.raises(ValueError, match=r"references\[1\] is 1e\+300, too large"):
        score([0, 1], [0, 1e300])
    assert score([0.0, 1.0], [0, 1]) == score(np.array([0, 1], dtype=np.int8), [0, 1])


@pytest.mark.parametrize("score", SCALARS)
def test_lengths_and_shapes_are_checked(score: Score) -> None:
    with pytest.raises(ValueError, match="3 predictions but 2 references"):
        score([0, 1, 1], [0, 1])
    with pytest.raises(ValueError, match="flat list"):
        score([[0, 1], [1, 0]], [0, 1])


def test_negative_row_index_is_refused() -> None:
    with pytest.raises(ValueError, match=r"predictions\[1\] is -1, below 0"):
        bitext_mining_scores([0, -1], [0, 1])


@pytest.mark.parametrize("score", RANKED)
@pytest.mark.parametrize(
    ("hits", "judged", "message"),
    [
        ([("a", 1.0), ("b", np.nan)], {"a": 1}, r"predictions\[1\]\[1\] is nan"),
        ([("a", 1.0), ("b", -np.inf)], {"a": 1}, r"predictions\[1\]\[1\] is -inf"),
        ([("a", 1.0), ("b", None)], {"a": 1}, r"predictions\[1\]\[1\] is None"),
        ([("a", 1.0), ("a", 0.5)], {"a": 1}, r"predictions\[1\] holds document id 'a' more than once"),
        ([("a", 1.0)], [("a", 1), ("a", 0)], r"references\[1\] holds document id 'a' more than once"),
        ([(7, 1.0)], {"a": 1}, r"predictions\[1\]\[0\] has id 7"),
        ([("a", 1.0)], {7: 1}, r"references\[1\]\[0\] has id 7"),
        ([("a", 1.0)], {"a": 1, "b": 0.5}, r"references\[1\]\[1\] is 0.5, not a whole number"),
        ([("a", 1.0)], {"a": -1}, r"references\[1\]\[0\] is -1, below 0"),
        ([("a", 1.0)], {"a": np.nan}, r"references\[1\]\[0\] is nan"),
        ([("a", 1.0, 2)], {"a": 1}, r"predictions\[1\] must hold \(id, score\) pairs"),
        ([{"doc": "a"}], {"a": 1}, r"predictions\[1\] must hold \(id, score\) pairs"),
    ],
)
def test_bad_ranking_names_query_and_hit(score: Score, hits: Any, judged: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score([[("a", 1.0)], hits], [{"a": 1}, judged])


@pytest.mark.parametrize("score", RANKED)
def test_settings_are_checked(score: Score) -> None:
    hits, judged = [[("a", 1.0)]], [{"a": 1}]
    for k in ([], [0], [1.5]):
        with pytest.raises(ValueError, match="k"):
            score(hits, judged, k=k)
    with pytest.raises(ValueError, match="ties must be one of id, trec"):
        score(hits, judged, ties="random")
    with pytest.raises(ValueError, match="2 predictions but 1 references"):
        score(hits * 2, judged)
    with pytest.raises(ValueError, match="no query can be scored"):
        score(hits, [{"a": 0}])


def test_reranking_names_query_and_candidate() -> None:
    with pytest.raises(ValueError, match=r"predictions\[1\]\[0\] is nan"):
        reranking_scores([[0.1, 0.2], [np.nan, 0.1]], [[1, 0], [1, 0]])
    with pytest.raises(ValueError, match="query 1 has 1 predictions but 2 references"):
        reranking_scores([[0.1, 0.2], [0.1]], [[1, 0], [1, 0]])
    with pytest.raises(ValueError, match="no query can be scored"):
        reranking_scores([[0.1, 0.2], []], [[1, 1], []])
    scores = reranking_scores([[0.1, 0.2], [0.3, 0.4]], [[0, 1], [1, 1]], per_query=True)
    assert (scores["num_queries"], scores["num_queries_skipped"]) == (1, 1)
    assert scores["per_query"]["map"] == [1.0, None]
