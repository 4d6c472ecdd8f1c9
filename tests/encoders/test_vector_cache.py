"""Kept vectors: what is a key, sharing, several processes, kill -9, damage, eviction."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError
from seabed_evaluate import run
from seabed_evaluate.encoders import vector_cache
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.encoders.prompts import Prompted, Prompts
from seabed_evaluate.encoders.vector_cache import (
    COUNTS,
    FILE,
    DiskCache,
    EmbeddingCache,
    clear,
    default_bytes,
    encode_cached,
    info,
    lasts,
    open_cache,
    space,
    text_key,
)
from tests import toy
from tests.toy_encoder import ToyEncoder

TEXTS = [Prompted(f"text {i} " + "x" * (i % 50)) for i in range(200)]
SPAWN = multiprocessing.get_context("fork")


def fill(cache: EmbeddingCache, encoder: ToyEncoder, texts: list[Prompted] = TEXTS) -> tuple[Vectors, int]:
    vectors, _, known = encode_cached(encoder, texts, cache, check=lambda vectors, own: None)
    return vectors, known


def test_token_counts_are_kept_beside_vectors(tmp_path: Path) -> None:
    class Counting(ToyEncoder):
        def stream(self, texts: Any) -> Any:
            for places, vectors in super().stream(texts):
                yield (
                    places,
                    vectors,
                    np.array([[len(texts[i].text), min(len(texts[i].text), 30)] for i in places]),
                )

    expected = [[len(t.text), min(len(t.text), 30)] for t in TEXTS]
    for known in (0, len(TEXTS)):
        _, counts, found = encode_cached(Counting(), TEXTS, open_cache(tmp_path), check=lambda v, own: None)
        assert found == known
        assert counts.tolist() == expected


def test_another_version_of_a_library_makes_other_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, api = {"encoder": "sentence-transformers", "model": "m"}, {"encoder": "api", "model": "m"}
    before = space(ours), space(api)
    monkeypatch.setattr(vector_cache, "version", lambda name: "5.99.1" if name == "tokenizers" else "5.24.0")
    changed = space(ours)
    assert changed != before[0]
    monkeypatch.setattr(vector_cache, "version", lambda name: "5.99.2" if name == "tokenizers" else "5.24.7")
    assert space(ours) == changed
    # What was paid for does not hang on them.
    assert space(api) == before[1]


def test_vectors_come_back_as_they_were(tmp_path: Path) -> None:
    encoder = ToyEncoder()
    made, known = fill(open_cache(tmp_path), encoder)
    assert known == 0
    again, known = fill(open_cache(tmp_path), encoder)
    assert known == len(TEXTS)
    assert len(encoder.seen) == len(TEXTS)
    assert again.tobytes() == made.tobytes() == toy.encode([t.text for t in TEXTS]).tobytes()


@pytest.mark.parametrize(
    "change",
    [
        {"model": "other"},
        {"revision": "2"},
        {"pooling": "cls"},
        {"normalize": True},
        {"max_length": 128},
        {"dtype": "bf16"},
        {"bidirectional": True},
    ],
)
def test_whatever_changes_a_vector_changes_the_key(tmp_path: Path, change: dict[str, Any]) -> None:
    fill(open_cache(tmp_path), ToyEncoder())
    other = ToyEncoder(**change)
    _, known = fill(open_cache(tmp_path), other)
    assert known == 0
    assert len(info(tmp_path)) == 2


def test_a_key_holds_the_prompt_where_it_ends_and_the_input_type() -> None:
    within = space({"model": "m"})
    variants = [
        Prompted("query: a"),
        Prompted("passage: a"),
        Prompted("query: a", 7),
        Prompted("query: a", 7, "search_query"),
        Prompted("query: a", 7, "search_document"),
    ]
    assert len({text_key(within, v) for v in variants}) == len(variants)
    assert text_key(within, variants[0]) != text_key(space({"model": "n"}), variants[0])
    assert space({"a": 1, "b": 2}) == space({"b": 2, "a": 1})


def test_only_models_that_are_known_exactly_are_kept_on_disk(tmp_path: Path) -> None:
    assert not lasts({"encoder": "user", "model": "module:function", "revision": None})
    assert lasts({"encoder": "sentence-transformers", "revision": "abc"})
    own = {"encoder": "api", "model": "openai:m", "revision": None, "base_url": "http://localhost:8000/v1"}
    assert not lasts(own)
    assert lasts(own | {"base_url": "https://api.openai.com/v1"})
    cache = open_cache(tmp_path)
    fill(cache, ToyEncoder(revision=None))
    assert info(tmp_path) == []
    # Within the run they are kept in memory.
    assert fill(cache, ToyEncoder(revision=None))[1] == len(TEXTS)


def test_memory_is_bounded() -> None:
    cache = EmbeddingCache(memory_bytes=50 * (4 * toy.DIMENSION + COUNTS))
    fill(cache, ToyEncoder())
    assert fill(cache, ToyEncoder(), TEXTS[-50:])[1] == 50
    assert fill(cache, ToyEncoder(), TEXTS[:50])[1] == 0


def test_a_text_shared_by_configs_is_encoded_once_per_run(
    tmp_path: Path, fake_mirror: Callable[[str], Path]
) -> None:
    configs = ["ntrex_tha", "ntrex_vie", "ntrex_khm"]
    build(configs, tmp_path, mirror=fake_mirror("ntrex"))
    for cache in (None, tmp_path / "cache"):
        encoder = ToyEncoder(prompts=Prompts(symmetric="query: {text}"))
        results = run(encoder, data=tmp_path, configs=configs, out=None, cache=cache)
        assert len(encoder.seen) == len(set(encoder.seen)) > 0
        # All configs have the English side.
        assert results[0]["counts"]["cached_texts"] == 0
        assert all(r["counts"]["cached_texts"] >= r["data"]["rows"]["test"] for r in results[1:])


def test_a_damaged_vector_is_made_again(tmp_path: Path) -> None:
    made, _ = fill(open_cache(tmp_path), ToyEncoder())
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE vectors SET vector = zeroblob(length(vector)) WHERE rowid % 2 = 0")
        # The right bytes of another text.
        db.execute(
            "UPDATE vectors SET (vector, crc) = (SELECT vector, crc FROM vectors WHERE rowid = 3) WHERE rowid = 1"
        )
    db.close()
    again, known = fill(open_cache(tmp_path), ToyEncoder())
    assert known == len(TEXTS) - len(TEXTS) // 2 - 1
    assert again.tobytes() == made.tobytes()
    assert fill(open_cache(tmp_path), ToyEncoder())[1] == len(TEXTS)


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000])
def test_a_file_that_is_no_cache_costs_time_only(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    vectors, known = fill(open_cache(tmp_path), ToyEncoder())
    assert known == 0
    assert vectors.tobytes() == toy.encode([t.text for t in TEXTS]).tobytes()
    if content:
        with pytest.raises(SeabedError, match="seabed cache clear"):
            info(tmp_path)
    clear(tmp_path)
    assert fill(open_cache(tmp_path), ToyEncoder())[1] == 0
    assert fill(open_cache(tmp_path), ToyEncoder())[1] == len(TEXTS)


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    vectors, _ = fill(open_cache(tmp_path / "file" / "folder"), ToyEncoder())
    assert vectors.shape == (len(TEXTS), toy.DIMENSION)


def test_a_full_cache_forgets_what_was_not_used_for_longest(tmp_path: Path) -> None:
    limit = 3_000_000
    disk = DiskCache(tmp_path, max_bytes=limit)
    settings = {"revision": "1"}
    within = space(settings)

    def put(first: int, count: int) -> list[bytes]:
        keys = [text_key(within, Prompted(str(i))) for i in range(first, first + count)]
        rng = np.random.default_rng(first)
        disk.put(within, settings, [(k, rng.standard_normal(384).astype("f4").tobytes()) for k in keys])
        return keys

    old, used = put(0, 400), put(400, 400)
    with sqlite3.connect(tmp_path / FILE) as db:
        db.execute("UPDATE vectors SET used = used - 10")
    db.close()
    assert len(disk.get(used)) == 400
    new = [k for first in range(800, 2000, 100) for k in put(first, 100)]
    assert len(disk.held(old)) < 100
    assert len(disk.held(used)) > 300
    assert len(disk.held(new)) > 500
    assert sum(h.bytes for h in info(tmp_path)) < limit


def test_info_and_clear_by_model(tmp_path: Path) -> None:
    assert info(tmp_path) == []
    for model in ("a", "b"):
        fill(open_cache(tmp_path), ToyEncoder(model=model))
    assert {h.settings["model"]: h.vectors for h in info(tmp_path)} == {"a": 200, "b": 200}
    assert clear(tmp_path, "a") == 200
    assert [h.settings["model"] for h in info(tmp_path)] == ["b"]
    assert clear(tmp_path) == 200
    assert info(tmp_path) == []


@pytest.mark.parametrize("given", ["ten", "-1", "0"])
def test_a_size_that_is_no_size(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("SEABED_CACHE_GB", given)
    with pytest.raises(SeabedError, match="SEABED_CACHE_GB"):
        default_bytes()


def test_vectors_of_two_sizes_are_an_error(tmp_path: Path) -> None:
    class Odd(ToyEncoder):
        def stream(self, texts: Any) -> Any:
            for number, (places, vectors) in enumerate(super().stream(texts)):
                yield places, vectors[:, : 64 - number]

    with pytest.raises(SeabedError, match="vectors of 64 and of 63 values"):
        fill(open_cache(tmp_path), Odd())


def test_vectors_that_are_refused_are_not_kept(tmp_path: Path) -> None:
    def check(vectors: Vectors, own: object) -> None:
        raise SeabedError("no")

    with pytest.raises(SeabedError, match="no"):
        encode_cached(ToyEncoder(), TEXTS, open_cache(tmp_path), check=check)
    assert info(tmp_path) == []


def _child(target: Callable[..., None], *args: Any) -> Any:
    process = SPAWN.Process(target=target, args=args)
    process.start()
    return process


def _work(folder: Path, seed: int, pause: float, out: Path | None = None) -> None:
    order = list(range(len(TEXTS)))
    random.Random(seed).shuffle(order)
    texts = [TEXTS[i] for i in order]
    vectors, _ = fill(open_cache(folder), ToyEncoder(pause=pause), texts)
    assert vectors.tobytes() == toy.encode([t.text for t in texts]).tobytes()
    if out:
        out.write_text("right")


def test_several_processes_share_one_file(tmp_path: Path) -> None:
    children = [_child(_work, tmp_path, seed, 0.002, tmp_path / f"{seed}.ok") for seed in range(4)]
    for child in children:
        child.join(120)
        assert child.exitcode == 0
    assert len(list(tmp_path.glob("*.ok"))) == 4
    assert info(tmp_path)[0].vectors == len(TEXTS)


def test_killed_processes_lose_the_batch_in_flight_only(tmp_path: Path) -> None:
    rng = random.Random(0)
    for seed in range(10):
        children = [_child(_work, tmp_path, 10 * seed + i, 0.01) for i in range(2)]
        time.sleep(rng.uniform(0.02, 0.2))
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
            child.join(60)
        with sqlite3.connect(tmp_path / FILE) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        db.close()
    # What is there is right, whole, and is not made again.
    encoder = ToyEncoder()
    vectors, known = fill(open_cache(tmp_path), encoder)
    assert len(encoder.seen) == len(TEXTS) - known
    assert known > 0
    assert vectors.tobytes() == toy.encode([t.text for t in TEXTS]).tobytes()


def test_a_killed_process_keeps_what_it_had_done(tmp_path: Path) -> None:
    child = _child(_work, tmp_path, 0, 0.05)
    deadline = time.monotonic() + 60
    while (not info(tmp_path) or info(tmp_path)[0].vectors < 40) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(child.pid, signal.SIGKILL)
    child.join(60)
    kept = info(tmp_path)[0].vectors
    assert 40 <= kept < len(TEXTS)
    assert kept % 8 == 0
    encoder = ToyEncoder()
    fill(open_cache(tmp_path), encoder)
    assert len(encoder.seen) == len(TEXTS) - kept
