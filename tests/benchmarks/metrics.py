"""Speed and memory of the metric functions, side by side in one process. Run by hand:

    python tests/benchmarks/metrics.py [--base CHECKOUT] [PART ...]

Prints CPU seconds (best of several, which other work on the machine moves little) and ratios: each metric at 100,000 items beside scikit-learn, scipy or trec_eval's own
C code (pytrec_eval-terrier) and, with --base, beside the same metric of an earlier checkout; the memory one extreme
value takes; what evaluate's wrapping adds; and 1,000 bootstrap resamples of 10,000 items.
"""

import argparse
import gc
import importlib
import os
import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
ITEMS = 100_000
QUERIES, HITS, K = 10_000, 100, (1, 3, 5, 10, 100)
MEASURES = {"ndcg_cut.1,3,5,10,100", "map_cut.1,3,5,10,100", "P.1,3,5,10,100"} | {
    "recall.1,3,5,10,100",
    "success.1,3,5,10,100",
    "recip_rank",
}


def best(*functions: Callable[[], Any], repeats: int = 5) -> list[float]:
    """Seconds of each, taken in turns, so that a busy moment strikes all."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(repeats):
        for function, taken in zip(functions, times, strict=True):
            gc.collect()
            start = time.process_time()
            function()
            taken.append(time.process_time() - start)
    return [min(taken) for taken in times]


def scorers(root: Path) -> dict[str, Callable[..., Any]]:
    """The nine plain functions of a checkout; of its own modules, whatever is imported already."""
    ours = {name: sys.modules.pop(name) for name in list(sys.modules) if name.startswith("seabed_evaluate")}
    sys.path.insert(0, str(root))
    tasks = [p.parent.name for p in sorted((root / "seabed_evaluate").glob("**/scores.py"))]
    middle = "metrics." if (root / "seabed_evaluate" / "metrics").is_dir() else ""
    found = {
        task: getattr(importlib.import_module(f"seabed_evaluate.{middle}{task}.scores"), f"{task}_scores")
        for task in tasks
    }
    sys.path.remove(str(root))
    for name in [name for name in sys.modules if name.startswith("seabed_evaluate")]:
        del sys.modules[name]
    sys.modules.update(ours)
    return found


def make_runs(kind: str, seed: int = 0) -> tuple[list[list[tuple[str, float]]], list[dict[str, int]]]:
    generator = np.random.default_rng(seed)
    names = np.array([f"doc{i:06d}" for i in range(100_000)])
    predictions, references = [], []
    for _ in range(QUERIES):
        picked = names[generator.integers(0, 1000, HITS) + np.arange(HITS) * 1000].tolist()
        scores = generator.random(HITS)
        if kind == "tied":
            scores = np.round(scores, 1)
        if kind == "ranked":
            scores = np.sort(scores)[::-1]
        predictions.append(list(zip(picked, scores.tolist(), strict=True)))
        relevant = generator.choice(picked, 3, replace=False).tolist()
        references.append({name: int(generator.integers(1, 4)) for name in relevant})
    return predictions, references


Case = tuple[str, str, Any, Any, str, Callable[[], Any]]


def cases() -> list[Case]:
    """Name, task, predictions, references, name of the peer, and what the peer does."""
    import pytrec_eval
    from scipy.stats import spearmanr
    from sklearn import metrics
    from sklearn.preprocessing import MultiLabelBinarizer

    generator = np.random.default_rng(0)
    labels, other = generator.integers(0, 10, (2, ITEMS))
    noisy, ratings = generator.random(ITEMS), generator.random(ITEMS)
    rows = np.arange(ITEMS)
    chosen = np.where(noisy < 0.7, rows, generator.integers(0, ITEMS, ITEMS))
    sets, other_sets = (generator.random((2, ITEMS, 10)) < 0.2).astype(int)
    lists, other_lists = ([np.flatnonzero(row).tolist() for row in side] for side in (sets, other_sets))
    n_lists = ITEMS // 30
    scores, grades = generator.random((n_lists, 30)), (generator.random((n_lists, 30)) < 0.3).astype(int)
    grades[:, 0], grades[:, 1] = 1, 0

    def four(truth: Any, guess: Any) -> list[float]:
        f1 = [
            metrics.f1_score(truth, guess, average=a, zero_division=0) for a in ("weighted", "macro", "micro")
        ]
        return [*f1, metrics.accuracy_score(truth, guess)]

    def binarized() -> list[float]:
        binarizer = MultiLabelBinarizer(classes=range(10))
        return four(binarizer.fit_transform(other_lists), binarizer.transform(lists))

    def weighted(truth: Any, guess: Any) -> Any:
        return metrics.f1_score(truth, guess, average="weighted", zero_division=0)

    found: list[Case] = [
        ("classification", "classification", labels, other, "F1", lambda: weighted(other, labels)),
        ("bitext mining", "bitext_mining", chosen, rows, "F1", lambda: weighted(rows, chosen)),
        ("clustering", "clustering", labels, other, "V", lambda: metrics.v_measure_score(other, labels)),
        (
            "multilabel arrays",
            "multilabel_classification",
            sets,
            other_sets,
            "four",
            lambda: four(other_sets, sets),
        ),
        ("multilabel lists", "multilabel_classification", lists, other_lists, "four", binarized),
        (
            "pairs",
            "pair_classification",
            noisy,
            labels % 2,
            "AP",
            lambda: metrics.average_precision_score(labels % 2, noisy),
        ),
        ("sts", "sts", noisy, ratings, "Spearman", lambda: spearmanr(noisy, ratings)),
        (
            f"reranking {n_lists:,} x 30",
            "reranking",
            scores.tolist(),
            grades.tolist(),
            "AP loop",
            lambda: [metrics.average_precision_score(g, s) for g, s in zip(grades, scores, strict=True)],
        ),
    ]
    for kind in ("ranked", "shuffled", "tied"):
        predictions, references = make_runs(kind)
        run = {str(i): dict(hits) for i, hits in enumerate(predictions)}
        evaluator = pytrec_eval.RelevanceEvaluator(
            {str(i): row for i, row in enumerate(references)}, MEASURES
        )

        def trec(evaluator: Any = evaluator, run: Any = run) -> dict[str, float]:
            rows = evaluator.evaluate(run).values()  # one dict per query; we return means, so take them too
            return {name: float(np.mean([row[name] for row in rows])) for name in next(iter(rows))}

        found.append((f"retrieval, {kind}", "retrieval", predictions, references, "pytrec_eval", trec))
        if kind != "ranked":
            dicts = [dict(hits) for hits in predictions]
            found.append((f"retrieval, {kind}, dicts", "retrieval", dicts, references, "pytrec_eval", trec))
    return found


def speed(base: Path | None) -> None:
    ours, earlier = scorers(ROOT), scorers(base) if base else {}
    print(f"{ITEMS:,} items; retrieval {QUERIES:,} queries x {HITS} hits, 6 measures at k = {K}")
    warnings.simplefilter("ignore")
    for name, task, predictions, references, peer, theirs in cases():
        timed: list[Callable[[], Any]] = [lambda: ours[task](predictions, references), theirs]  # noqa: B023
        if base:
            timed.append(lambda: earlier[task](predictions, references))  # noqa: B023
        seconds, peers, *before = best(*timed)
        line = f"  {name:26} {seconds * 1e3:8.1f} ms  ours/{peer} {seconds / peers:.2f}"
        print(line + (f"  ours/earlier {seconds / before[0]:.2f}" if before else ""))


def memory() -> None:
    ours = scorers(ROOT)
    long = [(f"d{i}", 1.0) for i in range(20_000)]
    short = [[("a", 1.0), ("b", 0.5)]] * 2000
    judged, pair = [{"a": 1}] * 2000, [[1.0, 0.5]] * 2000
    given: dict[str, tuple[str, Any, Any, dict[str, Any]]] = {
        "label 10^12": ("multilabel_classification", [[10**12]], [[0]], {}),
        "num_labels 10^12": ("multilabel_classification", [[1]], [[0]], {"num_labels": 10**12}),
        "class 10^12": ("classification", [10**12, 1], [0, 1], {}),
        "cluster 10^12": ("clustering", [10**12, 1], [0, 1], {}),
        "row 10^12": ("bitext_mining", [10**12, 1], [0, 1], {}),
        "k 10^12": ("retrieval", short, judged, {"k": 10**12}),
        "one of 2,000 queries with 20,000 judgments": (
            "retrieval",
            [*short, long[:5]],
            [*judged, {name: 1 for name, _ in long}],
            {"k": [10, 20_000]},
        ),
        "one of 2,000 queries with 20,000 hits": (
            "retrieval",
            [*short, long],
            [*judged, {"d1": 1}],
            {"k": 20_000},
        ),
        "one of 2,000 queries with 20,000 candidates": (
            "reranking",
            [*pair, [1.0] * 20_000],
            [[1, 0]] * 2000 + [[1, 0] * 10_000],
            {},
        ),
        "one item with 20,000 labels, resampled": (
            "multilabel_classification",
            [list(range(20_000))],
            [[0]],
            {"n_bootstrap": 10_000},
        ),
    }
    print("memory that one extreme value takes")
    for name, (task, predictions, references, options) in given.items():
        tracemalloc.start()
        ours[task](predictions, references, **options)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"  {name:46} {peak / 2**20:6.1f} MB")


def wrapping() -> None:
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1", "HF_HOME": cache}
        os.environ["HF_MODULES_CACHE"] = cache
        import evaluate

        from seabed_evaluate.metrics.classification.scores import classification_scores
        from seabed_evaluate.metrics.retrieval.scores import retrieval_scores

        print("evaluate's own wrapping (Arrow encoding, cache file, decoding)")
        predictions, references = make_runs("ranked")
        hits = [[{"id": name, "score": score} for name, score in ranked] for ranked in predictions]
        judged = [[{"id": n, "score": grade} for n, grade in row.items()] for row in references]
        labels = np.random.default_rng(0).integers(0, 10, (2, QUERIES)).tolist()
        cases: list[tuple[str, Callable[..., Any], Any, Any]] = [
            ("retrieval", retrieval_scores, hits, judged),
            ("classification", classification_scores, labels[0], labels[1]),
        ]
        for task, function, given, truth in cases:
            module = evaluate.load(str(ROOT / "seabed_evaluate" / "metrics" / task))
            plain, wrapped = best(
                lambda f=function, g=given, t=truth: f(g, t),
                lambda m=module, g=given, t=truth: m.compute(predictions=g, references=t),
                repeats=3,
            )
            print(f"  {task:15} plain {plain:.3f} s  evaluate {wrapped:.3f} s  ratio {wrapped / plain:.1f}")


def bootstrap() -> None:
    ours = scorers(ROOT)
    generator = np.random.default_rng(0)
    labels, other = generator.integers(0, 10, (2, QUERIES))
    scores, ratings = generator.random((2, QUERIES))
    sets, other_sets = (generator.random((2, QUERIES, 10)) < 0.2).astype(int)
    grades = (generator.random((QUERIES, 10)) < 0.3).astype(int)
    rows = np.arange(QUERIES)
    chosen = np.where(scores < 0.7, rows, generator.integers(0, QUERIES, QUERIES))
    given: dict[str, tuple[Any, Any]] = {
        "bitext_mining": (chosen, rows),
        "classification": (labels, other),
        "multilabel_classification": (sets, other_sets),
        "clustering": (labels, other),
        "pair_classification": (scores, labels % 2),
        "sts": (scores, ratings),
        "reranking": (generator.random((QUERIES, 10)), grades),
        "retrieval": make_runs("ranked"),
    }
    print(f"1,000 resamples of {QUERIES:,} items")
    for task, (predictions, references) in given.items():
        (seconds,) = best(lambda: ours[task](predictions, references, n_bootstrap=1000), repeats=1)  # noqa: B023
        print(f"  {task:26} {seconds:.2f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=Path, help="an earlier checkout to compare with")
    parser.add_argument("parts", nargs="*", default=["speed", "memory", "bootstrap", "wrapping"])
    args = parser.parse_args()
    for part in args.parts:
        {"speed": lambda: speed(args.base), "memory": memory, "bootstrap": bootstrap, "wrapping": wrapping}[
            part
        ]()
