"""A run beside mteb's own task classes on the same rows. Run by hand where mteb is installed:
``python tests/benchmarks/end_to_end.py MODEL_FOLDER RAW_FOLDER``.

MODEL_FOLDER: a sentence-transformers folder of the e5 family. RAW_FOLDER: a mirror of raw files. First the configs
on which both protocols agree: wall and processor seconds, loading the model included, of mteb in fp32, of `seabed
run` in fp32 and in bf16, and their scores; and the share that would remain if the model's matrix products on each
distinct text, by plain layers, were all there is to do. Then classification and clustering,
whose protocols differ, beside each other. No vector is kept from one side or run to the next. ``--rows N`` cuts
every test split, for a quick look.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

AGREE = [f"ntrex_{lang}" for lang in ("ind", "tha", "vie", "mya", "fil", "tam", "khm", "lao")]
AGREE += ["xquad_tha", "xquad_vie", "stsbenchmark_ind", "indonli_ind", "myxnli_mya"]
DIFFER = {
    "wisesightsentiment_tha": "mteb: logistic regression on 8 texts per label, mean of 10 draws; ours: full train split",
    "sib200_clustering_tha": "mteb: k-means of 500 a batch, one start, its own seed; ours: three starts, seed 42",
}
# Symmetric tasks get no prompt on either side: mteb keys a model's prompts to queries and documents.
QUERY, DOCUMENT = "query: ", "passage: "


def cut(bundle: Path, rows: int) -> None:
    import pyarrow.parquet as parquet

    from seabed_datasets.files import file_sha256

    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    for name, entry in manifest.items():
        for split, known in entry["splits"].items():
            path = bundle / "data" / name / f"{split}.parquet"
            table = parquet.read_table(path)
            if split == "corpus":
                continue
            # Every n-th row, so that all labels stay.
            table = table.take(list(range(0, table.num_rows, max(1, table.num_rows // rows))))
            parquet.write_table(table, path)
            known["sha256"], known["rows"] = file_sha256(path), table.num_rows
    (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def timed(function: Callable[[], Any]) -> tuple[Any, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    return result, time.perf_counter() - wall, time.process_time() - cpu


def with_mteb(model: str, bundle: Path, configs: Iterable[str]) -> dict[str, float]:
    import mteb
    from mteb.models import SentenceTransformerEncoderWrapper

    from seabed_evaluate.report.mteb_export import mteb_task

    prompts = {"query": QUERY, "document": DOCUMENT}
    peer = SentenceTransformerEncoderWrapper(model, device="cpu", model_prompts=prompts)
    found = {}
    for name in configs:
        done = mteb.evaluate(
            peer, [mteb_task(name, bundle)], cache=None, show_progress_bar=False, co2_tracker=False
        )
        found[name] = 100 * float(done.task_results[0].get_score())
    return found


def seabed_encoder(model: str, dtype: str) -> Any:
    from seabed_evaluate.encoders.loading import load_encoder

    prompts = {"query_prompt": QUERY, "document_prompt": DOCUMENT, "prompt": "{text}"}
    return load_encoder(model, dtype=dtype, device="cpu", **prompts)


def with_seabed(
    model: str, bundle: Path, configs: list[str], dtype: str, lengths: list[int] | None = None
) -> dict[str, float]:
    from seabed_evaluate import run

    encoder = seabed_encoder(model, dtype)
    if lengths is not None:
        own = encoder._tokens

        def noted(texts: Any) -> Any:
            tokens, counts = own(texts)
            lengths.extend(map(len, tokens))
            return tokens, counts

        encoder._tokens = noted
    results = run(encoder, data=bundle, configs=configs, out=None)
    return {r["config"]: 100 * r["score"] for r in results}


def products_alone(model: str, dtype: str, lengths: list[int]) -> float:
    """Seconds of the model's matrix products, from every eighth text."""
    from tests.benchmarks.encode import products

    encoder = seabed_encoder(model, dtype)
    some = sorted(lengths)[::8]
    run, work = products(encoder, some)
    run()
    _, seconds, _ = timed(run)
    return seconds * products(encoder, lengths)[1] / work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("raw", type=Path)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    import torch

    from seabed_datasets.bundle.build import build

    if options.threads:
        torch.set_num_threads(options.threads)
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder)
        report = build([*AGREE, *DIFFER], bundle, mirror=options.raw)
        missing = {**report.failed, **report.skipped}
        agree = [name for name in AGREE if name not in missing]
        for name, reason in missing.items():
            print(f"left out {name}: {reason}")
        if options.rows:
            cut(bundle, options.rows)
        lengths: list[int] = []
        sides: dict[str, Callable[[list[str]], dict[str, float]]] = {
            "mteb fp32": lambda names: with_mteb(options.model, bundle, names),
            "seabed fp32": lambda names: with_seabed(options.model, bundle, names, "fp32", lengths),
            "seabed bf16": lambda names: with_seabed(options.model, bundle, names, "bf16"),
        }
        spent = dict.fromkeys(sides, (0.0, 0.0))
        scores: dict[str, dict[str, float]] = {}
        for _ in range(options.rounds):
            for side, function in sides.items():
                scores[side], wall, cpu = timed(lambda: function(agree))  # noqa: B023
                spent[side] = (spent[side][0] + wall, spent[side][1] + cpu)
        base = spent["mteb fp32"]
        for side, (wall, cpu) in spent.items():
            print(
                f"{side}: {wall:.0f} s, {wall / base[0]:.2f} of mteb's wall time, "
                f"{cpu / base[1]:.2f} of its processor time"
            )
        lengths = lengths[: len(lengths) // options.rounds]
        for dtype in ("fp32", "bf16"):
            alone = products_alone(options.model, dtype, lengths) * options.rounds
            print(
                f"matrix products of the {len(lengths):,} distinct texts ({sum(lengths):,} tokens) alone, {dtype}: "
                f"{alone:.0f} s, {alone / base[0]:.2f} of mteb's wall time"
            )
        for name in agree:
            print(f"{name:20}" + "".join(f"  {side} {found[name]:7.3f}" for side, found in scores.items()))
        gap = {s: max(abs(scores[s][n] - scores["mteb fp32"][n]) for n in agree) for s in list(scores)[1:]}
        print("largest difference from mteb, in points: " + ", ".join(f"{s} {g:.4f}" for s, g in gap.items()))
        for name, why in DIFFER.items():
            if name not in missing:
                one, two = (sides[s]([name])[name] for s in ("mteb fp32", "seabed fp32"))
                print(f"{name}: mteb {one:.2f}, seabed {two:.2f}, not comparable ({why})")


if __name__ == "__main__":
    main()
