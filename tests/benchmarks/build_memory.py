"""Peak memory of building large configs, run by hand: python tests/benchmarks/build_memory.py [--rows 2000000]

Each case runs in a process of its own and builds rows that a generator makes, so that what is measured is the
build and not the raw files. The issue's bound is 1.5 GB for two million rows.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from seabed_datasets import catalogue
from seabed_datasets.bundle import staging
from seabed_datasets.loaders.shapes import question_answering, with_negatives
from seabed_datasets.schemas import Row, Splits

BOUND_GB = 1.5
WORDS = "แม่น้ำเจ้าพระยาไหลผ่านกรุงเทพมหานครและอีกหลายจังหวัดของประเทศไทยลงสู่อ่าวไทย "


def passage(number: int) -> str:
    """About 400 characters, 1.1 KB of UTF-8, different for every number."""
    return f"{number} " + WORDS * 5


def few_questions(rows: int) -> Splits:
    """A corpus of `rows` passages, a thousand questions."""
    asked = ((None, f"คำถามที่ {i}", [passage(i)]) for i in range(1000))
    return question_answering(asked, (passage(i) for i in range(rows)))


def many_questions(rows: int) -> Splits:
    """A quarter of the passages have a question of their own, with three others that are not relevant."""
    return with_negatives(
        (None, f"คำถามที่ {i}", [passage(i)], [passage(i + 1), passage(i + 2), passage(i + 3)])
        for i in range(0, rows, 4)
    )


def pairs(rows: int) -> Splits:
    """Sentence pairs, as OPUS has them."""

    def made() -> Iterator[Row]:
        for i in range(rows):
            yield {
                "id": str(i),
                "sentence1": f"Sentence number {i} of the corpus",
                "sentence2": passage(i)[:120],
            }

    return {"test": made()}


CASES = {
    "few questions, large corpus": ("xquad_tha", few_questions),
    "many questions, large corpus": ("xquad_tha", many_questions),
    "sentence pairs": ("ntrex_tha", pairs),
}


def measure(case: str, rows: int) -> dict[str, float]:
    """Build one case; peak resident memory and seconds, before (imports only) and after."""
    import datasets  # noqa: F401
    import pyarrow.parquet  # noqa: F401

    name, make = CASES[case]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    splits = make(rows)
    staging.rows_of = lambda *_: (splits, [])
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        entry, _ = staging.stage(catalogue.config(name), "upstream", None, Path(folder))
        seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    written = sum(s["rows"] for s in entry["splits"].values())
    return {"imports": before / 1e6, "peak": after / 1e6, "seconds": seconds, "rows": written}


def main() -> None:
    """Print one line per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--case", choices=CASES)
    chosen = parser.parse_args()
    worst = 0.0
    for case in [chosen.case] if chosen.case else CASES:
        with get_context("spawn").Pool(1) as pool:
            m = pool.apply(measure, (case, chosen.rows))
        worst = max(worst, m["peak"])
        print(
            f"{case}: {m['rows']:,.0f} rows, peak {m['peak']:.2f} GB ({m['imports']:.2f} GB after imports), "
            f"{m['rows'] / m['seconds']:,.0f} rows/s",
            flush=True,
        )
    print(f"worst {worst:.2f} GB of {BOUND_GB} GB: ratio {worst / BOUND_GB:.2f}")
    sys.exit(worst > BOUND_GB)


if __name__ == "__main__":
    main()
