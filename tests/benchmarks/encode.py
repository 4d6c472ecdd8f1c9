"""Encoding beside sentence-transformers. Run by hand: ``python tests/benchmarks/encode.py MODEL_FOLDER RAW_FOLDER``.

MODEL_FOLDER: a BERT-like sentence-transformers folder, e.g. multilingual-e5-small. RAW_FOLDER: a mirror of raw
files with xquad/ and ntrex/, whose texts are mixed. The sides take turns in one process; printed are medians of
real tokens per second, their ratios (by wall time, and by processor time, which other programs on the machine
disturb less), and the share of the machine's matrix-product rate that goes into real tokens. ``--scores`` also
scores ntrex and xquad in both dtypes.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from seabed_evaluate import encoding  # noqa: E402
from seabed_evaluate.encoders import TransformersEncoder, load_encoder  # noqa: E402

Times = dict[str, list[tuple[float, float]]]


def mixed_texts(raw: Path, count: int) -> list[str]:
    """Sentences of ntrex, questions and contexts of xquad, in random order."""
    texts = []
    for path in sorted((raw / "ntrex").rglob("newstest2019-*.txt")):
        texts += path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    for path in sorted((raw / "xquad").glob("*.json")):
        if path.name == "SOURCE.json":
            continue
        for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
            for paragraph in article["paragraphs"]:
                texts += [paragraph["context"], *(q["question"] for q in paragraph["qas"])]
    texts = sorted(set(texts))
    random.Random(0).shuffle(texts)
    return texts[:count]


def products(encoder: TransformersEncoder, lengths: list[int]) -> tuple[Callable[[], None], float, float]:
    """Nothing but the model's matrix products, for the batches that `lengths` make; their work, padded and real."""
    config: Any = encoder.model.config
    hidden, inner, heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
    batches = list(encoding.packed(lengths, lambda: encoder.budget))
    shapes = [(len(b), max(lengths[i] for i in b)) for b in batches]
    square, up = torch.randn(hidden, hidden), torch.randn(inner, hidden)
    down = torch.randn(hidden, inner)

    def run() -> None:
        with torch.inference_mode():
            for rows, width in shapes:
                x, wide = torch.randn(rows * width, hidden), torch.randn(rows * width, inner)
                q = torch.randn(rows, heads, width, hidden // heads)
                weights = torch.randn(rows, heads, width, width)
                for _ in range(config.num_hidden_layers):
                    for _ in range(4):
                        torch.nn.functional.linear(x, square)
                    torch.nn.functional.linear(x, up)
                    torch.nn.functional.linear(wide, down)
                    q @ q.transpose(2, 3)
                    weights @ q

    def work(own: list[int]) -> float:
        per_token = 2 * (4 * hidden * hidden + 2 * hidden * inner)
        return float(config.num_hidden_layers * sum(n * per_token + 4 * n * n * hidden for n in own))

    return run, work([width for rows, width in shapes for _ in range(rows)]), work(lengths)


def alternate(sides: dict[str, Callable[[], Any]], rounds: int) -> Times:
    times: Times = {name: [] for name in sides}
    for function in sides.values():
        function()
    for _ in range(rounds):
        for name, function in sides.items():
            wall, cpu = time.perf_counter(), time.process_time()
            function()
            times[name].append((time.perf_counter() - wall, time.process_time() - cpu))
    return times


def scores(model: str, raw: Path) -> None:
    from seabed_datasets.bundle import build
    from seabed_evaluate import run

    configs = ["ntrex_tha", "ntrex_vie", "xquad_tha"]
    with tempfile.TemporaryDirectory() as folder:
        build(configs, folder, mirror=raw)
        prompts = {"query_prompt": "query: ", "document_prompt": "passage: ", "prompt": "query: "}
        found = {
            dtype: run(model, data=folder, configs=configs, out=None, dtype=dtype, device="cpu", **prompts)
            for dtype in ("fp32", "bf16")
        }
    for one, two in zip(found["fp32"], found["bf16"], strict=True):
        a, b = 100 * one["score"], 100 * two["score"]
        print(f"{one['config']}: fp32 {a:.2f}, bf16 {b:.2f}, difference {b - a:+.3f} points")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("raw", type=Path)
    parser.add_argument("--texts", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--batch-tokens", type=int)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--scores", action="store_true")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    from sentence_transformers import SentenceTransformer

    texts = ["query: " + t for t in mixed_texts(options.raw, options.texts)]
    own = {"device": "cpu", "batch_tokens": options.batch_tokens, "compile": options.compile}
    encoders = {d: load_encoder(options.model, dtype=d, **own) for d in ("fp32", "bf16")}
    fp32: Any = encoders["fp32"]
    peer = SentenceTransformer(options.model, device="cpu")
    lengths = fp32.count_tokens(texts)
    tokens = sum(lengths)
    multiply, padded, real = products(fp32, lengths)
    print(
        f"{len(texts)} texts, {tokens:,} tokens (longest {max(lengths)}), {torch.get_num_threads()} threads, "
        f"{fp32.budget} tokens per batch, padding {100 * (padded / real - 1):.1f} % of the work: the most that "
        "packing without padding could add"
    )
    vectors = {d: e.encode(texts) for d, e in encoders.items()}
    exact = peer.encode(texts)
    for dtype, made in vectors.items():
        print(
            f"{dtype}: lowest cosine with sentence-transformers' fp32 {(made * exact).sum(axis=1).min():.6f}"
        )
    times = alternate(
        {
            "sentence-transformers fp32": lambda: peer.encode(texts),
            "fp32": lambda: encoders["fp32"].encode(texts),
            "matrix products": multiply,
            "bf16": lambda: encoders["bf16"].encode(texts),
        },
        options.rounds,
    )
    medians = {
        name: np.array([statistics.median(t[i] for t in ts) for i in (0, 1)]) for name, ts in times.items()
    }
    base = medians["sentence-transformers fp32"]
    for name, own_time in medians.items():
        if name == "matrix products":
            continue
        wall, cpu = base / own_time
        print(
            f"{name}: {tokens / own_time[0]:,.0f} tokens/s, {wall:.2f}x by wall time, {cpu:.2f}x by processor time"
        )
    wall, cpu = medians["matrix products"] / medians["fp32"] * real / padded
    rate = padded / medians["matrix products"][0] / 1e9
    print(
        f"share of the fp32 matrix-product rate ({rate:.0f} GFLOP/s) in real tokens: "
        f"{wall:.2f} by wall time, {cpu:.2f} by processor time"
    )
    if options.scores:
        scores(options.model, options.raw)


if __name__ == "__main__":
    main()
