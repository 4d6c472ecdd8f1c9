"""Rank metrics agree with trec_eval's own code (pytrec_eval-terrier) and with plain definitions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from seabed_evaluate.metrics.instruction_retrieval.scores import instruction_retrieval_scores
from seabed_evaluate.metrics.reranking.scores import reranking_scores
from seabed_evaluate.metrics.retrieval.scores import retrieval_scores
from seabed_evaluate.metrics.shared.ranking import rank_measures

K = [1, 3, 5, 10, 100]
IDS = [*"abcdefgh", "B", "10", "9", "ไทย", "မြန်မာ", "d\u0323", "\U0001f600"]
# Coarse scores tie often; the last pair differs in float64 and is one number in float32.
SCORES = st.integers(-2, 2).map(float) | st.floats(-1e3, 1e3) | st.sampled_from([0.1, 0.1 + 1e-12])
RUN = st.dictionaries(st.sampled_from(IDS), SCORES, max_size=len(IDS))
JUDGED = st.dictionaries(st.sampled_from([*IDS, "unseen1", "unseen2"]), st.integers(0, 3), min_size=1)
QUERIES = st.lists(st.tuples(RUN, JUDGED), min_size=1, max_size=4)
Query = tuple[dict[str, float], dict[str, int]]


def by_definition(run: dict[str, float], judged: dict[str, int], k: int) -> dict[str, float]:
    """Every measure, written out the long way."""
    ranked = sorted(run, key=lambda name: (-run[name], name))[:k]
    relevant = sum(grade > 0 for grade in judged.values())
    grades = [judged.get(name, 0) for name in ranked]
    hits = [i for i, grade in enumerate(grades, 1) if grade > 0]
    best = sorted(judged.values(), reverse=True)[:k]
    return {
        "ndcg": sum(g / np.log2(i + 1) for i, g in enumerate(grades, 1))
        / sum(g / np.log2(i + 1) for i, g in enumerate(best, 1)),
        "map": sum(n / rank for n, rank in enumerate(hits, 1)) / min(k, relevant),
        "mrr": 1 / hits[0] if hits else 0.0,
        "precision": len(hits) / k,
        "recall": len(hits) / relevant,
        "hit_rate": float(bool(hits)),
    }


@settings(max_examples=600, deadline=None)
@given(QUERIES)
def test_retrieval_agrees_with_the_definitions(queries: list[Query]) -> None:
    runs, judged = (list(side) for side in zip(*queries, strict=True))
    scored = [i for i, row in enumerate(judged) if any(row.values())]
    if not scored:
        with pytest.raises(ValueError, match="no query can be scored"):
            retrieval_scores(runs, judged)
        return
    ours = retrieval_scores(runs, judged, K, per_query=True)
    assert (ours["num_queries"], ours["num_queries_skipped"]) == (len(scored), len(runs) - len(scored))
    for k in K:
        expected = {i: by_definition(runs[i], judged[i], k) for i in scored}
        for name in next(iter(expected.values())):
            values = ours["per_query"][f"{name}_at_{k}"]
            assert [i for i, value in enumerate(values) if value is not None] == scored
            assert [values[i] for i in scored] == pytest.approx([expected[i][name] for i in scored], abs=1e-9)
            assert ours[f"{name}_at_{k}"] == pytest.approx(np.mean([values[i] for i in scored]), abs=1e-9)


@settings(max_examples=600, deadline=None)
@given(QUERIES)
def test_trec_ties_agree_with_trec_eval(queries: list[Query]) -> None:
    pytrec_eval: Any = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    queries = [(run, judged) for run, judged in queries if run and any(judged.values())]
    if not queries:
        return
    runs, judged = (list(side) for side in zip(*queries, strict=True))
    cuts = ",".join(map(str, K))
    measures = {f"{name}.{cuts}" for name in ("ndcg_cut", "map_cut", "P", "recall", "success")} | {
        "recip_rank"
    }
    evaluator = pytrec_eval.RelevanceEvaluator({str(i): row for i, row in enumerate(judged)}, measures)
    theirs = evaluator.evaluate({str(i): run for i, run in enumerate(runs)})
    ours = retrieval_scores(runs, judged, K, ties="trec", per_query=True)["per_query"]
    names = {"ndcg": "ndcg_cut", "precision": "P", "recall": "recall", "hit_rate": "success"}
    for i, row in enumerate(judged):
        truth, relevant = theirs[str(i)], sum(grade > 0 for grade in row.values())
        for k in K:
            for name, trec_name in names.items():
                assert ours[f"{name}_at_{k}"][i] == pytest.approx(truth[f"{trec_name}_{k}"], abs=1e-9)
            # trec_eval divides by all relevant documents, we by no more than k of them.
            rescaled = ours[f"map_at_{k}"][i] * min(k, relevant) / relevant
            assert rescaled == pytest.approx(truth[f"map_cut_{k}"], abs=1e-9)
        assert ours["mrr_at_100"][i] == pytest.approx(truth["recip_rank"], abs=1e-9)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(-2, 2).map(float), st.integers(0, 3)), max_size=14),
        min_size=1,
        max_size=5,
    ),
    st.randoms(use_true_random=False),
)
def test_reranking_agrees_with_sklearn(queries: list[list[tuple[float, int]]], random: Any) -> None:
    scored = [rows for rows in queries if 0 < sum(grade > 0 for _, grade in rows) < len(rows)]
    scores = [[score for score, _ in rows] for rows in queries]
    grades = [[grade for _, grade in rows] for rows in queries]
    if not scored:
        with pytest.raises(ValueError, match="no query can be scored"):
            reranking_scores(scores, grades)
        return
    ours = reranking_scores(scores, grades)
    average = [average_precision_score([g > 0 for _, g in rows], [s for s, _ in rows]) for rows in scored]
    assert ours["map"] == pytest.approx(np.mean(average), abs=1e-9)
    ranked = [[g for _, g in sorted(rows, key=lambda row: (-row[0], row[1]))] for rows in scored]
    reciprocal = [next((1 / i for i, g in enumerate(row[:10], 1) if g), 0.0) for row in ranked]
    assert ours["mrr_at_10"] == pytest.approx(np.mean(reciprocal), abs=1e-9)
    # The order of the candidates decides nothing.
    for rows in queries:
        random.shuffle(rows)
    shuffled = reranking_scores(
        [[score for score, _ in rows] for rows in queries], [[grade for _, grade in rows] for rows in queries]
    )
    assert shuffled == pytest.approx(ours, abs=1e-12)


def test_ties_go_by_id_as_plain_text() -> None:
    hits = [[("9", 0.5), ("b", 0.5), ("10", 0.5), ("B", 0.5), ("a", 0.9)]]
    for place, name in enumerate(["a", "10", "9", "B", "b"], 1):  # code point order behind the best score
        assert retrieval_scores(hits, [{name: 1}])["mrr_at_10"] == 1 / place
    for place, name in enumerate(["a", "b", "B", "9", "10"], 1):
        assert retrieval_scores(hits, [{name: 1}], ties="trec")["mrr_at_10"] == 1 / place


@pytest.mark.parametrize("ties", ["id", "trec"])
def test_constant_scorer_is_consistent(ties: str) -> None:
    hits = [[(name, 0.5) for name in "cabdfe"]]
    for name in "abcdef":
        scores = retrieval_scores(hits, [{name: 1}], ties=ties)
        rank = 1 / scores["mrr_at_10"]
        assert scores["ndcg_at_10"] == pytest.approx(1 / np.log2(rank + 1))
        assert scores["map_at_10"] == pytest.approx(1 / rank)


def test_constant_reranker_earns_the_worst_order() -> None:
    for grades in ([1, 0, 0, 0], [0, 0, 0, 1]):
        scores = reranking_scores([[0.5] * 4], [grades])
        assert (scores["map"], scores["mrr_at_10"]) == (0.25, 0.25)
        assert scores["ndcg_at_10"] == pytest.approx(1 / np.log2(5))


def test_order_of_hits_and_form_of_input_do_not_matter() -> None:
    run, judged = {"a": 0.1, "b": 0.7, "c": 0.7}, {"c": 2, "x": 1}
    pairs, rows = list(run.items()), [{"id": name, "score": score} for name, score in run.items()]
    expected = retrieval_scores([run], [judged])
    assert retrieval_scores([pairs[::-1]], [list(judged.items())]) == expected
    assert retrieval_scores([rows], [[{"id": "c", "score": 2}, {"id": "x", "score": 1.0}]]) == expected
    assert instruction_retrieval_scores([rows], [judged]) == expected


def test_empty_ranking_and_unknown_ids_find_nothing() -> None:
    scores = retrieval_scores([[], [("unknown", 0.9)]], [{"a": 1}, {"a": 1}], per_query=True)
    assert scores["num_queries"] == 2
    assert scores["ndcg_at_10"] == scores["map_at_10"] == scores["mrr_at_10"] == 0.0
    assert scores["per_query"]["recall_at_100"] == [0.0, 0.0]


def test_arrays_in_rank_order_give_the_same_numbers() -> None:
    generator = np.random.default_rng(0)
    gains = generator.integers(0, 3, (20, 30)).astype(float)
    gains[:, 5] = 1
    hits = [[(f"d{i:02}", -float(i)) for i in range(30)]] * 20
    judged = [{f"d{i:02}": int(gain) for i, gain in enumerate(row)} for row in gains]
    ideal = np.sort(gains, axis=1)[:, ::-1]
    scores = retrieval_scores(hits, judged, K)
    for name, values in rank_measures(gains, ideal, K).items():
        assert values.mean() == pytest.approx(scores[name], abs=1e-12)
