"""Text -> vectors over HTTP: OpenAI and servers with its API, Cohere, Voyage, Jina (apis.toml says how)."""

from __future__ import annotations

import base64
import binascii
import logging
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from functools import lru_cache
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from seabed_datasets.errors import unknown
from seabed_evaluate.encoders.batching import Tick, Vectors, collect
from seabed_evaluate.encoders.model_folder import ModelError
from seabed_evaluate.encoders.prompts import Prompted, Prompts, as_prompted, read_toml

if TYPE_CHECKING:
    import httpx

log = logging.getLogger("seabed_evaluate.encoders.apis")

# With --base-url the key comes from here, so that a provider's key is never sent to another server.
OWN_SERVER_KEY = "SEABED_API_KEY"
# What a provider may add to a text of its own (start and end tokens, Voyage's prefix).
TOKENS_ADDED = 16
LONGEST_WAIT = 600.0


@dataclass(frozen=True)
class Api:
    """One provider of apis.toml; its head explains the fields."""

    base_url: str
    path: str
    key: str
    texts: str
    answer: str
    max_inputs: int
    max_tokens: int
    cuts: bool
    body: dict[str, Any] = field(default_factory=dict)
    type: str | None = None
    types: tuple[str, ...] = ()
    type_required: bool = False
    encoding: str | None = None
    unverified: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimate:
    """What encoding would take; `exact` says whether `tokens` is a count or a bound from above.

    `cost` is in the currency of the price, None where no price is known.
    """

    texts: int
    requests: int
    tokens: int
    exact: bool
    cost: float | None


class ApiKeyError(ModelError):
    """A key that is missing or cannot be one: no text can be sent."""


class _Transient(Exception):
    """A request worth repeating, after `wait` seconds where the server asks for that."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@lru_cache(maxsize=1)
def known_apis() -> dict[str, Api]:
    """The providers of apis.toml.

    Returns:
        Name -> provider.
    """
    return {name: Api(**entry) for name, entry in read_toml(Path(__file__).with_name("apis.toml")).items()}


def load_api_encoder(
    provider: str,
    model: str,
    prompts: Prompts,
    entry: dict[str, Any],
    *,
    base_url: str | None = None,
    price: float | None = None,
) -> ApiEncoder:
    """Make an encoder of an API's model.

    Args:
        provider: name in apis.toml.
        model: the provider's name of the model.
        prompts: templates and input types.
        entry: the model's entry in models.toml, or nothing.
        base_url: of another server with the provider's API.
        price: USD per million tokens; default: the one of the entry, if any.

    Returns:
        The encoder; no request is made.

    Raises:
        UnknownName: no such provider.
        ModelError: the URL cannot be used, or a package is not installed.
    """
    if provider not in known_apis():
        raise unknown("provider", provider, known_apis())
    try:
        import httpx  # noqa: F401
        import tenacity  # noqa: F401
    except ImportError:
        raise ModelError('models behind an API need an extra: pip install "seabed[api]"') from None
    if price is not None:
        if not 0 <= price < float("inf"):
            raise ModelError(f"--price is in USD per million tokens, not {price}")
        entry = entry | {"price_per_million_tokens": price}
    return ApiEncoder(
        provider=provider, model=model, prompts=prompts, known=entry, base_url=_checked_url(base_url)
    )


def _checked_url(url: str | None) -> str | None:
    if url is None:
        return None
    import httpx

    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ModelError(f"--base-url: {error}") from None
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ModelError("--base-url must begin with http:// or https://, e.g. http://localhost:8000/v1")
    if parsed.userinfo or parsed.query or parsed.fragment:
        # It is written into every result.
        raise ModelError(
            f"--base-url may hold no user, password or query; a key goes into the variable {OWN_SERVER_KEY}"
        )
    return url.rstrip("/")


class ApiEncoder:
    """A model behind an API. Keys come from the environment and are kept out of settings, logs and errors."""

    workers = 8
    attempts = 8
    backoff = 1.0
    timeout = 120.0

    def __init__(
        self, *, provider: str, model: str, prompts: Prompts, known: dict[str, Any], base_url: str | None
    ) -> None:
        self.api = known_apis()[provider]
        self.provider, self.model, self.prompts = provider, model, prompts
        self.own_server = base_url is not None
        self.url = (base_url or self.api.base_url) + self.api.path
        self.dimension: int | None = known.get("dimension")
        self.price: float | None = known.get("price_per_million_tokens")
        # Another server's tokenizer is not known, so it has to cut texts itself.
        self.max_length: int | None = None
        if not self.api.cuts and not self.own_server:
            self.max_length = known.get("max_length")
        self.settings: dict[str, Any] = {
            "encoder": "api",
            "model": f"{provider}:{model}",
            "revision": None,
            "base_url": base_url or self.api.base_url,
            "max_length": self.max_length,
            "dtype": None,
            "body": self.api.body,
        }

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        """Encode texts in several requests at a time, each within the provider's limits.

        Args:
            texts: n final texts. An empty one is sent as one space (the APIs refuse empty texts).
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, dimension), in the order of the texts.

        Raises:
            ModelError: no key, a refused request, or one that still fails after all attempts.
        """
        return collect(len(texts), self.stream(texts), tick)

    def stream(self, texts: Sequence[str | Prompted]) -> Iterator[tuple[list[int], Vectors]]:
        """As `encode`, request by request as answers come in, so that a caller can keep what is done.

        Args:
            texts: n final texts.

        Returns:
            Places of the texts of a request, and their vectors.

        Raises:
            ModelError: see `encode`.
        """
        import httpx

        prompted = as_prompted(texts)
        for input_type in dict.fromkeys(t.input_type for t in prompted):
            self._check_type(input_type)
        headers = self._headers()
        final, tokens = self._cut([t.text or " " for t in prompted])
        stop = Event()
        pool = ThreadPoolExecutor(max_workers=self.workers, thread_name_prefix="seabed-api")
        with httpx.Client(headers=headers, timeout=httpx.Timeout(self.timeout, connect=10)) as client:
            try:
                places = {
                    pool.submit(
                        self._request, client, [final[i] for i in batch], prompted[batch[0]].input_type, stop
                    ): batch
                    for batch in self._batches(prompted, tokens)
                }
                dimension = None
                for future in as_completed(places):
                    vectors = future.result()
                    dimension = dimension or vectors.shape[1]
                    if vectors.shape[1] != dimension:
                        raise ModelError(
                            f"{self.settings['model']} returned vectors of {dimension} and of "
                            f"{vectors.shape[1]} values"
                        )
                    yield places.pop(future), vectors
            finally:
                # Ends the waits between attempts, so that a failure is not held up by them.
                stop.set()
                pool.shutdown(cancel_futures=True)

    def estimate(self, texts: Sequence[str | Prompted], *, price: float | None = None) -> Estimate:
        """What encoding these texts would take; no request is made and no key is needed.

        Args:
            texts: final texts.
            price: per million tokens; default: the one in models.toml, if any.

        Returns:
            Requests, tokens and cost. Tokens are counted where the provider's tokenizer is installed, else
            bounded by the UTF-8 bytes of the texts.
        """
        prompted = as_prompted(texts)
        bound = [self._bound(t.text) for t in prompted]
        encoding = self._encoding()
        tokens, exact = sum(bound), encoding is not None
        if encoding is not None:
            counts = (len(encoding.encode(t.text, disallowed_special=())) for t in prompted)
            tokens = sum(min(n, self.max_length or n) for n in counts)
        price = self.price if price is None else price
        return Estimate(
            texts=len(prompted),
            requests=sum(1 for _ in self._batches(prompted, bound)),
            tokens=tokens,
            exact=exact,
            cost=None if price is None else tokens * price / 1e6,
        )

    def _headers(self) -> dict[str, str]:
        name = OWN_SERVER_KEY if self.own_server else self.api.key
        key = os.environ.get(name, "").strip()
        if not key:
            if self.own_server:
                return {}
            raise ApiKeyError(f"{self.settings['model']} needs a key: set the environment variable {name}")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ApiKeyError(f"the environment variable {name} holds characters that are in no key")
        if self.url.startswith("http://") and not _loopback(self.url):
            raise ApiKeyError(f"{name} is not sent over http://, only over https:// or to this machine")
        return {"Authorization": f"Bearer {key}"}

    def _check_type(self, given: str | None) -> None:
        if given is None and self.api.type_required:
            raise ModelError(
                f"{self.provider} needs an input type of each text; give --like a {self.provider} model of "
                "`seabed models`"
            )
        if given is not None and given not in self.api.types:
            raise unknown(f"input type of {self.provider}", given, self.api.types)

    def _bound(self, text: str) -> int:
        size = len(text.encode())
        return min(size, self.max_length) if self.max_length else size

    def _encoding(self) -> Any:
        """The provider's tokenizer, or None where it is not installed or cannot be fetched."""
        if self.api.encoding is None or self.own_server:
            return None
        try:
            import tiktoken

            return tiktoken.get_encoding(self.api.encoding)
        except Exception as error:
            log.debug("no tokenizer %s: %s", self.api.encoding, error)
            return None

    def _cut(self, texts: list[str]) -> tuple[list[str], list[int]]:
        """Cut texts the provider would refuse; also how many tokens each may have."""
        bounds = [len(t.encode()) for t in texts]
        limit = self.max_length
        long = [i for i, size in enumerate(bounds) if limit is not None and size > limit]
        if not long or limit is None:
            return texts, bounds
        encoding = self._encoding()
        if encoding is None:
            raise ModelError(
                f"{self.settings['model']}: {len(long)} texts may be longer than {limit} tokens, and cutting "
                f'them needs the tokenizer {self.api.encoding}: pip install "seabed[api]" (it is fetched once)'
            )
        texts, cut = list(texts), 0
        for i in long:
            whole = tokens = encoding.encode(texts[i], disallowed_special=())
            keep = limit
            cut += len(tokens) > limit
            # The end of what is left may be tokenised differently from before, so it is counted again.
            while len(tokens) > limit:
                texts[i] = encoding.decode(whole[:keep], errors="ignore")
                tokens = encoding.encode(texts[i], disallowed_special=())
                keep -= 1
            bounds[i] = len(tokens)
        if cut:
            log.warning("%s: %d texts were cut at %d tokens", self.settings["model"], cut, limit)
        return texts, bounds

    def _batches(self, texts: Sequence[Prompted], tokens: Sequence[int]) -> Iterator[list[int]]:
        """Texts of one input type, in order, within the provider's number of texts and of tokens."""
        batch: list[int] = []
        total = 0
        for i, size in enumerate(tokens):
            size += TOKENS_ADDED
            full = len(batch) == self.api.max_inputs or total + size > self.api.max_tokens
            if batch and (full or texts[i].input_type != texts[batch[0]].input_type):
                yield batch
                batch, total = [], 0
            batch.append(i)
            total += size
        if batch:
            yield batch

    def _request(
        self, client: httpx.Client, texts: list[str], input_type: str | None, stop: Event
    ) -> Vectors:
        """One request, repeated on errors that pass."""
        import tenacity

        exponential = tenacity.wait_random_exponential(multiplier=self.backoff, max=60)

        def wait(state: tenacity.RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = error.wait if isinstance(error, _Transient) else None
            return asked if asked is not None else exponential(state)

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_Transient),
            wait=wait,
            stop=tenacity.stop_after_attempt(self.attempts) | tenacity.stop_when_event_set(stop),
            sleep=tenacity.sleep_using_event(stop),
            before_sleep=lambda state: log.info("%s, trying again", _reason(state)),
            reraise=True,
        )
        body = {"model": self.model, self.api.texts: texts, **self.api.body}
        if self.api.type and input_type is not None:
            body[self.api.type] = input_type
        try:
            return retrying(self._once, client, body, len(texts))
        except _Transient as error:
            raise ModelError(
                f"{self.settings['model']}: {error} (after {self.attempts} attempts); a later run continues "
                "where this one stopped"
            ) from None

    def _once(self, client: httpx.Client, body: dict[str, Any], count: int) -> Vectors:
        import httpx

        try:
            response = client.post(self.url, json=body)
        except httpx.RequestError as error:
            # Timeouts, refused or broken connections, bodies that end too early.
            raise _Transient(f"{type(error).__name__}: {error}") from None
        if response.status_code != 200:
            raise self._refused(response, client)
        try:
            return self._vectors(response.json(), count)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, binascii.Error) as error:
            raise _Transient(f"the answer is not what was asked for: {error}") from None

    def _refused(self, response: httpx.Response, client: httpx.Client) -> Exception:
        key = client.headers.get("Authorization", "").removeprefix("Bearer ")
        said = " ".join(response.text.split())
        # Some servers repeat the key they refuse.
        said = (said.replace(key, "[key]") if key else said)[:300]
        reason = f"HTTP {response.status_code}: {said}"
        # An empty account answers 429 as well, and no waiting helps.
        passes = response.status_code in (408, 409, 429) or response.status_code >= 500
        if passes and "insufficient_quota" not in said:
            wait = _retry_after(response.headers.get("Retry-After"))
            if wait is None or wait <= LONGEST_WAIT:
                return _Transient(reason, wait)
            reason += f"; the server asks to wait {wait:.0f} s"
        if response.status_code in (401, 403):
            name = OWN_SERVER_KEY if self.own_server else self.api.key
            reason += f"; is the environment variable {name} right?"
        return ModelError(f"{self.settings['model']}: {reason}")

    def _vectors(self, answer: Any, count: int) -> Vectors:
        """The vectors of an answer, in the order of the request.

        Raises:
            ValueError: some are missing, or have different lengths.
        """
        if self.api.answer == "data":
            items = answer["data"]
            rows = [None] * len(items)
            for place, item in enumerate(items):
                rows[item.get("index", place)] = item["embedding"]
        else:
            rows = answer
            for name in self.api.answer.split("."):
                rows = rows[name]
        if len(rows) != count or any(r is None for r in rows):
            raise ValueError(f"{sum(r is not None for r in rows)} vectors for {count} texts")
        vectors = np.array([_floats(r) for r in rows], dtype=np.float32)
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise ValueError("the vectors have different lengths or are empty")
        if self.dimension is not None and vectors.shape[1] != self.dimension:
            raise ValueError(f"vectors of {vectors.shape[1]} values instead of {self.dimension}")
        return vectors


def _floats(row: Any) -> npt.NDArray[np.float32]:
    if isinstance(row, str):
        return np.frombuffer(base64.b64decode(row, validate=True), dtype="<f4")
    return np.array(row, dtype=np.float32)


def _reason(state: Any) -> str:
    return str(state.outcome.exception()) if state.outcome else ""


def _retry_after(value: str | None) -> float | None:
    """Seconds to wait: the header holds them or a date.

    >>> _retry_after("1.5"), _retry_after("soon"), _retry_after("Thu, 01 Jan 1970 00:00:00 GMT")
    (1.5, None, 0.0)
    """
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(value)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - datetime.now(timezone.utc)).total_seconds())


def _loopback(url: str) -> bool:
    import ipaddress

    import httpx

    host = httpx.URL(url).host
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
