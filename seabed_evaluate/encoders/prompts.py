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

    `query` and `document` serve retrieval, instruction retrieval and reranking; `symmetric` all other tasks.
    `input_types` are what an API is told beside the text: by task, else by "query", "document", "symmetric".
    """

    query: str = "{text}"
    document: str = "{text}"
    symmetric: str = "{text}"
    input_types: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for template in (self.query, self.document, self.symmetric):
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
        if task not in ASYMMETRIC:
            return self.symmetric
        return self.query if side == "query" else self.document

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

    >>> as_template("query: ")
    'query: {text}'
    """
    return text if "{text}" in text else text.replace("{", "{{").replace("}", "}}") + "{text}"


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
