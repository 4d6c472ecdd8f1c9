"""The commands that score: run, models, cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

from seabed_datasets.bundle.reading import HUB_BUNDLE
from seabed_datasets.terminal import Langs, Quiet, Tasks, app, comma, print_table


@app.command("run")
def run_model(
    model: Annotated[
        str,
        typer.Option(
            help="Hub id, model folder, a name of `seabed models`, module:function, or an API's model: "
            "openai:NAME, cohere:NAME, voyage:NAME, jina:NAME (key from the environment)."
        ),
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
        str | None, typer.Option(help="Use the settings of this model of `seabed models`.")
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
    dtype: Annotated[
        str | None,
        typer.Option(help="fp32, bf16, fp16 or auto; default: as `seabed models` says, else fp32."),
    ] = None,
    device: Annotated[str | None, typer.Option(help='E.g. "cpu" or "cuda:1"; default: a GPU if any.')] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Another server with the API of --model, e.g. http://localhost:8000/v1; its key, if it "
            "needs one, comes from SEABED_API_KEY."
        ),
    ] = None,
    price: Annotated[
        float | None,
        typer.Option(help="Of an API, in USD per million tokens: the plan then shows the cost."),
    ] = None,
    batch_tokens: Annotated[
        int | None,
        typer.Option(
            min=1, help="Padded tokens of a batch; default: by the device. Halved when memory runs out."
        ),
    ] = None,
    compile: Annotated[bool, typer.Option("--compile", help="Compile the model with torch.compile.")] = False,
    corpus_chunk: Annotated[
        int, typer.Option(min=1, help="Documents whose vectors are held at once; scores do not depend on it.")
    ] = 65_536,
    cache: Annotated[
        Path | None,
        typer.Option(
            help="Folder of kept vectors, on a local disk; default: $SEABED_CACHE or the user's cache."
        ),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep vectors in memory only.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Use what an earlier run fetched.")] = False,
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop at the first failure.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show texts, tokens, time and an API's cost, then stop.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Score a model. One result file per config as soon as it is done; run again to continue after a stop.

    Several GPUs: torchrun --nproc-per-node 4 -m seabed_evaluate run --model ... shares the configs out.

    Example: seabed run --model intfloat/multilingual-e5-small --langs tha,mya
    """
    from seabed_evaluate.encoders.vector_cache import open_cache
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
        corpus_chunk=corpus_chunk,
        cache=open_cache(cache, disk=not no_cache),
        show_plan=None if quiet and not dry_run else show,
        dry_run=dry_run,
        batch_tokens=batch_tokens,
        compile=compile,
        like=like,
        model_revision=model_revision,
        pooling=pooling,
        normalize=normalize,
        max_length=max_length,
        dtype=dtype,
        device=device,
        base_url=base_url,
        price=price,
        query_prompt=query_prompt,
        document_prompt=document_prompt,
        prompt=prompt,
    )
    if dry_run or outcome.silent:
        return
    for name, reason in outcome.failed.items():
        typer.echo(f"failed {name}: {reason}", err=True)
    new = len(outcome.results) - len(outcome.reused)
    typer.echo(f"scored {new}, kept {len(outcome.reused)}, failed {len(outcome.failed)} -> {out}")
    if outcome.results:
        typer.echo(f"next: seabed report {out}")
    if outcome.failed:
        raise typer.Exit(1)


@app.command()
def models(
    name: Annotated[str | None, typer.Argument(help="Show everything known of this one.")] = None,
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """List the models known by name; any other Hub id, model folder or API works too.

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
        columns = ("name", "model", "parameters", "dimension", "pooling", "prompts", "licence", "unknown")
        print_table([{k: r[k] for k in columns} for r in rows], f"{len(rows)} models")


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
