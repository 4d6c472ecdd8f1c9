"""The commands of contributors: check, stats, new."""

from __future__ import annotations

from collections.abc import Iterator
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.terminal import Quiet, app, bar, comma, json_text, plain, print_table

if TYPE_CHECKING:
    from seabed_datasets.catalogue import Config

Bundle = Annotated[Path | None, typer.Option(help="Read the rows of this bundle folder.")]
Mirror = Annotated[
    Path | None, typer.Option(help="Make the rows from this folder of raw files, <key>/<upstream path>.")
]


@app.command()
def check(
    names: Annotated[list[str] | None, typer.Argument(help="Dataset keys or configs.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every dataset of SEA-BED.")] = False,
    bundle: Bundle = None,
    mirror: Mirror = None,
    cards_only: Annotated[bool, typer.Option("--cards-only", help="Read no rows.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules and stop.")] = False,
    format: Annotated[
        Literal["table", "json", "markdown"], typer.Option(help="markdown: for a pull request.")
    ] = "table",
    warnings: Annotated[bool, typer.Option("--warnings", help="Show warnings and exceptions, too.")] = False,
    quiet: Quiet = False,
) -> None:
    """Check cards and rows by named rules.

    Exit code 1 when an error is found that no card excepts, or when no row was there to check. Rows come from
    --bundle (without names: all it holds) or --mirror, else from the sources as in `seabed build`.

    Example: seabed check laoqa --mirror raw --warnings
    """
    from seabed_datasets.contribute import render
    from seabed_datasets.contribute.check import check as run_check

    if rules:
        print_table(render.rule_rows(), f"{len(render.rule_rows())} rules")
        return
    wanted = [*(names or []), *(d.key for d in (catalogue.datasets() if all_ else []))]
    if not wanted and bundle is None:
        raise typer.BadParameter(
            "name a dataset or a config, or --all, or --bundle for what a bundle holds; `seabed list` shows them"
        )
    done = run_check(
        wanted, bundle=bundle, mirror=mirror, cards_only=cards_only, progress=lambda c: _bar(c, quiet)
    )
    if format == "json":
        typer.echo(json_text(render.as_json(done)))
    elif format == "markdown":
        typer.echo(render.as_markdown(done), nl=False)
    else:
        shown = done.findings if warnings else done.errors
        if shown:
            print_table(render.as_rows(shown), "")
        for line in render.fixes(done.errors):
            typer.echo(line)
        if len(done.skipped) <= 5:
            for name, reason in done.skipped.items():
                typer.echo(plain(f"rows not checked: {name}: {reason.removeprefix(f'{name}: ')}"), err=True)
        typer.echo(render.summary(done))
    if not done.passed:
        raise typer.Exit(1)


@app.command()
def stats(
    names: Annotated[list[str], typer.Argument(help="Dataset keys or configs.")],
    bundle: Bundle = None,
    mirror: Mirror = None,
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print.")] = "table",
    quiet: Quiet = False,
) -> None:
    """Show rows, text lengths, label balance, duplicates, leakage and scripts of configs.

    From --bundle the numbers of its manifest; else counted now, from --mirror or the sources.

    Example: seabed stats xquad_tha --bundle bundle
    """
    from seabed_datasets.bundle.manifest import read_manifest
    from seabed_datasets.checks.statistics import lines
    from seabed_datasets.contribute.check import configs_of, inspect
    from seabed_datasets.errors import SeabedError

    configs, found = configs_of(names), {}
    manifest = read_manifest(bundle) if bundle else {}
    for config in _bar(configs, quiet):
        if bundle is None:
            found[config.name], _ = inspect(config, mirror)
        elif "stats" in manifest.get(config.name, {}):
            found[config.name] = manifest[config.name]["stats"]
        elif config.name not in names:
            continue  # a dataset was named, and the bundle has only some of its configs
        else:
            raise SeabedError(
                f"{bundle} has no statistics of {config.name}; `seabed build {config.name} --out {bundle}`"
            )
    if format == "json":
        typer.echo(json_text(found))
        return
    for name, numbers in found.items():
        broken = ", ".join(f"{rule} {count:,}" for rule, count in numbers["checks"].items())
        print_table(list(lines(numbers)), f"{name}; checks: {broken or 'nothing found'}\n")


@app.command()
def new(
    key: Annotated[str, typer.Option(help="Lower-case letters, digits and underscores.")],
    task: Annotated[str, typer.Option(help=", ".join(TASKS))],
    langs: Annotated[str, typer.Option(help="Comma-separated ISO 639-3 codes, one config each.")],
    from_file: Annotated[
        list[Path] | None,
        typer.Option(help="A raw file (CSV, TSV, JSON, JSON lines or Parquet); again for a second split."),
    ] = None,
    from_hub: Annotated[str | None, typer.Option(help="Or a dataset repository on the Hub.")] = None,
    encoding: Annotated[
        str | None,
        typer.Option(help="Of the file's text, e.g. cp874; default: UTF-8, or its byte order mark."),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Between fields: a character, tab, comma, semicolon; default: judged.")
    ] = None,
    header: Annotated[
        bool | None, typer.Option(help="Whether a table's first line names its columns; default: judged.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=NAME", help="Which column has a role, e.g. text=kalimat; again for more."),
    ] = None,
    root: Annotated[
        Path | None, typer.Option(help="The checkout to write into; default: the one that is installed.")
    ] = None,
) -> None:
    """Start a dataset: its card, its loader and fake raw rows, from what a raw file shows.

    What cannot be known from the file is marked TODO, and `seabed check` refuses it until it is filled in.

    Example: seabed new --key laoqa --task retrieval --langs lao --from-file lao_qa.csv
    """
    from seabed_datasets.contribute.new import Reading, create

    made = create(
        key,
        task,
        comma(langs) or [],
        files=from_file or [],
        hub=from_hub,
        root=root,
        reading=Reading(encoding, delimiter, header, column or ()),
    )
    for note in made.notes:
        typer.echo(plain(note), err=True)
    for path in made.paths:
        typer.echo(f"wrote {plain(relpath(path))}")
    typer.echo(made.advice)


def _bar(configs: list[Config], quiet: bool) -> Iterator[Config]:
    with bar(len(configs), "config", quiet) as done:
        for config in configs:
            yield config
            done(config.name)
