"""The commands that score: run, models, cache."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from seabed_datasets.terminal import OUTPUT, SPEED, Quiet, app, print_table, takes
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.runner.options import RunOptions


@app.command("run")
@takes(ModelOptions, RunOptions)
def run_model(
    model: ModelOptions,
    what: RunOptions,
    cache: Annotated[
        Path | None,
        typer.Option(
            help="Folder of kept vectors, on a local disk; default: $SEABED_CACHE or the user's cache.",
            rich_help_panel=SPEED,
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Keep vectors in memory only.", rich_help_panel=SPEED)
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Show texts, tokens, time and an API's cost, then stop.", rich_help_panel=OUTPUT
        ),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Score a model. One result file per config as soon as it is done; run again to continue after a stop.

    Protocols: published (the default) is how the paper's printed numbers were made, paper-text is what its text
    says. They differ in four tasks. Classification: linear SVM, or logistic regression (with
    multilingual-e5-small on 25 configs 77.4 or 60.0; printed for its large sister: 78.24). Multi-label: accuracy
    per label, or weighted F1 (82.9 or 61.6 on six configs; printed: 88.94); results carry both, and
    `seabed report --measure` switches. Instruction retrieval: the instruction alone, or beside its query.
    Reranking: no prompts, or the model's.

    Several GPUs: torchrun --nproc-per-node 4 -m seabed_evaluate run --model ... shares the configs out.

    Example: seabed run --model intfloat/multilingual-e5-small --langs tha,mya
    """
    from seabed_evaluate.encoders.vector_cache import open_cache
    from seabed_evaluate.runner.cut_texts import cut_line
    from seabed_evaluate.runner.plan import Plan
    from seabed_evaluate.runner.run import run_all

    def show(plan: Plan) -> None:
        if dry_run:
            rows = [
                {
                    "config": c.config,
                    "task": c.task,
                    "texts": f"{c.texts:,}",
                    "to encode": f"{c.new:,}",
                    "tokens": f"{c.tokens:,}",
                }
                for c in plan.configs
            ]
            print_table(rows, plan.line())
        elif not quiet:
            typer.echo(plan.line(), err=True)

    outcome = run_all(
        replace(what, quiet=quiet, cache=open_cache(cache, disk=not no_cache)),
        model,
        show_plan=None if quiet and not dry_run else show,
        dry_run=dry_run,
    )
    if dry_run or outcome.silent:
        return
    for name, reason in outcome.failed.items():
        typer.echo(f"failed {name}: {reason}", err=True)
    new = len(outcome.results) - len(outcome.reused)
    typer.echo(f"scored {new}, kept {len(outcome.reused)}, failed {len(outcome.failed)} -> {what.out}")
    if line := cut_line(outcome.results):
        typer.echo(line)
    if outcome.results:
        typer.echo(f"next: seabed report {what.out}")
    if outcome.failed:
        raise typer.Exit(1)


@app.command()
def models(
    name: Annotated[str | None, typer.Argument(help="Show everything known of this one.")] = None,
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """List the models known by name; any other Hub id, model folder or API works too.

    "paper" tells the paper's 17 from the others. "loads" is what was shown to load where this project is tested:
    a model's weights, or a small folder of its architecture with random weights.

    Example: seabed models GritLM-7B
    """
    from seabed_evaluate.encoders.loading import known_models
    from seabed_evaluate.encoders.models import model_rows

    rows = model_rows(name)
    if format == "json":
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))
    elif name is not None:
        known = known_models()[name] | {k: v for k, v in rows[0].items() if k in ("model", "unknown")}
        print_table([{"field": k, "value": _shown(v)} for k, v in known.items()], "")
    else:
        columns = (
            "name",
            "model",
            "paper",
            "loads",
            "parameters",
            "dimension",
            "pooling",
            "prompts",
            "licence",
            "unknown",
        )
        paper = sum(r["paper"] == "yes" for r in rows)
        print_table(
            [{k: r[k] for k in columns} for r in rows], f"{len(rows)} models, {paper} of them the paper's"
        )


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\n", "\\n")


cache_app = typer.Typer(no_args_is_help=True, help="The vectors kept between runs.")
app.add_typer(cache_app, name="cache")
CacheFolder = Annotated[
    Path | None, typer.Option("--cache", help="Its folder; default: as for `seabed run`.")
]


@cache_app.command("info")
def cache_info(cache: CacheFolder = None) -> None:
    """Show where vectors are kept, of which models, and how many."""
    from seabed_evaluate.encoders import vector_cache as store

    folder = cache or store.default_folder()
    rows = [
        {
            "model": str(h.settings.get("model")),
            "revision": str(h.settings.get("revision")),
            "dtype": str(h.settings.get("dtype")),
            "vectors": f"{h.vectors:,}",
            "MB": f"{h.bytes / 1e6:,.1f}",
        }
        for h in store.info(folder)
    ]
    if rows:
        print_table(rows, "")
    file = folder / store.FILE
    size = file.stat().st_size / 1e9 if file.is_file() else 0.0
    typer.echo(f"{file}: {size:.2f} GB of at most {store.default_bytes() / 1e9:g} GB ($SEABED_CACHE_GB)")


@cache_app.command("clear")
def cache_clear(
    cache: CacheFolder = None,
    model: Annotated[
        str | None, typer.Option(help="Only this model's, as `seabed cache info` names it.")
    ] = None,
) -> None:
    """Forget kept vectors. Results stay; a later run only takes longer."""
    from seabed_evaluate.encoders import vector_cache as store

    folder = cache or store.default_folder()
    typer.echo(f"forgot {store.clear(folder, model):,} vectors in {folder / store.FILE}")
