"""Search beside a plain matrix product of the same size. Run by hand: ``python tests/benchmarks/search.py``.

Synthetic vectors of 384 values: 1,000,000 documents x 1,000 queries (100 best), and 100,000 x 100,000 (nearest
neighbour, as bitext mining needs it). Prints seconds, the share of the product's rate, and the peak memory
above the vectors themselves. ``--scale 0.1`` shrinks the document side, ``--threads N`` sets the threads.
"""

import argparse
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from seabed_evaluate.runner.similarity import CORPUS_BLOCK, QUERY_BLOCK, top_k  # noqa: E402

DIMENSION = 384


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def peak_above(function: Callable[[], Any]) -> tuple[int, float, float]:
    """Highest resident memory above that of before, wall seconds and processor seconds of a call."""
    before, seen, stop = resident(), [0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.005):
            seen[0] = max(seen[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    stop.set()
    watcher.join()
    return seen[0] - before, wall, cpu


def product(queries: Any, corpus: Any) -> None:
    """Nothing but the matrix products, in the same blocks."""
    with torch.inference_mode():
        q, c = torch.from_numpy(queries), torch.from_numpy(corpus)
        out = torch.empty(min(QUERY_BLOCK, len(q)), CORPUS_BLOCK)
        for first in range(0, len(c), CORPUS_BLOCK):
            block = c[first : first + CORPUS_BLOCK]
            for start in range(0, len(q), QUERY_BLOCK):
                part = q[start : start + QUERY_BLOCK]
                torch.mm(part, block.T, out=out.view(-1)[: len(part) * len(block)].view(len(part), -1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    rng = np.random.default_rng(0)
    for n_queries, n_documents, k in ((1000, 1_000_000, 100), (100_000, 100_000, 1)):
        n_documents = int(n_documents * options.scale)
        if n_queries == 100_000:
            n_queries = n_documents
        queries, corpus = (
            rng.standard_normal((n, DIMENSION), dtype=np.float32) for n in (n_queries, n_documents)
        )
        torch.from_numpy(queries[:QUERY_BLOCK]) @ torch.from_numpy(corpus[:CORPUS_BLOCK]).T
        ours, plain, memory = [], [], 0
        for _ in range(options.rounds):
            found, wall, cpu = peak_above(lambda: top_k(queries, corpus, k))  # noqa: B023
            ours.append((wall, cpu))
            memory = max(memory, found)
            _, wall, cpu = peak_above(lambda: product(queries, corpus))  # noqa: B023
            plain.append((wall, cpu))
        inputs = queries.nbytes + corpus.nbytes
        wall, cpu = (
            statistics.median(p[i] for p in plain) / statistics.median(o[i] for o in ours) for i in (0, 1)
        )
        rate = 2 * n_queries * n_documents * DIMENSION / statistics.median(p[0] for p in plain) / 1e9
        print(
            f"{n_documents:,} documents x {n_queries:,} queries, {k} best: "
            f"{statistics.median(o[0] for o in ours):.1f} s; {wall:.2f} of the product's rate ({rate:.0f} GFLOP/s) "
            f"by wall time, {cpu:.2f} by processor time; peak {memory / 1e9:.2f} GB above {inputs / 1e9:.2f} GB of "
            "vectors",
            flush=True,
        )


if __name__ == "__main__":
    main()
