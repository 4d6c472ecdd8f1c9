"""What is scored and how: one record for the command, the Python call, the result file and other processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from seabed_datasets.bundle.reading import HUB_BUNDLE
from seabed_datasets.errors import unknown
from seabed_datasets.terminal import DATA, LANGS_OPTION, OUTPUT, SPEED, TASKS_OPTION, Names
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.runner.protocols import DEFAULT


@dataclass(frozen=True)
class RunOptions:
    """Each field is a keyword argument of `run`; those that the command line can say are options of `seabed run`."""

    data: Annotated[str, typer.Option(help="A bundle folder or a Hub repository.")] = HUB_BUNDLE
    tasks: Annotated[Names, TASKS_OPTION] = None
    languages: Annotated[Names, LANGS_OPTION] = None
    out: Annotated[Path | None, typer.Option(help="Folder of result files.")] = Path("results")
    configs: Annotated[Names, typer.Option(help="Comma-separated config names.", rich_help_panel=DATA)] = None
    revision: Annotated[
        str | None,
        typer.Option(help="Commit, branch or tag of the data on the Hub.", rich_help_panel=DATA),
    ] = None
    offline: Annotated[
        bool, typer.Option("--offline", help="Use what an earlier run fetched.", rich_help_panel=DATA)
    ] = False
    protocol_name: Annotated[
        str, typer.Option("--protocol", help="published or paper-text: see above.", rich_help_panel=DATA)
    ] = DEFAULT
    corpus_chunk: Annotated[
        int,
        typer.Option(
            min=1,
            help="Documents whose vectors are held at once; scores do not depend on it.",
            rich_help_panel=SPEED,
        ),
    ] = 65_536
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first failure.", rich_help_panel=OUTPUT)
    ] = False
    force: Annotated[
        bool,
        typer.Option("--force", help="Score again whatever there is in --out.", rich_help_panel=OUTPUT),
    ] = False
    # A command shows progress unless told not to, a call does not unless asked.
    quiet: bool = True
    # Where vectors are kept: a folder, an open EmbeddingCache (whose module loads numpy), or None for memory.
    cache: Any = None


def split(model: str, keywords: Mapping[str, Any]) -> tuple[RunOptions, ModelOptions]:
    """The two records of a call.

    Args:
        model: what to load.
        keywords: fields of both records.

    Returns:
        What to score and how; how to load the model.

    Raises:
        UnknownName: a keyword is a field of neither; the closest one is named.
    """
    own, loading = {f.name for f in fields(RunOptions)}, {f.name for f in fields(ModelOptions)}
    for name in keywords:
        if name not in own | loading:
            raise unknown("option", name, sorted(own | loading))
    mine = {name: value for name, value in keywords.items() if name in own}
    for name in ("tasks", "languages", "configs"):
        if mine.get(name) is not None:
            mine[name] = tuple(mine[name])
    mine |= {"out": Path(mine["out"])} if mine.get("out") is not None else {}
    mine |= {"data": str(mine["data"])} if "data" in mine else {}
    return RunOptions(**mine), ModelOptions(model, **{n: v for n, v in keywords.items() if n in loading})
