"""Texts of a batch side by side in one row, so that a CPU computes no padding.

All layers but attention treat every token alone; attention is computed for each run of texts of equal length.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from seabed_evaluate.encoders.batching import Tokens

if TYPE_CHECKING:
    import torch

IMPLEMENTATION = "seabed_packed"
# Architectures of which all there is to know about a token is its id and position, and whose attention is plain:
# bidirectional, without windows, biases or caps. Their vectors are tested against sentence-transformers'.
KINDS = frozenset({"bert", "camembert", "roberta", "xlm-roberta"})
# Attention scores held at once: few enough to stay in a core's cache between the two products and the softmax.
SCORES_AT_ONCE = 100_000


def pack(model: torch.nn.Module) -> bool:
    """Make a transformers model take packed rows, if it can.

    Args:
        model: on a CPU.

    Returns:
        Whether it takes `hidden_states` from now on (and nothing else); if not, it is left as it was.
    """
    from transformers import AttentionInterface

    config: Any = model.config
    if (
        config.model_type not in KINDS
        # Code of a model's own may say "bert" and be something else.
        or not type(model).__module__.startswith("transformers.models.")
        or getattr(config, "output_hidden_states", False)
        or not getattr(model, "_supports_attention_backend", False)
        or getattr(config, "is_decoder", False)
        or getattr(config, "position_embedding_type", "absolute") != "absolute"
    ):
        return False
    # transformers makes no mask for an implementation that has no mask function: here nothing is masked.
    AttentionInterface.register(IMPLEMENTATION, attention)
    own: Any = model
    own.set_attn_implementation(IMPLEMENTATION)
    return bool(config._attn_implementation == IMPLEMENTATION)


def positions(tokens: Tokens, padding_idx: int | None) -> Tokens:
    """The positions that a model gives to the tokens of one text.

    Args:
        tokens: ids of n tokens.
        padding_idx: of models of RoBERTa's kind, the padding token's id and position; they count from the one after
            it, and leave out that token where it stands in a text. None for models that count from 0.

    Returns:
        n positions.

    >>> positions(np.array([0, 7, 1, 2], np.int32), 1).tolist()
    [2, 3, 1, 4]
    """
    if padding_idx is None:
        return np.arange(len(tokens), dtype=np.int32)
    real = tokens != padding_idx
    counted: Tokens = (np.cumsum(real) * real + padding_idx).astype(np.int32)
    return counted


def hidden_states(
    model: torch.nn.Module, tokens: Sequence[Tokens], padding_idx: int | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Last hidden states of texts, computed in one row without padding.

    Args:
        model: one that `pack` has prepared.
        tokens: ids of every text, at least one each.
        padding_idx: see `positions`.

    Returns:
        Hidden states of shape (texts, longest, dimension), zero on the right of each text, and their mask (1 for a
        real token).
    """
    import torch

    lengths = [len(own) for own in tokens]
    row = np.concatenate(tokens).astype(np.int64)[None]
    where = np.concatenate([positions(own, padding_idx) for own in tokens]).astype(np.int64)[None]
    runs = [(length, len(list(run))) for length, run in groupby(lengths)]
    states = model(
        input_ids=torch.from_numpy(row), position_ids=torch.from_numpy(where), seabed_runs=runs
    ).last_hidden_state[0]
    mask = torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
    return torch.nn.utils.rnn.pad_sequence(states.split(lengths), batch_first=True), mask.long()


def attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float,
    seabed_runs: Sequence[tuple[int, int]],
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Bidirectional attention within each text of a packed row.

    Scores and softmax are in fp32 whatever the dtype: bf16 has three digits, too few for the exponent.

    Args:
        module: the attention layer.
        query: shape (1, heads, tokens, head dimension); key and value likewise.
        key: see query.
        value: see query.
        attention_mask: None.
        scaling: factor of the scores.
        seabed_runs: (length, number of texts) of each run of texts of equal length, in their order in the row.

    Returns:
        Shape (1, tokens, heads, head dimension), and no weights: what transformers' AttentionInterface asks for.
    """
    import torch

    heads, total, size = query.shape[1:]
    out = torch.empty(total, heads, size, dtype=value.dtype)
    query = query.float() * scaling
    key = key.float()
    start = 0
    for length, texts in runs_at_once(seabed_runs, SCORES_AT_ONCE // heads):
        end = start + length * texts
        q, k, v = (
            x[0, :, start:end].view(heads, texts, length, size).reshape(heads * texts, length, size)
            for x in (query, key, value)
        )
        scores = torch.bmm(q, k.transpose(1, 2))
        made = torch.bmm(scores.softmax(-1).to(v.dtype), v).view(heads, texts, length, size)
        out[start:end].view(texts, length, heads, size).copy_(made.permute(1, 2, 0, 3))
        start = end
    return out[None], None


def runs_at_once(runs: Sequence[tuple[int, int]], scores: int) -> list[tuple[int, int]]:
    """Cut runs of texts of equal length so that each part has few attention scores per head.

    Args:
        runs: (length, number of texts).
        scores: the most scores of a head in one part; one text is always let in.

    Returns:
        Runs that follow each other as the texts do.

    >>> runs_at_once([(100, 1), (10, 5)], 250)
    [(100, 1), (10, 2), (10, 2), (10, 1)]
    """
    parts = []
    for length, texts in runs:
        most = max(1, scores // length**2)
        parts += [(length, min(most, texts - done)) for done in range(0, texts, most)]
    return parts
