"""What is put around a text before it is encoded: templates per model, instructions per task."""

from __future__ import annotations

import string
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from seabed_datasets.errors import SeabedError

Side = Literal["query", "document"]

ASYMMETRIC = ("retrieval", "instruction_retrieval", "reranking")


class Prompted(NamedTuple):
    """A text as it is encoded. Its vector may depend on all three fields, so a cache's key holds them all.

    `text` is the final text, prompt included; its first `prompt_end` characters are the prompt, which some
    models leave out of pooling; `input_type` is the type that some APIs take beside the text.
    """

    text: str
    prompt_end: int = 0
    input_type: str | None = None


Texts = Iterable["str | Prompted"]


def as_prompted(texts: Texts) -> list[Prompted]:
    """Read plain strings as texts without a prompt.

    Args:
        texts: strings or prompted texts.

    Returns:
        Prompted texts.

    >>> as_prompted(["a"])
    [Prompted(text='a', prompt_end=0, input_type=None)]
    """
    return [Prompted(t) if isinstance(t, str) else t for t in texts]


@dataclass(frozen=True)
class Prompts:
    """Templates with {text} and, for instruction-tuned models, {instruction}.

    `query` and `document` serve retrieval, instruction retrieval and reranking; `symmetric` all other tasks but
    those in `by_task`, whose keys are tasks or, of a side of the former three, "retrieval query".
    `input_types` are what an API is told beside the text: by task, else by "query", "document", "symmetric".
    `names` says where a template comes from, under the same keys.
    """

    query: str = "{text}"
    document: str = "{text}"
    symmetric: str = "{text}"
    input_types: dict[str, str] = field(default_factory=dict)
    by_task: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for template in (self.query, self.document, self.symmetric, *self.by_task.values()):
            fields = [name for _, name in _parts(template) if name is not None]
            if fields.count("text") != 1 or set(fields) - {"text", "instruction"}:
                raise SeabedError(
                    f"prompt template {template!r}: it needs {{text}} once and may hold {{instruction}}"
                )

    def template(self, task: str, side: Side) -> str:
        """The template of one side of a task.

        Args:
            task: name of the task.
            side: query or document; symmetric tasks have one template for both.

        Returns:
            The template.
        """
        template: str = self.by_task.get(self._key(task, side)) or getattr(self, self._key(task, side))
        return template

    def name(self, task: str, side: Side) -> str | None:
        """Where the template of one side of a task comes from.

        Args:
            task: name of the task.
            side: query or document.

        Returns:
            E.g. "STS" for a model's own prompt of that name, or None.
        """
        return self.names.get(self._key(task, side))

    def _key(self, task: str, side: Side) -> str:
        keys = (f"{task} {side}", side) if task in ASYMMETRIC else (task, "symmetric")
        return keys[0] if keys[0] in self.by_task else keys[1]

    def input_type(self, task: str, side: Side) -> str | None:
        """The input type of one side of a task.

        Args:
            task: name of the task.
            side: query or document.

        Returns:
            The type, or None where the model takes none.
        """
        general = side if task in ASYMMETRIC else "symmetric"
        return self.input_types.get(task, self.input_types.get(general))


@lru_cache(maxsize=256)
def _parts(template: str) -> tuple[tuple[str, str | None], ...]:
    """Literal text and the field after it."""
    try:
        return tuple((literal, name) for literal, name, _, _ in string.Formatter().parse(template))
    except ValueError as error:
        raise SeabedError(f"prompt template {template!r}: {error}") from None


def as_template(text: str) -> str:
    """Read a prompt a user typed: a template, or a plain prefix.

    Args:
        text: e.g. "query: " or "Instruct: {instruction}\\nQuery: {text}".

    Returns:
        The template.

    Raises:
        SeabedError: it has a place for an instruction and none for the text.

    >>> as_template("query: ")
    'query: {text}'
    """
    if "{instruction}" in text and "{text}" not in text:
        raise SeabedError(f"prompt {text!r} has {{instruction}} and no {{text}}: write {text + '{text}'!r}")
    return text if "{text}" in text else _prefix(text)


def _prefix(text: str) -> str:
    """A template that is a text's prefix, letter by letter."""
    return text.replace("{", "{{").replace("}", "}}") + "{text}"


# The names that model folders give to their prompts, by our tasks (EmbeddingGemma's and mteb's).
FOLDER_NAMES = {
    "bitext_mining": "BitextMining",
    "classification": "Classification",
    "clustering": "Clustering",
    "instruction_retrieval": "InstructionRetrieval",
    "multilabel_classification": "MultilabelClassification",
    "pair_classification": "PairClassification",
    "reranking": "Reranking",
    "retrieval": "Retrieval",
    "sts": "STS",
}


def chosen_prompts(given: dict[str, str | None], listed: dict[str, Any], model: Any = None) -> Prompts:
    """The user's own prompts over those of models.toml over those of the model's files.

    Args:
        given: query, document and symmetric as typed, or None.
        listed: a model's entry in models.toml, or nothing.
        model: a SentenceTransformer, whose named prompts are plain prefixes.

    Returns:
        The templates, and where each comes from.
    """
    named: dict[str, str] = getattr(model, "prompts", {})
    default = getattr(model, "default_prompt_name", None)
    templates: dict[str, str] = {}
    names: dict[str, str] = {}

    def take(key: str, *candidates: str | None) -> None:
        found = next((c for c in candidates if c is not None and named.get(c)), None)
        if found is not None:
            templates[key], names[key] = _prefix(named[found]), found

    take("query", "query")
    take("document", "document", "passage", "corpus")
    take("symmetric", default)
    for task, name in FOLDER_NAMES.items():
        if task in ASYMMETRIC:
            take(f"{task} query", f"{name}-query")
            take(f"{task} document", f"{name}-document")
        else:
            take(task, name)
    typed = {k: as_template(v) for k, v in given.items() if v is not None}
    options = {"query": "--query-prompt", "document": "--document-prompt", "symmetric": "--prompt"}
    for key in ("query", "document", "symmetric"):
        if key in typed or key in listed:
            covered = [
                k for k in templates if k.endswith(f" {key}") or (key == "symmetric" and k in FOLDER_NAMES)
            ]
            for other in covered:
                del templates[other], names[other]
            templates[key] = typed.get(key, listed.get(key, ""))
            names[key] = options[key] if key in typed else "models.toml"
    sided = any(hasattr(m, "sub_modules") or getattr(m, "query_length", None) for m in model or ())
    sides = {"query": "query", "document": "document"} if sided else {}
    three = {k: templates.pop(k) for k in ("query", "document", "symmetric") if k in templates}
    return Prompts(**three, input_types=listed.get("input_types", sides), by_task=templates, names=names)


def fill(
    template: str, text: str, general: str = "", own: str | None = None, input_type: str | None = None
) -> Prompted:
    """Put a text into a template, whatever braces the text holds.

    Args:
        template: with {text} and perhaps {instruction}.
        text: the text.
        general: the instruction of the dataset.
        own: the text's own instruction, instead of the general one; it goes where the template takes an
            instruction, else before the text on a line of its own.
        input_type: what an API is told beside the text.

    Returns:
        What is encoded. Everything before the text, an own instruction included, is prompt.

    >>> fill("query: {text}", "a {b}").text
    'query: a {b}'
    >>> fill("query: {text}", "when?", own="Answer with a year.")
    Prompted(text='query: Answer with a year.\\nwhen?', prompt_end=27, input_type=None)
    """
    parts = _parts(template)
    takes_instruction = any(name == "instruction" for _, name in parts)
    instruction = general if own is None else own
    before, after, seen = "", "", False
    for literal, name in parts:
        piece = literal + (instruction if name == "instruction" else "")
        if seen:
            after += piece
        else:
            before += piece
        seen = seen or name == "text"
    if own is not None and not takes_instruction:
        before += f"{own}\n"
    return Prompted(before + text + after, len(before), input_type)


def instruction(task: str, key: str) -> str:
    """The instruction of a dataset.

    Args:
        task: its task.
        key: its key.

    Returns:
        The dataset's own, else its task's.
    """
    table = _instructions()
    own: str = table["datasets"].get(key, table[task])
    return own


@lru_cache(maxsize=1)
def _instructions() -> dict[str, Any]:
    return read_toml(Path(__file__).with_name("instructions.toml"))


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: the file.

    Returns:
        Its tables.
    """
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    with path.open("rb") as file:
        tables: dict[str, Any] = toml.load(file)
    return tables
