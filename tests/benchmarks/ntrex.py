"""English -> language F1 on NTREX beside the published scores of the same model, and what pool size does to it.

    python -m tests.benchmarks.ntrex MODEL_FOLDER MIRROR PUBLISHED.json

The published scores are for 1,997 candidates. Where the raw files hold fewer sentences F1 is higher, so it is
shown for smaller pools as well: a straight line over log2(pool size) leads to what 1,997 would give.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.runner.bundles import open_bundle, read_splits
from seabed_evaluate.runner.similarity import unit

PUBLISHED_ROWS = 1997
CODES = {
    "tha": "tha_Thai",
    "ind": "ind_Latn",
    "vie": "vie_Latn",
    "fil": "fil_Latn",
    "tam": "tam_Taml",
    "khm": "khm_Khmr",
    "lao": "lao_Laoo",
    "mya": "mya_Mymr",
}


def f1(source: np.ndarray, target: np.ndarray) -> float:
    chosen = (source @ target.T).argmax(axis=1)
    return 100 * float(bitext_mining_scores(chosen, np.arange(len(chosen)))["f1"])


def main(model: str, mirror: str, published: str) -> None:
    known = json.loads(Path(published).read_text(encoding="utf-8"))["scores"]["NTREXBitextMining"]["test"]
    encoder, rng = load_encoder(model), np.random.default_rng(42)
    with tempfile.TemporaryDirectory() as folder:
        names = [f"ntrex_{lang}" for lang in CODES]
        build(names, folder, mirror=mirror)
        bundle = open_bundle(folder)
        english = None
        print(
            "lang   F1 at pool sizes                          line at 1997  published  difference  of the line"
        )
        for lang, code in CODES.items():
            test = read_splits(bundle, catalogue.config(f"ntrex_{lang}"))["test"]
            if english is None:
                english = unit(encoder.encode(test["sentence1"]))
            other = unit(encoder.encode(test["sentence2"]))
            whole = len(other)
            sizes = [whole // 8, whole // 4, whole // 2, whole]
            means = []
            for size in sizes:
                picks = [rng.choice(whole, size, replace=False) for _ in range(1 if size == whole else 40)]
                means.append(float(np.mean([f1(english[p], other[p]) for p in picks])))
            # The last two doublings: the slope grows with the pool, so a line over all would lead too high.
            slope = means[-1] - means[-2]
            line = means[-1] + slope * np.log2(PUBLISHED_ROWS / whole)
            shown = "  ".join(f"{s}: {m:.2f}" for s, m in zip(sizes, means, strict=True))
            value = known[f"eng_Latn-{code}"]
            print(
                f"{lang}    {shown}   {line:10.2f} {value:10.2f} {means[-1] - value:+10.2f} {line - value:+10.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
