"""Encoding beside sentence-transformers. Run by hand: ``python tests/benchmarks/encode.py MODEL_FOLDER RAW_FOLDER``.

MODEL_FOLDER: a BERT-like sentence-transformers folder, e.g. multilingual-e5-small. RAW_FOLDER: a mirror of raw
files with xquad/ and ntrex/, whose texts are mixed. The sides take turns in one process; printed are medians of
real tokens per second, their ratios (by wall time, and by processor time, which other programs on the machine
disturb less), and the share of the machine's matrix-product rate that goes into real tokens. The ratio falls with
the number of texts: sentence-transformers sorts by characters, and pads less where there is more to sort.
``--padded`` adds this encoder without packing; ``--scores`` also scores ntrex and xquad in both dtypes.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from seabed_evaluate.encoders import batching as encoding  # noqa: E402
from seabed_evaluate.encoders import packing  # noqa: E402
from seabed_evaluate.encoders.loading import load_encoder  # noqa: E402
from seabed_evaluate.encoders.sentence_encoder import DTYPES, SentenceEncoder  # noqa: E402

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


def products(encoder: SentenceEncoder, lengths: list[int]) -> tuple[Callable[[], None], float]:
    """Nothing but the model's matrix products on real tokens, in the encoder's dtype and batches; their operations."""
    config: Any = encoder.first.model.config
    hidden, inner, heads = config.hidden_size, config.intermediate_size, config.num_attention_heads
    dtype = getattr(torch, DTYPES[encoder.settings["dtype"]])
    batches = [
        [lengths[i] for i in batch]
        for batch in encoding.batches(lengths, lambda: encoder.budget, pad=not encoder.packed)
    ]
    square, up, down = (
        torch.randn(n, m, dtype=dtype) for n, m in ((hidden,) * 2, (inner, hidden), (hidden, inner))
    )

    def run() -> None:
        with torch.inference_mode():
            for batch in batches:
                x = torch.randn(sum(batch), hidden, dtype=dtype)
                wide = torch.randn(sum(batch), inner, dtype=dtype)
                runs = [
                    tuple(torch.randn(heads * texts, n, m, dtype=dtype) for m in (hidden // heads, n))
                    for n, texts in Counter(batch).items()
                ]
                for _ in range(config.num_hidden_layers):
                    for _ in range(4):
                        torch.nn.functional.linear(x, square)
                    torch.nn.functional.linear(x, up)
                    torch.nn.functional.linear(wide, down)
                    for q, weights in runs:
                        torch.bmm(q, q.transpose(1, 2))
                        torch.bmm(weights, q)

    per_token = 2 * (4 * hidden * hidden + 2 * hidden * inner)
    return run, float(config.num_hidden_layers * sum(n * per_token + 4 * n * n * hidden for n in lengths))


def padding(lengths: list[int], order: list[int], rows: int) -> float:
    """Padded over real tokens of batches of `rows` texts."""
    batches = [[lengths[i] for i in order[at : at + rows]] for at in range(0, len(order), rows)]
    return sum(len(b) * max(b) for b in batches) / sum(lengths)


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
    from seabed_datasets.bundle.build import build
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
    parser.add_argument("--padded", action="store_true")
    parser.add_argument("--scores", action="store_true")
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    from sentence_transformers import SentenceTransformer

    texts = ["query: " + t for t in mixed_texts(options.raw, options.texts)]
    own = {"device": "cpu", "batch_tokens": options.batch_tokens, "compile": options.compile}
    encoders: dict[str, Any] = {d: load_encoder(options.model, dtype=d, **own) for d in ("fp32", "bf16")}
    if options.padded:
        kinds, packing.KINDS = packing.KINDS, frozenset()
        encoders |= {f"{d} padded": load_encoder(options.model, dtype=d, **own) for d in ("fp32", "bf16")}
        packing.KINDS = kinds
    peer = SentenceTransformer(options.model, device="cpu")
    lengths = encoders["fp32"].count_tokens(texts)
    tokens = sum(lengths)
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    print(
        f"{len(texts)} texts, {tokens:,} tokens (longest {max(lengths)}), {torch.get_num_threads()} threads, "
        f"{encoders['fp32'].budget} tokens per batch; sentence-transformers computes "
        f"{padding(lengths, order, 32):.2f} tokens for each real one"
    )
    exact = peer.encode(texts)
    for name, encoder in encoders.items():
        cosines = np.sort((encoder.encode(texts) * exact).sum(axis=1))
        print(
            f"{name}: cosine with sentence-transformers' fp32: lowest {cosines[0]:.6f}, "
            f"of 99 % above {cosines[len(cosines) // 100]:.6f}"
        )
    multiply = {d: products(encoders[d], lengths) for d in ("fp32", "bf16")}
    sides: dict[str, Callable[[], Any]] = {"sentence-transformers fp32": lambda: peer.encode(texts)}
    for name, encoder in encoders.items():
        sides[name] = lambda encoder=encoder: encoder.encode(texts)
    sides |= {f"products {d}": run for d, (run, _) in multiply.items()}
    times = alternate(sides, options.rounds)
    medians = {
        name: np.array([statistics.median(t[i] for t in ts) for i in (0, 1)]) for name, ts in times.items()
    }
    base = medians["sentence-transformers fp32"]
    for name in ("sentence-transformers fp32", *encoders):
        wall, cpu = base / medians[name]
        print(
            f"{name}: {tokens / medians[name][0]:,.0f} tokens/s, {wall:.2f}x by wall time, "
            f"{cpu:.2f}x by processor time"
        )
    for dtype, (_, work) in multiply.items():
        alone = medians[f"products {dtype}"]
        wall, cpu = alone / medians[dtype]
        print(
            f"share of the {dtype} matrix-product rate ({work / alone[0] / 1e9:.0f} GFLOP/s) in real tokens: "
            f"{wall:.2f} by wall time, {cpu:.2f} by processor time; the products alone would be "
            f"{base[0] / alone[0]:.2f}x"
        )
    if options.scores:
        scores(options.model, options.raw)


if __name__ == "__main__":
    main()
