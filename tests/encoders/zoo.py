"""Tiny model folders of many kinds, with random weights: what users have, file by file."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

TEXTS = [
    "สวัสดีครับ",
    "Selamat pagi, apa kabar hari ini?",
    "မင်္ဂလာပါ",
    "Xin chào, hôm nay trời đẹp và chúng tôi đi chợ mua rau, cá, gạo và hoa quả.",
    "a",
    "",
    "   ",
    "ສະບາຍດີ 😀 <pad> </s>",
    "Magandang umaga po sa inyong lahat " * 9,
    *(f"Kalimat {n}." for n in range(5)),
]
SIZE = 32
SMALL = {
    "hidden_size": SIZE,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
    "max_position_embeddings": 130,
    "initializer_range": 0.3,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
}
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>"]
PACKAGE = "sentence_transformers.models"
DENSE = {"in_features": SIZE, "out_features": 16, "bias": True}
TANH = "torch.nn.modules.activation.Tanh"


@lru_cache(maxsize=8)
def tokenizer_json(template: str) -> str:
    """A byte-level BPE tokenizer with four special tokens."""
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=SPECIAL, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator(TEXTS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=template, special_tokens=[(t, i) for i, t in enumerate(SPECIAL)]
    )
    return str(tokenizer.to_str())


def save_tokenizer(folder: Path, template: str = "<s> $A </s>", **options: Any) -> int:
    """Returns the size of the vocabulary."""
    made = Tokenizer.from_str(tokenizer_json(template))
    names = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=made, **(names | options)).save_pretrained(folder)
    return int(made.get_vocab_size())


def save_model(folder: Path, kind: str, model: str | None = None, **options: Any) -> None:
    """Random weights, large enough that vectors of different texts differ."""
    torch.manual_seed(0)
    config = getattr(transformers, f"{kind}Config")(**(SMALL | options))
    getattr(transformers, model or f"{kind}Model")(config).eval().save_pretrained(folder)


def pooling(mode: Any = "mean", size: int = SIZE, **more: Any) -> dict[str, Any]:
    return {"embedding_dimension": size, "pooling_mode": mode, **more}


def save_modules(
    folder: Path,
    *parts: tuple[str, str, dict[str, Any] | None, dict[str, torch.Tensor] | None],
    limit: int | None = 100,
    prompts: dict[str, Any] | None = None,
    transformer: dict[str, Any] | None = None,
    first: str = f"{PACKAGE}.Transformer",
) -> None:
    """modules.json, and a folder of each part after the first: (folder, class, config, weights)."""
    modules = [{"idx": 0, "name": "0", "path": "", "type": first}]
    for i, (path, kind, config, weights) in enumerate(parts, 1):
        full = kind if "." in kind else f"{PACKAGE}.{kind}"
        modules.append({"idx": i, "name": str(i), "path": path, "type": full})
        (folder / path).mkdir(exist_ok=True)
        if config is not None:
            (folder / path / "config.json").write_text(json.dumps(config))
        if weights is not None:
            save_file(weights, folder / path / "model.safetensors")
    write(folder / "modules.json", modules)
    own = {} if limit is None else {"max_seq_length": limit, "do_lower_case": False}
    write(folder / "sentence_bert_config.json", transformer if transformer is not None else own)
    if prompts is not None:
        write(folder / "config_sentence_transformers.json", prompts)


def write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def mean(mode: Any = "mean", **more: Any) -> tuple[str, str, dict[str, Any], None]:
    return ("1_Pooling", "Pooling", pooling(mode, **more), None)


def dense(folder: str, out: int = 16, *, size: int = SIZE, **more: Any) -> tuple[str, str, Any, Any]:
    torch.manual_seed(1)
    weights = {"linear.weight": torch.randn(out, size), "linear.bias": torch.randn(out)}
    if more.get("use_residual") and out != size:
        weights["residual.weight"] = torch.randn(out, size)
    config = {"in_features": size, "out_features": out, "bias": True, "activation_function": TANH, **more}
    return (folder, "Dense", config, weights)


NORMALIZE = ("9_Normalize", "Normalize", None, None)
CAUSAL = {"num_key_value_heads": 2, "head_dim": 8}


def encoder(kind: str, *parts: Any, template: str = "<s> $A </s>", **options: Any) -> Callable[[Path], None]:
    """A transformers encoder under modules."""

    def make(folder: Path) -> None:
        size = save_tokenizer(folder, template)
        save_model(folder, kind, vocab_size=size, **options)
        save_modules(folder, *(parts or (mean(),)))

    return make


def with_files(change: Callable[[Path], None], *parts: Any, **options: Any) -> Callable[[Path], None]:
    """An XLM-R folder, then changed."""

    def make(folder: Path) -> None:
        size = save_tokenizer(folder)
        save_model(folder, "XLMRoberta", vocab_size=size)
        save_modules(folder, *(parts or (mean(),)), **options)
        change(folder)

    return make


def bin_only(folder: Path) -> None:
    from safetensors.torch import load_file

    for path in sorted(folder.rglob("model.safetensors")):
        torch.save(load_file(path), path.with_name("pytorch_model.bin"))
        path.unlink()


def old_name(folder: Path) -> None:
    (folder / "sentence_bert_config.json").rename(folder / "sentence_xlm-roberta_config.json")


def t5(kind: str, model: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        size = save_tokenizer(folder, "$A </s>", model_max_length=10**30)
        config = getattr(transformers, f"{kind}Config")(
            vocab_size=size, d_model=SIZE, d_kv=8, d_ff=64, num_layers=2, num_heads=4, pad_token_id=1,
            decoder_start_token_id=1, initializer_factor=1.0,
        )  # fmt: skip
        torch.manual_seed(0)
        getattr(transformers, model)(config).save_pretrained(folder)
        save_modules(folder, mean(), limit=None)

    return make


def xlnet(folder: Path) -> None:
    size = save_tokenizer(folder, "$A </s> <s>:2", padding_side="left")
    torch.manual_seed(0)
    config = transformers.XLNetConfig(vocab_size=size, d_model=SIZE, n_layer=2, n_head=4, d_inner=64)
    transformers.XLNetModel(config).save_pretrained(folder)
    save_modules(folder, mean("lasttoken"))


def phobert(folder: Path) -> None:
    """vocab.txt and bpe.codes, no tokenizer.json: the Vietnamese encoders."""
    letters = sorted({c for t in TEXTS for c in t if not c.isspace()})
    entries = [*(f"{c}@@" for c in letters), *letters]
    (folder / "vocab.txt").write_text("".join(f"{e} 1\n" for e in entries), encoding="utf-8")
    (folder / "bpe.codes").write_text("#version: 0.2\na n 5\nan g</w> 3\n", encoding="utf-8")
    write(folder / "tokenizer_config.json", {"tokenizer_class": "PhobertTokenizer", "model_max_length": 100})
    save_model(folder, "Roberta", vocab_size=len(entries) + 5)
    config = json.loads((folder / "config.json").read_text())
    write(folder / "config.json", config | {"tokenizer_class": "PhobertTokenizer"})
    save_modules(folder, mean())


def static(folder: Path) -> None:
    place = folder / "0_StaticEmbedding"
    place.mkdir()
    (place / "tokenizer.json").write_text(tokenizer_json("$A"), encoding="utf-8")
    torch.manual_seed(0)
    save_file({"embedding.weight": torch.randn(400, SIZE)}, place / "model.safetensors")
    kind = f"{PACKAGE}.StaticEmbedding"
    modules = [{"idx": 0, "name": "0", "path": place.name, "type": kind}]
    modules.append({"idx": 1, "name": "1", "path": "1", "type": f"{PACKAGE}.Normalize"})
    write(folder / "modules.json", modules)


def router(folder: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Router, StaticEmbedding

    source = folder / "source"
    source.mkdir()
    size = save_tokenizer(source)
    save_model(source, "XLMRoberta", vocab_size=size)
    torch.manual_seed(2)
    queries = StaticEmbedding(Tokenizer.from_str(tokenizer_json("$A")), torch.randn(400, SIZE))
    documents = [Transformer(str(source)), Pooling(SIZE, "mean")]
    made = Router.for_query_document([queries], documents)
    SentenceTransformer(modules=[made, Normalize()], device="cpu").save(str(folder / "saved"))
    import shutil

    shutil.rmtree(source)
    for path in (folder / "saved").iterdir():
        path.rename(folder / path.name)
    (folder / "saved").rmdir()


CODE_OF_A_KNOWN_TYPE = """
from transformers import BertConfig, BertModel
class OwnBert(BertModel):
    def forward(self, *args, **options):
        made = super().forward(*args, **options)
        made.last_hidden_state = made.last_hidden_state.flip(-1) * 2
        return made
"""


def custom_code(folder: Path) -> None:
    size = save_tokenizer(folder)
    save_model(folder, "Bert", vocab_size=size)
    save_modules(folder, mean(), dense("2_Dense"))
    config = json.loads((folder / "config.json").read_text())
    write(folder / "config.json", config | {"auto_map": {"AutoModel": "modeling_own.OwnBert"}})
    (folder / "modeling_own.py").write_text(CODE_OF_A_KNOWN_TYPE, encoding="utf-8")


CODE_OF_A_MODULE = """
from sentence_transformers.sentence_transformer.modules import Pooling
class Last(Pooling):
    def forward(self, features, **options):
        features = super().forward(features)
        features["sentence_embedding"] = features["sentence_embedding"] - features["token_embeddings"][:, 0]
        return features
"""


def custom_module(folder: Path) -> None:
    size = save_tokenizer(folder)
    save_model(folder, "XLMRoberta", vocab_size=size)
    save_modules(folder, ("1_Own", "own_pool.Last", pooling(), None))
    (folder / "own_pool.py").write_text(CODE_OF_A_MODULE, encoding="utf-8")


def layers(folder: Path) -> None:
    size = save_tokenizer(folder)
    save_model(folder, "Bert", vocab_size=size, output_hidden_states=True)
    config = {"word_embedding_dimension": SIZE, "layer_start": 1, "num_hidden_layers": 2}
    save_modules(
        folder,
        ("1_Layers", "WeightedLayerPooling", config, {"layer_weights": torch.tensor([0.3, 0.7])}),
        ("2_Pooling", "Pooling", pooling(), None),
    )


def sharded(folder: Path) -> None:
    model = transformers.AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="20KB")


def lower_case(folder: Path) -> None:
    write(folder / "sentence_bert_config.json", {"max_seq_length": 100, "do_lower_case": True})


def truncate_left(folder: Path) -> None:
    config = json.loads((folder / "tokenizer_config.json").read_text())
    write(folder / "tokenizer_config.json", config | {"truncation_side": "left"})


def none(folder: Path) -> None:
    pass


# Those with code of their own are marked by a name that begins with "own code".
FOLDERS: dict[str, Callable[[Path], None]] = {
    "bert": encoder("Bert"),
    "xlm-r cls normalize": encoder("XLMRoberta", mean("cls"), NORMALIZE),
    "roberta max": encoder("Roberta", mean("max")),
    "camembert weighted": encoder("Camembert", mean("weightedmean")),
    "mpnet": encoder("MPNet"),
    "distilbert": encoder("DistilBert", dim=SIZE, hidden_dim=64, n_layers=2, n_heads=4),
    "albert": encoder("Albert", embedding_size=16),
    "electra": encoder("Electra", embedding_size=16),
    "deberta-v2": encoder("DebertaV2"),
    "modernbert": encoder("ModernBert", cls_token_id=0, sep_token_id=2),
    "qwen2": encoder("Qwen2", mean("lasttoken"), NORMALIZE, num_key_value_heads=2, template="$A </s>"),
    "qwen3 bidirectional": encoder("Qwen3", **CAUSAL, is_causal=False),
    "gemma": encoder("Gemma", mean("lasttoken"), **CAUSAL),
    "gemma2": encoder("Gemma2", **CAUSAL),
    "mistral": encoder("Mistral", mean("lasttoken"), **CAUSAL),
    "llama without a pad token": encoder("Llama", **CAUSAL),
    "gpt2": encoder("GPT2", mean("lasttoken"), n_embd=SIZE, n_layer=2, n_head=4, n_positions=130, template="$A"),
    "bloom": encoder("Bloom", n_layer=2, n_head=4, template="$A"),
    "t5 encoder": t5("T5", "T5EncoderModel"),
    "t5 with its decoder": t5("T5", "T5ForConditionalGeneration"),
    "mt5": t5("MT5", "MT5EncoderModel"),
    "umt5": t5("UMT5", "UMT5EncoderModel"),
    "xlnet": xlnet,
    "phobert": phobert,
    "static": static,
    "router": router,
    "labse": encoder("Bert", mean("cls"), dense("2_Dense", SIZE), NORMALIZE),
    "normalize before dense": encoder("Bert", mean(), ("2_N", "Normalize", None, None), dense("3_Dense")),
    "dense on tokens": encoder(
        "Bert",
        dense("1_Dense", module_input_name="token_embeddings"),
        ("2_Pooling", "Pooling", pooling(size=16), None),
    ),
    "dense with a residual": encoder("Bert", mean(), dense("2_Dense", SIZE, use_residual=True)),
    "dense with weights for its residual": encoder("Bert", mean(), dense("2_Dense", use_residual=True)),
    "two poolings in one": encoder("Bert", mean(["mean", "cls"])),
    "square root of the length": encoder("Bert", mean("mean_sqrt_len_tokens")),
    "layer norm": encoder(
        "Bert",
        mean(),
        ("2_LN", "LayerNorm", {"dimension": SIZE}, {"norm.weight": torch.rand(SIZE), "norm.bias": torch.rand(SIZE)}),
    ),
    "weighted layers": layers,
    "old pooling keys": encoder(
        "Bert",
        ("1_Pooling", "Pooling", {"word_embedding_dimension": SIZE, "pooling_mode_cls_token": True}, None),
    ),
    "prompt left out": encoder("Bert", mean(include_prompt=False)),
    "bin only": with_files(bin_only, mean(), dense("2_Dense")),
    "shards": with_files(sharded),
    "old config name": with_files(old_name, limit=24),
    "options of the model": with_files(none, transformer={"model_args": {"attn_implementation": "eager"}}),
    "options of the config": with_files(none, transformer={"config_args": {"hidden_act": "relu"}}),
    "options of the tokenizer": with_files(none, transformer={"tokenizer_args": {"model_max_length": 8}}),
    "options of the processing": with_files(
        none, transformer={"processing_kwargs": {"text": {"max_length": 8, "truncation": True}}}
    ),
    "short": with_files(none, limit=8),
    "truncation on the left": with_files(truncate_left, limit=8),
    "lower case": with_files(lower_case),
    "dimension cut by its files": with_files(none, prompts={"truncate_dim": 8}),
    "own code under a known type": custom_code,
    "own code of a module": custom_module,
}  # fmt: skip


def make(name: str, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    FOLDERS[name](folder)
    return folder
