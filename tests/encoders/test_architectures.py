"""What this project sees to itself: end tokens, prompts left out, limits, attention both ways, options over files."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.prompts import Prompted, fill
from tests.encoders import zoo
from tests.encoders.zoo import CAUSAL, NORMALIZE, mean, save_model, save_modules, save_tokenizer

transformers = pytest.importorskip("transformers")
sentence_transformers = pytest.importorskip("sentence_transformers")

TEXTS = [t for t in zoo.TEXTS if t.strip()]
INSTRUCTION = "Retrieve semantically similar text."


def sentence_transformer(folder: Path, texts: Sequence[str], **options: Any) -> npt.NDArray[np.float32]:
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return np.asarray(model.encode(list(texts), batch_size=4, **({"prompt": ""} | options)))


def lowest_cosine(one: npt.NDArray[np.float32], two: npt.NDArray[np.float32]) -> float:
    one, two = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (one, two))
    return float((one * two).sum(axis=1).min())


def distinct(vectors: npt.NDArray[np.float32]) -> bool:
    """Whether a comparison of cosines can fail: vectors of different texts are not all alike."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return bool((unit @ unit.T - np.eye(len(unit))).max() < 0.999)


def encode(folder: Path, texts: Sequence[str | Prompted] = TEXTS, **options: Any) -> npt.NDArray[np.float32]:
    return load_encoder(str(folder), device="cpu", **options).encode(texts)


@pytest.mark.parametrize("kind", ["Qwen3", "Mistral"])
def test_last_token_pooling_whatever_the_padding_side(kind: str, tmp_path: Path) -> None:
    found = {}
    for side in ("left", "right"):
        folder = tmp_path / side
        folder.mkdir()
        template = "<s> $A </s>" if kind == "Mistral" else "$A </s>"
        size = save_tokenizer(folder, template, padding_side=side)
        save_model(folder, kind, vocab_size=size, **CAUSAL)
        save_modules(folder, mean("lasttoken"), NORMALIZE)
        found[side] = encode(folder)
        assert distinct(found[side])
        assert lowest_cosine(found[side], sentence_transformer(folder, TEXTS)) > 0.9999
        assert np.linalg.norm(found[side], axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(found["left"], found["right"])
    # The vector is that of the end token: alone in its batch it is the same.
    alone = np.concatenate([encode(tmp_path / "left", [t]) for t in TEXTS])
    assert np.abs(alone - found["left"]).max() < 1e-5


def test_the_end_token_is_there_after_a_cut(tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path)
    save_model(tmp_path, "Mistral", vocab_size=size, **CAUSAL)
    save_modules(tmp_path, mean("lasttoken"))
    model: Any = load_encoder(str(tmp_path), max_length=8, device="cpu")
    ((_, vectors, counts),) = model.stream([TEXTS[3]])
    assert counts.tolist()[0][1] == 8 < counts.tolist()[0][0]
    tokens = model.first.tokenizer(TEXTS[3], truncation=True, max_length=8)["input_ids"]
    assert tokens[-1] == 2
    with torch.inference_mode():
        hidden = model.first.model(input_ids=torch.tensor([tokens])).last_hidden_state
    assert lowest_cosine(vectors, hidden[:, -1].numpy()) > 0.9999


def without_an_end_token(folder: Path) -> None:
    # e5-mistral's tokenizer.json adds no end token, its tokenizer_config.json asks for one.
    size = save_tokenizer(folder, "<s> $A")
    save_model(folder, "Mistral", vocab_size=size, **CAUSAL)
    save_modules(folder, mean("lasttoken"))
    config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    config |= {"tokenizer_class": "LlamaTokenizer", "add_eos_token": True, "add_bos_token": True}
    zoo.write(folder / "tokenizer_config.json", config)


def test_a_missing_end_token_is_refused_and_the_way_out_works(tmp_path: Path) -> None:
    without_an_end_token(tmp_path)
    with pytest.raises(Exception, match=r"asks for an end token \(add_eos_token\), and its tokens have none"):
        load_encoder(str(tmp_path), device="cpu")
    repaired: Any = load_encoder(str(tmp_path), like="e5-mistral-7b-instruct", device="cpu")
    ids = repaired.first.tokenizer("Selamat pagi")["input_ids"]
    assert (ids[0], ids[-1]) == (0, 2)
    # What the message tells to do.
    auto = transformers.AutoTokenizer
    auto.from_pretrained(tmp_path, add_bos_token=True, add_eos_token=True).save_pretrained(tmp_path)
    saved: Any = load_encoder(str(tmp_path), normalize=True, device="cpu")
    assert np.abs(saved.encode(TEXTS) - repaired.encode(TEXTS)).max() < 1e-5


def test_gritlm_style_attention_and_pooling(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    size = save_tokenizer(tmp_path, "<s> $A", padding_side="left")
    save_model(tmp_path, "Mistral", vocab_size=size, sliding_window=None, **CAUSAL)
    save_modules(tmp_path, mean("lasttoken"))
    # Its repository has code of its own, which is not run.
    config = json.loads((tmp_path / "config.json").read_text())
    zoo.write(
        tmp_path / "config.json", config | {"auto_map": {"AutoModel": "modeling_gritlm7b.MistralModel"}}
    )
    with caplog.at_level(logging.WARNING, "seabed_evaluate"):
        model: Any = load_encoder(str(tmp_path), like="GritLM-7B", max_length=100, device="cpu")
    assert "--like GritLM-7B sets, against its own files: pooling=mean (lasttoken)" in caplog.text
    assert model.settings["bidirectional"]
    assert model.settings["pooling"] == "mean"
    prompted = [fill(model.prompts.symmetric, t, INSTRUCTION) for t in TEXTS]
    vectors = model.encode(prompted)
    assert distinct(vectors)

    # By hand: every token sees every token, and the mean is over the text's own tokens.
    prefix = prompted[0].text[: prompted[0].prompt_end]
    assert prefix.endswith("<|embed|>\n")
    start = len(model.first.tokenizer(prefix)["input_ids"])
    zoo.write(tmp_path / "config.json", config)
    plain = transformers.AutoModel.from_pretrained(tmp_path, attn_implementation="eager")
    expected = []
    for item in prompted:
        ids = torch.tensor([model.first.tokenizer(item.text, truncation=True, max_length=100)["input_ids"]])
        everything = torch.zeros(1, 1, ids.shape[1], ids.shape[1])
        with torch.inference_mode():
            hidden = plain(input_ids=ids, attention_mask=everything).last_hidden_state
        expected.append(torch.nn.functional.normalize(hidden[0, start:].mean(dim=0), dim=-1).numpy())
    assert lowest_cosine(vectors, np.stack(expected)) > 0.9999

    causal = encode(tmp_path, prompted, pooling="mean")
    assert lowest_cosine(vectors, causal) < 0.99
    pooled_over_everything = model.encode([t.text for t in prompted])
    assert lowest_cosine(vectors, pooled_over_everything) < 0.9999


@pytest.mark.parametrize("mode", ["mean", "cls", "max", "weightedmean"])
def test_prompts_left_out_of_pooling_as_sentence_transformers_does(mode: str, tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path)
    # A folder of its own may say that its attention is bidirectional.
    save_model(tmp_path, "Mistral", vocab_size=size, is_causal=False, **CAUSAL)
    save_modules(tmp_path, mean(mode, include_prompt=False))
    prompt = f"Instruct: {INSTRUCTION}\nQuery: "
    texts = [fill(prompt + "{text}", t) for t in TEXTS]
    vectors = encode(tmp_path, texts)
    assert distinct(vectors)
    expected = sentence_transformer(tmp_path, TEXTS, prompt=prompt)
    assert lowest_cosine(vectors, expected) > 0.9999
    assert lowest_cosine(vectors, sentence_transformer(tmp_path, [t.text for t in texts])) < 0.9999
    # Prompts of different lengths.
    mixed = [fill("{instruction}\n{text}", t, own="Find it. " * (i % 4 + 1)) for i, t in enumerate(TEXTS)]
    together = encode(tmp_path, mixed)
    alone = np.concatenate([encode(tmp_path, [t]) for t in mixed[:5]])
    assert np.abs(together[:5] - alone).max() < 1e-5 * np.abs(alone).max()


@pytest.mark.parametrize(("kind", "first"), [("XLMRoberta", 2), ("MPNet", 2), ("Bert", 0)])
def test_no_text_is_longer_than_the_positions(kind: str, first: int, tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path)
    save_model(tmp_path, kind, vocab_size=size, max_position_embeddings=20)
    for limit in (None, 1000):
        model = load_encoder(str(tmp_path), pooling="mean", max_length=limit, device="cpu")
        assert model.settings["max_length"] == 20 - first
        assert np.isfinite(model.encode(["kata " * 500])).all()


def test_options_stand_over_the_files(tmp_path: Path) -> None:
    zoo.make("xlm-r cls normalize", tmp_path)
    own = encode(tmp_path)
    theirs: Any = sentence_transformers.SentenceTransformer(str(tmp_path), device="cpu")
    theirs[1].pooling_mode = "mean"
    assert np.abs(encode(tmp_path, pooling="mean") - theirs.encode(TEXTS)).max() < 1e-5
    assert np.abs(encode(tmp_path, pooling="mean") - own).max() > 1e-2
    plain = encode(tmp_path, normalize=False)
    assert np.linalg.norm(plain, axis=1).min() > 1.5
    assert np.abs(plain / np.linalg.norm(plain, axis=1, keepdims=True) - own).max() < 1e-5
    zoo.make("bert", tmp_path / "bert")
    assert np.linalg.norm(encode(tmp_path / "bert", normalize=True), axis=1) == pytest.approx(1, abs=1e-5)
    short: Any = load_encoder(str(tmp_path), max_length=8, device="cpu")
    theirs.max_seq_length, theirs[1].pooling_mode = 8, "cls"
    assert np.abs(short.encode(TEXTS) - theirs.encode(TEXTS)).max() < 1e-5


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_half_precision_is_pooled_in_fp32(dtype: str, tmp_path: Path) -> None:
    zoo.make("labse", tmp_path)
    model: Any = load_encoder(str(tmp_path), dtype=dtype, device="cpu")
    assert model.settings["dtype"] == dtype
    assert lowest_cosine(model.encode(TEXTS), encode(tmp_path)) > 0.99
    assert {p.dtype for m in list(model.model)[1:] for p in m.parameters()} == {torch.float32}
