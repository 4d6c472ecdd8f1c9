"""The `seabed` command: data commands from seabed_datasets, and run, report, models, demo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

import typer

import seabed_datasets.contribute_cli  # noqa: F401  (adds check, stats and new)
from seabed_datasets.cli import Langs, Quiet, Tasks, app, comma, print_table
from seabed_datasets.cli import run as run_app
from seabed_datasets.reading import HUB_BUNDLE

app.info.help = "SEA-BED: the Southeast Asia Embedding Benchmark."


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
    from seabed_evaluate.embedding_cache import open_cache
    from seabed_evaluate.plan import Plan
    from seabed_evaluate.runner import run_all

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
def report(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    by: Annotated[
        str,
        typer.Option(help="Comma-separated: task, language, origin, domain, script, dataset, unit."),
    ] = "task,language",
    format: Annotated[
        Literal["table", "md", "csv", "json", "latex"], typer.Option(help="How to print.")
    ] = "table",
    compare: Annotated[
        list[str] | None,
        typer.Option(help="What to show beside: paper (the default), none, or other result folders."),
    ] = None,
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Half the 95 % interval behind every score.")
    ] = False,
    by_config: Annotated[bool, typer.Option("--by-config", help="One row per config as well.")] = False,
) -> None:
    """Show scores (x100) beside the 17 models of the paper. A cell like 91.20 (3/94) covers 3 of 94 units.

    Example: seabed report results/ --by language,origin --format md
    """
    from seabed_datasets.catalogue import check_names
    from seabed_evaluate import formats
    from seabed_evaluate.report import BY, config_rows, tables
    from seabed_evaluate.results import read_results

    parts = comma(by) or []
    check_names("--by", parts, BY)
    beside = compare or ["paper"]
    others = [c for c in beside if c not in ("paper", "none")]
    found = read_results([*results, *others])
    made = tables(found, parts, paper="paper" in beside)
    if format == "table":
        for table in made:
            rows = formats.text_rows(table, intervals=intervals)
            print_table(rows, "\n".join([f"{table.title}, x100", *table.notes]) + "\n")
        if by_config:
            print_table(config_rows(found), f"{len(found)} results")
    elif format == "csv":
        typer.echo(formats.csv_text(made))
    elif format == "json":
        typer.echo(formats.json_text(made))
    else:
        write = formats.markdown if format == "md" else formats.latex
        typer.echo(write(made, intervals=intervals))


@app.command("compare")
def compare_runs(
    a: Annotated[Path, typer.Argument(help="Results folder of one run.")],
    b: Annotated[Path, typer.Argument(help="Results folder of the other run.")],
    units: Annotated[bool, typer.Option("--units", help="One row per unit as well.")] = False,
    format: Annotated[Literal["table", "csv", "json"], typer.Option(help="How to print.")] = "table",
    resamples: Annotated[int, typer.Option(min=100, help="Of the paired bootstrap.")] = 1000,
    quiet: Quiet = False,
) -> None:
    """Test two runs against each other on the same items: paired, per unit, Holm-corrected.

    Example: seabed compare results/e5-0123abcd results/bge-4567cdef
    """
    import csv
    import json
    import sys

    from seabed_evaluate.compare import compare, mean_rows, unit_rows

    found = compare(a, b, resamples=resamples, quiet=quiet)
    rows = unit_rows(found)
    if format == "json":
        plain = {
            "a": found.a,
            "b": found.b,
            "verdict": found.verdict,
            "units": rows,
            "means": mean_rows(found),
            "skipped": found.skipped,
            "notes": found.notes,
        }
        typer.echo(json.dumps(plain, ensure_ascii=False, indent=1))
    elif format == "csv":
        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        if units:
            print_table([{k: str(v) for k, v in r.items()} for r in rows], f"{len(rows)} units\n")
        print_table(mean_rows(found), f"A = {found.a}\nB = {found.b}\n{found.verdict}")
        for line in found.notes:
            typer.echo(line)
        for unit, reason in found.skipped.items():
            typer.echo(f"not compared: {unit}: {reason}", err=True)


@app.command()
def ranks(
    a: Annotated[str, typer.Argument(help="table5, table6:tha, scores.csv, results/ or results/:sts")],
    b: Annotated[str, typer.Argument(help="The same.")],
    format: Annotated[Literal["table", "csv"], typer.Option(help="How to print.")] = "table",
    plot: Annotated[Path | None, typer.Option(help="Write a slope chart here (.svg or .png).")] = None,
) -> None:
    """Show how the ranks of the same models change between two tables, files or result folders.

    Example: seabed ranks table3:full table3:sample_30pct --plot ranks.svg
    """
    from seabed_evaluate.ranks import rank_changes, scores_of

    changes = rank_changes(scores_of(a), scores_of(b))
    rows = [
        {
            "model": c.model,
            "A": f"{c.score_a:.2f}",
            "B": f"{c.score_b:.2f}",
            "rank A": str(c.rank_a),
            "rank B": str(c.rank_b),
            "change": f"{c.change:+d}" if c.change else "0",
        }
        for c in changes
    ]
    if format == "csv":
        import csv
        import sys

        writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    else:
        print_table(rows, f"{len(rows)} models; A = {a}, B = {b}")
    if plot:
        from seabed_evaluate.plots import save, slopes

        save(slopes(changes, a, b), plot)
        typer.echo(f"wrote {plot}", err=True)


@app.command()
def leaderboard(
    results: Annotated[
        list[Path] | None, typer.Argument(help="Result folders or files; none: the paper's models alone.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the page.")] = Path("site"),
    paper: Annotated[bool, typer.Option(help="Show the 17 models of the paper too.")] = True,
) -> None:
    """Write one self-contained page: sort, filter, intervals, a page per model. Opens from disk or as a Space.

    Example: seabed leaderboard results/ --out site
    """
    from seabed_evaluate.leaderboard import write_leaderboard
    from seabed_evaluate.results import read_results

    page = write_leaderboard(read_results(results) if results else [], out, paper=paper)
    typer.echo(f"wrote {page}; open it in a browser, or upload {out} as a static Space")


@app.command()
def plot(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    out: Annotated[Path, typer.Option(help="Folder of the pictures.")] = Path("plots"),
    kinds: Annotated[
        str, typer.Option("--kinds", help="Comma-separated: radar, heatmap, size.")
    ] = "radar,heatmap,size",
    format: Annotated[Literal["svg", "png"], typer.Option(help="Of the pictures.")] = "svg",
    paper: Annotated[bool, typer.Option(help="Show the 17 models of the paper too.")] = True,
) -> None:
    """Draw scores: radar by task, heat map by language, score against size (`seabed ranks --plot`: slopes).

    Example: seabed plot results/ --out plots --format png
    """
    from seabed_datasets.catalogue import check_names
    from seabed_evaluate.plots import KINDS, draw, save
    from seabed_evaluate.report import tables
    from seabed_evaluate.results import read_results

    wanted = comma(kinds) or []
    check_names("plot", wanted, KINDS)
    by_task, by_language = tables(read_results(results), ("task", "language"), paper=paper)[:2]
    for kind in wanted:
        path = out / f"{kind}.{format}"
        save(draw(kind, by_task, by_language), path)
        typer.echo(f"wrote {path}")


@app.command("export")
def export_results(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    to: Annotated[Literal["mteb"], typer.Option(help="Whose format.")] = "mteb",
    out: Annotated[Path, typer.Option(help="Folder of the exported results.")] = Path("mteb-results"),
) -> None:
    """Write results in another project's format; `seabed_evaluate.mteb_export.mteb_task` makes task objects.

    Example: seabed export results/ --to mteb
    """
    from seabed_evaluate.mteb_export import write_mteb_results
    from seabed_evaluate.results import read_results

    written = write_mteb_results(read_results(results), out)
    typer.echo(f"wrote {len(written)} files in {to}'s format -> {out}")


@app.command()
def models(
    name: Annotated[str | None, typer.Argument(help="Show everything known of this one.")] = None,
    format: Annotated[Literal["table", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """List the models known by name; any other Hub id, model folder or API works too.

    Example: seabed models GritLM-7B
    """
    from seabed_evaluate.encoders import known_models
    from seabed_evaluate.models import model_rows

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
    from seabed_evaluate import embedding_cache as store

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
    from seabed_evaluate import embedding_cache as store

    folder = cache or store.default_folder()
    typer.echo(f"forgot {store.clear(folder, model):,} vectors in {folder / store.FILE}")


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
