"""The toy encoder as an object whose revision is known, so that its vectors may be kept on disk."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from seabed_evaluate.encoders.batching import Tick, Vectors, collect
from seabed_evaluate.encoders.prompts import Prompted, Prompts, as_prompted
from tests import toy


class ToyEncoder:
    """Encodes eight texts at a time, `pause` seconds each; `seen` holds every text it was asked for."""

    def __init__(self, *, prompts: Prompts | None = None, pause: float = 0.0, **settings: Any) -> None:
        self.prompts, self.pause = prompts or Prompts(), pause
        self.settings = {"encoder": "toy", "model": "toy", "revision": "1", "dtype": "fp32"} | settings
        self.seen: list[str] = []

    def stream(self, texts: Sequence[str | Prompted]) -> Iterator[tuple[list[int], Vectors]]:
        prompted = as_prompted(texts)
        for start in range(0, len(prompted), 8):
            places = list(range(start, min(start + 8, len(prompted))))
            part = [prompted[i].text for i in places]
            self.seen += part
            time.sleep(self.pause)
            yield places, toy.encode(part)

    def encode(self, texts: Sequence[str | Prompted], tick: Tick | None = None) -> Vectors:
        return collect(len(texts), self.stream(texts), tick)
