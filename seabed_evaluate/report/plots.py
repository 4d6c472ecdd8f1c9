"""Pictures of scores with matplotlib (extra `plots`): radar, heat map, score against size, rank slopes."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from pathlib import Path
from typing import Any

from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError
from seabed_datasets.files import replacing
from seabed_datasets.terminal import plain
from seabed_evaluate.encoders.loading import known_models
from seabed_evaluate.report.formats import SHORT
from seabed_evaluate.report.identity import known_model
from seabed_evaluate.report.landscape import Landscape
from seabed_evaluate.report.ranks import Change
from seabed_evaluate.report.tables import Row, Table
from seabed_evaluate.report.units import Z

KINDS = ("radar", "heatmap", "size", "landscape")

# Okabe and Ito's colours, told apart with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_RADAR_ROWS = 5


def pyplot() -> Any:
    """matplotlib, set up so that the same data gives the same file.

    Returns:
        The module matplotlib.pyplot.

    Raises:
        SeabedError: it is not installed.
    """
    try:
        import matplotlib
    except ModuleNotFoundError:
        raise SeabedError('plots need matplotlib: pip install "seabed[plots]"') from None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "seabed", "font.size": 9, "svg.fonttype": "path"})
    import matplotlib.pyplot

    return matplotlib.pyplot


def save(figure: Any, path: Path) -> None:
    """Write a figure and close it.

    Args:
        figure: of `draw` or `slopes`.
        path: ends in .svg or .png.

    Raises:
        SeabedError: another ending, or the place cannot be written.
    """
    kind = path.suffix.lower()
    if kind not in (".svg", ".png"):
        raise SeabedError(f"{path}: plots are written as .svg or .png")
    metadata: dict[str, Any] = {"Date": None} if kind == ".svg" else {"Software": None}
    with replacing(path) as temporary:
        figure.savefig(temporary, format=kind[1:], dpi=200, bbox_inches="tight", metadata=metadata)
    pyplot().close(figure)


def draw(kind: str, by_task: Table, by_language: Table) -> Any:
    """One plot of a report.

    Args:
        kind: radar, heatmap or size.
        by_task: the report's table by task.
        by_language: the report's table by language.

    Returns:
        A matplotlib figure.

    Raises:
        SeabedError: there is too little to draw, or matplotlib is missing.
    """
    if kind == "radar":
        return radar(by_task)
    return heatmap(by_language) if kind == "heatmap" else size(by_task)


def _label(row: Row) -> str:
    return _text(row.name.rsplit("/", 1)[-1])


def _text(name: str) -> str:
    """A name as matplotlib draws it: "$" begins no formula, "_" in front hides nothing from a legend."""
    shown = plain(name).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def radar(table: Table) -> Any:
    """Scores by task as a radar: the runs scored here, filled up with the paper's best.

    Args:
        table: by task.

    Returns:
        A matplotlib figure.

    Raises:
        SeabedError: fewer than three tasks have scores.
    """
    own = [r for r in table.rows if not r.published][:_RADAR_ROWS]
    rows = own + [r for r in table.rows if r.published][: max(2, 5 - len(own))]
    tasks = [t for t in TASKS if t in table.columns]
    if len(tasks) < 3:
        raise SeabedError(f"a radar needs scores in three tasks; there are {len(tasks)}")
    angles = [2 * pi * i / len(tasks) for i in range(len(tasks))]
    figure, axes = pyplot().subplots(figsize=(6.5, 6), subplot_kw={"projection": "polar"})
    for i, row in enumerate(rows):
        scores = [row.cells[t].score for t in tasks]
        values = [float("nan") if s is None else s * 100 for s in scores]
        axes.plot(
            [*angles, angles[0]],
            [*values, values[0]],
            "--" if row.published else "-",
            color=COLOURS[i % len(COLOURS)],
            marker="o",
            markersize=3,
            linewidth=2 if not row.published else 1.2,
            label=_label(row),
        )
    axes.set_theta_offset(pi / 2)
    axes.set_theta_direction(-1)
    axes.set_xticks(angles, [SHORT.get(t, t) for t in tasks])
    axes.set_ylim(0, 100)
    axes.set_title("Score by task, ×100 (broken line: paper)")
    axes.legend(loc="upper left", bbox_to_anchor=(1.05, 1.05), frameon=False)
    return figure


def heatmap(table: Table) -> Any:
    """Models x languages as a heat map; the numbers stand in the cells.

    Args:
        table: by language.

    Returns:
        A matplotlib figure.
    """
    names = [n for n in LANGUAGES if n in table.columns]
    values = [
        [float("nan") if (s := r.cells[n].score) is None else s * 100 for n in names] for r in table.rows
    ]
    figure, axes = pyplot().subplots(figsize=(2.8 + 0.62 * len(names), 1 + 0.3 * len(table.rows)))
    image = axes.imshow(values, cmap="cividis", aspect="auto", vmin=0, vmax=100)
    for y, row in enumerate(table.rows):
        for x, name in enumerate(names):
            cell = row.cells[name]
            if cell.score is not None:
                text = f"{cell.score * 100:.1f}" + ("" if cell.whole else "§")
                colour = "black" if cell.score > 0.5 else "white"
                axes.text(x, y, text, ha="center", va="center", color=colour, fontsize=7.5)
    axes.set_xticks(range(len(names)), [LANGUAGES[n] for n in names], rotation=35, ha="right")
    axes.set_yticks(range(len(table.rows)), [_label(r) for r in table.rows])
    partial = any(c.score is not None and not c.whole for r in table.rows for c in r.cells.values())
    axes.set_title("Score by language, ×100" + (" (§: some datasets missing)" if partial else ""))
    figure.colorbar(image, ax=axes, pad=0.02)
    return figure


def landscape_plot(found: Landscape) -> Any:
    """Languages x tasks: the best score of each cell (of one model: its score), and how many configs it holds.

    Args:
        found: of `landscape`.

    Returns:
        A matplotlib figure.
    """
    languages, tasks = list(LANGUAGES), list(TASKS)
    values = [[float("nan")] * len(tasks) for _ in languages]
    for y, lang in enumerate(languages):
        for x, task in enumerate(tasks):
            if best := found.best((lang, task)):
                values[y][x] = best[1] * 100
    figure, axes = pyplot().subplots(figsize=(11, 5.6), layout="constrained")
    axes.set_facecolor("#EEEEEE")
    image = axes.imshow(values, cmap="cividis", aspect="auto", vmin=0, vmax=100)
    several = len(found.models) > 1
    for y, lang in enumerate(languages):
        for x, task in enumerate(tasks):
            of = found.of.get((lang, task))
            best = found.best((lang, task))
            if not of:
                continue
            name = f"{best[0].split(' [')[0].rsplit('/', 1)[-1][:16]}\n" if best and several else ""
            text = f"{name}{best[1] * 100:.1f} ({of})" if best else f"({of})"
            colour = "black" if best is None or best[1] > 0.5 else "white"
            axes.text(x, y, text, ha="center", va="center", fontsize=6.5, color=colour)
    axes.set_xticks(range(len(tasks)), [t.replace("_", "\n") for t in tasks], fontsize=7.5)
    axes.set_yticks(range(len(languages)), [LANGUAGES[lang] for lang in languages])
    what = "best whole score" if several else "score"
    axes.set_title(f"Languages and tasks: {what}, ×100 (configs); grey: none")
    figure.colorbar(image, ax=axes)
    return figure


def size(table: Table) -> Any:
    """Average against number of parameters, with 95 % intervals where there are any.

    Args:
        table: by task.

    Returns:
        A matplotlib figure.

    Raises:
        SeabedError: no model with an average has a known size.
    """
    points = [
        (r, count, r.average * 100)
        for r in table.rows
        if r.average is not None and (count := _parameters(r)) is not None
    ]
    if not points:
        raise SeabedError("no model has both an average over all nine tasks and a known number of parameters")
    figure, axes = pyplot().subplots(figsize=(8, 4.8))
    for row, parameters, average in points:
        error = Z * row.average_se * 100 if row.average_se is not None else None
        axes.errorbar(
            parameters,
            average,
            error,
            fmt="o" if row.published else "D",
            color=COLOURS[0] if row.published else COLOURS[1],
            capsize=3,
        )
    for (row, parameters, average), height in zip(points, _label_heights(points), strict=True):
        name = _text(row.model.rsplit("/", 1)[-1])
        axes.annotate(name, (parameters, average), (parameters * 1.09, height), va="center", fontsize=7.5)
    axes.set_xscale("log")
    axes.set_xlabel("parameters")
    axes.set_ylabel("average of nine tasks, ×100")
    axes.set_title("Score against size (circles: paper, diamonds: scored here)")
    axes.grid(alpha=0.3)
    sizes = [p[1] for p in points]
    axes.set_xlim(min(sizes) * 0.7, max(sizes) * 3.5)
    return figure


def _parameters(row: Row) -> int | None:
    known = (row.model, known_models().get(row.model, {})) if row.published else known_model(row.model)
    return known[1].get("parameters") if known else None


def _label_heights(points: Sequence[tuple[Row, float, float]]) -> list[float]:
    """Heights of labels: below the one above where two models of like size would share a line."""
    gap = (max(p[2] for p in points) - min(p[2] for p in points)) / 28
    heights: list[float] = []
    for i, (_, parameters, average) in enumerate(points):
        near = [heights[j] for j in range(i) if 0.45 < points[j][1] / parameters < 2.2]
        heights.append(min([average, *(h - gap for h in near)]))
    return heights


def slopes(changes: Sequence[Change], a: str, b: str) -> Any:
    """How ranks change from one list to another, as a slope chart.

    Args:
        changes: of `rank_changes`.
        a: name of the first list.
        b: name of the second.

    Returns:
        A matplotlib figure.
    """
    figure, axes = pyplot().subplots(figsize=(7.5, 0.7 + 0.34 * len(changes)))
    seen: dict[tuple[int, int], int] = {}

    def place(side: int, rank: int) -> float:
        """Equal ranks stand below each other instead of on one spot."""
        seen[side, rank] = seen.get((side, rank), 0) + 1
        return rank + 0.35 * (seen[side, rank] - 1)

    for c in changes:
        y = place(0, c.rank_a), place(1, c.rank_b)
        # Direction is told by colour, by line style and by the number itself.
        colour, style = (
            ("#666666", "-") if c.change == 0 else ("#0072B2", "-") if c.change > 0 else ("#D55E00", "--")
        )
        axes.plot((0, 1), y, style, color=colour, linewidth=2, marker="o")
        axes.text(-0.04, y[0], f"{_text(c.model)}  {c.rank_a}", ha="right", va="center")
        moved = f" ({c.change:+d})" if c.change else ""
        axes.text(1.04, y[1], f"{c.rank_b}  {_text(c.model)}{moved}", ha="left", va="center")
    axes.set_xlim(-0.9, 1.9)
    axes.invert_yaxis()
    axes.set_axis_off()
    for x, name in ((0, a), (1, b)):
        axes.text(x, 0.2, _text(name), ha="center", va="bottom", fontweight="bold")
    return figure
