"""The `seabed` command: data commands from seabed_datasets, and run, report, models, demo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from seabed_datasets.cli import Langs, Quiet, Tasks, app, comma, print_table
from seabed_datasets.cli import run as run_app
from seabed_datasets.reading import HUB_BUNDLE

app.info.help = "SEA-BED: the Southeast Asia Embedding Benchmark."


@app.command("run")
def run_model(
    model: Annotated[
        str, typer.Option(help="Hub id, model folder, a name of `seabed models`, or module:function.")
    ],
    data: Annotated[str, typer.Option(help="A bundle folder or a Hub repository.")] = HUB_BUNDLE,
    tasks: Tasks = None,
    langs: Langs = None,
    configs: Annotated[str | None, typer.Option(help="Comma-separated config names.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of result files.")] = Path("results"),
    protocol: Annotated[str, typer.Option(help="paper or released-code.")] = "paper",
    revision: Annotated[
        str | None, typer.Option(help="Commit, branch or tag of the data on the Hub.")
    ] = None,
    model_revision: Annotated[str | None, typer.Option(help="The same of the model.")] = None,
    like: Annotated[
        str | None, typer.Option(help="Use the prompts of this model of `seabed models`.")
    ] = None,
    query_prompt: Annotated[
        str | None, typer.Option(help='Prefix or template for queries, e.g. "query: ".')
    ] = None,
    document_prompt: Annotated[str | None, typer.Option(help="The same for documents.")] = None,
    prompt: Annotated[
        str | None, typer.Option(help="The same for tasks without queries and documents.")
    ] = None,
    pooling: Annotated[
        str | None, typer.Option(help="mean, cls, lasttoken, max or weightedmean; default: the model's own.")
    ] = None,
    normalize: Annotated[
        bool | None, typer.Option(help="Scale vectors to unit length; default: the model's own.")
    ] = None,
    max_length: Annotated[int | None, typer.Option(min=1, help="Tokens kept of a text.")] = None,
    dtype: Annotated[str, typer.Option(help="fp32, bf16, fp16 or auto.")] = "fp32",
    device: Annotated[str | None, typer.Option(help='E.g. "cpu" or "cuda:1"; default: a GPU if any.')] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Use what an earlier run fetched.")] = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first failure.")] = False,
    quiet: Quiet = False,
) -> None:
    """Score a model. One result file per config as soon as it is done; run again to continue after a stop.

    Example: seabed run --model intfloat/multilingual-e5-small --langs tha,mya
    """
    from seabed_evaluate.runner import run_all

    outcome = run_all(
        model,
        data=data,
        tasks=comma(tasks),
        languages=comma(langs),
        configs=comma(configs),
        out=out,
        protocol_name=protocol,
        revision=revision,
        offline=offline,
        fail_fast=fail_fast,
        quiet=quiet,
        like=like,
        model_revision=model_revision,
        pooling=pooling,
        normalize=normalize,
        max_length=max_length,
        dtype=dtype,
        device=device,
        query_prompt=query_prompt,
        document_prompt=document_prompt,
        prompt=prompt,
    )
    for name, reason in outcome.failed.items():
        typer.echo(f"failed {name}: {reason}", err=True)
    new = len(outcome.results) - len(outcome.reused)
    typer.echo(f"scored {new}, kept {len(outcome.reused)}, failed {len(outcome.failed)} -> {out}")
    if outcome.results:
        typer.echo(f"next: seabed report {out}")
    if outcome.failed:
        raise typer.Exit(1)


@app.command()
def report(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    by_config: Annotated[bool, typer.Option("--by-config", help="One row per config as well.")] = False,
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """Show scores by task and by language (x100). A cell like 91.20 (3/94) covers 3 of 94 units.

    Example: seabed report results/
    """
    from dataclasses import asdict

    from seabed_evaluate.report import config_rows, summarise, tables
    from seabed_evaluate.results import read_results

    found = read_results(results)
    summaries = summarise(found)
    if format == "json":
        typer.echo(json.dumps([asdict(s) for s in summaries], ensure_ascii=False, indent=1))
        return
    for title, rows in tables(summaries).items():
        print_table(rows, f"{title}, main score x100\n")
    if by_config:
        print_table(config_rows(found), f"{len(found)} results")


@app.command()
def models() -> None:
    """List the models known by name; any other Hub id or model folder works too."""
    from seabed_evaluate.encoders import known_models

    rows = [
        {
            "name": name,
            "id": str(m["id"]),
            "parameters": f"{m['parameters'] / 1e6:.0f}M" if "parameters" in m else "-",
            "dimension": str(m.get("dimension", "-")),
            "query": repr(m.get("query", "{text}")),
            "license": str(m.get("license", "-")),
        }
        for name, m in known_models().items()
    ]
    print_table(rows, f"{len(rows)} models")


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the bundle and the results.")] = Path("seabed-demo"),
    quiet: Quiet = False,
) -> None:
    """Score multilingual-e5-small on nine small sample sets, offline: shows that everything works."""
    from seabed_evaluate.demo import demo as make
    from seabed_evaluate.report import config_rows

    found = make(out, quiet=quiet)
    print_table(
        config_rows(found), "Sample data, machine-written, not part of SEA-BED: not a measure of the model."
    )
    typer.echo(f"bundle: {out / 'bundle'}\nresult files: {out / 'results'}")
    typer.echo(f"try: seabed report {out / 'results'}   seabed show sample_sts_mya   seabed list")


def main() -> None:
    """Entry point of the `seabed` command."""
    run_app(app)
