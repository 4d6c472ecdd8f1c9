"""The commands that read result files: report, compare, ranks, leaderboard, plot, export."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from seabed_datasets.terminal import Quiet, app, comma, json_text, plain, print_table

if TYPE_CHECKING:
    from seabed_evaluate.runner.results import Found


def _valid(places: Iterable[str | Path]) -> Found:
    """Valid results; every other file is named on stderr."""
    from seabed_evaluate.runner.results import find_results

    found = find_results(places)
    for path, why in found.left_out.items():
        typer.echo(plain(f"left out {path}: {why}"), err=True)
    return found


def _csv(rows: list[dict[str, Any]]) -> None:
    import csv
    import sys

    from seabed_evaluate.report.inert import csv_row

    writer = csv.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(csv_row, rows))


AverageOption = Annotated[
    Literal["configs", "datasets"],
    typer.Option(
        help="What a mean counts once: configs, as in the paper's tables, or datasets in one language."
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        help="TASK=SCORE: show another score of a task, e.g. multilabel_classification=f1_weighted. Several times "
        "for several tasks."
    ),
]


def _shown(
    places: Iterable[str | Path], measure: list[str] | None
) -> tuple[list[tuple[Path, dict[str, Any]]], list[str]]:
    """Valid result files of some places, with the scores asked for, and what was left out."""
    from seabed_evaluate.report.measures import chosen_measures, with_measures

    chosen = chosen_measures(measure or [])
    valid = _valid(places)
    shown = with_measures(valid.results.values(), chosen)
    return list(zip(valid.results, shown, strict=True)), valid.notes()


@app.command()
def report(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    by: Annotated[
        str,
        typer.Option(
            help="Comma-separated: task, language, origin, aspect, domain, script, dataset, unit, config; or "
            "language-task alone: a table of both."
        ),
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
    average: AverageOption = "configs",
    measure: MeasureOption = None,
    origin_by: Annotated[
        Literal["ours", "paper"],
        typer.Option(help="Whose word `--by origin` follows: the cards', or the paper's annotation column."),
    ] = "ours",
) -> None:
    """Show scores (x100) beside the 17 models of the paper. A cell like 91.20 (3/114) covers 3 of 114 configs.

    Models whose averages cannot be told apart share a group: the ranks from the best to the worst of them.

    Example: seabed report results/ --by language,origin --format md
    """
    from seabed_datasets.catalogue import check_names
    from seabed_evaluate.report import formats
    from seabed_evaluate.report.tables import BY, config_rows, tables

    parts = comma(by) or []
    check_names("--by", parts, (*BY, "language-task"))
    beside = compare or ["paper"]
    others = [c for c in beside if c not in ("paper", "none")]
    files, notes = _shown([*results, *others], measure)
    found = [r for _, r in files]
    if parts == ["language-task"]:
        from seabed_evaluate.report.landscape import as_plain, landscape, landscape_sheets
        from seabed_evaluate.report.sheets import show

        if format == "latex":
            raise typer.BadParameter("--by language-task is printed as table, md, csv or json")
        land = landscape(found)
        show(landscape_sheets(land), format, cells=as_plain(land))
        return
    check_names("--by", parts, BY)
    made = [
        replace(t, notes=(*t.notes, *notes))
        for t in tables(
            found, parts, paper="paper" in beside, average=average, origin_by=origin_by, files=files
        )
    ]
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
    units: Annotated[
        bool, typer.Option("--units", help="One row per config (or dataset and language) as well.")
    ] = False,
    average: AverageOption = "configs",
    format: Annotated[Literal["table", "csv", "json"], typer.Option(help="How to print.")] = "table",
    resamples: Annotated[int, typer.Option(min=100, help="Of the paired bootstrap.")] = 1000,
    quiet: Quiet = False,
) -> None:
    """Test two runs against each other on the same items: paired, per config, Holm-corrected.

    Example: seabed compare results/e5-0123abcd results/bge-4567cdef
    """
    from seabed_evaluate.report.compare import compare, mean_rows, unit_rows
    from seabed_evaluate.report.units import COUNTED

    found = compare(a, b, average=average, resamples=resamples, quiet=quiet)
    rows = unit_rows(found)
    if format == "json":
        whole = {
            "a": found.a,
            "b": found.b,
            "verdict": found.verdict,
            "mean_over": found.average,
            "units": rows,
            "means": mean_rows(found),
            "skipped": found.skipped,
            "notes": found.notes,
        }
        typer.echo(json_text(whole))
    elif format == "csv":
        _csv(rows)
    else:
        if units:
            print_table(
                [{k: str(v) for k, v in r.items()} for r in rows], f"{len(rows)} {COUNTED[average]}\n"
            )
        print_table(mean_rows(found), f"A = {found.a}\nB = {found.b}\n{found.verdict}")
        for line in found.notes:
            typer.echo(plain(line))
        for unit, reason in found.skipped.items():
            typer.echo(plain(f"not compared: {unit}: {reason}"), err=True)


@app.command()
def ranks(
    a: Annotated[
        str,
        typer.Argument(
            help="table5, table6:tha, scores.csv, results/, results/:sts, mmteb, mteb:FOLDER or "
            "'mteb:FOLDER:MTEB(tha, v1)'"
        ),
    ],
    b: Annotated[str, typer.Argument(help="The same.")],
    format: Annotated[Literal["table", "csv"], typer.Option(help="How to print.")] = "table",
    plot: Annotated[Path | None, typer.Option(help="Write a slope chart here (.svg or .png).")] = None,
    average: AverageOption = "configs",
) -> None:
    """Show how the ranks of the same models change between two tables, files or result folders.

    Example: seabed ranks table3:full table3:sample_30pct --plot ranks.svg
    """
    from seabed_evaluate.report.ranks import misprints_of, rank_changes, scores_of

    changes = rank_changes(scores_of(a, average), scores_of(b, average))
    for note in dict.fromkeys([*misprints_of(a), *misprints_of(b)]):
        typer.echo(plain(note), err=True)
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
        _csv(rows)
    else:
        print_table(rows, f"{len(rows)} models; A = {a}, B = {b}")
    if plot:
        from seabed_evaluate.report.plots import save, slopes

        save(slopes(changes, a, b), plot)
        typer.echo(f"wrote {plot}", err=True)


@app.command()
def leaderboard(
    results: Annotated[
        list[Path] | None, typer.Argument(help="Result folders or files; none: the paper's models alone.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the page.")] = Path("site"),
    paper: Annotated[bool, typer.Option(help="Show the 17 models of the paper too.")] = True,
    average: AverageOption = "configs",
    measure: MeasureOption = None,
) -> None:
    """Write one self-contained page: sort, filter, intervals, a page per model. Opens from disk or as a Space.

    Example: seabed leaderboard results/ --out site
    """
    from seabed_evaluate.report.leaderboard import write_leaderboard

    files, notes = _shown(results, measure) if results else ([], [])
    page = write_leaderboard(
        [r for _, r in files], out, paper=paper, average=average, files=files, notes=notes
    )
    typer.echo(f"wrote {page}; open it in a browser, or upload {out} as a static Space")


@app.command()
def plot(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    out: Annotated[Path, typer.Option(help="Folder of the pictures.")] = Path("plots"),
    kinds: Annotated[
        str, typer.Option("--kinds", help="Comma-separated: radar, heatmap, size, landscape.")
    ] = "radar,heatmap,size",
    format: Annotated[Literal["svg", "png"], typer.Option(help="Of the pictures.")] = "svg",
    paper: Annotated[bool, typer.Option(help="Show the 17 models of the paper too.")] = True,
) -> None:
    """Draw scores: radar by task, heat map by language, score against size (`seabed ranks --plot`: slopes).

    Example: seabed plot results/ --out plots --format png
    """
    from seabed_datasets.catalogue import check_names
    from seabed_evaluate.report.landscape import landscape
    from seabed_evaluate.report.plots import KINDS, draw, landscape_plot, save
    from seabed_evaluate.report.tables import tables

    wanted = comma(kinds) or []
    check_names("plot", wanted, KINDS)
    found = list(_valid(results).results.values())
    by_task, by_language = tables(found, ("task", "language"), paper=paper)[:2]
    for kind in wanted:
        path = out / f"{kind}.{format}"
        figure = landscape_plot(landscape(found)) if kind == "landscape" else draw(kind, by_task, by_language)
        save(figure, path)
        typer.echo(f"wrote {path}")


@app.command("export")
def export_results(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    to: Annotated[Literal["mteb"], typer.Option(help="Whose format.")] = "mteb",
    out: Annotated[Path, typer.Option(help="Folder of the exported results.")] = Path("mteb-results"),
) -> None:
    """Write results in another project's format; `seabed_evaluate.report.mteb_export.mteb_task` makes task objects.

    Every config is one of mteb's tasks, so its mean over tasks is a mean over configs.

    Example: seabed export results/ --to mteb
    """
    from seabed_evaluate.report.mteb_export import write_mteb_results

    written = write_mteb_results(_valid(results).results.values(), out)
    typer.echo(f"wrote {len(written)} files in {to}'s format -> {out}")


@app.command()
def errors(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    config: Annotated[str, typer.Option(help="The config whose items to show.")],
    data: Annotated[
        str | None, typer.Option(help="Bundle folder or Hub repository, for ids, texts and label names.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Items per model.")] = 20,
    offline: Annotated[bool, typer.Option("--offline", help="Use what an earlier run fetched.")] = False,
    format: Annotated[Literal["table", "md", "csv", "json"], typer.Option(help="How to print.")] = "table",
) -> None:
    """Show the items a model gets most wrong: texts, what was expected and found, the worst first.

    Example: seabed errors results/ --config casa_ind --data bundle
    """
    from seabed_evaluate.report.mistakes import mistakes
    from seabed_evaluate.report.sheets import Sheet, show

    found = mistakes(results, config, data=data, limit=limit, offline=offline)
    sheets = []
    for m in found:
        wrong = f"{m.wrong:,} of " if m.wrong is not None else ""
        notes = [
            f"{wrong}{m.items:,} items{' are wrong' if wrong else ''}; {m.measure} {m.score * 100:.2f}",
            f"value: {m.note}",
        ]
        sheets.append(Sheet(f"{m.config}, {m.model}", list(m.rows), notes, digits=4))
    show(sheets, format)
