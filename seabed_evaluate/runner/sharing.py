"""Several processes, one per device, started by torchrun: who does what, and what came of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, TypeVar

T = TypeVar("T")

# A process that ends takes the others with it (torchrun's doing), so this is never waited for in vain.
LONG = timedelta(days=30)


class Share:
    """This process's part of the work. Without torchrun it is all of it."""

    def __init__(self) -> None:
        self.rank, self.size, self._store = 0, 1, None
        if "TORCHELASTIC_RUN_ID" in os.environ and int(os.environ.get("WORLD_SIZE", "1")) > 1:
            from torch.distributed.rendezvous import rendezvous

            # The key-value store that torchrun itself runs on; no process group is needed.
            self._store, self.rank, self.size = next(rendezvous("env://"))
            # The store outlives processes that are started anew after one has died; their counters do not, or
            # what the dead ones had taken would never be done.
            self._prefix = f"seabed/{os.environ.get('TORCHELASTIC_RESTART_COUNT', '0')}"

    def take(self, items: Sequence[T]) -> Iterator[T]:
        """Hand out items, each to one process: whoever is free gets the next.

        Args:
            items: the same in every process.

        Returns:
            This process's items, in order.
        """
        if self._store is None:
            yield from items
            return
        while (index := self._store.add(f"{self._prefix}/next", 1) - 1) < len(items):
            yield items[index]

    def finished(self) -> int:
        """Note that one item is done.

        Returns:
            How many are done since the last call, those of other processes included.
        """
        if self._store is None:
            return 1
        total = int(self._store.add(f"{self._prefix}/finished", 1))
        before, self._seen = getattr(self, "_seen", 0), total
        return total - before

    def gather(self, value: dict[str, Any]) -> list[dict[str, Any]]:
        """Bring what every process has to the first one.

        Args:
            value: plain values.

        Returns:
            In the first process one value per process, its own first; elsewhere the own one.
        """
        if self._store is None:
            return [value]
        self._store.set(f"{self._prefix}/value/{self.rank}", json.dumps(value))
        if self.rank:
            return [value]
        names = [f"{self._prefix}/value/{rank}" for rank in range(self.size)]
        self._store.wait(names, LONG)
        return [json.loads(self._store.get(name)) for name in names]
