"""The commands about data: list, show, build. `seabed_evaluate.cli` adds those about models."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError
from seabed_datasets.vocabulary import LANGUAGES, TASKS

app = typer.Typer(no_args_is_help=True)

Tasks = Annotated[str | None, typer.Option("--task", "--tasks", help="Comma-separated: " + ", ".join(TASKS))]
Langs = Annotated[
    str | None,
    typer.Option("--lang", "--langs", help="Comma-separated ISO 639-3 codes: " + ", ".join(LANGUAGES)),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")]


def comma(text: str | None) -> list[str] | None:
    """Cut a comma-separated option.

    Args:
        text: what the user typed, or None.

    Returns:
        The parts, or None for no filter.

    >>> comma("tha, mya")
    ['tha', 'mya']
    """
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


@app.command("list")
def list_configs(
    task: Tasks = None,
    lang: Langs = None,
    origin: Annotated[str | None, typer.Option(help="human or machine")] = None,
    sample: Annotated[bool, typer.Option("--sample", help="The sample sets of the demo instead.")] = False,
    format: Annotated[Literal["table", "csv", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """List configs: name, task, languages, origin, redistribution, how well the raw format is known.

    Example: seabed list --task sts --lang tha,mya
    """
    rows = []
    for c in catalogue.configs(tasks=comma(task), languages=comma(lang), origin=origin, sample=sample):
        s = catalogue.dataset(c.key).seabed
        rows.append(
            {
                "config": c.name,
                "task": c.task,
                "languages": "-".join(c.languages),
                "origin": c.origin,
                "redistribution": s.redistribution,
                "status": s.status,
            }
        )
    if format == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    elif format == "csv":
        import csv

        writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else ["config"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        print_table(
            rows, f"{len(rows)} configs of {len({catalogue.config(r['config']).key for r in rows})} datasets"
        )


def print_table(rows: list[dict[str, str]], caption: str) -> None:
    """Print rows as a table, never cutting a cell where the output is not a terminal.

    Args:
        rows: equal keys in each.
        caption: a line below the table.
    """
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in rows[0] if rows else []:
        table.add_column(column)
    for row in rows:
        table.add_row(*row.values())
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
    console.print(table)
    console.print(caption)


@app.command()
def show(name: Annotated[str, typer.Argument(help="A config, e.g. ntrex_tha, or a dataset key.")]) -> None:
    """Show the card of a config in the terminal: what it is, where it comes from, licence, errata."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table

    keys = {d.key for d in [*catalogue.datasets(), *catalogue.datasets(sample=True)]}
    config = None if name in keys else catalogue.config(name)
    ds = catalogue.dataset(config.key if config else name)
    s = ds.seabed
    facts = Table(box=None, show_header=False, pad_edge=False)
    labels = config.labels if config else s.labels
    for field, value in {
        "dataset": f"{ds.pretty_name} ({ds.key})",
        "config": f"{config.name}  {'-'.join(config.languages)}" if config else ", ".join(s.configs),
        "task": s.task + (f" / {s.subtask}" if s.subtask else ""),
        "domains": ", ".join(s.domains),
        "origin": f"{s.origin}: {s.origin_reason}",
        "labels": ", ".join(labels) if labels else None,
        "score range": "{} to {}".format(*s.score_range) if s.score_range else None,
        "licence, paper": s.license_paper or "not printed",
        "licence, upstream": s.license_upstream or "not stated",
        "redistribution": s.redistribution,
        "raw format": s.status,
        "sources": "\n".join(f"{u.kind} {u.id} @ {u.revision or 'unpinned'}" for u in s.upstream) or None,
        "authors' release": s.authors_release.pattern if s.authors_release else None,
        "errata": "\n".join(s.errata) or None,
        "not verified": "\n".join(s.unverified) or None,
    }.items():
        if value:
            facts.add_row(f"[bold]{field}[/bold]", value)
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    console.print(facts)
    console.print()
    console.print(Markdown(ds.body))


@app.command()
def build(
    configs: Annotated[
        list[str] | None, typer.Argument(help="Config names, e.g. ntrex_tha xquad_vie.")
    ] = None,
    out: Annotated[Path, typer.Option(help="The bundle folder.")] = Path("bundle"),
    all_: Annotated[bool, typer.Option("--all", help="Every config of SEA-BED.")] = False,
    task: Tasks = None,
    lang: Langs = None,
    mirror: Annotated[
        Path | None, typer.Option(help="Folder of raw files, <key>/<upstream path>; no network then.")
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", help="upstream (raw files) or release (authors' copies). Default: the card's."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Build configs into a folder that load_dataset reads: Parquet, README.md, cards, manifest.json.

    Example: seabed build ntrex_tha xquad_vie --out bundle
    """
    from seabed_datasets.bundle import build as make

    names = list(configs or [])
    if all_ or task or lang:
        names += [c.name for c in catalogue.configs(sample=True)] if all_ and not (task or lang) else []
        names += [c.name for c in catalogue.configs(tasks=comma(task), languages=comma(lang))]
    if not names:
        raise typer.BadParameter(
            "name at least one config, or --all, --task, --lang; `seabed list` shows them"
        )
    report = make(names, out, mirror=mirror, source=from_, progress=_bar(quiet))
    for kind, entries in (("skipped", report.skipped), ("failed", report.failed)):
        for name, reason in entries.items():
            typer.echo(f"{kind} {name}: {reason}", err=True)
    typer.echo(
        f"built {len(report.built)}, skipped {len(report.skipped)}, failed {len(report.failed)}"
        + (f" -> {out}" if report.built else "")
    )
    if report.failed or not report.built:
        raise typer.Exit(1)


def _bar(quiet: bool):  # type: ignore[no-untyped-def]
    from tqdm import tqdm

    def wrap(configs: list[Config]) -> Iterator[Config]:
        bar: Iterable[Config] = tqdm(configs, unit="config", disable=True if quiet else None)
        for config in bar:
            if isinstance(bar, tqdm):
                bar.set_postfix_str(config.name)
            yield config

    return wrap


def run(application: typer.Typer) -> None:
    """Run a command line: an explained error becomes one line and its exit code, never a traceback.

    Args:
        application: the commands.
    """
    try:
        application()
    except SeabedError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(error.exit_code)
