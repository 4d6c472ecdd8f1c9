"""The commands about data: list, show, build, fetch, audit, coverage. `seabed_evaluate.cli` adds those about models."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from seabed_datasets import catalogue
from seabed_datasets.contribute import commands  # noqa: F401  (adds check, stats and new)
from seabed_datasets.terminal import Langs, Quiet, Tasks, app, bar, comma, plain, print_table, summary


@app.command("list")
def list_configs(
    task: Tasks = None,
    lang: Langs = None,
    origin: Annotated[
        str | None, typer.Option(help="human or machine; with --origin-by paper also 'not printed'.")
    ] = None,
    origin_by: Annotated[
        str, typer.Option(help="ours (the cards') or paper (annotation column of its Tables 12 and 13).")
    ] = "ours",
    sample: Annotated[bool, typer.Option("--sample", help="The sample sets of the demo instead.")] = False,
    published: Annotated[
        bool,
        typer.Option("--published", help="What is on the Hub by the licence rule, and why the rest is not."),
    ] = False,
    held: Annotated[
        bool, typer.Option("--held-back", help="Only what is not on the Hub: why, and what would change it.")
    ] = False,
    format: Annotated[Literal["table", "csv", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """List configs: task, aspect, languages, origin by us and by the paper, redistribution, raw format.

    Example: seabed list --task sts --lang tha,mya
    """
    found = catalogue.configs(
        tasks=comma(task), languages=comma(lang), origin=origin, origin_by=origin_by, sample=sample
    )
    if published or held:
        _list_published([catalogue.dataset(key) for key in dict.fromkeys(c.key for c in found)], held, format)
        return
    rows = [
        {
            "config": c.name,
            "task": c.task,
            "aspect": c.aspect,
            "languages": "-".join(c.languages),
            "origin": c.origin,
            "origin_paper": c.origin_paper,
            "redistribution": catalogue.dataset(c.key).seabed.redistribution,
            "status": catalogue.dataset(c.key).seabed.status,
        }
        for c in found
    ]
    if format == "table":
        print_table(rows, f"{len(rows)} configs of {len({c.key for c in found})} datasets")
    else:
        _print_rows(rows, format, "config")


def _list_published(datasets: list[catalogue.Dataset], only_held: bool, format: str) -> None:
    from seabed_datasets.catalogue import licences

    rows = licences.rows(datasets)
    back = [r for r in rows if r["published"] == "no"]
    if format != "table":
        _print_rows(back if only_held else rows, format, "dataset")
        return
    there = [{k: v for k, v in r.items() if k not in ("published", "what would change it")} for r in rows]
    shown = [t for t, r in zip(there, rows, strict=True) if r["published"] == "yes"]
    if not only_held and shown:
        print_table(
            [{("notice" if k == "why" else k): v for k, v in r.items()} for r in shown], "Published.\n"
        )
    if back:
        print_table([{k: v for k, v in r.items() if k != "published"} for r in back], "Held back.\n")
    typer.echo(licences.counts(rows))


def _print_rows(rows: list[dict[str, str]], format: str, first: str) -> None:
    if format == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    import csv

    writer = csv.DictWriter(sys.stdout, list(rows[0]) if rows else [first], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A config, e.g. ntrex_tha, or a dataset key.")],
    bundle: Annotated[
        Path | None, typer.Option(help="Show the statistics and check counts of this bundle as well.")
    ] = None,
) -> None:
    """Show the card of a config in the terminal: what it is, where it comes from, licence, errata."""
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

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
        "aspect": ds.aspect,
        "domains": ", ".join(s.domains),
        "origin": f"{config.origin if config else s.origin}: {s.origin_reason}",
        "origin of a config": "\n".join(
            f"{name}: {c.origin}. {c.note}" for name, c in s.configs.items() if c.origin
        ),
        "origin, paper": s.origin_paper + (f" ({s.paper.annotation or 'blank'})" if s.paper else ""),
        "labels": ", ".join(labels) if labels else None,
        "labels, source": s.labels_source,
        "score range": "{} to {}".format(*s.score_range) if s.score_range else None,
        "licence, paper": s.license_paper or "not printed",
        "licence, upstream": s.license_upstream or "not stated",
        "licence, whose word": s.license_source or "nobody's",
        "redistribution": s.redistribution,
        "on the Hub": _standing(ds),
        "raw format": s.status,
        "sources": "\n".join(f"{u.kind} {u.id} @ {u.revision or 'unpinned'}" for u in s.upstream) or None,
        "authors' release": s.authors_release.pattern if s.authors_release else None,
        "errata": "\n".join(s.errata) or None,
        "check exceptions": "\n".join(f"{e.rule}: {e.reason} ({e.date})" for e in s.exceptions) or None,
        "not verified": "\n".join(s.unverified) or None,
    }.items():
        if value:
            # Text, not str: "[/x]" in a card is text, no markup.
            facts.add_row(Text(field, style="bold"), Text(plain(value, lines=True)))
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False, markup=False, emoji=False)
    console.print(facts)
    console.print()
    # Without hyperlinks the address of a link is seen beside its words.
    console.print(Markdown(plain(ds.body, lines=True), hyperlinks=False))
    if bundle is not None:
        from seabed_datasets.bundle.manifest import read_manifest
        from seabed_datasets.checks.statistics import lines

        manifest = read_manifest(bundle)
        for shown in [config.name] if config else s.configs:
            numbers = manifest.get(shown, {}).get("stats")
            if numbers:
                broken = ", ".join(f"{rule} {count:,}" for rule, count in numbers["checks"].items())
                print_table(list(lines(numbers)), f"{shown}; checks: {broken or 'nothing found'}\n")
            else:
                typer.echo(f"{bundle} has no statistics of {shown}; `seabed build {shown} --out {bundle}`")


def _standing(dataset: catalogue.Dataset) -> str:
    from seabed_datasets.catalogue.licences import held_back, notice

    held = held_back(dataset)
    if held:
        return f"no: {held.why}; what would change it: {held.change}"
    return f"yes. {notice(dataset) or ''}".strip()


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
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Configs built at a time. Default: the CPUs, at most 4.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Build again what is there and current.")] = False,
    report_file: Annotated[
        Path | None, typer.Option("--report", help="Write every config's state and reason here, as JSON.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Build configs into a folder that load_dataset reads: Parquet, README.md, cards, manifest.json.

    Run it again to continue after a stop: what was made from the same raw files by the same code is kept.

    Example: seabed build ntrex_tha xquad_vie --out bundle
    """
    from seabed_datasets.bundle.build import build as make
    from seabed_datasets.files import check_place, replace_text

    names = list(configs or [])
    if all_ or task or lang:
        names += [c.name for c in catalogue.configs(sample=True)] if all_ and not (task or lang) else []
        names += [c.name for c in catalogue.configs(tasks=comma(task), languages=comma(lang))]
    if not names:
        raise typer.BadParameter(
            "name at least one config, or --all, --task, --lang; `seabed list` shows them"
        )
    names = list(dict.fromkeys(names))
    if report_file:
        check_place(report_file)
    workers = min(jobs or min(os.cpu_count() or 1, 4), len(names))
    with bar(len(names), "config", quiet) as step:
        report = make(
            names,
            out,
            mirror=mirror,
            source=from_,
            jobs=workers,
            force=force,
            progress=lambda name, _: step(name),
        )
    states = report.states()
    summary(states, report.why)
    done = report.built or report.kept
    counts = (len(report.built), len(report.kept), len(report.skipped), len(report.failed))
    typer.echo("built {}, kept {}, skipped {}, failed {}".format(*counts) + (f" -> {out}" if done else ""))
    if report_file:
        rows = {n: {"state": s, "reason": r, "why": report.why.get(n, "")} for n, (s, r) in states.items()}
        replace_text(report_file, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    if report.failed or not done:
        raise typer.Exit(1)


@app.command()
def fetch(
    keys: Annotated[list[str] | None, typer.Argument(help="Dataset keys or config names.")] = None,
    to: Annotated[Path, typer.Option(help="The folder: a file lands at <key>/<upstream path>.")] = Path(
        "raw"
    ),
    all_: Annotated[bool, typer.Option("--all", help="Every dataset of SEA-BED.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Download again what is there.")] = False,
    quiet: Quiet = False,
) -> None:
    """Download raw files into a folder that `seabed build --mirror` reads without network.

    Example: seabed fetch ntrex xquad_vie --to raw
    """
    from seabed_datasets.sources.fetching import chosen, fetch_all

    names = list(keys or []) + ([d.key for d in catalogue.datasets()] if all_ else [])
    if not names:
        raise typer.BadParameter("name at least one dataset or config, or --all; `seabed list` shows them")
    total = len({c.key for c in chosen(names)})
    with bar(total, "dataset", quiet) as step:
        report = fetch_all(names, to, force=force, progress=step)
    summary(report.states(), report.why)
    counts = (len(report.fetched), report.bytes / 1e6, len(report.kept), len(report.skipped))
    typer.echo(
        "fetched {} files ({:,.1f} MB), kept {} files, skipped {} configs".format(*counts) + f" -> {to}"
    )
    if report.fetched or report.kept:
        typer.echo(f"next: seabed build CONFIG --mirror {to}")
    if report.skipped:
        raise typer.Exit(1)


@app.command()
def audit(
    configs: Annotated[list[str], typer.Argument(help="Config names.")],
    mirror: Annotated[
        Path | None, typer.Option(help="Folder of raw files for the upstream side; the network otherwise.")
    ] = None,
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """Make configs both ways, from upstream and from the authors' release, and print where they differ.

    Example: seabed audit ntrex_fil
    """
    from seabed_datasets.bundle.audit import audit as compare

    audits = [compare(name, mirror) for name in configs]
    if format == "json":
        typer.echo(json.dumps([a.as_dict() for a in audits], ensure_ascii=False, indent=1))
        return
    for a in audits:
        print_table(a.table(), "\n".join(a.notes()) + "\n")


@app.command()
def coverage(
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """Recompute the paper's tables of languages, tasks, domains and origin from the cards, beside the printed.

    A cell is our number of datasets and the paper's mark: new, mmteb, or none.
    """
    from seabed_datasets.catalogue.coverage import tables

    found = tables()
    if format == "json":
        typer.echo(json.dumps(found, ensure_ascii=False, indent=1))
        return
    for title, rows in found.items():
        print_table(rows, title + "\n")
