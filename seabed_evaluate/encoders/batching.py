"""Texts in batches: sorted by length, cut to a token budget, padded on the right."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from seabed_datasets.errors import SeabedError

if TYPE_CHECKING:
    import torch

Vectors = npt.NDArray[np.float32]
Tokens = npt.NDArray[np.int32]
# Tokens of each text before and after the cut at a model's length, shape (texts, 2); zeros where unknown.
Counts = npt.NDArray[np.int64]
Tick = Callable[[int], None]
T = TypeVar("T")

# Texts tokenised at once: few enough to hold, enough for batches of nearly equal lengths.
TEXTS_AT_ONCE = 8192
# Tokens of a batch. On a CPU larger batches leave its cache and get slower (measured with
# tests/benchmarks/encode.py); on a GPU memory bounds them.
CPU_TOKENS_PER_THREAD = 1024
LEAST_TOKENS = 1024
# At most one padded token of the budget in so many is padding: another batch costs less than that.
MOST_WASTE = 32
MOST_TOKENS = 2**17
SHARE_OF_FREE_MEMORY = 0.5


def longest_first(texts: Sequence[str], at_once: int = TEXTS_AT_ONCE) -> Iterator[list[int]]:
    """Cut texts into groups that are tokenised together, the longest texts first.

    Args:
        texts: n texts.
        at_once: texts per group.

    Returns:
        Places of the texts, group by group. Memory runs out in the first batch or never.
    """
    order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
    for start in range(0, len(order), at_once):
        yield order[start : start + at_once]


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Make the next item in a thread while the last one is used.

    Args:
        items: what is made, e.g. by a tokenizer that lets other threads run.

    Returns:
        The same items.
    """
    made = iter(items)
    end = object()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="seabed-tokens") as pool:
        coming = pool.submit(next, made, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, made, end)
            yield item  # type: ignore[misc]


def batches(lengths: Sequence[int], budget: Callable[[], int], *, pad: bool = True) -> Iterator[list[int]]:
    """Cut texts into batches, longest first, whose size stays within a budget and whose padding is small.

    Args:
        lengths: tokens of every text.
        budget: tokens of a batch, asked for every batch because it may shrink; one text is always let in.
        pad: every text takes as many tokens as the longest of its batch.

    Returns:
        Places of the texts, batch by batch.

    >>> list(batches([30, 90, 32], lambda: 100))
    [[1], [2, 0]]
    >>> list(batches([30, 90, 32], lambda: 122, pad=False))
    [[1, 2], [0]]
    """
    batch: list[int] = []
    used = waste = room = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        longest = lengths[batch[0]] if batch and pad else lengths[i]
        waste += longest - lengths[i]
        if batch and (used + longest > room or waste * MOST_WASTE > room):
            yield batch
            batch, used, waste, longest = [], 0, 0, lengths[i]
        if not batch:
            room = budget()
        batch.append(i)
        used += longest
    if batch:
        yield batch


def padded(tokens: Sequence[Tokens], pad: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Texts of unequal length as one matrix, padded on the right.

    Position ids of BERT-like models count from the left, so padding on the left would move them.

    Args:
        tokens: token ids of every text.
        pad: id of the padding token.

    Returns:
        Ids and mask (1 for a real token), both of shape (texts, longest).
    """
    lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
    mask = np.arange(lengths.max()) < lengths[:, None]
    ids = np.full(mask.shape, pad, np.int64)
    ids[mask] = np.concatenate(tokens)
    return ids, mask.astype(np.int64)


def default_device() -> str:
    """The device of this process.

    Returns:
        A GPU where there is one (under torchrun each process has its own), else the CPU.
    """
    import torch

    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu"


def token_budget(model: torch.nn.Module, device: torch.device, max_length: int) -> int:
    """How many tokens a batch may hold, padding included.

    Args:
        model: a transformers model.
        device: where it is.
        max_length: tokens of the longest text.

    Returns:
        On a GPU, what fits into half of its free memory by the widths of the model's layers; on a CPU what its
        threads can hold in their caches.
    """
    import torch

    if device.type != "cuda":
        return max(LEAST_TOKENS, CPU_TOKENS_PER_THREAD * torch.get_num_threads())
    free, _ = torch.cuda.mem_get_info(device)
    config: Any = model.config
    hidden = int(getattr(config, "hidden_size", 1024))
    inner = int(getattr(config, "intermediate_size", None) or 4 * hidden)
    # The widest moment of a layer: the feed-forward part, and some copies of the hidden states beside it; for
    # each token also its row of the attention mask.
    size = next(model.parameters()).element_size()
    per_token = size * (3 * inner + 12 * hidden) + 4 * max_length
    return int(min(max(SHARE_OF_FREE_MEMORY * free / per_token, max_length), MOST_TOKENS))


def out_of_memory(error: BaseException) -> bool:
    """Whether an error means that a smaller batch would have worked.

    Args:
        error: what was raised.

    Returns:
        True for the GPU's and the CPU's own errors.
    """
    import torch

    if isinstance(error, (torch.OutOfMemoryError, MemoryError)):
        return True
    # The CPU allocator raises a plain RuntimeError.
    return isinstance(error, RuntimeError) and "allocate memory" in str(error)


def collect(count: int, parts: Iterable[tuple[Any, ...]], tick: Tick | None = None) -> Vectors:
    """Put vectors that arrive in any order into one array.

    Args:
        count: number of texts.
        parts: places and vectors of some texts at a time, and whatever comes after them.
        tick: called with the number of texts of every part.

    Returns:
        float32 array of shape (count, dimension).

    Raises:
        SeabedError: there is no text.
    """
    out: Vectors | None = None
    for places, vectors, *_ in parts:
        if out is None:
            out = np.empty((count, vectors.shape[1]), dtype=np.float32)
        out[places] = vectors
        if tick:
            tick(len(places))
    if out is None:
        raise SeabedError("nothing to encode: the list of texts is empty")
    return out
