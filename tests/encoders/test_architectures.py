"""Vectors of tiny random models of each architecture, against sentence-transformers on the same folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.prompts import Prompted, fill

transformers = pytest.importorskip("transformers")
sentence_transformers = pytest.importorskip("sentence_transformers")

TEXTS = [
    "สวัสดีครับ",
    "Selamat pagi, apa kabar hari ini?",
    "မင်္ဂလာပါ",
    "Xin chào, hôm nay trời đẹp và chúng tôi đi chợ mua rau, cá, gạo và hoa quả.",
    "a",
    "Magandang umaga po sa inyong lahat " * 6,
]
SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 128,
}
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
INSTRUCTION = "Retrieve semantically similar text."

Save = Callable[..., Path]


def save_tokenizer(folder: Path, template: str, **options: Any) -> int:
    """A byte-level BPE tokenizer with four special tokens; returns its vocabulary size."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=[(t, i) for i, t in enumerate(SPECIAL)]
    )
    made = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        **options,
    )
    made.save_pretrained(folder)
    return int(tokenizer.get_vocab_size())


def save_model(folder: Path, kind: str, **options: Any) -> None:
    """Random weights, large enough that vectors of different texts differ."""
    torch.manual_seed(0)
    sizes = SMALL | {"initializer_range": 0.3, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    if kind in ("Mistral", "Qwen3"):
        sizes |= {"num_key_value_heads": 2, "head_dim": 8}
    config = getattr(transformers, f"{kind}Config")(**(sizes | options))
    getattr(transformers, f"{kind}Model")(config).eval().save_pretrained(folder)


def save_modules(folder: Path, pooling: dict[str, Any], *more: tuple[str, str]) -> None:
    """modules.json and its folders, as sentence-transformers wrote them before version 5.4."""
    package = "sentence_transformers.models"
    kinds = [("", "Transformer"), ("1_Pooling", "Pooling"), *more]
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"{package}.{kind}"}
        for i, (path, kind) in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 100, "do_lower_case": false}')
    (folder / "1_Pooling").mkdir()
    config = {"word_embedding_dimension": SMALL["hidden_size"]} | pooling
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(config), encoding="utf-8")


def sentence_transformer(folder: Path, texts: Sequence[str], **options: Any) -> npt.NDArray[np.float32]:
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return np.asarray(model.encode(list(texts), batch_size=4, **options))


def lowest_cosine(one: npt.NDArray[np.float32], two: npt.NDArray[np.float32]) -> float:
    one, two = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (one, two))
    return float((one * two).sum(axis=1).min())


def distinct(vectors: npt.NDArray[np.float32]) -> bool:
    """Whether a comparison of cosines can fail: vectors of different texts are not all alike."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return bool((unit @ unit.T - np.eye(len(unit))).max() < 0.999)


def encode(folder: Path, texts: Sequence[str | Prompted] = TEXTS, **options: Any) -> npt.NDArray[np.float32]:
    return load_encoder(str(folder), device="cpu", **options).encode(texts)


def test_xlm_r_with_cls_pooling(tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A </s>")
    save_model(tmp_path, "XLMRoberta", vocab_size=size, max_position_embeddings=130)
    save_modules(tmp_path, {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    vectors = encode(tmp_path)
    assert distinct(vectors)
    assert lowest_cosine(vectors, sentence_transformer(tmp_path, TEXTS)) > 0.9999
    assert lowest_cosine(vectors, encode(tmp_path, pooling="mean")) < 0.9999


@pytest.mark.parametrize("kind", ["Qwen3", "Mistral"])
def test_last_token_pooling_whatever_the_padding_side(kind: str, tmp_path: Path) -> None:
    found = {}
    for side in ("left", "right"):
        folder = tmp_path / side
        folder.mkdir()
        template = "<s> $A </s>" if kind == "Mistral" else "$A </s>"
        size = save_tokenizer(folder, template, padding_side=side)
        save_model(folder, kind, vocab_size=size)
        save_modules(
            folder, {"pooling_mode_lasttoken": True, "pooling_mode_mean_tokens": False}, ("2", "Normalize")
        )
        found[side] = encode(folder)
        assert distinct(found[side])
        assert lowest_cosine(found[side], sentence_transformer(folder, TEXTS)) > 0.9999
        assert np.linalg.norm(found[side], axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(found["left"], found["right"])
    # The vector is that of the end token: alone in its batch it is the same.
    alone = np.concatenate([encode(tmp_path / "left", [t]) for t in TEXTS])
    assert np.abs(alone - found["left"]).max() < 1e-5


def test_the_end_token_is_there_after_a_cut(tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A </s>")
    save_model(tmp_path, "Mistral", vocab_size=size)
    save_modules(tmp_path, {"pooling_mode_lasttoken": True})
    model = load_encoder(str(tmp_path), max_length=8, device="cpu")
    tokens = model.tokenizer(TEXTS[3], truncation=True, max_length=8)["input_ids"]  # type: ignore[attr-defined]
    assert len(tokens) == 8
    assert tokens[-1] == 2
    with torch.inference_mode():
        hidden = model.model(input_ids=torch.tensor([tokens])).last_hidden_state  # type: ignore[attr-defined]
    assert lowest_cosine(model.encode([TEXTS[3]]), hidden[:, -1].numpy()) > 0.9999


def test_tokenizer_options_bring_back_the_end_token(tmp_path: Path) -> None:
    # e5-mistral's tokenizer.json adds no end token, its tokenizer_config.json asks for one.
    size = save_tokenizer(tmp_path, "<s> $A")
    save_model(tmp_path, "Mistral", vocab_size=size)
    config = json.loads((tmp_path / "tokenizer_config.json").read_text(encoding="utf-8"))
    config |= {"tokenizer_class": "LlamaTokenizer", "add_eos_token": True, "add_bos_token": True}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    model = load_encoder(str(tmp_path), like="e5-mistral-7b-instruct", device="cpu")
    ids = model.tokenizer("Selamat pagi")["input_ids"]  # type: ignore[attr-defined]
    assert (ids[0], ids[-1]) == (0, 2)


def test_a_dense_module_in_labse_layout(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    size = save_tokenizer(tmp_path, "<s> $A </s>")
    save_model(tmp_path, "Bert", vocab_size=size)
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    save_modules(tmp_path, pooling, ("2_Dense", "Dense"), ("3_Normalize", "Normalize"))
    (tmp_path / "2_Dense").mkdir()
    config = {
        "in_features": 32,
        "out_features": 32,
        "bias": True,
        "activation_function": "torch.nn.modules.activation.Tanh",
    }
    (tmp_path / "2_Dense" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.manual_seed(1)
    weights = {"linear.weight": torch.randn(32, 32), "linear.bias": torch.randn(32)}
    save_file(weights, tmp_path / "2_Dense" / "model.safetensors")
    vectors = encode(tmp_path)
    assert distinct(vectors)
    assert lowest_cosine(vectors, sentence_transformer(tmp_path, TEXTS)) > 0.9999


def test_gritlm_style_attention_and_pooling(tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A", padding_side="left")
    save_model(tmp_path, "Mistral", vocab_size=size, sliding_window=None)
    model = load_encoder(str(tmp_path), like="GritLM-7B", max_length=100, device="cpu")
    assert model.settings["bidirectional"]
    assert model.settings["pooling"] == "mean"
    prompted = [fill(model.prompts.symmetric, t, INSTRUCTION) for t in TEXTS]
    vectors = model.encode(prompted)
    assert distinct(vectors)

    # By hand: every token sees every token, and the mean is over the text's own tokens.
    prefix = prompted[0].text[: prompted[0].prompt_end]
    assert prefix.endswith("<|embed|>\n")
    start = len(model.tokenizer(prefix)["input_ids"])  # type: ignore[attr-defined]
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    plain = transformers.AutoModel.from_pretrained(tmp_path, config=config, attn_implementation="eager")
    expected = []
    for item in prompted:
        ids = torch.tensor([model.tokenizer(item.text, truncation=True, max_length=100)["input_ids"]])  # type: ignore[attr-defined]
        everything = torch.zeros(1, 1, ids.shape[1], ids.shape[1])
        with torch.inference_mode():
            hidden = plain(input_ids=ids, attention_mask=everything).last_hidden_state
        expected.append(hidden[0, start:].mean(dim=0).numpy())
    assert lowest_cosine(vectors, np.stack(expected)) > 0.9999

    causal = encode(tmp_path, prompted, pooling="mean")
    assert lowest_cosine(vectors, causal) < 0.99
    pooled_over_everything = model.encode([t.text for t in prompted])
    assert lowest_cosine(vectors, pooled_over_everything) < 0.9999


@pytest.mark.parametrize("mode", ["mean", "cls", "max", "weightedmean"])
def test_prompts_left_out_of_pooling_as_sentence_transformers_does(mode: str, tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A </s>")
    # A folder of its own may say that its attention is bidirectional.
    save_model(tmp_path, "Mistral", vocab_size=size, is_causal=False)
    save_modules(tmp_path, {"pooling_mode": mode, "include_prompt": False})
    prompt = f"Instruct: {INSTRUCTION}\nQuery: "
    texts = [fill(prompt.replace("{", "{{") + "{text}", t) for t in TEXTS]
    vectors = encode(tmp_path, texts)
    assert distinct(vectors)
    expected = sentence_transformer(tmp_path, TEXTS, prompt=prompt)
    assert lowest_cosine(vectors, expected) > 0.9999
    assert lowest_cosine(vectors, sentence_transformer(tmp_path, [t.text for t in texts])) < 0.9999


def test_prompts_of_different_lengths_in_one_batch(tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A </s>")
    save_model(tmp_path, "Mistral", vocab_size=size)
    save_modules(tmp_path, {"pooling_mode": "mean", "include_prompt": False})
    template = "{instruction}\n{text}"
    mixed = [fill(template, t, own="Find it. " * (i + 1)) for i, t in enumerate(TEXTS)]
    together = encode(tmp_path, mixed)
    alone = np.concatenate([encode(tmp_path, [t]) for t in mixed])
    assert np.abs(together - alone).max() < 1e-5


@pytest.mark.parametrize("mode", ["mean", "cls", "max", "weightedmean"])
def test_a_text_cut_away_by_its_prompt_has_a_defined_vector(mode: str, tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A </s>")
    save_model(tmp_path, "Mistral", vocab_size=size)
    save_modules(tmp_path, {"pooling_mode": mode, "include_prompt": False})
    vectors = encode(tmp_path, [fill("x" * 500 + "{text}", "a"), fill("{text}", "b")])
    assert np.isfinite(vectors).all()
    assert mode == "cls" or not vectors[0].any()


@pytest.mark.parametrize(("kind", "first"), [("XLMRoberta", 2), ("MPNet", 2), ("Bert", 0)])
def test_no_text_is_longer_than_the_positions(kind: str, first: int, tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A </s>")
    options = {"pad_token_id": 1, "vocab_size": size, "max_position_embeddings": 20}
    save_model(tmp_path, kind, **options)
    for limit in (None, 1000):
        model = load_encoder(str(tmp_path), pooling="mean", max_length=limit, device="cpu")
        assert model.settings["max_length"] == 20 - first
        assert np.isfinite(model.encode(["kata " * 500])).all()


def test_batches_do_not_change_vectors(tmp_path: Path) -> None:
    size = save_tokenizer(tmp_path, "<s> $A </s>")
    save_model(tmp_path, "XLMRoberta", vocab_size=size, max_position_embeddings=130)
    save_modules(tmp_path, {"pooling_mode_mean_tokens": True})
    together = encode(tmp_path)
    alone = np.concatenate([encode(tmp_path, [t]) for t in TEXTS])
    assert np.abs(together - alone).max() < 1e-5
