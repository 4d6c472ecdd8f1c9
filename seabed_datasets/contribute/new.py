"""`seabed new`: the card, the loader and fake raw rows of a new dataset, from what a raw file shows."""

from __future__ import annotations

import json
import keyword
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from os.path import relpath
from pathlib import Path
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.checks.scripts import SCRIPT_OF, kinds, letters
from seabed_datasets.contribute.card_text import card_text
from seabed_datasets.contribute.fake_rows import FAKE_ROWS, fake_file
from seabed_datasets.contribute.loader_text import Part, loader_text
from seabed_datasets.contribute.roles import Roles, chosen_columns
from seabed_datasets.contribute.skeletons import ROLES, TODO, Skeleton, columns_of, skeletons
from seabed_datasets.contribute.sniffing import Sniffed, sniff, suffix_of
from seabed_datasets.errors import SeabedError, unknown
from seabed_datasets.files import file_sha256, inside
from seabed_datasets.sources.raw_files import SOURCE_NOTE, hub_file, hub_list
from seabed_datasets.terminal import plain

__all__ = ["FAKE_ROWS", "Created", "Reading", "create"]

_TRAINED = ("classification", "multilabel_classification")
_KEY_LENGTH = 60
_WORDS = {"train": ("train",), "test": ("test",), "validation": ("valid", "dev")}


@dataclass(frozen=True)
class Reading:
    """How raw files are read, where they do not say it themselves: None and () judge by what they hold.

    `header`: whether tables name their columns in the first line; `columns`: texts like "text=kalimat".
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    columns: Sequence[str] = ()


@dataclass(frozen=True)
class Created:
    """The files a new dataset starts with, what was found on the way, and what to do next."""

    paths: list[Path]
    advice: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _File:
    """One raw file: its role in the card, its upstream path, and what it shows."""

    role: str
    path: str
    sniffed: Sniffed


def create(
    key: str,
    task: str,
    langs: Sequence[str],
    *,
    files: Sequence[Path] = (),
    hub: str | None = None,
    root: Path | None = None,
    reading: Reading | None = None,
) -> Created:
    """Write what a new dataset starts with. Nothing that exists is overwritten.

    Args:
        key: the dataset's key.
        task: one of the nine.
        langs: ISO 639-3 codes, one config each.
        files: raw files: one, or one per split with train, test or validation in its name.
        hub: or a dataset repository on the Hub.
        root: the checkout to write into; None for the one this package runs from.
        reading: how the files are read, where they do not say it themselves.

    Returns:
        The files written, and what to do next.

    Raises:
        UnknownName: the task, a language, a role or a column does not exist.
        SeabedError: the key is taken or no name, a file cannot be read, or there is no checkout to write to.
    """
    reading = reading or Reading()
    _check_key(key)
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    catalogue.check_names("language", langs, LANGUAGES)
    langs = list(dict.fromkeys(langs))
    if not langs:
        raise SeabedError("--langs: name at least one language, e.g. lao")
    if bool(files) == bool(hub):
        raise SeabedError("give the raw data once: --from-file FILE or --from-hub ID")
    place = _checkout(root)
    raw = place / "tests" / "raw" / key
    card = place / "cards" / f"{key}.md"
    loader = place / "seabed_datasets" / "loaders" / task / f"{key}.py"
    for path in (card, loader, raw):
        if path.exists() or path.is_symlink():
            raise SeabedError(f"{path} exists; choose another --key, or remove it to start again")
    found, source = _from_hub(hub, task, langs, reading) if hub else _from_files(files, task, langs, reading)
    parts, notes = _parts(task, found, reading)
    shape = parts[0].shape
    spoken = {lang: _spoken(task, lang, parts[0].sniffed, shape) for lang in langs}
    paths = {f.role: _with_lang(f.path, langs)[0] for f in found}
    alike = len(langs) > 1 and any(_with_lang(f.path, langs)[1] for f in found)
    several = len(langs) > 1 or any("*" in f.path for f in found)
    texts: dict[Path, bytes] = {
        card: card_text(
            key,
            task,
            spoken,
            paths,
            [p.sniffed for p in parts],
            shape,
            source,
            {
                "files": "put {lang} where the files of the languages differ" if alike else "",
                "size": "by the rows of all files together; only the first was counted" if several else "",
            },
        ).encode(),
        loader: loader_text(key, parts, loader).encode(),
        raw / SOURCE_NOTE: json.dumps(
            {"truncated": {f.path: "rows written for the tests" for f in found}}, indent=1
        ).encode()
        + b"\n",
    }
    for part, (role, general) in zip(parts, paths.items(), strict=True):
        upstream = general.replace("*", "00000-of-00001")
        for lang in langs:
            name, data = fake_file(replace(part, role=role), upstream.replace("{lang}", lang), spoken[lang])
            texts[inside(raw, name, "upstream's path")] = data
    _write_all(texts, raw)
    shown = [relpath(path) for path in texts]
    steps = [
        f"next: fill in every TODO of {shown[0]} and {shown[1]}, then",
        f"      seabed check {key} --mirror DIR    with your file at DIR/{key}/{plain(found[0].path)}",
        f"      python -m tests.fake_raw {key}     shows what the loader makes of the fake rows; once it is",
        f"                                         right, keep it as {relpath(raw / 'EXPECTED.json')}",
    ]
    return Created(list(texts), "\n".join(steps), notes)


def _check_key(key: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", key) or len(key) > _KEY_LENGTH:
        raise SeabedError(
            f"--key {key[:80]!r}: use lower-case letters, digits and underscores, a letter first, "
            f"{_KEY_LENGTH} at most"
        )
    if keyword.iskeyword(key):
        raise SeabedError(f"--key {key}: a word of Python's grammar cannot name a loader; choose another")


def _checkout(root: Path | None) -> Path:
    place = root or catalogue.cards_dir().parent
    if not (place / "cards").is_dir() or not (place / "seabed_datasets" / "loaders").is_dir():
        raise SeabedError(
            f"{place} is no checkout of SEA-BED: clone the repository, `pip install -e .` in it, or give --root"
        )
    return place


def _write_all(texts: Mapping[Path, bytes], raw: Path) -> None:
    """Write every file, or none."""
    done: list[Path] = []
    try:
        for path, data in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f".{path.name}.{os.getpid()}")
            done.append(temporary)
            temporary.write_bytes(data)
            os.replace(temporary, path)
            done.append(path)
    except OSError as error:
        for path in done:
            with suppress(OSError):
                path.unlink()
        shutil.rmtree(raw, ignore_errors=True)  # it was not there before
        raise SeabedError(f"cannot write {path}: {error.strerror or error}") from None


# Where the raw data is


def _role(name: str, task: str, only: bool) -> str:
    lower = name.lower()
    for pattern in (r"(?<![a-z]){}(?:ing|ation|set|s)?(?![a-z])", "{}"):  # a word of its own first: "contest"
        for role, words in _WORDS.items():
            if any(re.search(pattern.format(word), lower) for word in words):
                return role
    if only:
        return "data" if task in _TRAINED else "test"
    raise SeabedError(f"{plain(name)}: with several files, each needs train, test or validation in its name")


def _check_path(path: str) -> None:
    """Refuse a name that a card would read as a pattern, or that cannot be shown."""
    inside("raw", path, "upstream's path")
    name = path.rsplit("/", 1)[-1]
    if not path.isprintable() or any(c in path for c in "{}*\\") or name in (SOURCE_NOTE, "EXPECTED.json"):
        raise SeabedError(
            f"the file name {plain(path)!r} has a meaning of its own here, or signs that cannot be seen: rename the "
            "file, and say under '## Splits' what upstream calls it"
        )


def _from_files(
    files: Sequence[Path], task: str, langs: Sequence[str], reading: Reading
) -> tuple[list[_File], dict[str, Any]]:
    by_role: dict[str, Path] = {}
    for file in files:
        _check_path(file.name)
        role = _role(file.name, task, len(files) == 1)
        if role in by_role:
            raise SeabedError(f"two files are for {role}, {by_role[role]} and {file}: give one per split")
        by_role[role] = file
    if "test" in by_role and "validation" in by_role:
        raise SeabedError(
            f"leave {by_role['validation']} out: the test file is what is scored, and there is no validation split"
        )
    found = _ordered([_File(role, f.name, _sniffed(f, langs, reading)) for role, f in by_role.items()], task)
    return found, {
        "kind": None,
        "id": None,
        "revision": None,
        "sha256": {f.path: file_sha256(f.sniffed.path) for f in found} if len(langs) == 1 else {},
    }


def _sniffed(file: Path, langs: Sequence[str], reading: Reading) -> Sniffed:
    return sniff(file, reading.header, encoding=reading.encoding, delimiter=reading.delimiter, langs=langs)


def _from_hub(
    repo: str, task: str, langs: Sequence[str], reading: Reading
) -> tuple[list[_File], dict[str, Any]]:
    listed = hub_list(repo, repo, None)
    data = [f for f in listed if suffix_of(f) and not f.startswith(".") and "/." not in f]
    data = [f for f in data if suffix_of(f) not in (".txt", ".json")] or data
    if not data:
        raise SeabedError(
            f"{repo} has no data file among {plain(str(listed[:10]))}; give a file with --from-file"
        )
    roles: dict[str, str] = {}
    for name in sorted(data):
        if any(word in name.lower() for words in _WORDS.values() for word in words) or len(data) == 1:
            roles.setdefault(_role(name, task, len(data) == 1), name)
    if "test" in roles:
        roles.pop("validation", None)
    roles = roles or {"data" if task in _TRAINED else "test": sorted(data)[0]}
    found, revision = [], None
    for role, name in roles.items():
        _check_path(name)
        local, revision = hub_file(repo, repo, name, revision)
        path = re.sub(r"-\d{5}-of-\d{5}(-[0-9a-f]+)?\.parquet$", "-*.parquet", name)
        found.append(_File(role, path, _sniffed(local, langs, reading)))
    return _ordered(found, task), {"kind": "hf", "id": repo, "revision": revision, "sha256": {}}


def _ordered(found: list[_File], task: str) -> list[_File]:
    """The files a task needs, train first; a lone file of a task that trains is cut into train and test."""
    by_role = {("test" if f.role == "validation" else f.role): f for f in found}
    if task in _TRAINED:
        if {"train", "test"} <= by_role.keys():
            return [replace(by_role[role], role=role) for role in ("train", "test")]
        return [replace(next(iter(by_role.values())), role="data")]
    return [replace(by_role.get("test") or found[0], role="test")]


# What the columns are


def _parts(task: str, found: Sequence[_File], reading: Reading) -> tuple[list[Part], list[str]]:
    """Each file with its skeleton, and what is to be said about both."""
    chosen = chosen_columns(reading.columns, ROLES[task], columns_of([f.sniffed for f in found]))
    roles = [
        Roles(f.sniffed, {role: c for role, c in chosen.items() if c in f.sniffed.columns}) for f in found
    ]
    shapes = skeletons(task, roles)
    notes = []
    for file, role, shape in zip(found, roles, shapes, strict=True):
        columns = (
            ", ".join(f"{r}={plain(c)}" for r, c in shape.columns.items() if c and r != c)
            or "as they are called"
        )
        read = f"{plain(file.path)}: {file.sniffed.total:,} rows; columns: {columns}"
        notes += [read, *(f"{plain(file.path)}: {note}" for note in (*file.sniffed.notes, *role.notes))]
    if any(not f.sniffed.header for f in found):
        return _named_by_role(task, found, shapes), notes
    return [Part(f.role, f.path, f.sniffed, s) for f, s in zip(found, shapes, strict=True)], notes


def _named_by_role(task: str, found: Sequence[_File], shapes: Sequence[Skeleton]) -> list[Part]:
    """Columns of a table without a header get the names of their roles."""
    renamed, roles = [], []
    for file, shape in zip(found, shapes, strict=True):
        s = file.sniffed
        names = {} if s.header else {c: role for role, c in shape.columns.items() if c and c != role}
        columns = [names.get(c, c) for c in s.columns]
        rows = [{names.get(c, c): v for c, v in row.items()} for row in s.rows]
        s = replace(s, columns=columns, rows=rows)
        renamed.append(replace(file, sniffed=s))
        known = {r: names.get(c, c) for r, c in shape.columns.items() if c and r in ROLES[task]}
        roles.append(Roles(s, known))
    parts = []
    for file, shape in zip(renamed, skeletons(task, roles), strict=True):
        if shape.helpers == ["flags"]:
            shape.notes.append("Name the labels, here and in the loader's columns, in the order of the file.")
        parts.append(Part(file.role, file.path, file.sniffed, shape))
    return parts


def _with_lang(path: str, langs: Sequence[str]) -> tuple[str, bool]:
    """An upstream path with {lang} for the code of the first language; and whether all configs share it."""
    code = rf"(?<![a-z]){re.escape(langs[0])}(?![a-z])"
    general = re.sub(code, "{lang}", path) if len(langs) > 1 else path
    return general, general == path


def _spoken(task: str, lang: str, file: Sniffed, shape: Skeleton) -> list[str]:
    """The languages of a config: of a bitext, the other side is English where it is in Latin letters."""
    if task != "bitext_mining":
        return [lang]
    sides = []
    for role in ("sentence1", "sentence2"):
        column = shape.columns[role]
        text = " ".join(str(v) for v in file.values(column)[:50]) if column else ""
        there = letters(kinds(text))
        sides.append(max(there, key=lambda s: (there[s], s), default=""))
    own = SCRIPT_OF[lang]
    if own != "Latin" and sides.count(own) == 1:
        other = "eng" if "Latin" in sides else TODO
        return [lang, other] if sides[0] == own else [other, lang]
    return ["eng", lang]
