"""What a sentence-transformers model folder says: pooling, length, prompts, normalisation."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seabed_datasets.errors import SeabedError

POOLINGS = ("mean", "cls", "lasttoken", "max", "weightedmean")

# The booleans that said the pooling before sentence-transformers 5.4.
_OLD_POOLING = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
}


class ModelError(SeabedError):
    """A model that cannot be used as it is; the message says what would help."""


@dataclass(frozen=True)
class FolderSettings:
    """What a folder says about itself; None where it is silent."""

    transformer: Path
    pooling: str | None = None
    include_prompt: bool = True
    normalize: bool = False
    max_length: int | None = None
    lower_case: bool = False
    dense: tuple[Path, ...] = ()
    prompts: dict[str, str] = field(default_factory=dict)
    default_prompt: str | None = None


def read_folder(folder: Path) -> FolderSettings:
    """Read modules.json and the files it names.

    Args:
        folder: a model folder.

    Returns:
        Its settings.

    Raises:
        ModelError: the folder holds no model, or has a module or pooling this project cannot reproduce.
    """
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise ModelError(f"{folder} is not a model folder: neither config.json nor modules.json is there")
    if not (folder / "modules.json").is_file():
        return FolderSettings(transformer=folder, max_length=_max_length(folder, folder))
    transformer, pooling, include_prompt, normalize, dense = folder, None, True, False, []
    for module in _json(folder / "modules.json"):
        kind, place = str(module["type"]).rsplit(".", 1)[-1], folder / module["path"]
        if kind == "Transformer":
            transformer = place
        elif kind == "Pooling":
            pooling, include_prompt = _pooling(place / "config.json")
        elif kind == "Dense":
            dense.append(place)
        elif kind == "Normalize":
            normalize = True
        else:
            raise ModelError(
                f"{folder}: module {module['type']!r} is not supported; give a user encoder instead "
                "(--model package.module:function)"
            )
    extra = _json(folder / "config_sentence_transformers.json")
    prompts = {k: v for k, v in (extra.get("prompts") or {}).items() if isinstance(v, str)}
    return FolderSettings(
        transformer=transformer,
        pooling=pooling,
        include_prompt=include_prompt,
        normalize=normalize,
        max_length=_max_length(folder, transformer),
        lower_case=bool(_json(transformer / "sentence_bert_config.json").get("do_lower_case")),
        dense=tuple(dense),
        prompts=prompts,
        default_prompt=extra.get("default_prompt_name"),
    )


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except json.JSONDecodeError as error:
        raise ModelError(f"{path} is not JSON: {error}") from None


def _pooling(path: Path) -> tuple[str, bool]:
    """The pooling, and whether the prompt's tokens take part in it."""
    config = _json(path)
    if not config:
        raise ModelError(f"{path} is missing: the folder does not say how tokens become one vector")
    mode = config.get("pooling_mode")
    modes = [mode] if mode else [new for old, new in _OLD_POOLING.items() if config.get(old)]
    if isinstance(mode, list):
        modes = mode
    if len(modes) != 1 or modes[0] not in POOLINGS:
        raise ModelError(f"{path}: pooling {modes or 'not given'} is not one of {list(POOLINGS)}")
    return str(modes[0]), config.get("include_prompt") is not False


def _max_length(folder: Path, transformer: Path) -> int | None:
    """The older file first: ignoring its limit moves vectors of long texts."""
    for place in (transformer, folder):
        given = _json(place / "sentence_bert_config.json").get("max_seq_length")
        if given:
            return int(given)
    given = _json(transformer / "tokenizer_config.json").get("model_max_length")
    # Tokenizers without a limit say 10**30.
    return int(given) if given and given < 10**6 else None


def fingerprint(folder: Path) -> str:
    """A name for the contents of a local model folder, in place of a Hub commit.

    Args:
        folder: the folder.

    Returns:
        "sha256:" and 16 hex digits over every file's path and bytes.
    """
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")):
        digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            while chunk := file.read(1 << 24):
                digest.update(chunk)
    return f"sha256:{digest.hexdigest()[:16]}"
