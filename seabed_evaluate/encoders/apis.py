"""Text -> vectors over HTTP: OpenAI and servers with its API, Cohere, Voyage, Jina, Gemini (apis.toml says how)."""

from __future__ import annotations

import base64
import binascii
import logging
import os
import random
import re
from collections.abc import Callable, Iterator, Sequence
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
from seabed_evaluate.encoders.batching import Counts, Tick, Vectors, collect
from seabed_evaluate.encoders.model_files import ModelError, one_line
from seabed_evaluate.encoders.prompts import Prompted, Prompts, as_prompted, read_toml

if TYPE_CHECKING:
    import httpx

log = logging.getLogger("seabed_evaluate.encoders.apis")

# With --base-url the key comes from here, so that a provider's key is never sent to another server.
OWN_SERVER_KEY = "SEABED_API_KEY"
# What a provider may add to a text of its own (start and end tokens, Voyage's prefix).
TOKENS_ADDED = 16
LONGEST_WAIT = 600.0
# Texts of a request to a server of one's own: many take no more unless they are told to.
OWN_SERVER_TEXTS = 32
# What a refusal says that a shorter text would not get.
TOO_LONG = re.compile(r"token|length|too (long|large|big)|maximum|context|limit|exceed", re.IGNORECASE)
# A cut text is at least so much of the longest that the server would have taken.
CLOSE = 0.95


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
    input_types: dict[str, str] = field(default_factory=dict)
    max_length: int | None = None
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


class ApiUnusable(ModelError):
    """No key, no server, or one that does not recover: no text of any config can be sent."""


class _Refused(ModelError):
    """A request that is refused as it is; one with fewer or shorter texts may not be."""


class _Transient(Exception):
    """A request worth repeating, after `wait` seconds where the server asks for that; `busy` means later."""

    def __init__(self, reason: str, wait: float | None = None, *, busy: bool = False) -> None:
        super().__init__(reason)
        self.wait, self.busy = wait, busy


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
    batch: int | None = None,
    max_length: int | None = None,
    tokenizer: str | None = None,
) -> ApiEncoder:
    """Make an encoder of an API's model.

    Args:
        provider: name in apis.toml.
        model: the provider's name of the model.
        prompts: templates and input types.
        entry: the model's entry in models.toml, or nothing.
        base_url: of another server with the provider's API.
        price: USD per million tokens; default: the one of the entry, if any.
        batch: texts of a request; default: the provider's limit.
        max_length: tokens kept of a text; default: what the provider takes.
        tokenizer: folder or Hub id of the model's tokenizer, to count and cut with.

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
        provider=provider,
        model=model,
        prompts=prompts,
        known=entry,
        base_url=_checked_url(base_url),
        batch=batch,
        max_length=max_length,
        tokenizer=tokenizer,
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
        self,
        *,
        provider: str,
        model: str,
        prompts: Prompts,
        known: dict[str, Any],
        base_url: str | None,
        batch: int | None = None,
        max_length: int | None = None,
        tokenizer: str | None = None,
    ) -> None:
        self.api = known_apis()[provider]
        self.provider, self.model, self.prompts = provider, model, prompts
        self.own_server = base_url is not None
        self.url = (base_url or self.api.base_url) + self.api.path
        self.dimension: int | None = known.get("dimension")
        self.price: float | None = known.get("price_per_million_tokens")
        self.tokenizer = tokenizer
        most = min(OWN_SERVER_TEXTS, self.api.max_inputs) if self.own_server else self.api.max_inputs
        # Falls where the server refuses more.
        self.batch = batch or most
        # Whether a request has been answered, and whether vectors come as base64 where that is asked for.
        self.answered, self.packed = False, True
        # Another server's length is not known; what it refuses is cut then.
        self.max_length = max_length
        if max_length is None and not self.api.cuts and not self.own_server:
            self.max_length = known.get("max_length", self.api.max_length)
        if max_length is not None and self._counter() is None:
            raise ModelError(
                f"{provider}:{model}: --max-length cuts with the model's tokenizer; --api-tokenizer names it (a "
                "folder or Hub id). Without both, texts that the API refuses for their length are cut"
            )
        self.settings: dict[str, Any] = {
            "encoder": "api",
            "model": f"{provider}:{model}",
            "revision": None,
            "base_url": base_url or self.api.base_url,
            "max_length": self.max_length,
            "dtype": None,
            "body": self.api.body,
            **({"tokenizer": tokenizer} if tokenizer else {}),
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

    def stream(self, texts: Sequence[str | Prompted]) -> Iterator[tuple[list[int], Vectors, Counts]]:
        """As `encode`, request by request as answers come in, so that a caller can keep what is done.

        Args:
            texts: n final texts.

        Returns:
            Places of the texts of a request, their vectors, and tokens (or characters, where the tokenizer is not
            known) before and after a cut; zeros where the API cuts.

        Raises:
            ModelError: see `encode`.
        """
        import httpx

        prompted = as_prompted(texts)
        for input_type in dict.fromkeys(t.input_type for t in prompted):
            self._check_type(input_type)
        headers = self._headers()
        final, tokens, counts = self._cut([t.text or " " for t in prompted])
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
                    vectors, shares = future.result()
                    dimension = dimension or vectors.shape[1]
                    if vectors.shape[1] != dimension:
                        raise ModelError(
                            f"{self.settings['model']} returned vectors of {dimension} and of "
                            f"{vectors.shape[1]} values"
                        )
                    batch = places.pop(future)
                    counts[batch, 1] = np.ceil(counts[batch, 1] * shares)
                    yield batch, vectors, counts[batch]
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
            Requests, tokens and cost. Tokens are counted where the model's tokenizer is known, else bounded by the
            UTF-8 bytes of the texts.
        """
        prompted = as_prompted(texts)
        bound = [self._bound(t.text or " ") for t in prompted]
        counter = self._counter()
        tokens, exact = sum(bound), counter is not None
        if counter is not None:
            counts = [len(counter(t.text)) for t in prompted]
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
            raise ApiUnusable(f"{self.settings['model']} needs a key: set the environment variable {name}")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ApiUnusable(f"the environment variable {name} holds characters that are in no key")
        if self.url.startswith("http://") and not _loopback(self.url):
            raise ApiUnusable(f"{name} is not sent over http://, only over https:// or to this machine")
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

    def _counter(self) -> Callable[[str], Sequence[int]] | None:
        """Text -> where each of its tokens ends in the text; None where no tokenizer is known or can be fetched."""
        if self.tokenizer is not None:
            own = _own_tokenizer(self.tokenizer)
            return lambda text: [end for _, end in own(text, return_offsets_mapping=True)["offset_mapping"]]
        encoding = None if self.own_server else self._encoding()
        if encoding is None:
            return None

        def ends(text: str) -> list[int]:
            made = encoding.encode(text, disallowed_special=())
            sizes = np.cumsum([len(piece) for piece in encoding.decode_tokens_bytes(made)])
            # A token may end within a character, which then is not whole before it.
            marks = np.cumsum([len(c.encode("utf-8", "replace")) for c in text])
            return np.searchsorted(marks, sizes, side="right").tolist()  # type: ignore[no-any-return]

        return ends

    def _encoding(self) -> Any:
        """The provider's tokenizer, or None where it is not installed or cannot be fetched."""
        if self.api.encoding is None:
            return None
        try:
            import tiktoken

            return tiktoken.get_encoding(self.api.encoding)
        except Exception as error:
            log.debug("no tokenizer %s: %s", self.api.encoding, error)
            return None

    def _cut(self, texts: list[str]) -> tuple[list[str], list[int], Counts]:
        """Cut texts the provider would refuse; also how many tokens each may have, and what was cut."""
        texts, bounds, limit = list(texts), [len(t.encode()) for t in texts], self.max_length
        counts: Counts = np.repeat(np.array([[len(t)] for t in texts], np.int64).reshape(-1, 1), 2, axis=1)
        if limit is None:
            return texts, bounds, counts * (0 if self.api.cuts and not self.own_server else 1)
        long = [i for i, size in enumerate(bounds) if size > limit]
        counter = self._counter() if long else None
        if long and counter is None:
            raise ModelError(
                f"{self.settings['model']}: {len(long)} texts may be longer than {limit} tokens, and cutting "
                f'them needs the tokenizer {self.api.encoding}: pip install "seabed[api]" (it is fetched once)'
            )
        cut = 0
        for i in long:
            assert counter is not None
            whole, keep = texts[i], limit
            found = counter(whole)
            if (total := len(found)) <= limit:
                bounds[i] = total
                continue
            # The end of what is left may be tokenised differently from before, so it is counted again.
            while len(counter(texts[i])) > limit:
                texts[i], keep = whole[: found[keep - 1]], keep - 1
            counts[i, 1] = len(whole) * limit // total
            bounds[i], cut = limit, cut + 1
        if cut:
            log.warning("%s: %d texts were cut at %d tokens", self.settings["model"], cut, limit)
        return texts, bounds, counts

    def _batches(self, texts: Sequence[Prompted], tokens: Sequence[int]) -> Iterator[list[int]]:
        """Texts of one input type within the number of texts and of tokens of a request, the same in any order."""
        batch: list[int] = []
        total = 0
        for i in sorted(range(len(texts)), key=lambda i: (str(texts[i].input_type), tokens[i])):
            size = tokens[i] + TOKENS_ADDED
            full = len(batch) == self.batch or total + size > self.api.max_tokens
            if batch and (full or texts[i].input_type != texts[batch[0]].input_type):
                yield batch
                batch, total = [], 0
            batch.append(i)
            total += size
        if batch:
            yield batch

    def _request(
        self, client: httpx.Client, texts: list[str], input_type: str | None, stop: Event
    ) -> tuple[Vectors, npt.NDArray[np.float64]]:
        """Vectors of texts and the share of each that was sent: refused requests are halved, refused texts cut."""
        if len(texts) > self.batch:
            return self._halves(client, texts, input_type, stop, self.batch)
        try:
            packed = self.packed
            try:
                return self._send(client, texts, input_type, stop, packed), np.ones(len(texts))
            except _Refused as error:
                unpacked = "encoding_format" not in self.api.body or not packed
                if unpacked or (self.answered and "base64" not in str(error)):
                    raise
            # Some servers know floats only; whether it is that shows when they are asked for.
            vectors = self._send(client, texts, input_type, stop, False)
            self.packed = False
            return vectors, np.ones(len(texts))
        except _Refused as error:
            if len(texts) > 1:
                return self._halves(client, texts, input_type, stop, len(texts) // 2)
            if len(texts[0]) < 2 or not TOO_LONG.search(str(error)):
                raise
            return self._shortened(client, texts[0], input_type, stop)

    def _halves(
        self, client: httpx.Client, texts: list[str], input_type: str | None, stop: Event, size: int
    ) -> tuple[Vectors, npt.NDArray[np.float64]]:
        whole = len(texts) <= self.batch
        parts = [
            self._request(client, texts[at : at + size], input_type, stop)
            for at in range(0, len(texts), size)
        ]
        vectors, shares = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        # Where every part was taken as it is, it was their number that was too large.
        if whole and len(texts) < 2 * self.batch and shares.min() == 1:
            self.batch = min(self.batch, max(1, size))
        return vectors, shares

    def _shortened(
        self, client: httpx.Client, text: str, input_type: str | None, stop: Event
    ) -> tuple[Vectors, npt.NDArray[np.float64]]:
        """The longest beginning of a text that the server takes, nearly."""
        taken, refused, made, said = 0, len(text), None, ""
        while taken < CLOSE * refused and refused - taken > 1:
            middle = (taken + refused) // 2 if taken else refused // 2
            try:
                made = self._send(client, [text[:middle]], input_type, stop, self.packed)
                taken = middle
            except _Refused as error:
                refused, said = middle, str(error)
        if made is None:
            raise _Refused(f"{said} (even for the first letter of a text)")
        log.warning("%s: a text of %d characters was cut at %d", self.settings["model"], len(text), taken)
        return made, np.array([taken / len(text)])

    def _send(
        self, client: httpx.Client, texts: list[str], input_type: str | None, stop: Event, packed: bool
    ) -> Vectors:
        """One request, repeated on errors that pass."""
        import tenacity

        exponential = tenacity.wait_random_exponential(multiplier=self.backoff, max=60)

        def failure(state: tenacity.RetryCallState) -> _Transient:
            error = state.outcome.exception() if state.outcome else None
            return error if isinstance(error, _Transient) else _Transient("")

        def wait(state: tenacity.RetryCallState) -> float:
            asked = failure(state).wait
            # Not all at the same moment.
            return exponential(state) if asked is None else asked + random.random() * self.backoff * 2

        def enough(state: tenacity.RetryCallState) -> bool:
            # A server that has never answered is not likely to; one that is busy will be free again.
            few = self.own_server and not self.answered
            most = self.attempts * 2 if failure(state).busy else self.attempts // (2 if few else 1)
            return state.attempt_number >= most or stop.is_set()

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(_Transient),
            wait=wait,
            stop=enough,
            sleep=tenacity.sleep_using_event(stop),
            before_sleep=lambda state: log.info("%s, trying again", _reason(state)),
            reraise=True,
        )
        body = {"model": self.model, self.api.texts: texts, **self.api.body}
        if not packed:
            body.pop("encoding_format", None)
        if self.api.type and input_type is not None:
            body[self.api.type] = input_type
        try:
            vectors: Vectors = retrying(self._once, client, body, len(texts))
        except _Transient as error:
            tries = retrying.statistics["attempt_number"]
            raise ApiUnusable(f"{self.settings['model']}: {error} (after {tries} attempts)") from None
        self.answered = True
        return vectors

    def _once(self, client: httpx.Client, body: dict[str, Any], count: int) -> Vectors:
        import httpx

        try:
            response = client.post(self.url, json=body)
        except httpx.ConnectError as error:
            if not self.answered:
                raise ApiUnusable(f"{self.settings['model']}: no server at {self.url}: {error}") from None
            raise _Transient(f"ConnectError: {error}") from None
        except httpx.RequestError as error:
            # Timeouts, broken connections, bodies that end too early.
            raise _Transient(f"{type(error).__name__}: {error}") from None
        if response.status_code != 200:
            raise self._refused(response, client)
        try:
            answer = response.json()
        except ValueError as error:
            raise _Transient(f"the answer is not what was asked for: {error}") from None
        first = self.api.answer.split(".")[0]
        if (
            isinstance(answer, dict)
            and not answer.get(first)
            and {"error", "message", "detail"} & answer.keys()
        ):
            raise self._refused(response, client)
        try:
            return self._vectors(answer, count)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, binascii.Error) as error:
            raise _Transient(f"the answer is not what was asked for: {error}") from None

    def _refused(self, response: httpx.Response, client: httpx.Client) -> Exception:
        key = client.headers.get("Authorization", "").removeprefix("Bearer ")
        said = " ".join(response.text.split())
        # Some servers repeat the key they refuse.
        said = (said.replace(key, "[key]") if key else said)[:300]
        status = response.status_code
        reason = f"HTTP {status}: {said}"
        # An empty account answers 429 as well, and no waiting helps.
        if (status in (408, 409, 429) or status >= 500) and "insufficient_quota" not in said:
            wait = _retry_after(response.headers.get("Retry-After"))
            if wait is None or wait <= LONGEST_WAIT:
                return _Transient(reason, wait, busy=status == 429)
            reason += f"; the server asks to wait {wait:.0f} s"
        message = f"{self.settings['model']}: {reason}"
        if status in (401, 403):
            name = OWN_SERVER_KEY if self.own_server else self.api.key
            return ApiUnusable(f"{message}; is the environment variable {name} right?")
        return _Refused(message) if status in (200, 400, 413, 422) else ApiUnusable(message)

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


@lru_cache(maxsize=4)
def _own_tokenizer(name: str) -> Any:
    from transformers import AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
    except Exception as error:
        raise ModelError(f"--api-tokenizer {name}: {one_line(error)}") from None
    if not tokenizer.is_fast:
        raise ModelError(
            f"--api-tokenizer {name}: it does not tell where a token ends; one with tokenizer.json does"
        )
    return tokenizer


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
