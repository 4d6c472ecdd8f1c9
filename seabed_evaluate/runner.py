"""Configs x model -> result files. A finished config is not scored again; changed settings never reuse one."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import DataError, SeabedError, unknown
from seabed_datasets.reading import HUB_BUNDLE
from seabed_datasets.vocabulary import LANGUAGES, TASKS
from seabed_evaluate import prompts as prompting
from seabed_evaluate.bundles import Bundle, fetch_configs, open_bundle, read_splits
from seabed_evaluate.encoders import Encoder, Vectors, load_encoder
from seabed_evaluate.prompts import ASYMMETRIC, Side
from seabed_evaluate.protocols import Protocol, protocol
from seabed_evaluate.results import (
    SCHEMA,
    Result,
    environment,
    read_result,
    result_path,
    settings_hash,
    write_result,
)
from seabed_evaluate.tasks import TASK_FUNCTIONS

log = logging.getLogger("seabed_evaluate.runner")


@dataclass
class Outcome:
    """What a run did; `results` holds new and reused ones, `failed` config -> reason."""

    results: list[Result] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def run(
    model: str | Encoder,
    *,
    data: str | Path = HUB_BUNDLE,
    tasks: Iterable[str] | None = None,
    languages: Iterable[str] | None = None,
    configs: Iterable[str] | None = None,
    out: str | Path | None = "results",
    protocol_name: str = "paper",
    revision: str | None = None,
    offline: bool = False,
    fail_fast: bool = False,
    quiet: bool = True,
    **encoder_options: Any,
) -> list[Result]:
    """Score a model.

    Args:
        model: a Hub id, a model folder, a name of models.toml, "module:function", or an Encoder.
        data: a bundle folder or a Hub repository.
        tasks: score these tasks only.
        languages: score these languages only (ISO 639-3).
        configs: score these configs only.
        out: folder of result files; None writes none (and reuses none).
        protocol_name: "paper" or "released-code".
        revision: of the data on the Hub.
        offline: use only what an earlier run fetched.
        fail_fast: stop at the first config that fails.
        quiet: no progress bars.
        **encoder_options: as `load_encoder` takes them, e.g. query_prompt="query: ".

    Returns:
        One result per config, as in its file.

    Raises:
        SeabedError: something could not be scored, after everything else was.
    """
    outcome = run_all(
        model,
        data=data,
        tasks=tasks,
        languages=languages,
        configs=configs,
        out=out,
        protocol_name=protocol_name,
        revision=revision,
        offline=offline,
        fail_fast=fail_fast,
        quiet=quiet,
        **encoder_options,
    )
    if outcome.failed:
        name, reason = next(iter(outcome.failed.items()))
        raise SeabedError(f"{len(outcome.failed)} configs failed; the first is {name}: {reason}")
    return outcome.results


def run_all(
    model: str | Encoder,
    *,
    data: str | Path,
    tasks: Iterable[str] | None,
    languages: Iterable[str] | None,
    configs: Iterable[str] | None,
    out: str | Path | None,
    protocol_name: str,
    revision: str | None,
    offline: bool,
    fail_fast: bool,
    quiet: bool,
    **encoder_options: Any,
) -> Outcome:
    """As `run`, but failures are part of what is returned.

    Args:
        model: see `run`.
        data: see `run`.
        tasks: see `run`.
        languages: see `run`.
        configs: see `run`.
        out: see `run`.
        protocol_name: see `run`.
        revision: see `run`.
        offline: see `run`.
        fail_fast: see `run`.
        quiet: see `run`.
        **encoder_options: see `run`.

    Returns:
        Results, reused names and failures.

    Raises:
        SeabedError: the model or the data cannot be used at all.
    """
    rules = protocol(protocol_name)
    wanted = [catalogue.config(name) for name in configs] if configs is not None else None
    fit_tasks = catalogue.check_names("task", tasks, TASKS)
    fit_languages = catalogue.check_names("language", languages, LANGUAGES)
    bundle = open_bundle(data, revision=revision, offline=offline)
    todo = select(bundle, wanted, fit_tasks, fit_languages)
    fetch_configs(bundle, [c.name for c in todo], offline=offline)
    encoder = load_encoder(model, **encoder_options) if isinstance(model, str) else model
    outcome = Outcome()
    off = True if quiet else None
    for config in (outer := tqdm(todo, unit="config", disable=off)):
        outer.set_postfix_str(config.name)
        settings = _settings(config, bundle, encoder, rules)
        path = (
            result_path(Path(out), settings["model"]["model"], _run_hash(settings), config.name)
            if out
            else None
        )
        done = read_result(path) if path else None
        if done is not None and done["settings_hash"] == settings_hash(settings):
            outcome.results.append(done)
            outcome.reused.append(config.name)
            continue
        try:
            with tqdm(unit="text", leave=False, position=1, disable=off) as inner:
                result = _score(config, bundle, encoder, rules, settings, inner)
        except Exception as error:
            if fail_fast:
                raise
            log.debug("%s failed", config.name, exc_info=True)
            outcome.failed[config.name] = str(error) or type(error).__name__
            continue
        if path:
            write_result(path, result)
        outcome.results.append(result)
    return outcome


def select(
    bundle: Bundle, wanted: Sequence[Config] | None, tasks: set[str] | None, languages: set[str] | None
) -> list[Config]:
    """The configs of a bundle that a run covers.

    Args:
        bundle: what there is.
        wanted: configs named by the user, or None.
        tasks: names of tasks, or None.
        languages: ISO 639-3 codes, or None.

    Returns:
        The configs; sample sets only where they are named or are all there is.

    Raises:
        UnknownName: a named config is not in the bundle.
        SeabedError: nothing fits.
    """
    if wanted is not None:
        pool = list(wanted)
        for c in pool:
            if c.name not in bundle.manifest:
                hint = f"`seabed build {c.name} --out DIR` makes it."
                raise unknown("config in this bundle", c.name, bundle.manifest, hint)
    else:
        pool = [catalogue.config(name) for name in bundle.manifest]
        if any(not c.sample for c in pool):
            pool = [c for c in pool if not c.sample]
    chosen = [
        c
        for c in pool
        if (tasks is None or c.task in tasks) and (languages is None or languages & set(c.units))
    ]
    if not chosen:
        held = sorted({f"{c.task} {lang}" for c in pool for lang in c.units})
        raise SeabedError(f"no config of {bundle.name} fits; it holds {', '.join(held[:12])}")
    return chosen


def _settings(config: Config, bundle: Bundle, encoder: Encoder, rules: Protocol) -> dict[str, Any]:
    """Everything that can change the score of this config; its hash decides whether a result is reused."""
    entry = bundle.manifest[config.name]
    prompts = encoder.prompts
    if config.task == "reranking" and not rules.rerank_prompts:
        prompts = prompting.Prompts()
    sides: tuple[Side, ...] = ("query", "document") if config.task in ASYMMETRIC else ("query",)
    return {
        "config": config.name,
        "data": {
            "splits": {split: s["sha256"] for split, s in entry["splits"].items()},
            "version": entry["version"],
            "from": entry["from"],
        },
        "model": encoder.settings,
        "prompts": {
            **{side: prompts.template(config.task, side) for side in sides},
            "instruction": prompting.instruction(config.task, config.key),
        },
        "all_prompts": asdict(encoder.prompts),
        "protocol": rules.settings(),
        "code": environment()["packages"]["seabed"],
    }


def _run_hash(settings: dict[str, Any]) -> str:
    return settings_hash({k: settings[k] for k in ("model", "all_prompts", "protocol")})


def _score(
    config: Config,
    bundle: Bundle,
    encoder: Encoder,
    rules: Protocol,
    settings: dict[str, Any],
    bar: Any,
) -> Result:
    started = time.perf_counter()
    counts = {"texts": 0, "unique_texts": 0, "zero_vectors": 0, "encode_seconds": 0.0}
    templates, general = settings["prompts"], settings["prompts"]["instruction"]

    def embed(texts: Sequence[str], side: Side, instructions: Sequence[str | None] | None = None) -> Vectors:
        template = templates[side if side in templates else "query"]
        final = [
            _final(template, text, general, own)
            for text, own in zip(texts, instructions or [None] * len(texts), strict=True)
        ]
        unique = list(dict.fromkeys(final))
        bar.reset(total=len(unique))
        begun = time.perf_counter()
        vectors = encoder.encode(unique, bar.update)
        counts["encode_seconds"] += time.perf_counter() - begun
        counts["texts"] += len(texts)
        counts["unique_texts"] += len(unique)
        counts["zero_vectors"] += check_vectors(vectors, unique, config.name)
        place = {text: i for i, text in enumerate(unique)}
        return vectors[[place[text] for text in final]]

    scores = TASK_FUNCTIONS[config.task](read_splits(bundle, config), embed, rules)
    main = rules.main[config.task]
    entry = bundle.manifest[config.name]
    return {
        "schema": SCHEMA,
        "settings_hash": settings_hash(settings),
        "run": _run_hash(settings),
        "config": config.name,
        "dataset": config.key,
        "task": config.task,
        "languages": config.languages,
        "units": config.units,
        "origin": config.origin,
        "sample": config.sample,
        "main_score": main,
        "score": scores[main],
        "scores": scores,
        "data": {
            "name": bundle.name,
            "revision": bundle.revision,
            **settings["data"],
            "rows": {split: s["rows"] for split, s in entry["splits"].items()},
            "truncated": any("truncated" in s for s in entry["sources"]),
        },
        "model": settings["model"],
        "prompts": settings["prompts"],
        "protocol": settings["protocol"],
        "counts": {k: round(v, 3) for k, v in counts.items()}
        | {"seconds": round(time.perf_counter() - started, 3)},
        "environment": environment(),
    }


def _final(template: str, text: str, general: str, own: str | None) -> str:
    """A query's own instruction goes where the model takes one, else before the text on a line of its own."""
    if own is None:
        return prompting.fill(template, text, general)
    if "{instruction}" in template:
        return prompting.fill(template, text, own)
    return prompting.fill(template, f"{own}\n{text}")


def check_vectors(vectors: Vectors, texts: Sequence[str], where: str) -> int:
    """Refuse vectors that would silently become a score.

    Args:
        vectors: shape (n, dimension).
        texts: what was encoded, for the error.
        where: the config, for the error.

    Returns:
        The number of zero vectors (their cosine with anything is defined as 0).

    Raises:
        DataError: a vector holds NaN or infinity, or their number is not the number of texts.
    """
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise DataError(f"{where}: the model returned shape {vectors.shape} for {len(texts)} texts")
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise DataError(
            f"{where}: the model returned NaN or infinity for {len(bad)} of {len(texts)} texts, "
            f"first for {texts[bad[0]][:60]!r}; try --dtype fp32"
        )
    return int((~vectors.any(axis=1)).sum())
