"""What only a GPU shows, in one go of at most eight minutes: ``python tests/benchmarks/gpu.py``.

Models are made here with random weights (nothing is fetched): one of multilingual-e5-small's shape and one of a
0.6B decoder's. Printed: tokens per second in bf16 beside sentence-transformers, peak memory, that a batch which does
not fit is halved and gives the same vectors, the largest difference to the CPU in fp32, and torch.compile's rate.
Each part stops at its share of the time. ``--small`` runs all parts in a minute on a CPU, to see that they run.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
from seabed_evaluate.encoders.loading import load_encoder  # noqa: E402
from tests.encoders import zoo  # noqa: E402

LIMIT = 8 * 60
SYLLABLES = ["ma", "ka", "ng", "pa", "ni", "ra", "ta", "sa", "lu", "wi", "kho", "tha", "phu", "chi", "yen"]


def words(count: int, rng: random.Random) -> str:
    return " ".join("".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(count))


def texts(count: int) -> list[str]:
    """As long as a benchmark's: mostly sentences, some passages."""
    rng = random.Random(0)
    return [words(rng.choice((8, 12, 20, 30, 150)), rng) for _ in range(count)]


def make(folder: Path, kind: str, small: bool) -> Path:
    folder.mkdir()
    size = zoo.save_tokenizer(folder)
    torch.manual_seed(0)
    config: Any
    if kind == "small":
        config = transformers.XLMRobertaConfig(
            vocab_size=size,
            hidden_size=64 if small else 384,
            num_hidden_layers=2 if small else 12,
            num_attention_heads=4 if small else 12,
            intermediate_size=128 if small else 1536,
            max_position_embeddings=514,
            pad_token_id=1,
        )
        transformers.XLMRobertaModel(config).save_pretrained(folder)
    else:
        config = transformers.Qwen3Config(
            vocab_size=size,
            hidden_size=64 if small else 1024,
            num_hidden_layers=2 if small else 28,
            num_attention_heads=4 if small else 16,
            num_key_value_heads=2 if small else 8,
            head_dim=16 if small else 128,
            intermediate_size=128 if small else 3072,
            max_position_embeddings=8192,
            pad_token_id=1,
        )
        transformers.Qwen3Model(config).to(torch.bfloat16).save_pretrained(folder)
    zoo.save_modules(
        folder, zoo.mean("mean" if kind == "small" else "lasttoken", size=config.hidden_size), limit=512
    )
    return folder


def timed(function: Callable[[], Any], device: str) -> tuple[Any, float]:
    def wait() -> None:
        if device.startswith("cuda"):
            torch.cuda.synchronize()

    wait()
    begun = time.perf_counter()
    made = function()
    wait()
    return made, time.perf_counter() - begun


def rates(folder: Path, some: list[str], device: str, dtype: str, compiled: bool) -> None:
    """Tokens per second of both, taking turns, and their memory."""
    from sentence_transformers import SentenceTransformer

    ours: Any = load_encoder(str(folder), device=device, dtype=dtype)
    half = getattr(torch, {"bf16": "bfloat16", "fp32": "float32"}[dtype])
    theirs = SentenceTransformer(str(folder), device=device, model_kwargs={"dtype": half})
    tokens = sum(ours.count_tokens(some))
    sides: dict[str, Callable[[], Any]] = {
        "sentence-transformers, 32 texts": lambda: theirs.encode(some, batch_size=32),
        "sentence-transformers, 128 texts": lambda: theirs.encode(some, batch_size=128),
        "seabed": lambda: ours.encode(some),
    }
    if compiled:
        own: Any = load_encoder(str(folder), device=device, dtype=dtype, compile=True)
        sides["seabed, compiled"] = lambda: own.encode(some)
    spent: dict[str, list[float]] = {name: [] for name in sides}
    made: dict[str, Any] = {}
    for name, function in sides.items():
        _, first = timed(function, device)
        print(f"  {name}: the first time {first:.1f} s")
    for _ in range(3):
        for name, function in sides.items():
            if device.startswith("cuda"):
                torch.cuda.reset_peak_memory_stats()
            made[name], seconds = timed(function, device)
            spent[name].append(seconds)
            if device.startswith("cuda") and len(spent[name]) == 1:
                print(f"  {name}: peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")
    base = min(spent["sentence-transformers, 32 texts"])
    reference = np.asarray(made["sentence-transformers, 32 texts"], np.float64)
    for name, seconds in spent.items():
        cosines = np.sum(reference * made[name], axis=1) / (
            np.linalg.norm(reference, axis=1) * np.linalg.norm(made[name], axis=1)
        )
        print(
            f"  {name}: {tokens / min(seconds):,.0f} tokens/s, {base / min(seconds):.2f}x, lowest cosine {cosines.min():.5f}"
        )


def memory(folder: Path, some: list[str], device: str, dtype: str) -> None:
    """A budget far too large: batches are halved until they fit, and the vectors are the same."""
    usual: Any = load_encoder(str(folder), device=device, dtype=dtype)
    greedy: Any = load_encoder(str(folder), device=device, dtype=dtype, batch_tokens=2**30)
    many = some * 40 if device.startswith("cuda") else some
    if device.startswith("cuda"):
        free, _ = torch.cuda.mem_get_info()
        hog = torch.empty(int(max(0, free - 4 * 2**30)), dtype=torch.uint8, device=device)
    else:
        hog, own = None, greedy._batch

        def small_memory(items: Any) -> Any:
            if len(items) > 8:
                raise torch.OutOfMemoryError("as a GPU says it")
            return own(items)

        greedy._batch = small_memory
    made, seconds = timed(lambda: greedy.encode(many), device)
    del hog
    expected = usual.encode(some)
    difference = np.abs(made[: len(some)] - expected).max() / np.abs(expected).max()
    print(
        f"  budget 2^30 -> {greedy.budget:,} tokens in {seconds:.1f} s; difference {difference:.1e} of the largest value"
    )
    if greedy.budget >= 2**30:
        print("  NOTHING WAS HALVED: the memory was enough")


def on_the_cpu(folder: Path, some: list[str], device: str) -> bool:
    fast: Any = load_encoder(str(folder), device=device, dtype="fp32")
    exact: Any = load_encoder(str(folder), device="cpu", dtype="fp32")
    one, two = fast.encode(some), exact.encode(some)
    difference = float(np.abs(one - two).max() / np.abs(two).max())
    print(f"  largest difference to the CPU in fp32: {difference:.1e} of the largest value (bound 1e-3)")
    return difference < 1e-3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    transformers.utils.logging.disable_progress_bar()
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    if device == "cpu" and not options.small:
        sys.exit("there is no GPU here; --small runs the parts on a CPU")
    dtype = "fp32" if device == "cpu" else "bf16"
    name = torch.cuda.get_device_name() if device != "cpu" else "CPU"
    print(f"{name}, torch {torch.__version__}, transformers {transformers.__version__}, {dtype}")
    begun, right = time.monotonic(), True
    with tempfile.TemporaryDirectory() as home:
        for kind, count in (("small", 20_000), ("0.6B", 4_000)):
            folder = make(Path(home) / kind, kind, options.small)
            some = texts(64 if options.small else count)
            parts: dict[str, Callable[[], Any]] = {
                "equality": lambda: on_the_cpu(folder, some[:64], device),  # noqa: B023
                "rate": lambda: rates(folder, some, device, dtype, compiled=not options.small),  # noqa: B023
                "memory": lambda: memory(folder, some[:2000], device, dtype),  # noqa: B023
            }
            for part, function in parts.items():
                spent = time.monotonic() - begun
                if spent > LIMIT * (0.5 if kind == "small" else 0.85):
                    print(f"{kind} {part}: left out, {spent:.0f} s are spent")
                    continue
                print(f"{kind} {part}:", flush=True)
                right = function() is not False and right
    print(f"done in {time.monotonic() - begun:.0f} s")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
