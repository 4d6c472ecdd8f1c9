"""A picture for each study, in the colours and sizes of the report's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError
from seabed_evaluate.report.plots import COLOURS, pyplot
from seabed_evaluate.studies.mixed import Mixed
from seabed_evaluate.studies.origin import Gap
from seabed_evaluate.studies.sample import Sampled
from seabed_evaluate.studies.similarity import Pair
from seabed_evaluate.studies.tokens import Correlation
from seabed_evaluate.studies.translation import Compared

HUMAN, MACHINE = COLOURS[0], COLOURS[1]


def _name(model: str) -> str:
    return model.rsplit("/", 1)[-1]


def _language(code: str) -> str:
    return "English" if code == "eng" else LANGUAGES.get(code, code)


def sample_plot(found: Sequence[Sampled], fraction: float) -> Any:
    """Full scores and the mean of the samples with its SD: models, or the configs of one model.

    Args:
        found: of the study.
        fraction: the share kept.

    Returns:
        A matplotlib figure.
    """
    lines = (
        [(_name(f.model), f.mean) for f in found]
        if len(found) > 1
        else [(name, scores) for name, scores in found[0].configs.items()]
    )
    lines.sort(key=lambda line: line[1].full_f1)
    figure, axes = pyplot().subplots(figsize=(7.5, 1.2 + 0.32 * len(lines)))
    for y, (_, scores) in enumerate(lines):
        mean, sd = np.mean(scores.f1) * 100, np.std(scores.f1) * 100
        axes.plot((scores.full_f1 * 100, mean), (y, y), color="#999999", linewidth=1, zorder=1)
        axes.errorbar(mean, y, xerr=sd, fmt="D", color=COLOURS[1], capsize=3, markersize=5)
        axes.plot(scores.full_f1 * 100, y, "o", color=COLOURS[0], markersize=6)
    axes.plot([], [], "o", color=COLOURS[0], label="all rows")
    axes.plot([], [], "D", color=COLOURS[1], label=f"{fraction * 100:g} % of the rows, mean ± SD")
    axes.set_yticks(range(len(lines)), [name for name, _ in lines])
    axes.set_xlabel("weighted F1, ×100")
    axes.set_title("Bitext mining on a sample of both sides")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.18 - 0.5 / len(lines)), ncols=2, frameon=False)
    axes.grid(axis="x", alpha=0.3)
    return figure


def similarity_plot(model: str, pairs: Sequence[Pair]) -> Any:
    """Two lower-triangle heat maps: translations, and other sentences (Figure 5).

    Args:
        model: its name.
        pairs: of the study.

    Returns:
        A matplotlib figure.
    """
    names = list(dict.fromkeys(lang for p in pairs for lang in (p.one, p.two)))
    size = max(3.0, 0.55 * len(names))
    figure, both = pyplot().subplots(1, 2, figsize=(2 * size + 3.2, size + 1.2), layout="constrained")
    for axes, field, title in zip(
        both, ("positive", "negative"), ("translations", "other sentences"), strict=True
    ):
        table = np.full((len(names), len(names)), np.nan)
        for p in pairs:
            high, low = sorted((names.index(p.one), names.index(p.two)), reverse=True)
            table[high, low] = getattr(p, field)
        image = axes.imshow(table, cmap="cividis", vmin=min(0.0, float(np.nanmin(table))), vmax=1)
        for (y, x), value in np.ndenumerate(table):
            if not np.isnan(value):
                axes.text(
                    x,
                    y,
                    f"{value:.2f}",
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    color="black" if value > 0.5 else "white",
                )
        axes.set_xticks(range(len(names)), [_language(n) for n in names], rotation=45, ha="right")
        axes.set_yticks(range(len(names)), [_language(n) for n in names])
        axes.set_title(f"Mean cosine of {title}")
    figure.colorbar(image, ax=both, shrink=0.8)
    figure.suptitle(_name(model))
    return figure


def translation_plot(found: Sequence[Compared]) -> Any:
    """Two dots per model and language: machine and human translation.

    Args:
        found: of the study.

    Returns:
        A matplotlib figure.
    """
    languages = list(dict.fromkeys(c.language for c in found))
    most = max(sum(c.language == lang for c in found) for lang in languages)
    figure, panels = pyplot().subplots(
        1,
        len(languages),
        figsize=(1.5 + 4.5 * len(languages), 1.6 + 0.32 * most),
        squeeze=False,
        layout="constrained",
    )
    for axes, language in zip(panels[0], languages, strict=True):
        own = sorted((c for c in found if c.language == language), key=lambda c: c.scores["human"] or 0)
        for y, c in enumerate(own):
            human, machine = (100 * (c.scores[v] or 0) for v in ("human", "machine"))
            axes.plot((machine, human), (y, y), color="#999999", linewidth=1, zorder=1)
            axes.plot(machine, y, "D", color=MACHINE, markersize=6)
            axes.plot(human, y, "o", color=HUMAN, markersize=6)
        axes.set_yticks(range(len(own)), [_name(c.model) for c in own])
        axes.set_ylim(-0.7, len(own) - 0.3)
        axes.set_xlabel("Spearman, ×100")
        axes.set_title(_language(language))
        axes.grid(axis="x", alpha=0.3)
    panels[0][0].plot([], [], "o", color=HUMAN, label="human")
    panels[0][0].plot([], [], "D", color=MACHINE, label="machine")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def origin_plot(found: Sequence[Gap]) -> Any:
    """Raw gaps by language, and the matched gap with its interval, one colour per model.

    Args:
        found: of the study.

    Returns:
        A matplotlib figure.

    Raises:
        SeabedError: no model has a gap.
    """
    names = [lang for lang in LANGUAGES if any(lang in g.by_language for g in found)]
    if not names:
        raise SeabedError("no language has human-made and machine-made sets among these results")
    figure, axes = pyplot().subplots(figsize=(7.5, 1.8 + 0.36 * len(names)), layout="constrained")
    for i, g in enumerate(found[: len(COLOURS)]):
        shift = 0.14 * (i - (min(len(found), len(COLOURS)) - 1) / 2)
        ys = [y + shift for y, lang in enumerate(names, 1) if lang in g.by_language]
        axes.plot(
            [100 * v for lang in names if (v := g.by_language.get(lang)) is not None],
            ys,
            "o",
            color=COLOURS[i],
            label=_name(g.model),
        )
        if g.matched is not None:
            low, high = g.low if g.low is not None else g.matched, g.high if g.high is not None else g.matched
            error = [[100 * (g.matched - low)], [100 * (high - g.matched)]]
            axes.errorbar(100 * g.matched, shift, xerr=error, fmt="D", color=COLOURS[i], capsize=3)
    axes.axvline(0, color="#666666", linewidth=0.8)
    axes.axhline(0.5, color="#CCCCCC", linewidth=0.8)
    axes.set_yticks(range(len(names) + 1), ["matched, 95 %", *(_language(n) for n in names)])
    axes.set_xlabel("human-made minus machine-made, ×100")
    axes.set_title("Raw gap by language, matched gap below")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def tokens_plot(
    values: Mapping[str, Mapping[str, float | None]],
    scores: Mapping[str, Mapping[str, float | None]],
    found: Sequence[Correlation],
    what: str,
) -> Any:
    """Scores against a property of the tokenizer, a panel per model (Figure 4).

    Args:
        values: model -> language -> property.
        scores: model -> language -> score.
        found: of the study, for the titles.
        what: name of the property.

    Returns:
        A matplotlib figure.
    """
    named = {c.model: c for c in found}
    models = [m for m in values if m in named]
    columns = min(4, len(models))
    lines = -(-len(models) // columns)
    figure, panels = pyplot().subplots(
        lines, columns, figsize=(0.6 + 2.9 * columns, 0.6 + 2.7 * lines), squeeze=False, layout="constrained"
    )
    for axes, model in zip(panels.flat, models, strict=False):
        for lang, x in values[model].items():
            y = scores[model].get(lang)
            if x is not None and y is not None:
                axes.plot(x, y, "o", color=COLOURS[0])
                axes.annotate(lang, (x, y), xytext=(4, 3), textcoords="offset points", fontsize=7.5)
        c = named[model]
        axes.set_title(
            f"{_name(model)}\nr {c.pearson:.2f} (p {c.pearson_p:.2f}), rho {c.spearman:.2f}, n {c.n}",
            fontsize=8.5,
        )
        axes.margins(0.15)
        axes.grid(alpha=0.3)
    for axes in list(panels.flat)[len(models) :]:
        axes.set_axis_off()
    figure.supxlabel(what)
    figure.supylabel("score, ×100")
    return figure


def mixed_plot(model: str, found: Sequence[Mixed]) -> Any:
    """Right hits without and with the queries' own language in the corpus.

    Args:
        model: its name.
        found: of the study.

    Returns:
        A matplotlib figure.
    """
    figure, axes = pyplot().subplots(figsize=(7, 1.4 + 0.34 * len(found)), layout="constrained")
    for y, m in enumerate(found):
        axes.plot((100 * m.mixed, 100 * m.alone), (y, y), color="#999999", linewidth=1, zorder=1)
        axes.plot(100 * m.alone, y, "o", color=COLOURS[0])
        axes.plot(100 * m.mixed, y, "D", color=COLOURS[1])
    axes.plot([], [], "o", color=COLOURS[0], label="other languages only")
    axes.plot([], [], "D", color=COLOURS[1], label="with the queries' own language")
    axes.set_yticks(range(len(found)), [_language(m.language) for m in found])
    axes.set_xlabel("queries whose best hit is a translation, %")
    axes.set_title(f"One corpus of {len(found)} languages, {_name(model)}")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def prompts_plot(model: str, rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
    """Scores by task, one mark per prompt.

    Args:
        model: its name.
        rows: of the study's sheet.
        names: of the prompts.

    Returns:
        A matplotlib figure.
    """
    ordered = sorted(rows, key=lambda r: list(TASKS).index(r["task"]), reverse=True)
    figure, axes = pyplot().subplots(figsize=(7.5, 1.6 + 0.34 * len(rows)), layout="constrained")
    for i, name in enumerate(names):
        points = [(r[name], y) for y, r in enumerate(ordered) if r[name] is not None]
        marks = "osD^vP*X"
        axes.plot(
            *zip(*points, strict=True), marks[i % len(marks)], color=COLOURS[i % len(COLOURS)], label=name
        )
    axes.set_yticks(range(len(ordered)), [r["task"].replace("_", " ") for r in ordered])
    axes.set_xlabel("main score, ×100")
    axes.set_title(f"Scores by prompt, {_name(model)}")
    axes.grid(axis="x", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=min(4, len(names)), frameon=False)
    return figure
