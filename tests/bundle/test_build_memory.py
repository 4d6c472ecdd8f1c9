"""Large corpora stream: what stays in memory grows with the number of rows, not with their texts.

tests/benchmarks/build_memory.py measures two million rows.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from seabed_datasets import catalogue
from seabed_datasets.bundle import staging
from seabed_datasets.catalogue import Config
from seabed_datasets.loaders import spool
from seabed_datasets.loaders.shapes import question_answering, with_negatives
from seabed_datasets.loaders.spool import Spool
from seabed_datasets.schemas import Row, Splits

TEXT = "แม่น้ำเจ้าพระยา " * 250  # 4,000 characters, 8 KB in memory


class Blind:
    """In place of the checks, whose samples have a fixed size, and which would take most of the time here."""

    def __init__(self, config: Config) -> None:
        pass

    def watched(self, split: str, rows: Iterable[Row]) -> Iterator[Row]:
        return iter(rows)

    def finish(self, dropped: object, *, truncated: bool = False) -> tuple[dict[str, object], list[object]]:
        return {}, []


def few_questions(rows: int) -> Splits:
    asked = [("q", "คำถาม", [f"{TEXT} 0"])]
    return question_answering(asked, (f"{i} {TEXT} {i}" for i in range(rows)))


def many_questions(rows: int) -> Splits:
    return with_negatives((None, f"คำถาม {i}", [f"{i} {TEXT}"], [f"{i} {TEXT} อื่น"]) for i in range(rows // 2))


@pytest.mark.parametrize("make", [few_questions, many_questions])
def test_texts_do_not_pile_up(
    make: Callable[[int], Splits], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "MEMORY_BYTES", 1_000_000)
    monkeypatch.setattr(staging, "BATCH_ROWS", 100)
    monkeypatch.setattr(staging, "Inspection", Blind)

    def peak(rows: int) -> int:
        splits = make(rows)
        monkeypatch.setattr(staging, "rows_of", lambda *_: (splits, []))
        tracemalloc.reset_peak()
        staging.stage(catalogue.config("xquad_tha"), "upstream", None, tmp_path)
        return tracemalloc.get_traced_memory()[1]

    tracemalloc.start()
    try:
        peak(100)  # what imports and caches cost once
        few, many = peak(500), peak(2500)
    finally:
        tracemalloc.stop()
    # 2,000 more texts hold 16 MB; what is known of each row must be a small part of that.
    assert many - few < 3_000_000


def test_a_spool_can_be_read_while_it_grows_and_more_than_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "MEMORY_BYTES", 10)
    monkeypatch.setattr(spool, "CHUNK_BYTES", 8)
    values = [["q", "ข้อความ\nสองบรรทัด", [1, None]], "\ud800", {"id": "d1"}]
    kept = Spool(values[:2])
    reader = iter(kept)
    assert next(reader) == values[0]
    kept.add(values[2])
    assert list(reader) == values[1:]
    assert list(zip(kept, kept, strict=True)) == [(v, v) for v in values]
    assert len(kept) == 3
    assert list(Spool()) == []
