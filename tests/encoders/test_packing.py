"""Texts packed into one row have the vectors of texts that are padded or alone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seabed_evaluate.encoders import blocked_linear, packing
from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.sentence_encoder import SentenceEncoder
from tests.encoders.test_architectures import TEXTS, lowest_cosine
from tests.encoders.zoo import mean, save_model, save_modules, save_tokenizer

transformers = pytest.importorskip("transformers")

KINDS = {"bert": "Bert", "camembert": "Camembert", "roberta": "Roberta", "xlm-roberta": "XLMRoberta"}


@pytest.fixture(scope="module", params=sorted(packing.KINDS))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp(request.param)
    size = save_tokenizer(place, "<s> $A </s>")
    save_model(place, KINDS[request.param], vocab_size=size, max_position_embeddings=130)
    save_modules(place, mean())
    return place


def loaded(folder: Path, monkeypatch: pytest.MonkeyPatch, *, packed: bool, **options: Any) -> SentenceEncoder:
    with monkeypatch.context() as patch:
        if not packed and not options.get("compile"):
            patch.setattr(packing, "KINDS", frozenset())
        encoder = load_encoder(str(folder), device="cpu", **options)
    assert isinstance(encoder, SentenceEncoder)
    assert encoder.packed is packed is encoder.batching["packed"]
    return encoder


@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken", "max", "weightedmean"])
def test_packed_vectors_equal_padded_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch, pooling: str
) -> None:
    # A padding token within a text moves the positions of models of RoBERTa's kind.
    texts = [*TEXTS, "satu <pad> dua", *(f"Kalimat {n}." for n in range(9))]
    packed = loaded(folder, monkeypatch, packed=True, pooling=pooling).encode(texts)
    padded = loaded(folder, monkeypatch, packed=False, pooling=pooling).encode(texts)
    assert np.abs(packed - padded).max() < 1e-5
    assert np.abs(packed[0] - packed[1:]).max(axis=1).min() > 1e-3


def test_neighbours_in_the_row_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = loaded(folder, monkeypatch, packed=True)
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    assert np.abs(together - alone).max() < 1e-5
    # However the attention is cut.
    monkeypatch.setattr(packing, "SCORES_AT_ONCE", 1)
    assert np.abs(encoder.encode(TEXTS) - together).max() < 1e-5


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_half_precision_stays_near_fp32(folder: Path, monkeypatch: pytest.MonkeyPatch, dtype: str) -> None:
    exact = loaded(folder, monkeypatch, packed=False).encode(TEXTS)
    encoder = loaded(folder, monkeypatch, packed=True, dtype=dtype)
    assert lowest_cosine(encoder.encode(TEXTS), exact) > 0.999


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="torch.compile needs a C++ compiler on a CPU")
def test_a_compiled_model_is_padded_and_has_the_same_vectors(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = loaded(folder, monkeypatch, packed=False).encode(TEXTS)
    encoder = loaded(folder, monkeypatch, packed=False, compile=True)
    assert encoder.batching["compile"] is True
    assert np.abs(encoder.encode(TEXTS) - exact).max() < 1e-5


@pytest.mark.parametrize(
    "change", [{"is_decoder": True}, {"model_type": "qwen3"}, {"position_embedding_type": "relative_key"}]
)
def test_models_that_need_more_than_positions_are_left_as_they_are(change: dict[str, Any]) -> None:
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    model = transformers.BertModel(transformers.BertConfig(vocab_size=10, **sizes))
    before = model.config._attn_implementation
    for name, value in change.items():
        if name == "model_type":
            model.config.__class__ = transformers.Qwen3Config
        else:
            setattr(model.config, name, value)
    assert not packing.pack(model)
    assert model.config._attn_implementation == before


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 9)), min_size=1, max_size=8), st.integers(0, 5000)
)
def test_cut_runs_hold_every_text_in_order_within_the_limit(runs: list[tuple[int, int]], limit: int) -> None:
    parts = packing.runs_at_once(runs, limit)
    assert [length for length, texts in parts for _ in range(texts)] == [
        length for length, texts in runs for _ in range(texts)
    ]
    assert all(texts == 1 or length**2 * texts <= limit for length, texts in parts)


@pytest.mark.skipif(not blocked_linear.supported(), reason="this CPU does not multiply in bf16")
@pytest.mark.parametrize("bias", [True, False])
def test_blocked_layers_compute_the_same(bias: bool) -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(48, 96, bias=bias), torch.nn.LayerNorm(96)).bfloat16().eval()
    rows = torch.randn(7, 5, 48).bfloat16()
    with torch.inference_mode():
        before = model(rows)
        assert blocked_linear.block(model, 64) == 1
        after = model(rows)
    assert isinstance(model[0], blocked_linear.BlockedLinear)
    assert after.shape == before.shape
    # One unit in bf16's last place: the order of a sum may differ.
    assert torch.allclose(after.float(), before.float(), rtol=2**-7, atol=2**-7)


def test_code_that_calls_itself_bert_is_not_packed() -> None:
    class Own(transformers.BertModel):  # type: ignore[misc, name-defined]
        pass

    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = transformers.BertConfig(vocab_size=10, **sizes)
    assert not packing.pack(Own(config))
    assert packing.pack(transformers.BertModel(config))


def test_layers_in_fp32_are_not_blocked() -> None:
    assert blocked_linear.block(torch.nn.Sequential(torch.nn.Linear(8, 8)), 64) == 0
