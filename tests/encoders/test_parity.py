"""Vectors of model folders of many kinds are sentence-transformers' own, whatever the batches."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.prompts import Prompted, fill
from tests.encoders import zoo
from tests.encoders.zoo import FOLDERS, TEXTS, make
from tests.hub import Hub
from tests.hub.clients import ask, environment

pytest.importorskip("sentence_transformers")


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Each folder is made once."""
    home = tmp_path_factory.mktemp("models")
    return cache(lambda name: make(name, home / re.sub(r"[^a-z0-9]+", "-", name)))


def peer(folder: Path, name: str) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(folder), device="cpu", trust_remote_code=name.startswith("own code"))


def loaded(folder: Path, name: str, **options: Any) -> Any:
    return load_encoder(str(folder), device="cpu", trust_remote_code=name.startswith("own code"), **options)


def difference(one: Any, two: Any) -> float:
    return float(np.abs(np.asarray(one, np.float64) - np.asarray(two, np.float64)).max())


def test_there_are_thirty_kinds() -> None:
    assert len(FOLDERS) >= 30


@pytest.mark.parametrize("name", FOLDERS)
def test_vectors_equal_sentence_transformers(name: str, folder_of: Callable[[str], Path]) -> None:
    folder = folder_of(name)
    ours, theirs = loaded(folder, name), peer(folder, name)
    vectors = ours.encode(TEXTS)
    expected = theirs.encode(TEXTS, prompt="")
    assert difference(vectors, expected) < 1e-5 * max(1.0, float(np.abs(expected).max()))
    # A comparison that can fail: vectors of different texts differ.
    spread = np.abs(vectors[:5, None] - vectors[None, :5]).max(axis=2)
    assert (spread + np.eye(5)).min() > 1e-3
    # Another order, small batches, and each text alone: the same.
    ours.budget = 40
    assert difference(ours.encode(TEXTS[::-1])[::-1], vectors) < 2e-5 * max(1.0, float(np.abs(vectors).max()))
    # A prompt goes where sentence-transformers puts it.
    template = "Find: {text}"
    prompted = [fill(template, t) for t in TEXTS[:5]]
    expected = theirs.encode(TEXTS[:5], prompt="Find: ")
    assert difference(ours.encode(prompted), expected) < 1e-5 * max(1.0, float(np.abs(expected).max()))


def test_a_router_s_texts_go_their_ways(folder_of: Callable[[str], Path]) -> None:
    folder = folder_of("router")
    ours, theirs = loaded(folder, "router"), peer(folder, "router")
    assert ours.prompts.input_types == {"query": "query", "document": "document"}
    mixed = [Prompted(t, 0, "document" if i % 2 else "query") for i, t in enumerate(TEXTS)]
    queries, documents = theirs.encode_query(TEXTS, prompt=""), theirs.encode_document(TEXTS, prompt="")
    assert difference(queries, documents) > 1e-2
    expected = np.where(np.arange(len(TEXTS))[:, None] % 2, documents, queries)
    assert difference(ours.encode(mixed), expected) < 1e-5


# From the Hub: the client reads HF_ENDPOINT when it is imported, so it is a process of its own.
FROM_THE_HUB = """
import json, sys
import numpy as np
from seabed_evaluate.encoders.loading import load_encoder
from tests.encoders.zoo import TEXTS
found = {}
for name, options in json.loads(sys.argv[1]).items():
    try:
        encoder = load_encoder(name, device="cpu", **options)
        settings = {k: encoder.settings[k] for k in ("model", "revision", "pooling", "normalize", "max_length", "dtype")}
        found[name] = [encoder.encode(TEXTS).tolist(), settings]
    except Exception as error:
        found[name] = [type(error).__name__, str(error)]
print(json.dumps(found))
"""


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


# The files that BAAI/bge-m3 is known for. Verified: its weights are a pytorch_model.bin, beside ONNX's.
BGE_M3 = [
    "1_Pooling/config.json", "README.md", "colbert_linear.pt", "config.json", "config_sentence_transformers.json",
    "imgs/bm25.jpg", "modules.json", "onnx/config.json", "onnx/model.onnx", "onnx/model.onnx_data",
    "onnx/sentencepiece.bpe.model", "onnx/special_tokens_map.json", "onnx/tokenizer.json",
    "onnx/tokenizer_config.json", "pytorch_model.bin", "sentence_bert_config.json", "sentencepiece.bpe.model",
    "sparse_linear.pt", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json",
]  # fmt: skip


def bge_m3(folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    size = zoo.save_tokenizer(folder, model_max_length=8192)
    zoo.save_model(folder, "XLMRoberta", vocab_size=size, max_position_embeddings=8194)
    zoo.save_modules(folder, zoo.mean("cls"), zoo.NORMALIZE, limit=8192)
    zoo.bin_only(folder)
    own = files(folder)
    return {path: own.get(path, b"{}" if path.endswith(".json") else b"never fetched") for path in BGE_M3}


def test_the_same_from_the_hub(folder_of: Callable[[str], Path], tmp_path: Path) -> None:
    listed = bge_m3(tmp_path / "bge-m3")
    commits: dict[str, str] = {}
    asked: dict[str, dict[str, Any]] = {}
    with Hub() as hub:

        def put(repository: str, content: dict[str, bytes], **options: Any) -> None:
            commits[repository] = hub.store.put("model", repository, content).oid
            asked[repository] = options

        for name in FOLDERS:
            repository = f"somebody/{folder_of(name).name}"
            put(repository, files(folder_of(name)))
            if name.startswith("own code"):
                asked[repository] = {"trust_remote_code": True, "model_revision": commits[repository]}
        put("BAAI/bge-m3", listed, model_revision="main")
        put("somebody/bge-m3", files(folder_of("bert")))
        put("somebody/code", files(folder_of("own code of a module")), trust_remote_code=True)
        asked["somebody/none"] = {}
        found = ask(FROM_THE_HUB, environment(hub.url, tmp_path), given=asked)
        # Evaluating asks nothing of a repository but its files.
        assert not [r for r in hub.log if r.method not in ("GET", "HEAD")]
        paths = [r.path for r in hub.log if "BAAI/bge-m3/resolve/" in r.path]
    for name in FOLDERS:
        folder = folder_of(name)
        vectors, settings = found[f"somebody/{folder.name}"]
        assert not isinstance(vectors, str), (name, vectors, settings)
        assert settings["revision"] == commits[f"somebody/{folder.name}"]
        expected = loaded(folder, name).encode(TEXTS)
        assert difference(vectors, expected) < 1e-5 * max(1.0, float(np.abs(expected).max())), name
    vectors, settings = found["BAAI/bge-m3"]
    assert difference(vectors, peer(tmp_path / "bge-m3", "bge-m3").encode(TEXTS)) < 1e-5
    assert settings == {
        "model": "BAAI/bge-m3",
        "revision": commits["BAAI/bge-m3"],
        "pooling": "cls",
        "normalize": True,
        "max_length": 8192,
        "dtype": "fp32",
    }
    assert paths
    assert not [p for p in paths if "/onnx/" in p or "/imgs/" in p or p.endswith(".pt")]
    # Another owner's model of that name is what its files say.
    _, settings = found["somebody/bge-m3"]
    assert (settings["revision"], settings["pooling"], settings["normalize"]) == (
        commits["somebody/bge-m3"],
        "mean",
        False,
    )
    assert found["somebody/code"][0] == "ModelError"
    assert f"today's is {commits['somebody/code']}" in found["somebody/code"][1]
    assert found["somebody/none"][0] == "ModelError"
