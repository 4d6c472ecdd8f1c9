"""The leaderboard: one self-contained page, from result files and the paper's printed scores."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError
from seabed_datasets.files import replace_text
from seabed_evaluate.encoders.loading import known_models
from seabed_evaluate.encoders.prompts import read_toml
from seabed_evaluate.report.identity import known_model
from seabed_evaluate.report.landscape import landscape
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.rank_groups import table_groups
from seabed_evaluate.report.tables import counted, mixtures, unlike
from seabed_evaluate.report.units import COUNTED, Average, Run, all_units, config_weights, runs_of
from seabed_evaluate.runner.cut_texts import share
from seabed_evaluate.runner.protocols import DEFAULT, PROTOCOLS
from seabed_evaluate.runner.results import Result

CARDS_URL = "https://huggingface.co/datasets/seabed/SEA-BED/blob/main/cards/{key}.md"
_FOLDER = Path(__file__).parent
_FONTS = ("thai", "myanmar", "khmer", "lao", "tamil")

_SPACE_README = """\
---
title: SEA-BED leaderboard
emoji: 🌏
colorFrom: blue
colorTo: yellow
sdk: static
pinned: false
---
Scores of sentence-embedding models on SEA-BED, the Southeast Asia Embedding Benchmark. `index.html` is the whole
page; `seabed leaderboard` writes it from result files.
"""


def write_leaderboard(
    results: Iterable[Result],
    out: str | Path,
    *,
    paper: bool = True,
    average: Average = "configs",
    files: Iterable[tuple[Path, Result]] = (),
    cards_url: str = CARDS_URL,
    notes: Iterable[str] = (),
) -> Path:
    """Write the page.

    Args:
        results: of any number of runs. Sample sets are shown only where there is nothing else.
        out: folder; it gets `index.html` and the `README.md` of a static Hub Space.
        paper: show the 17 models of the paper too.
        average: what a mean counts once: configs, as in the paper's tables, or datasets in one language.
        files: the results with where they lie; with them, models whose averages cannot be told apart are grouped.
        cards_url: address of a dataset's card, with {key}.
        notes: sentences to show beside the page's own, e.g. which files were left out.

    Returns:
        The path of the page.

    Raises:
        SeabedError: there is nothing to show, one run holds a config twice with different data, or the place
            cannot be written.
    """
    data = page_data(results, paper=paper, average=average, files=files, cards_url=cards_url)
    html = page(data | {"notes": [*data["notes"], *notes]})
    folder = Path(out)
    for name, text in (("README.md", _SPACE_README), ("index.html", html)):
        replace_text(folder / name, text)
    return folder / "index.html"


def page_data(
    results: Iterable[Result],
    *,
    paper: bool,
    average: Average = "configs",
    files: Iterable[tuple[Path, Result]] = (),
    cards_url: str = CARDS_URL,
) -> dict[str, Any]:
    """Everything the page shows; the page itself averages, so that filters can.

    Args:
        results: see `write_leaderboard`.
        paper: see `write_leaderboard`.
        average: see `write_leaderboard`.
        files: see `write_leaderboard`.
        cards_url: see `write_leaderboard`.

    Returns:
        Plain values. Scores and standard errors are whole numbers, x1,000,000.

    Raises:
        SeabedError: see `write_leaderboard`.
    """
    given = list(results)
    runs = runs_of(given, average)
    own = [r for r in runs if not r.sample]
    sample = bool(runs) and not own
    shown = runs if sample else own
    paper = paper and not sample
    if not shown and not paper:
        raise SeabedError("there is nothing to show: no results, and the paper's models are left out")
    units = list(all_units(sample, average).values())
    models = _apart([*(_published() if paper else []), *(_scored(r, [u.name for u in units]) for r in shown)])
    ids = dict(zip((r.key for r in shown), (m["id"] for m in models if not m["published"]), strict=True))
    same = _groups(ids, list(files), sample, average)
    for model in models:
        model["same"] = {view: groups.get(model["id"]) for view, groups in same.items()}
    names = read_toml(_FOLDER / "languages.toml")
    measures = PROTOCOLS[DEFAULT].main
    return {
        "sample": sample,
        "protocol": DEFAULT,
        "counted": COUNTED[average],
        "cardsUrl": cards_url,
        "tasks": [{"id": t, "name": _title(t), "measure": measures[t]} for t in TASKS],
        "languages": [{"id": lang, "name": name} | names[lang] for lang, name in LANGUAGES.items()],
        "units": [
            [facts.dataset, facts.language, facts.task, facts.origin, len(facts.configs), facts.name]
            for facts in units
        ],
        "datasets": {d.key: d.pretty_name for d in catalogue.datasets(sample=sample)},
        "models": models,
        "landscape": _landscape([r for r in given if not r["sample"]]) if own else [],
        "notes": [
            counted(average, sample, paper),
            *unlike(shown),
            *mixtures(shown),
        ],
        "misprints": [
            m.text(n)
            for n in (5, 6, 8, 9)
            for m in paper_table(n).misprints
            if paper and m.column in ("average", "sd", *TASKS, *LANGUAGES)
        ],
    }


def _landscape(results: list[Result]) -> list[list[Any]]:
    """Cells of languages and tasks: [language, task, configs, best model or None, its score x1,000,000 or None]."""
    try:
        found = landscape(results)
    except SeabedError:
        return []  # results of datasets added after the paper alone
    cells = []
    for (language, task), of in found.of.items():
        best = found.best((language, task))
        cells.append([language, task, of, best and best[0], best and round(best[1] * 1e6)])
    return cells


def _apart(models: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Models with ids of their own: two names may differ only in what an id leaves out."""
    seen: dict[str, int] = {}
    for model in models:
        seen[model["id"]] = seen.get(model["id"], 0) + 1
        if seen[model["id"]] > 1:
            model["id"] += f"~{seen[model['id']]}"
    return models


def _title(task: str) -> str:
    return {"sts": "STS"}.get(task, task.replace("_", " ").capitalize().replace("Multilabel", "Multi-label"))


def _groups(
    ids: dict[str, str], files: list[tuple[Path, Result]], sample: bool, average: Average
) -> dict[str, dict[str, list[str]]]:
    """View -> page id -> ids that cannot be told from it, for runs that have every config of the average."""
    found = {}
    for view, by in (("tasks", "task"), ("languages", "language")):
        same = table_groups(list(ids), files, config_weights(by, None, sample, average)) if files else {}
        found[view] = {ids[run]: sorted(ids[o] for o in others) for run, others in same.items()}
    return found


def _scored(run: Run, keys: list[str]) -> dict[str, Any]:
    units = {u.facts.name: u for u in run.units}
    found = [units.get(k) for k in keys]
    return {
        "id": re.sub(r"[^A-Za-z0-9.-]+", "-", f"{run.model}-{run.run}"),
        "name": run.model,
        "run": run.run,
        "published": False,
        "protocol": run.protocol,
        "dtype": run.dtype,
        "cut": list(run.truncated),
        "cutTexts": share([run.cut]),
        "units": [[round(u.score * 1e6), u.found, _whole(u.se), *(u.cut or ())] if u else 0 for u in found],
        **_model_facts(known_model(run.model)),
    }


def _published() -> Iterable[dict[str, Any]]:
    tables = {n: paper_table(n) for n in (5, 6, 8, 9)}
    for model in tables[5].rows:

        def scores(number: int, ids: Iterable[str], model: str = model) -> list[int] | None:
            row = tables[number].rows.get(model)
            return None if row is None else [round((row[i] or 0) * 1e4) for i in ids]

        yield {
            "id": model,
            "name": model,
            "published": True,
            "protocol": "the paper's own",
            "tasks": scores(5, TASKS),
            "languages": scores(6, LANGUAGES),
            "human": scores(8, LANGUAGES),
            "machine": scores(9, LANGUAGES),
            **_model_facts((model, known_models()[model]) if model in known_models() else None),
        }


def _model_facts(known: tuple[str, dict[str, Any]] | None) -> dict[str, Any]:
    """Size, licence and access of a model that models.toml knows."""
    if known is None:
        return {"size": None, "access": "unknown", "license": None, "hub": None}
    _, entry = known
    hub = None if "api" in entry or "/" not in str(entry["id"]) else entry["id"]
    return {
        "size": entry.get("parameters"),
        "access": "api" if "api" in entry else "open",
        "license": entry.get("license"),
        "hub": hub,
    }


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value * 1e6)


def page(data: dict[str, Any]) -> str:
    """Put data, style, script, libraries and fonts into one page.

    Args:
        data: of `page_data`.

    Returns:
        HTML that asks for nothing else.
    """

    def text(name: str) -> str:
        return (_FOLDER / name).read_text(encoding="utf-8")

    def font(script: str) -> str:
        encoded = base64.b64encode((_FOLDER / "vendor" / f"{script}.woff2").read_bytes()).decode()
        source = f"url(data:font/woff2;base64,{encoded}) format('woff2')"
        return f"@font-face{{font-family:'SEA {script}';src:{source};font-display:block}}"

    fonts = "".join(font(s) for s in _FONTS)
    # "</" would end the script element; a lone "<" inside JSON strings may be written as an escape.
    plain = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    plain = plain.replace("<", "\\u003c")
    parts = {
        "STYLE": f"{fonts}{text('page.css')}",
        "DATA": plain,
        "LIBRARIES": f"{text('vendor/datatables.js')}\n{text('vendor/plot.js')}".replace(
            "</script", "<\\/script"
        ),
        "LICENCES": text("vendor/LICENSES.md").replace("</", "<\\/"),
        "SCRIPT": text("page.js"),
    }
    parts["POLICY"] = _policy(scripts=(parts["LIBRARIES"], parts["SCRIPT"]), styles=(parts["STYLE"],))
    return re.sub(r"\{\{(\w+)\}\}", lambda m: parts[m.group(1)], text("page.html"))


def _policy(scripts: Iterable[str], styles: Iterable[str]) -> str:
    """The page's content security policy: its own scripts and styles by their hashes, and nothing else."""

    def hashes(texts: Iterable[str]) -> str:
        digests = (base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts)
        return " ".join(f"'sha256-{d}'" for d in digests)

    rules = {
        "default-src": "'none'",
        "script-src": hashes(scripts),
        "style-src": hashes(styles),
        "font-src": "data:",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())
