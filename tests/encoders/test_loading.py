"""What is refused before the first text, what a name stands for, and models of a user's own."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate import run
from seabed_evaluate.encoders import model_files, sentence_encoder
from seabed_evaluate.encoders.loading import as_encoder, known_models, load_encoder
from seabed_evaluate.encoders.model_files import ModelError, fingerprint
from seabed_evaluate.encoders.prompts import FOLDER_NAMES, Prompted, Prompts, chosen_prompts
from seabed_evaluate.encoders.sentence_encoder import SentenceEncoder, resolve_dtype
from tests.encoders import zoo

pytest.importorskip("sentence_transformers")
TEXTS = zoo.TEXTS[:5]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build(["sample_sts_mya", "sample_retrieval_tha"], out)
    return out


def load(folder: Path, **options: Any) -> SentenceEncoder:
    encoder = load_encoder(str(folder), device="cpu", **options)
    assert isinstance(encoder, SentenceEncoder)
    return encoder


def renamed(prefix: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        save_file(
            {prefix + k: v for k, v in weights.items()},
            folder / "model.safetensors",
            metadata={"format": "pt"},
        )

    return change


def without(part: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        weights = load_file(folder / "model.safetensors")
        kept = {k: v for k, v in weights.items() if part not in k}
        assert len(kept) < len(weights)
        save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})

    return change


def smaller(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    zoo.write(folder / "config.json", config | {"intermediate_size": 48})


def config_of(file: str, **more: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / file
        old = json.loads(path.read_text()) if path.is_file() else {}
        zoo.write(path, old | more)

    return change


def cut_in_half(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def evil_pickle(folder: Path) -> None:
    import os
    import pickle

    class Evil:
        def __reduce__(self) -> Any:
            return os.system, (f"touch {folder}/ran",)

    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Evil()))


def no_tokenizer(folder: Path) -> None:
    for path in [*folder.glob("tok*"), *folder.glob("special*"), *folder.glob("vocab*")]:
        path.unlink()


def other_tokenizer(folder: Path) -> None:
    vocabulary = {"<unk>": 0, "<pad>": 1, "</s>": 2, "a": 3}
    from tokenizers import Tokenizer, models

    Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>")).save(str(folder / "tokenizer.json"))


def modules_at(path: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        modules = json.loads((folder / "modules.json").read_text())
        modules[1]["path"] = path
        zoo.write(folder / "modules.json", modules)

    return change


def adapter(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    zoo.write(folder / "adapter_config.json", {"peft_type": "LORA", "base_model_name_or_path": "x/y"})


def deep_modules(folder: Path) -> None:
    (folder / "modules.json").write_text("[" * 100_000)


def wide_dense(folder: Path) -> None:
    modules = json.loads((folder / "modules.json").read_text())
    modules.append({"idx": 2, "name": "2", "path": "2_Dense", "type": f"{zoo.PACKAGE}.Dense"})
    zoo.write(folder / "modules.json", modules)
    _, _, config, weights = zoo.dense("2_Dense", size=64)
    (folder / "2_Dense").mkdir()
    zoo.write(folder / "2_Dense" / "config.json", config)
    save_file(weights, folder / "2_Dense" / "model.safetensors")


def odd_activation(folder: Path) -> None:
    wide_dense(folder)
    config_of("2_Dense/config.json", activation_function="my_package.SwiGLU")(folder)


AUTO_MAP = {"auto_map": {"AutoModel": "own.Own"}}
REFUSED: dict[str, tuple[Callable[[Path], None], str]] = {
    "a wrapper's prefix": (renamed("wrapper."), r"\d+ weights of its BertModel are missing.*wrapper\."),
    "torch.compile's prefix": (renamed("_orig_mod."), r"would be random numbers"),
    "a layer that is missing": (without("layer.1."), r"e.g. encoder.layer.1"),
    "a kind of weights that is missing": (without("query"), r"weights of its BertModel are missing"),
    "weights of another shape": (smaller, r"cannot load it"),
    "half of its weights": (cut_in_half, r"cannot load it"),
    "a pickle that runs a command": (evil_pickle, r"cannot load it"),
    "no tokenizer": (no_tokenizer, r"knows \d+ tokens and its model \d+|tokenizer"),
    "another model's tokenizer": (other_tokenizer, r"knows \d tokens and its model \d+"),
    "code of its own": (config_of("config.json", **AUTO_MAP), r"allow it with --trust-remote-code"),
    "code in another repository": (
        config_of("config.json", auto_map={"AutoModel": "other/code--own.Own"}),
        r"lies in another repository, other/code, at no fixed commit",
    ),
    "a tokenizer of its own": (
        config_of("tokenizer_config.json", auto_map={"AutoTokenizer": ["own.T", None]}),
        r"tokenizer_config.json: auto_map.*--trust-remote-code",
    ),
    "a module outside": (modules_at("../base"), r"names '../base', which is not inside"),
    "a module at an absolute path": (modules_at("/etc"), r"names '/etc', which is not inside"),
    "an adapter alone": (adapter, r"LoRA adapter.*pip install peft, or merge it"),
    "modules nested without end": (deep_modules, r"modules.json of the model cannot be read"),
    "modules that do not fit": (wide_dense, r"0 Transformer, 1 Pooling, 2 Dense\) do not work one after the other"),
    "an activation of nobody's": (odd_activation, r"activation my_package.SwiGLU"),
    "a default prompt that is none": (
        config_of("config_sentence_transformers.json", prompts={"a": "b"}, default_prompt_name="c"),
        r"'c' not found",
    ),
    "a sparse encoder": (
        config_of("config_sentence_transformers.json", model_type="SparseEncoder"),
        r"is a SparseEncoder model",
    ),
    "an empty folder": (lambda f: [p.unlink() for p in f.glob("*.json")] and None, r"holds no model"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    change, message = REFUSED[kind]
    zoo.make("bert", tmp_path)
    change(tmp_path)
    with pytest.raises(ModelError, match=message) as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
    assert not (tmp_path / "ran").exists()


def test_an_adapter_s_base_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zoo.make("bert", tmp_path)
    adapter(tmp_path)
    zoo.write(tmp_path / "adapter_config.json", {"base_model_name_or_path": "no-such-folder"})
    monkeypatch.setattr(model_files, "find_spec", lambda name: object())
    with pytest.raises(
        ModelError, match=r"is an adapter, and its base model is not to be had: .*no-such-folder"
    ):
        load(tmp_path)


def test_a_pooler_that_is_missing_is_no_fault(tmp_path: Path) -> None:
    zoo.make("bert", tmp_path)
    before = load(tmp_path).encode(TEXTS)
    without("pooler")(tmp_path)
    assert np.array_equal(load(tmp_path).encode(TEXTS), before)


def test_a_folder_without_modules_needs_a_pooling(tmp_path: Path) -> None:
    size = zoo.save_tokenizer(tmp_path)
    zoo.save_model(tmp_path, "Bert", "BertForSequenceClassification", vocab_size=size)
    with pytest.raises(
        ModelError, match=r"is a BertForSequenceClassification, made for other things.*--pooling"
    ):
        load(tmp_path)
    with pytest.raises(UnknownName, match="lasttoken"):
        load(tmp_path, pooling="lastoken")
    assert load(tmp_path, pooling="cls").settings["pooling"] == "cls"


def test_code_runs_only_when_it_is_allowed(tmp_path: Path) -> None:
    zoo.make("own code under a known type", tmp_path)
    with pytest.raises(ModelError, match="--trust-remote-code"):
        load(tmp_path)
    assert load(tmp_path, trust_remote_code=True).settings["trust_remote_code"] is True


# What a name stands for.


def test_a_folder_is_what_its_files_say_whatever_it_is_called(tmp_path: Path) -> None:
    named, other = (zoo.make("bert", tmp_path / n) for n in ("bge-m3", "my-model"))
    one, two = load(named), load(other)
    for key in ("pooling", "normalize", "dtype", "revision", "max_length"):
        assert one.settings[key] == two.settings[key]
    assert one.prompts == two.prompts
    like = load(named, like="bge-m3")
    assert (like.settings["pooling"], like.settings["normalize"]) == ("cls", True)


def test_however_a_folder_is_written_it_is_one_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = zoo.make("bert", tmp_path / "models" / "mine")
    monkeypatch.chdir(tmp_path)
    ways = ["models/mine", "models/mine/", "./models/mine", str(folder), "models/../models/mine//"]
    settings = [load_encoder(way, device="cpu").settings for way in ways]
    monkeypatch.chdir(folder)
    settings.append(load_encoder(".", device="cpu").settings)
    assert all(s == settings[0] for s in settings)
    assert settings[0]["model"] == "mine"
    assert settings[0]["revision"] == fingerprint(folder)
    assert str(tmp_path) not in json.dumps(settings)
    with pytest.raises(ModelError, match="--model-revision is of the Hub"):
        load_encoder(".", model_revision="main")


# dtype and similarity.


def test_models_toml_s_dtype_is_for_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve_dtype(None, "fp16", "cpu") == "fp32"
    assert resolve_dtype(None, "fp16", "cuda:0") == "fp16"
    assert resolve_dtype("fp16", None, "cpu") == "fp16"
    for multiplies in (True, False):
        monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda m=multiplies: m, raising=False)
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False, raising=False)
        assert resolve_dtype("auto", None, "cpu") == ("bf16" if multiplies else "fp32")
    with pytest.raises(UnknownName):
        resolve_dtype("fp33", None, "cpu")


def test_dot_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    zoo.make("bert", tmp_path)
    config_of("config_sentence_transformers.json", similarity_fn_name="dot")(tmp_path)
    with caplog.at_level(logging.WARNING, "seabed_evaluate"):
        assert load(tmp_path).settings["similarity"] == "dot"
    assert "name dot as its similarity; the protocol's is cosine" in caplog.text


# Prompts.


class Named:
    """What chosen_prompts reads of a SentenceTransformer."""

    def __init__(self, prompts: dict[str, str], default: str | None = None) -> None:
        self.prompts, self.default_prompt_name = prompts, default

    def __iter__(self) -> Any:
        return iter(())


def test_a_model_s_named_prompts_serve_our_tasks() -> None:
    named = {
        "query": "Q: ",
        "document": "D {x}: ",
        "STS": "S: ",
        "BitextMining": "B: ",
        "Retrieval-query": "R: ",
    }
    prompts = chosen_prompts({}, {}, Named(named | {"Reranking": "never: "}, "query"))
    found = {task: prompts.template(task, "query") for task in FOLDER_NAMES}
    assert found["sts"] == "S: {text}"
    assert found["bitext_mining"] == "B: {text}"
    assert found["retrieval"] == "R: {text}"
    assert found["reranking"] == found["instruction_retrieval"] == "Q: {text}"
    # Others have the default, as in sentence-transformers.
    assert found["classification"] == "Q: {text}"
    # A prompt is a prefix, letter by letter.
    assert prompts.template("retrieval", "document") == "D {{x}}: {text}"
    assert prompts.name("sts", "query") == "STS"
    assert prompts.name("classification", "query") == "query"
    # The user's own stand over all of them, and models.toml's too.
    own = chosen_prompts({"query": "mine: ", "symmetric": "ours: "}, {}, Named(named))
    assert own.template("retrieval", "query") == "mine: {text}"
    assert own.template("sts", "query") == "ours: {text}"
    assert own.name("retrieval", "query") == "--query-prompt"
    listed = chosen_prompts({}, known_models()["multilingual-e5-small"], Named(named))
    assert listed.template("sts", "query") == "query: {text}"


def test_which_prompt_was_used_stands_in_the_result(bundle: Path, tmp_path: Path) -> None:
    zoo.make("bert", tmp_path)
    config_of("config_sentence_transformers.json", prompts={"STS": "STS: ", "query": "Q: "})(tmp_path)
    sts, retrieval = run(
        load(tmp_path), data=bundle, configs=["sample_sts_mya", "sample_retrieval_tha"], out=None
    )
    assert sts["prompts"]["query"] == "STS: {text}"
    assert sts["prompts"]["from"] == {"query": "STS"}
    assert retrieval["prompts"]["from"] == {"query": "query"}
    assert retrieval["prompts"]["document"] == "{text}"


def test_cut_texts_are_counted_in_the_result_kept_vectors_too(bundle: Path, tmp_path: Path) -> None:
    folder = zoo.make("short", tmp_path / "model")
    found = []
    for _ in range(2):
        (result,) = run(
            load(folder), data=bundle, configs=["sample_retrieval_tha"], out=None, cache=tmp_path / "kept"
        )
        found.append(result["cut"])
    assert result["counts"]["cached_texts"] == result["counts"]["unique_texts"]
    assert found[0] == found[1]
    document = found[0]["document"]
    assert 0 < document["cut"] <= document["texts"]
    assert 0 < document["tokens_lost"] < 1
    (result,) = run(load(folder, max_length=128), data=bundle, configs=["sample_sts_mya"], out=None)
    assert result["cut"]["query"]["cut"] == 0
    (result,) = run("tests.toy:encode", data=bundle, configs=["sample_sts_mya"], out=None)
    assert result["cut"]["query"]["cut"] is None


# A user's own.


def test_a_function_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    source = "import torch\ndef encode(texts):\n    return torch.ones(len(texts), 3, requires_grad=True).bfloat16()\n"
    (tmp_path / "own_model_of_a_test.py").write_text(source)
    encoder = load_encoder("own_model_of_a_test:encode")
    assert encoder.encode(TEXTS).tolist() == [[1.0] * 3] * 5
    assert str(encoder.settings["source"]).startswith("sha256:")
    with pytest.raises(ModelError, match="from the current folder or PYTHONPATH"):
        load_encoder("no_such_module:encode")
    with pytest.raises(ModelError, match="cannot import"):
        load_encoder("own_model_of_a_test:decode")


def test_a_function_may_be_told_the_side(bundle: Path) -> None:
    seen: list[tuple[str | None, int]] = []

    def encode(texts: list[str], side: str | None) -> Any:
        from tests import toy

        seen.append((side, len(texts)))
        return toy.encode(texts)

    run(encode, data=bundle, configs=["sample_retrieval_tha"], out=None)
    assert [side for side, _ in seen] == ["query", "document"]
    seen.clear()
    run(encode, data=bundle, configs=["sample_sts_mya"], out=None)
    assert {side for side, _ in seen} == {None}
    mixed = [Prompted("a", 0, "query"), Prompted("b", 0, "document"), Prompted("c", 0, "query")]
    from tests import toy

    assert np.array_equal(as_encoder(encode).encode(mixed), toy.encode(["a", "b", "c"]))


@pytest.mark.parametrize("made", [[torch.ones(3)] * 2, [[1.0, 2.0]] * 2, np.ones((2, 3), np.float16)])
def test_what_a_function_may_return(made: Any) -> None:
    assert as_encoder(lambda texts: made).encode(["a", "b"]).dtype == np.float32


@pytest.mark.parametrize("made", [None, [[1.0], [1.0, 2.0]], np.ones(2), np.ones((3, 2)), "text"])
def test_what_a_function_may_not_return(made: Any) -> None:
    with pytest.raises(ModelError, match="returned"):
        as_encoder(lambda texts: made).encode(["a", "b"])


def test_objects(bundle: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    class Own:
        def encode(self, texts: list[str]) -> Any:
            from tests import toy

            return toy.encode(texts)

    (result,) = run(Own(), data=bundle, configs=["sample_sts_mya"], out=None)
    assert result["model"]["model"].endswith("Own")
    folder = zoo.make("xlm-r cls normalize", tmp_path)
    model = SentenceTransformer(str(folder), device="cpu")
    before = model.encode(zoo.TEXTS)
    encoder = as_encoder(model)
    assert np.abs(encoder.encode(zoo.TEXTS) - before).max() < 1e-5
    # It is the user's: nothing in it changes.
    assert np.array_equal(model.encode(zoo.TEXTS), before)
    (one,) = run(model, data=bundle, configs=["sample_sts_mya"], out=None)
    (two,) = run(str(folder), device="cpu", data=bundle, configs=["sample_sts_mya"], out=None)
    assert one["score"] == pytest.approx(two["score"], abs=1e-6)
    with pytest.raises(SeabedError, match="is no encoder"):
        as_encoder({"a": 1})
    assert as_encoder(encoder) is encoder
    assert isinstance(encoder.prompts, Prompts)
    assert not sentence_encoder._is_half(None)
