"""Speed of reports, page, intervals and comparisons. Run by hand: ``python tests/benchmarks/report.py``.

Seventeen made-up runs over every config, on disk; then what intervals add to scoring a config, and a comparison
of two runs of 10,000 items per config. Prints seconds and ratios.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

MODELS, ITEMS = 17, 10_000


def timed(name: str, function: Callable[[], Any]) -> Any:
    start = time.perf_counter()
    found = function()
    print(f"  {name:42} {time.perf_counter() - start:6.2f} s")
    return found


def page(folder: Path) -> None:
    from seabed_datasets import catalogue
    from seabed_evaluate.report import formats
    from seabed_evaluate.report.leaderboard import write_leaderboard
    from seabed_evaluate.report.tables import tables
    from seabed_evaluate.runner.results import result_files
    from tests.result_maker import make_run, write_run

    print(f"{MODELS} models x 314 configs ({MODELS * 314} result files)")
    timed("read the 169 cards (once per process)", catalogue.datasets)
    for i in range(MODELS):
        runs = make_run(0.3 + i / 40, model=f"org/model-{i}")
        write_run(runs, folder, lambda r: np.random.default_rng(len(r["config"])).random(200) + r["score"])
    begun = time.perf_counter()
    files = timed("load", lambda: result_files([folder]))
    results = [r for _, r in files]
    timed("report by task and language, Markdown", lambda: formats.markdown(tables(results)))
    path = timed("leaderboard page", lambda: write_leaderboard(results, folder / "site"))
    total = time.perf_counter() - begun
    print(f"  {'together':42} {total:6.2f} s (limit 2)   page {path.stat().st_size / 1e6:.2f} MB (limit 1.5)")
    timed("the report with groups of ranks", lambda: tables(results, files=files))
    timed("the page with them", lambda: write_leaderboard(results, folder / "site", files=files))


def intervals() -> None:
    from seabed_evaluate.runner.outcomes import bitext_values, clustering_values, compact, write_outcomes
    from seabed_evaluate.runner.uncertainty import interval

    g = np.random.default_rng(0)
    labels, other = g.integers(0, 10, (2, ITEMS))
    sets, other_sets = (g.random((2, ITEMS, 10)) < 0.2).astype(np.int8)
    rows = np.arange(ITEMS)
    chosen = np.where(g.random(ITEMS) < 0.7, rows, g.integers(0, ITEMS, ITEMS))
    cases: dict[tuple[str, str], Callable[[], Any]] = {
        ("retrieval", "ndcg_at_10"): lambda: compact(values=g.random(ITEMS)),
        ("bitext_mining", "f1"): lambda: compact(values=bitext_values(chosen)),
        ("clustering", "v_measure"): lambda: compact(values=clustering_values(labels, other)),
        ("classification", "f1_weighted"): lambda: compact(predictions=labels, references=other),
        ("multilabel_classification", "f1_weighted"): lambda: compact(
            predictions=sets, references=other_sets
        ),
        ("pair_classification", "ap"): lambda: compact(predictions=g.random(ITEMS), references=labels % 2),
        ("sts", "spearman"): lambda: compact(predictions=g.random(ITEMS), references=g.random(ITEMS)),
    }
    # What a small model needs to encode as many texts on two cores, to set the seconds beside.
    print(f"interval of a config of {ITEMS:,} items, 1,000 resamples; encoding them takes minutes on a CPU")
    with tempfile.TemporaryDirectory() as folder:
        for (task, measure), make in cases.items():
            outcomes = make()
            timed(task, lambda t=task, m=measure, o=outcomes: interval(t, m, o))
            path = Path(folder) / f"{task}.npz"
            write_outcomes(path, outcomes, "x")
            print(f"  {'':42} {path.stat().st_size / 1000:6.1f} kB beside the result")


def comparison(folder: Path) -> None:
    from seabed_datasets import catalogue
    from seabed_evaluate.report.compare import compare
    from tests.result_maker import make_run, write_run

    g = np.random.default_rng(1)
    configs = [c for c in catalogue.configs() if c.task == "retrieval"]
    a, b = (
        write_run(make_run(0.5, configs, model=f"org/{m}"), folder, lambda _: g.random(ITEMS)) for m in "ab"
    )
    found = timed(f"compare two runs, {len(configs)} units of {ITEMS:,}", lambda: compare(a, b))
    print(f"  {found.verdict}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        page(Path(name) / "runs")
        intervals()
        comparison(Path(name) / "pair")
