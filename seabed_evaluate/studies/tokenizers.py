"""Tokenizer files of a model: read alone, without weights and without torch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.encoders.loading import known_models

FILES = ("tokenizer.json", "tokenizer_config.json", "sentence_bert_config.json")
METASPACE = "\u2581"


@dataclass(frozen=True)
class TokenizerFiles:
    """A model's tokenizer. `mark` is what the texts of its vocabulary carry where a word starts or goes on."""

    name: str
    tokenizer: Any
    limit: int | None
    mark: str | None

    @property
    def size(self) -> int:
        """Entries of the vocabulary, without tokens that were added to it."""
        return int(self.tokenizer.get_vocab_size(with_added_tokens=False))


def read_tokenizer(model: str, revision: str | None = None) -> TokenizerFiles:
    """The tokenizer of a folder, a Hub id or a model known by name.

    Args:
        model: which.
        revision: commit, branch or tag on the Hub.

    Returns:
        The tokenizer.

    Raises:
        SeabedError: there is none, or it is in a form that only the model's library reads.
    """
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise SeabedError(
            "reading tokenizers needs the package tokenizers, which transformers brings"
        ) from None
    known = known_models()
    entry = known.get(model, {})
    if "api" in entry or model.partition(":")[0] in {e.get("api") for e in known.values()}:
        raise SeabedError(f"{model}: its provider publishes no tokenizer files, so nothing can be counted")
    folder = _folder(str(entry.get("id", model)), revision or entry.get("revision"), known)
    file = folder / "tokenizer.json"
    if not file.is_file():
        raise SeabedError(
            f"{model} has no tokenizer.json, only a form that its own library reads; "
            "AutoTokenizer.from_pretrained(...).save_pretrained(FOLDER) writes one"
        )
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # tokenizers raises plain Exception
        raise SeabedError(f"{file}: {error}") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return TokenizerFiles(
        Path(model).resolve().name if Path(model).is_dir() else model,
        tokenizer,
        entry.get("max_length") or _limit(folder),
        _mark(tokenizer),
    )


def _folder(model: str, revision: str | None, known: Any) -> Path:
    if Path(model).is_dir():
        return Path(model)
    if model.count("/") != 1 or model.startswith((".", "/", "~")):
        raise unknown("model", model, known, "It is neither a model folder nor a Hub id (organisation/name).")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(model, revision=revision, allow_patterns=list(FILES)))
    except Exception as error:
        raise SeabedError(f"{model}: cannot get its tokenizer files from the Hub: {error}") from None


def _limit(folder: Path) -> int | None:
    """Tokens that the model reads, where its files say so; numbers like 1e30 mean that they do not."""
    for name, key in (
        ("sentence_bert_config.json", "max_seq_length"),
        ("tokenizer_config.json", "model_max_length"),
    ):
        try:
            value = json.loads((folder / name).read_text(encoding="utf-8")).get(key)
        except (OSError, ValueError, AttributeError):
            continue
        if isinstance(value, int) and 0 < value < 1_000_000:
            return value
    return None


def _mark(tokenizer: Any) -> str | None:
    """What stands before a token's text: "##" within a word (WordPiece), U+2581 at its start (Metaspace).

    Where U+2581 only stands for a blank (Gemma) it is part of the text, as the blank of byte-level BPE is.
    """
    prefix = getattr(tokenizer.model, "continuing_subword_prefix", None)
    if type(tokenizer.model).__name__ == "WordPiece":
        return str(prefix or "##")
    return METASPACE if "Metaspace" in str(tokenizer.pre_tokenizer) else None


def token_texts(files: TokenizerFiles) -> list[str]:
    """The text of every entry of the vocabulary; bytes that are no whole character stay U+FFFD.

    Args:
        files: of `read_tokenizer`.

    Returns:
        One text per entry, without the mark of its place in a word; a blank that is part of it stays.
    """
    pieces: Sequence[str] = list(files.tokenizer.get_vocab(with_added_tokens=False))
    if files.mark is not None:
        return [p.removeprefix(files.mark) for p in pieces]
    if _is_byte_level(files.tokenizer):
        table = _byte_table()
        return [
            bytes(table[c] for c in p).decode("utf-8", "replace") if all(c in table for c in p) else p
            for p in pieces
        ]
    return [p.replace(METASPACE, " ") for p in pieces]


def _is_byte_level(tokenizer: Any) -> bool:
    return "ByteLevel" in str(tokenizer.decoder) or "ByteLevel" in str(tokenizer.pre_tokenizer)


def _byte_table() -> dict[str, int]:
    """Byte-level BPE writes every byte as one visible character: Latin-1's own, the others from U+0100 on."""
    seen = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [b for b in range(256) if b not in seen]
    return {chr(b): b for b in seen} | {chr(256 + i): b for i, b in enumerate(rest)}
