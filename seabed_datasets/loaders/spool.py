"""A list that may be larger than memory: values go to an unnamed temporary file once they are many."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Iterator
from typing import Any

MEMORY_BYTES = 16 * 1024**2
CHUNK_BYTES = 1024**2


class Spool:
    """JSON values in the order they were added, read back as often as wanted; the file goes with the object.

    >>> words = Spool(["ရန်ကုန်"])
    >>> words.add(None)
    >>> list(words), len(words)
    (['ရန်ကုန်', None], 2)
    """

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115
        self._count = 0
        for value in values:
            self.add(value)

    def add(self, value: Any) -> None:
        """Add one value at the end.

        Args:
            value: anything JSON can hold; a tuple comes back as a list.
        """
        line = json.dumps(value, ensure_ascii=False) + "\n"
        self._file.write(line.encode("utf-8", "surrogatepass"))
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while True:
            self._file.seek(place)
            lines = self._file.readlines(CHUNK_BYTES)
            place = self._file.tell()
            # Back to the end at once: a reader may stop half-way, and another value may be added.
            self._file.seek(0, 2)
            if not lines:
                return
            for line in lines:
                yield json.loads(line.decode("utf-8", "surrogatepass"))
