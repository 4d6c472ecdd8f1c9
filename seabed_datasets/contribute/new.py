"""`seabed new`: the card, the loader and fake raw rows of a new dataset, from what a raw file shows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os.path import relpath
from pathlib import Path
from string import Template
from typing import Any

import yaml

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import DOMAINS, LANGUAGES, SUBTASKS, TASKS
from seabed_datasets.checks.balance import SIZE_CATEGORIES
from seabed_datasets.checks.scripts import SCRIPT_OF, kinds, letters
from seabed_datasets.contribute.skeletons import TODO, Skeleton, skeleton
from seabed_datasets.contribute.sniffing import (
    SUFFIXES,
    Sniffed,
    is_flag,
    is_number,
    label_parts,
    separator,
    sniff,
)
from seabed_datasets.errors import SeabedError, unknown
from seabed_datasets.files import file_sha256, replace_text
from seabed_datasets.schemas import SPLITS
from seabed_datasets.sources.raw_files import hub_file, hub_list

_TEMPLATES = Path(__file__).with_name("templates")
FAKE_ROWS = 12

_CATEGORY = {
    "bitext_mining": "translation",
    "sts": "sentence-similarity",
    "retrieval": "text-retrieval",
    "instruction_retrieval": "text-retrieval",
    "reranking": "text-ranking",
}
_TRAINED = ("classification", "multilabel_classification")


@dataclass(frozen=True)
class Created:
    """The files a new dataset starts with, and what to do next."""

    paths: list[Path]
    advice: str


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
    header: bool | None = None,
) -> Created:
    """Write what a new dataset starts with. Nothing that exists is overwritten.

    Args:
        key: the dataset's key.
        task: one of the nine.
        langs: ISO 639-3 codes, one config each.
        files: raw files: one, or one per split with train, test or validation in its name.
        hub: or a dataset repository on the Hub.
        root: the checkout to write into; None for the one this package runs from.
        header: whether tables name their columns in the first line; None to judge.

    Returns:
        The files written, and what to do next.

    Raises:
        UnknownName: the task or a language does not exist.
        SeabedError: the key is taken or no name, a file cannot be read, or there is no checkout to write to.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", key):
        raise SeabedError(f"--key {key!r}: use lower-case letters, digits and underscores, a letter first")
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    catalogue.check_names("language", langs, LANGUAGES)
    if not langs:
        raise SeabedError("--langs: name at least one language, e.g. lao")
    if bool(files) == bool(hub):
        raise SeabedError("give the raw data once: --from-file FILE or --from-hub ID")
    place = _checkout(root)
    raw = place / "tests" / "raw" / key
    card = place / "cards" / f"{key}.md"
    loader = place / "seabed_datasets" / "loaders" / task / f"{key}.py"
    for path in (card, loader, raw):
        if path.exists():
            raise SeabedError(f"{path} exists; choose another --key, or remove it to start again")
    found, source = _from_hub(hub, task, header) if hub else _from_files(files, task, header)
    shape = skeleton(task, found[0].sniffed)
    if not found[0].sniffed.header:
        found, shape = _named_by_role(task, found, shape)
    texts = {
        card: _card(key, task, langs, found, shape, source),
        loader: _loader(key, task, found, shape),
        raw / "SOURCE.json": json.dumps(
            {"truncated": {f.path: "rows written for the tests" for f in found}}, indent=1
        )
        + "\n",
    }
    for file in found:
        upstream = _with_lang(file.path, langs)[0].replace("*", "00000-of-00001")
        for lang in langs:
            name, text = _fake(
                file, shape, upstream.replace("{lang}", lang), _spoken(task, lang, file, shape)
            )
            texts[raw / name] = text
    for path, text in texts.items():
        replace_text(path, text)
    shown = [relpath(path) for path in texts]
    steps = [
        f"next: fill in every TODO of {shown[0]} and {shown[1]}, then",
        f"      seabed check {key} --mirror DIR    with your file at DIR/{key}/{found[0].path}",
        f"      python -m tests.fake_raw {key}     shows what the loader makes of the fake rows; once it is",
        f"                                         right, keep it as {relpath(raw / 'EXPECTED.json')}",
    ]
    return Created(list(texts), "\n".join(steps))


def _checkout(root: Path | None) -> Path:
    place = root or catalogue.cards_dir().parent
    if not (place / "cards").is_dir() or not (place / "seabed_datasets" / "loaders").is_dir():
        raise SeabedError(
            f"{place} is no checkout of SEA-BED: clone the repository, `pip install -e .` in it, or give --root"
        )
    return place


# Where the raw data is


def _role(name: str, task: str, only: bool) -> str:
    stem = name.lower()
    for role, words in (("train", ("train",)), ("test", ("test",)), ("test", ("valid", "dev"))):
        if any(word in stem for word in words):
            return role
    if only:
        return "data" if task in _TRAINED else "test"
    raise SeabedError(f"{name}: with several files, each needs train, test or validation in its name")


def _from_files(files: Sequence[Path], task: str, header: bool | None) -> tuple[list[_File], dict[str, Any]]:
    found = [_File(_role(f.name, task, len(files) == 1), f.name, sniff(f, header)) for f in files]
    if len({f.role for f in found}) < len(found):
        raise SeabedError(f"two files for {[f.role for f in found]}: give one file per split")
    return _ordered(found, task), {
        "kind": "url  # TODO: hf, github (a commit as revision), url (of the folder) or manual",
        "id": f"{TODO}  # the repository, or the address of the folder the file lies in",
        "revision": None,
        "sha256": {f.path: file_sha256(f.sniffed.path) for f in found},
    }


def _from_hub(repo: str, task: str, header: bool | None) -> tuple[list[_File], dict[str, Any]]:
    listed = hub_list(repo, repo, None)
    data = [f for f in listed if Path(f).suffix in SUFFIXES and not f.startswith(".") and "/." not in f]
    data = [f for f in data if Path(f).suffix not in (".txt", ".json")] or data
    if not data:
        raise SeabedError(f"{repo} has no data file among {listed[:10]}; give a file with --from-file")
    roles: dict[str, str] = {}
    for name in sorted(data):
        if any(word in name.lower() for word in ("train", "test", "valid", "dev")) or len(data) == 1:
            role = _role(name, task, len(data) == 1)
            # A test part is preferred to a validation part.
            if role not in roles or ("test" in name.lower() and "test" not in roles[role].lower()):
                roles[role] = name
    roles = roles or {"data" if task in _TRAINED else "test": sorted(data)[0]}
    found, revision = [], None
    for role, name in roles.items():
        local, revision = hub_file(repo, repo, name, revision)
        path = re.sub(r"-\d{5}-of-\d{5}(-[0-9a-f]+)?\.parquet$", "-*.parquet", name)
        found.append(_File(role, path, sniff(local, header)))
    return _ordered(found, task), {"kind": "hf", "id": repo, "revision": revision, "sha256": {}}


def _ordered(found: list[_File], task: str) -> list[_File]:
    """The files a task needs, train first; a lone file of a task that trains is cut into train and test."""
    by_role = {f.role: f for f in found}
    if task in _TRAINED:
        if {"train", "test"} <= by_role.keys():
            return [by_role["train"], by_role["test"]]
        return [replace(next(iter(by_role.values())), role="data")]
    return [by_role.get("test") or replace(found[0], role="test")]


def _named_by_role(task: str, found: list[_File], shape: Skeleton) -> tuple[list[_File], Skeleton]:
    """Columns of a table without a header get the names of their roles."""
    names = {column: role for role, column in shape.columns.items() if column not in (TODO, role)}
    renamed = []
    for file in found:
        s = file.sniffed
        columns = [names.get(c, c) for c in s.columns]
        rows = [{names.get(c, c): v for c, v in row.items()} for row in s.rows]
        renamed.append(replace(file, sniffed=replace(s, columns=columns, rows=rows)))
    shape = skeleton(task, renamed[0].sniffed)
    if shape.helpers == ["flags"]:
        shape.notes.append("Name the labels, here and in the loader's columns, in the order of the file.")
        return renamed, replace(shape, labels=[f"{name}" for name in shape.labels or []])
    return renamed, shape


# The card


def _with_lang(path: str, langs: Sequence[str]) -> tuple[str, bool]:
    """An upstream path with {lang} for the code of the first language; and whether all configs share it."""
    code = rf"(?<![a-z]){re.escape(langs[0])}(?![a-z])"
    general = re.sub(code, "{lang}", path) if len(langs) > 1 else path
    return general, general == path


def _card(
    key: str,
    task: str,
    langs: Sequence[str],
    found: Sequence[_File],
    shape: Skeleton,
    source: dict[str, Any],
) -> str:
    spoken = {lang: _spoken(task, lang, found[0], shape) for lang in langs}
    extra = ""
    if shape.labels is not None:
        notes = " ".join(shape.notes)
        extra += f"  labels: {_flow(shape.labels)}" + (f"  # TODO: {notes}" if notes else "") + "\n"
    if task == "sts":
        scores = [float(v) for v in found[0].sniffed.values(shape.columns["score"]) if is_number([v])]
        low, high = (min(scores), max(scores)) if scores else (0.0, 5.0)
        extra += f"  score_range: [{low:g}, {high:g}]  # TODO: the scale people used, not what occurs\n"
    total = sum(len(f.sniffed.rows) for f in found)
    files = ", ".join(f"{f.role}: {json.dumps(_with_lang(f.path, langs)[0])}" for f in found)
    shared = len(langs) > 1 and any(_with_lang(f.path, langs)[1] for f in found)
    hashes = {} if len(langs) > 1 else source["sha256"]
    columns = _example_columns(task)
    return Template((_TEMPLATES / "card.md").read_text(encoding="utf-8")).substitute(
        key=key,
        pretty=key,
        task=task,
        tag=task.replace("_", "-"),
        category=_CATEGORY.get(task, "text-classification"),
        language=", ".join(dict.fromkeys(lang for pair in spoken.values() for lang in pair)),
        size=next(name for name, (_, high) in SIZE_CATEGORIES.items() if total < high),
        subtask=f"{SUBTASKS[task][0]}"
        + (f"  # TODO: {_choice(SUBTASKS[task])}" if len(SUBTASKS[task]) > 1 else ""),
        domains=f"some of {', '.join(DOMAINS)}",
        configs="\n".join(
            f"    {key}_{lang}: {{languages: [{', '.join(pair)}]}}" for lang, pair in spoken.items()
        ),
        extra=extra,
        kind=source["kind"],
        id=source["id"],
        revision=f"      revision: {source['revision']}\n" if source["revision"] else "",
        files=f"{{{files}}}"
        + ("  # TODO: put {lang} where the files of the languages differ" if shared else ""),
        sha256="".join(
            ["      sha256:\n", *(f"        {json.dumps(p)}: {digest}\n" for p, digest in hashes.items())]
        )
        if hashes
        else "",
        splits="`, `".join(SPLITS[task]),
        example=f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n| {' | '.join(TODO for _ in columns)} |",
    )


def _choice(names: Iterable[str]) -> str:
    return " or ".join(names)


def _flow(names: Sequence[str]) -> str:
    text: str = yaml.safe_dump(list(names), default_flow_style=True, allow_unicode=True, width=10**6)
    return text.strip()


def _example_columns(task: str) -> list[str]:
    return {
        "bitext_mining": ["sentence1", "sentence2"],
        "pair_classification": ["sentence1", "sentence2", "label"],
        "sts": ["sentence1", "sentence2", "score"],
        "retrieval": ["question", "relevant document"],
        "instruction_retrieval": ["query", "instruction", "relevant document"],
        "reranking": ["query", "relevant document", "other document"],
        "multilabel_classification": ["text", "labels"],
    }.get(task, ["text", "label"])


def _spoken(task: str, lang: str, file: _File, shape: Skeleton) -> list[str]:
    """The languages of a config: of a bitext, the other side is English where it is in Latin letters."""
    if task != "bitext_mining":
        return [lang]
    sides = []
    for role in ("sentence1", "sentence2"):
        column = shape.columns[role]
        text = " ".join(str(v) for v in file.sniffed.values(column)[:50])
        there = letters(kinds(text))
        sides.append(max(there, key=lambda s: (there[s], s), default=""))
    own = SCRIPT_OF[lang]
    if own != "Latin" and sides.count(own) == 1:
        other = "eng" if "Latin" in sides else TODO
        return [lang, other] if sides[0] == own else [other, lang]
    return ["eng", lang]


# The loader


def _loader(key: str, task: str, found: Sequence[_File], shape: Skeleton) -> str:
    uses = [c for c in shape.columns.values() if c != TODO]
    if TODO in shape.columns.values():
        uses.append(TODO)
    file = found[0]
    reader, call = _reader(file, uses)
    roles = [f.role for f in found]
    numbered = [name for name in shape.helpers if name != "numbered"] + [
        name for name in shape.helpers if name == "numbered"
    ]
    if len(roles) == 2:
        body = [
            "    return {",
            f"        split: {shape.make(call('split'))}",
            '        for split in ("train", "test")',
            "    }",
        ]
    elif task in _TRAINED:
        numbered.append("train_test")
        body = [f"    return train_test({shape.make(call(repr(roles[0])))})"]
    else:
        rows = f"    rows = {call(repr(roles[0]))}"
        made = shape.make("rows")
        body = [rows, f"    return {made}" if shape.whole else f'    return {{"test": {made}}}']
    helpers = sorted(set(numbered))
    lines = [f'"""{key}: TODO what it is, in one line."""', "", "from __future__ import annotations", ""]
    if "def judged" in shape.after:
        lines += ["from collections.abc import Iterable, Iterator, Mapping", "from typing import Any", ""]
    lines.append("from seabed_datasets.catalogue import Config")
    if helpers:
        lines.append(f"from seabed_datasets.loaders.shapes import {', '.join(helpers)}")
    lines.append(f"from seabed_datasets.sources.readers import {reader}")
    row = "Row, " if "def judged" in shape.after else ""
    lines.append(f"from seabed_datasets.schemas import {row}Splits")
    lines += ["from seabed_datasets.sources.raw_files import Raw", ""]
    if shape.after.startswith("#"):
        lines += [_double(shape.after).rstrip(), ""]
    lines += ["", "def load(raw: Raw, config: Config) -> Splits:"]
    lines.append('    """TODO which of upstream\'s parts are used, and what a reader would not expect."""')
    text = "\n".join([*lines, *(_double(line) for line in body)]) + "\n"
    return text + (_double(shape.after) if "def judged" in shape.after else "")


def _double(code: str) -> str:
    """Source text with double quotes, as the formatter writes them."""
    return re.sub(r"'([^'\"\\\n]*)'", r'"\1"', code)


def _reader(file: _File, uses: Sequence[str]) -> tuple[str, Any]:
    """The reader of a file's format, and a function role -> the source text that calls it."""
    s = file.sniffed
    columns = list(uses) if s.header else s.columns
    options = "" if s.header else ", header=False"
    if s.format == "tsv":
        options += ', delimiter="\\t"'
    if s.format in ("csv", "tsv") and not s.quoting:
        options += ", quoting=False"
    name = {"csv": "table", "tsv": "table", "jsonl": "jsonl", "json": "json_list", "parquet": "parquet"}[
        s.format
    ]
    if "*" in file.path:
        return (
            name,
            lambda role: (
                f"(r for path in raw.all({role}) for r in {name}(path, columns={columns!r}{options}))"
            ),
        )
    return name, lambda role: f"{name}(raw[{role}], columns={columns!r}{options})"


# Fake raw rows


def _fake(file: _File, shape: Skeleton, path: str, langs: Sequence[str]) -> tuple[str, str]:
    """The name and the text of a fake raw file: rows in upstream's format that say they are fake."""
    s = file.sniffed
    sentences: dict[str, str] = yaml.safe_load(
        (_TEMPLATES / "fake_sentences.yaml").read_text(encoding="utf-8")
    )
    spoken = {shape.columns.get("sentence1"): langs[0], shape.columns.get("sentence2"): langs[-1]}
    places = {c: i for i, c in enumerate(s.columns)}

    def sentence(column: str, start: int, more: int = 0) -> str:
        number = start + more
        lang = spoken.get(column, langs[-1])
        return sentences.get(lang, sentences["eng"]).format(n=number * len(places) + places[column] + 1)

    roles = {column: role for role, column in shape.columns.items()}
    rows = []
    for n in range(FAKE_ROWS):
        # Two records of a table share a query, one of them relevant.
        at = {c: n // 2 if roles.get(c) == "query" and "document" in shape.columns else n for c in s.columns}
        rows.append({c: _value(s, c, roles.get(c), n, partial(sentence, c, at[c] * 10)) for c in s.columns})
    if s.format in ("csv", "tsv"):
        return path, _as_table(s, rows)
    as_lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if s.format == "parquet":
        first = json.dumps({"#labels": s.class_labels}, ensure_ascii=False) + "\n" if s.class_labels else ""
        return f"{path}.jsonl", first + as_lines
    return path, as_lines if s.format == "jsonl" else json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


def _value(s: Sniffed, column: str, role: str | None, number: int, sentence: Callable[[int], str]) -> Any:
    """A fake value of the kind a column has. Only labels and scores are the file's own: a row never is."""
    known = [v for v in s.values(column) if v is not None]
    if not known:
        return None
    if s.class_labels and column in s.class_labels:
        return s.class_labels[column][number % len(s.class_labels[column])]
    if isinstance(known[0], dict):
        return dict.fromkeys(known[0])
    if role == "labels":
        cut = None if isinstance(known[0], list) else separator(known)
        parts = sorted({x for v in known for x in v}) if cut is None else label_parts(known, cut)
        part = parts[number % len(parts)]
        return [part] if cut is None else part
    if isinstance(known[0], list):
        return [sentence(1), sentence(2)]
    if role in ("label", "score", "relevance") or is_flag(known):
        distinct = sorted(set(known), key=str)
        return distinct[number % len(distinct)]
    if is_number(known):
        return str(number) if isinstance(known[0], str) else number
    return sentence(0) if isinstance(known[0], str) else known[0]


def _as_table(s: Sniffed, rows: list[dict[str, Any]]) -> str:
    delimiter = "\t" if s.format == "tsv" else ","
    if not s.quoting:
        records = [s.columns] if s.header else []
        records += [[str(v) for v in row.values()] for row in rows]
        return "".join(delimiter.join(record) + "\n" for record in records)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    if s.header:
        writer.writerow(s.columns)
    writer.writerows(row.values() for row in rows)
    return out.getvalue()
