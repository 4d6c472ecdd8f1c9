"""Speed of the metric functions, side by side in one process. Run by hand: ``python tests/benchmarks/metrics.py``.

Prints seconds (best of three) and ratios: our retrieval function beside trec_eval's own C code through
pytrec_eval-terrier, what evaluate's wrapping adds, and 1,000 bootstrap resamples of 10,000 items per task.
"""

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
QUERIES, HITS, K = 10_000, 100, (1, 3, 5, 10, 100)
MEASURES = {"ndcg_cut.1,3,5,10,100", "map_cut.1,3,5,10,100", "P.1,3,5,10,100"} | {
    "recall.1,3,5,10,100",
    "success.1,3,5,10,100",
    "recip_rank",
}


def best(function: Callable[[], Any], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


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


def retrieval() -> None:
    import pytrec_eval

    from seabed_evaluate.metrics.retrieval.scores import retrieval_scores

    print(f"retrieval, {QUERIES:,} queries x {HITS} hits, 6 measures at k = {K}")
    for kind in ("ranked", "shuffled", "tied"):
        predictions, references = make_runs(kind)
        run = {str(i): dict(hits) for i, hits in enumerate(predictions)}
        qrels = {str(i): judged for i, judged in enumerate(references)}
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)

        def full(evaluator: Any = evaluator, run: Any = run) -> dict[str, float]:
            rows = evaluator.evaluate(run).values()  # one dict per query; we return means, so take them too
            return {name: float(np.mean([row[name] for row in rows])) for name in next(iter(rows))}

        theirs = best(full)
        ours = best(lambda p=predictions, r=references: retrieval_scores(p, r, K))
        print(f"  {kind:9} ours {ours:.3f} s  pytrec_eval {theirs:.3f} s  ours/theirs {ours / theirs:.2f}")


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
            module = evaluate.load(str(ROOT / "seabed_evaluate" / task))
            plain = best(lambda f=function, g=given, t=truth: f(g, t))
            wrapped = best(lambda m=module, g=given, t=truth: m.compute(predictions=g, references=t))
            print(f"  {task:15} plain {plain:.3f} s  evaluate {wrapped:.3f} s  ratio {wrapped / plain:.1f}")


def bootstrap() -> None:
    from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
    from seabed_evaluate.metrics.classification.scores import classification_scores
    from seabed_evaluate.metrics.clustering.scores import clustering_scores
    from seabed_evaluate.metrics.multilabel_classification.scores import multilabel_classification_scores
    from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
    from seabed_evaluate.metrics.reranking.scores import reranking_scores
    from seabed_evaluate.metrics.retrieval.scores import retrieval_scores
    from seabed_evaluate.metrics.sts.scores import sts_scores

    generator = np.random.default_rng(0)
    labels, other = generator.integers(0, 10, (2, QUERIES))
    scores, ratings = generator.random((2, QUERIES))
    sets, other_sets = (generator.random((2, QUERIES, 10)) < 0.2).astype(int)
    grades = (generator.random((QUERIES, 10)) < 0.3).astype(int)
    rows = np.arange(QUERIES)
    chosen = np.where(scores < 0.7, rows, generator.integers(0, QUERIES, QUERIES))
    cases: dict[Callable[..., Any], tuple[Any, Any]] = {
        bitext_mining_scores: (chosen, rows),
        classification_scores: (labels, other),
        multilabel_classification_scores: (sets, other_sets),
        clustering_scores: (labels, other),
        pair_classification_scores: (scores, labels % 2),
        sts_scores: (scores, ratings),
        reranking_scores: (generator.random((QUERIES, 10)), grades),
        retrieval_scores: make_runs("ranked"),
    }
    print(f"1,000 resamples of {QUERIES:,} items")
    for function, (given, truth) in cases.items():
        seconds = best(lambda f=function, g=given, t=truth: f(g, t, n_bootstrap=1000), repeats=1)
        print(f"  {function.__name__:33} {seconds:.2f} s")


if __name__ == "__main__":
    retrieval()
    bootstrap()
    wrapping()
