"""Values: 420 random cases per metric agree to 1e-12 with scikit-learn, scipy and trec_eval, in whatever form given.

The cases hold ties, one class, unseen classes, negative labels, empty rows and sets of one item. The property tests
beside this file look for odd inputs; here the inputs are ordinary and the tolerance is tight.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from scipy import stats
from sklearn import metrics

from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.metrics.classification.scores import classification_scores
from seabed_evaluate.metrics.clustering.scores import clustering_scores
from seabed_evaluate.metrics.instruction_retrieval.scores import instruction_retrieval_scores
from seabed_evaluate.metrics.multilabel_classification.scores import multilabel_classification_scores
from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
from seabed_evaluate.metrics.reranking.scores import reranking_scores
from seabed_evaluate.metrics.retrieval.scores import retrieval_scores
from seabed_evaluate.metrics.sts.scores import sts_scores

CASES = 420
NEAR = 1e-12
Form = Callable[[Any], Any]

FORMS: list[Form] = [
    list,
    tuple,
    np.asarray,
    lambda values: np.repeat(values, 2)[::2],  # a view
    lambda values: [np.float64(value) for value in values],
    lambda values: pd.Series(values, index=np.random.default_rng(len(values)).permutation(len(values)) + 3),
    lambda values: torch.tensor(np.asarray(values)),
    lambda values: torch.tensor(np.asarray(values, dtype=np.float64), requires_grad=True),
]
SMALL: list[Form] = [
    lambda values: np.asarray(values, dtype=np.int8),
    lambda values: np.asarray(values, dtype=np.float32),
    lambda values: torch.tensor(np.asarray(values)).bfloat16(),  # exact for whole numbers below 256
]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def cases(forms: list[Form]) -> Iterator[tuple[np.random.Generator, int, Form, Form]]:
    for seed in range(CASES):
        generator = np.random.default_rng(seed)
        size = int(generator.integers(1, 6 if seed % 7 == 0 else 60))
        yield generator, size, forms[seed % len(forms)], forms[(seed // 3) % len(forms)]


def labels(generator: np.random.Generator, size: int, least: int = -4) -> tuple[Any, Any]:
    """True classes, some missing among the guesses and the reverse; sometimes one class only."""
    truths = generator.integers(least, least + generator.integers(1, 9), size)
    guesses = np.where(generator.random(size) < 0.6, truths, generator.integers(least, least + 10, size))
    return guesses, truths


def check(ours: dict[str, Any], theirs: dict[str, float]) -> None:
    assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=NEAR, rel=0)


def test_classification() -> None:
    for generator, size, form, other in cases(FORMS + SMALL):
        guesses, truths = labels(generator, size)
        precision, recall, f1, _ = metrics.precision_recall_fscore_support(
            truths, guesses, average="weighted"
        )
        theirs = {"f1_weighted": f1, "precision_weighted": precision, "recall_weighted": recall}
        theirs |= {"f1_macro": metrics.f1_score(truths, guesses, average="macro")}
        theirs |= {"accuracy": float((truths == guesses).mean())}
        check(classification_scores(form(guesses), other(truths)), theirs)


def test_bitext_mining() -> None:
    for generator, size, form, other in cases(FORMS + SMALL):
        guesses, truths = labels(generator, size, 0)
        precision, recall, f1, _ = metrics.precision_recall_fscore_support(
            truths, guesses, average="weighted"
        )
        check(
            bitext_mining_scores(form(guesses), other(truths)),
            {
                "f1": f1,
                "precision": precision,
                "recall": recall,
                "accuracy": float((truths == guesses).mean()),
            },
        )


def test_clustering() -> None:
    for generator, size, form, other in cases(FORMS + SMALL):
        clusters, classes = labels(generator, size)
        names = ("homogeneity", "completeness", "v_measure")
        theirs = dict(zip(names, metrics.homogeneity_completeness_v_measure(classes, clusters), strict=True))
        theirs |= {"ari": metrics.adjusted_rand_score(classes, clusters), "nmi": theirs["v_measure"]}
        check(clustering_scores(form(clusters), other(classes)), theirs)


TABLES: list[Form] = [
    lambda table: [np.flatnonzero(row).tolist() for row in table],
    lambda table: [np.flatnonzero(row) for row in table],
    lambda table: table,
    lambda table: table.astype(bool),
    torch.tensor,
    pd.DataFrame,
]


def test_multilabel_classification() -> None:
    for generator, size, form, other in cases(TABLES):
        width = int(generator.integers(1, 7))
        guesses, truths = (generator.random((2, size, width)) < generator.random()).astype(int)
        truths[0, 0] = 1
        averages = ("weighted", "micro", "macro")
        zero = (0, 0, np.nan)  # a label in neither is not in our macro mean
        theirs = {
            f"f1_{average}": metrics.f1_score(truths, guesses, average=average, zero_division=value)
            for average, value in zip(averages, zero, strict=True)
        }
        theirs |= {"accuracy": metrics.accuracy_score(truths, guesses)}
        if width == 1:  # scikit-learn takes one column for two classes
            theirs = {
                "f1_micro": metrics.f1_score(truths[:, 0], guesses[:, 0]),
                "accuracy": theirs["accuracy"],
            }
        agreed = (truths == guesses).mean(axis=0)
        theirs |= {"label_weighted_accuracy": float(np.average(agreed, weights=truths.sum(axis=0)))}
        check(multilabel_classification_scores(form(guesses), other(truths)), theirs)


def test_pair_classification() -> None:
    for generator, size, form, other in cases(FORMS):
        scores = np.round(generator.normal(size=size + 1), int(generator.integers(0, 6)))
        truths = np.append((generator.random(size) < 0.4).astype(int), 1)
        truths[0] = 0
        thresholds = np.append(np.unique(scores), np.inf)
        positive = scores >= thresholds[:, None]
        true = (positive & (truths == 1)).sum(axis=1)
        ours = pair_classification_scores(form(scores), other(truths))
        theirs = {"ap": metrics.average_precision_score(truths, scores)}
        theirs |= {"best_f1": float((2 * true / (positive.sum(axis=1) + truths.sum())).max())}
        theirs |= {"best_accuracy": float((positive == truths).mean(axis=1).max())}
        check(ours, theirs)
        assert metrics.f1_score(truths, scores >= ours["best_f1_threshold"]) == pytest.approx(ours["best_f1"])
        chosen = scores >= ours["best_accuracy_threshold"]
        assert metrics.accuracy_score(truths, chosen) == pytest.approx(ours["best_accuracy"])


def test_sts() -> None:
    for generator, size, form, other in cases(FORMS):
        given = generator.normal(size=size + 2)
        ratings = np.round(given + generator.normal(size=size + 2), int(generator.integers(0, 4)))
        given = np.round(given, int(generator.integers(0, 6)))
        given[0], ratings[0] = given[1] + 1, ratings[1] - 1
        check(
            sts_scores(form(given), other(ratings)),
            {
                "spearman": stats.spearmanr(given, ratings).statistic,
                "pearson": stats.pearsonr(given, ratings).statistic,
                "kendall": stats.kendalltau(given, ratings).statistic,
            },
        )


ROWS: list[Form] = [
    lambda rows: [list(row) for row in rows],
    lambda rows: [np.asarray(row) for row in rows],
    lambda rows: pd.Series([list(row) for row in rows], index=range(len(rows), 0, -1)),
    lambda rows: [pd.Series(row, index=range(len(row), 0, -1)) for row in rows],
    lambda rows: [torch.tensor(np.asarray(row)) for row in rows],
]


def test_reranking() -> None:
    for generator, size, form, other in cases(ROWS):
        lengths = generator.integers(2, 20, 1 + size // 6)
        scores = [np.round(generator.random(n), int(generator.integers(0, 4))) for n in lengths]
        grades = [generator.integers(0, 3, n) * (generator.random(n) < 0.5) for n in lengths]
        for row in grades:
            row[:2] = 1, 0
        average = [metrics.average_precision_score(g > 0, s) for g, s in zip(grades, scores, strict=True)]
        # Of equal scores the less relevant candidate comes first.
        ranked = [g[np.lexsort((g, -s))][:10] for g, s in zip(grades, scores, strict=True)]
        discount = 1 / np.log2(np.arange(2, 12))
        ideal = [np.sort(g)[::-1][:10] for g in grades]
        gain = [r @ discount[: len(r)] / (i @ discount[: len(i)]) for r, i in zip(ranked, ideal, strict=True)]
        first = [1 / (np.argmax(r > 0) + 1) if r.any() else 0.0 for r in ranked]
        theirs = {"map": np.mean(average), "ndcg_at_10": np.mean(gain), "mrr_at_10": np.mean(first)}
        check(reranking_scores(form(scores), other(grades)), {k: float(v) for k, v in theirs.items()})


HITS: list[Form] = [
    lambda run: run,
    lambda run: list(run.items()),
    lambda run: [{"id": name, "score": value} for name, value in run.items()],
    lambda run: pd.Series(list(run.items()), index=range(len(run), 0, -1), dtype=object),
]
NAMES = {"ndcg": "ndcg_cut", "precision": "P", "recall": "recall", "hit_rate": "success"}


@pytest.mark.parametrize("scorer", [retrieval_scores, instruction_retrieval_scores])
def test_retrieval(scorer: Any) -> None:
    pytrec_eval: Any = pytest.importorskip("pytrec_eval", reason="pytrec_eval-terrier is not installed")
    cuts = [1, 3, 5, 10, 100]
    wanted = {f"{name}.{','.join(map(str, cuts))}" for name in (*NAMES.values(), "map_cut")} | {"recip_rank"}
    documents = [f"d{i}" for i in range(40)]
    for generator, size, form, other in cases(HITS):
        runs, truths = [], []
        for _ in range(1 + size // 12):
            picked = generator.permutation(documents)[: generator.integers(1, 30)].tolist()
            scores = np.round(generator.random(len(picked)), int(generator.integers(1, 9)))
            scores = np.sort(scores)[::-1] if size % 3 == 0 else scores
            runs.append(dict(zip(picked, scores.tolist(), strict=True)))
            judged = generator.permutation(documents)[: generator.integers(1, 12)].tolist()
            truths.append({name: int(generator.integers(0, 4)) for name in judged} | {judged[0]: 1})
        evaluator = pytrec_eval.RelevanceEvaluator({str(i): row for i, row in enumerate(truths)}, wanted)
        found = evaluator.evaluate({str(i): run for i, run in enumerate(runs)})
        ours = scorer(
            [form(run) for run in runs], [other(row) for row in truths], cuts, ties="trec", per_query=True
        )
        for i, row in enumerate(truths):
            values = {name: ours["per_query"][name][i] for name in ours["per_query"]}
            relevant = sum(grade > 0 for grade in row.values())
            theirs = {f"{n}_at_{k}": found[str(i)][f"{t}_{k}"] for n, t in NAMES.items() for k in cuts}
            # trec_eval divides by all relevant documents, we by no more than k of them.
            theirs |= {
                f"map_at_{k}": found[str(i)][f"map_cut_{k}"] * relevant / min(k, relevant) for k in cuts
            }
            check(values, theirs | {"mrr_at_100": found[str(i)]["recip_rank"]})
        for name, each in ours["per_query"].items():
            assert ours[name] == pytest.approx(np.mean(each), abs=NEAR)
