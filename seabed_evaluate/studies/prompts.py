"""How much scores depend on the prompt: without one, with the model's own, with others from a file."""

from __future__ import annotations

import copy
import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

from seabed_datasets.errors import SeabedError
from seabed_evaluate.encoders.loading import Encoder, load_encoder
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.encoders.prompts import Prompts
from seabed_evaluate.encoders.vector_cache import EmbeddingCache, open_cache
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.runner.options import RunOptions
from seabed_evaluate.runner.run import run_all

OWN, NONE = "own", "none"
TEMPLATES = ("query", "document", "symmetric")


@dataclass(frozen=True)
class Variant:
    """A name, and the templates by task ("" for every task): an instruction for the model's own template, or
    a template with {text}.
    """

    name: str
    instructions: Mapping[str, str]


def read_variants(path: Path) -> list[Variant]:
    """Prompts to try.

    Args:
        path: a CSV with the columns name, task (blank: all tasks) and text, the text being an instruction
            ("Cari kalimat yang sama artinya.") or a whole template with {text}.

    Returns:
        One entry per name.

    Raises:
        SeabedError: the file cannot be used.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            lines = list(csv.DictReader(stream, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SeabedError(f"{path} cannot be read: {error}") from None
    found: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines, 2):
        name, text = (line.get("name") or "").strip(), line.get("text") or ""
        if not name or not text.strip() or name in (OWN, NONE):
            raise SeabedError(f"{path}, line {number}: a name (not {OWN} or {NONE}) and a text are needed")
        found.setdefault(name, {})[(line.get("task") or "").strip()] = text
    if not found:
        raise SeabedError(f"{path} holds no prompt; its columns are name, task, text")
    return [Variant(name, own) for name, own in found.items()]


def with_instruction(own: Prompts, text: str) -> Prompts:
    """A model's templates with another instruction.

    Args:
        own: the model's templates.
        text: an instruction, put where the template has {instruction}; or a whole template with {text}.

    Returns:
        The templates. Of a model without a place for instructions, the instruction and a line break stand
        before the text, but not before documents.
    """
    if "{text}" in text:
        return replace(own, query=text, symmetric=text)
    safe = text.replace("{", "{{").replace("}", "}}")
    made: dict[str, Any] = {
        name: getattr(own, name).replace("{instruction}", safe)
        if "{instruction}" in getattr(own, name)
        else (safe + "\n" + getattr(own, name) if name != "document" else own.document)
        for name in TEMPLATES
    }
    return replace(own, **made)


def prompt_scores(
    what: RunOptions, model: ModelOptions | Encoder, variants: Sequence[Variant]
) -> dict[str, dict[str, tuple[str, float]]]:
    """Score a model under each prompt.

    Args:
        what: the data; no result files are written.
        model: how to load the model, or the loaded one.
        variants: besides the model's own prompts and none.

    Returns:
        Variant -> config -> (task, score 0 to 1).

    Raises:
        SeabedError: a config fails.
    """
    encoder: Any = load_encoder(model) if isinstance(model, ModelOptions) else model
    cache = what.cache
    if not isinstance(cache, EmbeddingCache):
        cache = open_cache(cache) if cache is not None else open_cache(disk=False)
    quiet_run = replace(what, out=None, cache=cache)
    tries: list[tuple[str, RunOptions, Prompts]] = [
        (OWN, quiet_run, encoder.prompts),
        (NONE, quiet_run, Prompts(input_types=encoder.prompts.input_types)),
    ]
    for variant in variants:
        for task, text in variant.instructions.items():
            named = replace(quiet_run, tasks=(task,)) if task else quiet_run
            tries.append((variant.name, named, with_instruction(encoder.prompts, text)))
    found: dict[str, dict[str, tuple[str, float]]] = {}
    for name, options, prompts in tries:
        other = copy.copy(encoder)
        other.prompts = prompts
        outcome = run_all(options, other)
        if outcome.failed:
            config, reason = next(iter(outcome.failed.items()))
            raise SeabedError(f"prompt {name!r}: {config}: {reason}")
        found.setdefault(name, {}).update({r["config"]: (r["task"], r["score"]) for r in outcome.results})
    return found


def prompt_sheets(model: str, found: Mapping[str, Mapping[str, tuple[str, float]]]) -> list[Sheet]:
    """Scores by task and prompt, and their spread.

    Args:
        model: its name.
        found: of `prompt_scores`.

    Returns:
        One row per task, over the configs that every prompt has scored.
    """
    tasks: dict[str, list[str]] = {}
    for config, (task, _) in found[OWN].items():
        tasks.setdefault(task, []).append(config)
    table: list[Row] = []
    for task, configs in tasks.items():
        means = {
            name: fmean(scores[c][1] for c in configs) * 100
            for name, scores in found.items()
            if all(c in scores for c in configs)
        }
        table.append(
            {
                "task": task,
                "configs": len(configs),
                **{name: means.get(name) for name in found},
                "SD": pstdev(means.values()),
                "range": max(means.values()) - min(means.values()),
            }
        )
    notes = [
        f"Main scores x100. {OWN}: the model's own prompts; {NONE}: the texts alone. SD and range are over the prompts."
    ]
    return [Sheet(f"Scores by prompt, {model}", table, notes)]
