"""What is put around a text before it is encoded: templates per model, instructions per task."""

from __future__ import annotations

import string
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from seabed_datasets.errors import SeabedError

Side = Literal["query", "document"]

ASYMMETRIC = ("retrieval", "instruction_retrieval", "reranking")


@dataclass(frozen=True)
class Prompts:
    """Templates with {text} and, for instruction-tuned models, {instruction}.

    `query` and `document` serve retrieval, instruction retrieval and reranking; `symmetric` all other tasks.
    """

    query: str = "{text}"
    document: str = "{text}"
    symmetric: str = "{text}"

    def __post_init__(self) -> None:
        for template in (self.query, self.document, self.symmetric):
            fields = [name for _, name, _, _ in string.Formatter().parse(template) if name is not None]
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


def fill(template: str, text: str, instruction: str = "") -> str:
    """Put a text into a template, whatever braces the text holds.

    Args:
        template: with {text} and perhaps {instruction}.
        text: the text.
        instruction: the instruction.

    Returns:
        What is encoded.

    >>> fill("query: {text}", "a {b}")
    'query: a {b}'
    """
    return template.format(text=text, instruction=instruction)


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
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,no-redef]
    with path.open("rb") as file:
        return tomllib.load(file)
