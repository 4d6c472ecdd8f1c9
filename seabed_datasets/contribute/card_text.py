"""The card of a new dataset: the template, with every value dumped as YAML and read back before it is used."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import yaml

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import DOMAINS, SUBTASKS
from seabed_datasets.checks.balance import SIZE_CATEGORIES
from seabed_datasets.contribute.roles import NUMBERS
from seabed_datasets.contribute.skeletons import TODO, Skeleton
from seabed_datasets.contribute.sniffing import Sniffed
from seabed_datasets.errors import CardError, SeabedError
from seabed_datasets.schemas import SPLITS

TEMPLATES = Path(__file__).with_name("templates")

_CATEGORY = {
    "bitext_mining": "translation",
    "sts": "sentence-similarity",
    "retrieval": "text-retrieval",
    "instruction_retrieval": "text-retrieval",
    "reranking": "text-ranking",
}
_EXAMPLE = {
    "bitext_mining": ["sentence1", "sentence2"],
    "pair_classification": ["sentence1", "sentence2", "label"],
    "sts": ["sentence1", "sentence2", "score"],
    "retrieval": ["question", "relevant document"],
    "instruction_retrieval": ["query", "instruction", "relevant document"],
    "reranking": ["query", "relevant document", "other document"],
    "multilabel_classification": ["text", "labels"],
}


class _OneLine(yaml.SafeDumper):
    """Writes every text on one line: what cannot be seen goes into double quotes, escaped."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"')


_OneLine.add_representer(str, _text)


def inline(value: Any) -> str:
    """A value as YAML on one line, quoted where YAML would read something else.

    Args:
        value: texts, numbers, None, lists or dicts of them.

    Returns:
        YAML that reads back as the value.

    >>> inline("null"), inline(["no", "a: b", 1.5]), inline({"data": "x.csv"})
    ("'null'", "['no', 'a: b', 1.5]", '{data: x.csv}')
    """
    text: str = yaml.dump(
        value, Dumper=_OneLine, default_flow_style=True, allow_unicode=True, width=math.inf, sort_keys=False
    )
    return text.removesuffix("...\n").strip()


def card_text(
    key: str,
    task: str,
    spoken: Mapping[str, Sequence[str]],
    files: Mapping[str, str],
    sniffed: Sequence[Sniffed],
    shape: Skeleton,
    source: Mapping[str, Any],
    unsure: Mapping[str, str],
) -> str:
    """Write the card of a new dataset.

    Args:
        key: the dataset's key.
        task: one of the nine.
        spoken: language -> languages of its config.
        files: role -> upstream path.
        sniffed: what the files show.
        shape: the loader to be.
        source: kind, id, revision, sha256.
        unsure: "files" and "size" -> what the contributor has to settle there.

    Returns:
        Front matter and prose.

    Raises:
        SeabedError: a name of the raw file does not survive being written and read as a card.
    """
    expected: dict[str, Any] = {"files": dict(files)}
    extra = ""
    if shape.labels is not None:
        expected["labels"] = shape.labels
        extra += f"  labels: {inline(shape.labels)}" + _todo(" ".join(shape.notes)) + "\n"
    if task == "sts":
        expected["score_range"] = _score_range(sniffed[0], shape)
        extra += f"  score_range: {inline(expected['score_range'])}" + _todo(
            "the scale people used, not what occurs"
        )
        extra += "\n"
    total = sum(s.total for s in sniffed)
    hashes = source["sha256"]
    columns = _EXAMPLE.get(task, ["text", "label"])
    subtasks = SUBTASKS[task]
    text = Template((TEMPLATES / "card.md").read_text(encoding="utf-8")).substitute(
        key=key,
        pretty=inline(key),
        title=key,
        task=task,
        tag=task.replace("_", "-"),
        category=_CATEGORY.get(task, "text-classification"),
        language=", ".join(dict.fromkeys(lang for pair in spoken.values() for lang in pair)),
        size=next((name for name, (_, high) in SIZE_CATEGORIES.items() if total < high), TODO),
        unsure=_todo(unsure.get("size", "")),
        subtask=subtasks[0] + _todo(" or ".join(subtasks) if len(subtasks) > 1 else ""),
        domains=f"some of {', '.join(DOMAINS)}",
        configs="\n".join(
            f"    {key}_{lang}: {{languages: [{', '.join(pair)}]}}" for lang, pair in spoken.items()
        ),
        extra=extra,
        kind=source["kind"]
        or "url" + _todo("hf, github (a commit as revision), url (of the folder) or manual"),
        id=inline(source["id"])
        if source["id"]
        else f"{TODO}  # the repository, or the address of the folder the file lies in",
        revision=f"      revision: {inline(source['revision'])}\n" if source["revision"] else "",
        files=inline(dict(files)) + _todo(unsure.get("files", "")),
        sha256="".join(
            ["      sha256:\n", *(f"        {inline(p)}: {inline(digest)}\n" for p, digest in hashes.items())]
        )
        if hashes
        else "",
        splits="`, `".join(SPLITS[task]),
        example=f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n| {' | '.join(TODO for _ in columns)} |",
    )
    _read_back(key, text, expected, source)
    return text


def _todo(what: str) -> str:
    return f"  # TODO: {what}" if what else ""


def _score_range(sniffed: Sniffed, shape: Skeleton) -> list[float]:
    column = shape.columns["score"]
    scores = [float(v) for v in sniffed.values(column) if NUMBERS.one(v)] if column else []
    low, high = (min(scores), max(scores)) if scores else (0.0, 5.0)
    return [int(v) if v.is_integer() else v for v in (low, high)]


def _read_back(key: str, text: str, expected: Mapping[str, Any], source: Mapping[str, Any]) -> None:
    """One card that cannot be read stops every command, so it is read before it is written."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"{key}.md"
            file.write_text(text, encoding="utf-8")
            card = catalogue.read_card(file)
        front = yaml.safe_load(text[4:].partition("\n---\n")[0])["seabed"]
        upstream = front["upstream"][0]
        given = {name: upstream["files"] if name == "files" else front[name] for name in expected}
        same = given == dict(expected) and upstream.get("sha256", {}) == dict(source["sha256"])
        if not same or card.pretty_name != key or (source["id"] and upstream["id"] != source["id"]):
            raise CardError("what was written reads back as something else")
    except (CardError, yaml.YAMLError, UnicodeError, ValueError, KeyError, TypeError) as error:
        raise SeabedError(
            f"the names in the raw file make no card ({str(error)[:300]}): rename its labels or the file"
        ) from None
