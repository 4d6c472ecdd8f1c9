"""Configs x model -> result files. A finished config is not scored again; changed settings never reuse one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tqdm import tqdm

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.encoders.apis import ApiUnusable
from seabed_evaluate.encoders.loading import Encoder, as_encoder, load_encoder
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.encoders.vector_cache import EmbeddingCache, open_cache
from seabed_evaluate.runner.bundles import Bundle, data_bytes, fetch_configs, open_bundle
from seabed_evaluate.runner.options import RunOptions, split
from seabed_evaluate.runner.outcomes import outcomes_path, write_outcomes
from seabed_evaluate.runner.plan import Plan, make_plan
from seabed_evaluate.runner.protocols import Protocol, protocol
from seabed_evaluate.runner.results import Result, read_result, result_path, settings_hash, write_result
from seabed_evaluate.runner.scoring import config_settings, run_hash, score
from seabed_evaluate.runner.sharing import Share
from seabed_evaluate.runner.views import View, views

log = logging.getLogger("seabed_evaluate.runner.run")


@dataclass
class Outcome:
    """What a run did; `results` holds new and reused ones, `failed` config -> reason.

    Under torchrun the first process has everything, `silent` is true in the others.
    """

    silent: bool = False
    results: list[Result] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


def run(model: Any, **options: Any) -> list[Result]:
    """Score a model.

    Args:
        model: a Hub id, a model folder, a name of models.toml, "module:function", an Encoder, a
            SentenceTransformer, any other object with `encode(texts)`, or a function.
        **options: fields of `RunOptions` (what to score and how: data, tasks, languages, configs, out, ...)
            and of `ModelOptions` (how the model is loaded: query_prompt, max_length, dtype, ...). `out=None`
            writes no files and reuses none; `cache` is a folder of kept vectors, None keeps them in memory.

    Returns:
        One result per config, as in its file; one per dimension and precision where several are asked for.

    Raises:
        UnknownName: no such option.
        SeabedError: something could not be scored, after everything else was.
    """
    if isinstance(model, (str, Path)):
        outcome = run_all(*split(str(model), options))
    else:
        what, loading = split("", options)
        if loading != ModelOptions(""):
            raise SeabedError(f"an encoder is loaded already; {', '.join(loading.given())} cannot be set")
        outcome = run_all(what, as_encoder(model))
    if outcome.failed:
        name, reason = next(iter(outcome.failed.items()))
        raise SeabedError(f"{len(outcome.failed)} configs failed; the first is {name}: {reason}")
    return outcome.results


def run_all(
    what: RunOptions,
    model: ModelOptions | Encoder,
    *,
    show_plan: Callable[[Plan], None] | None = None,
    dry_run: bool = False,
) -> Outcome:
    """As `run`, but failures are part of what is returned.

    Args:
        what: what to score and how.
        model: how to load the model, or the loaded one.
        show_plan: called with the plan before the first config.
        dry_run: stop after that.

    Returns:
        Results, reused names and failures.

    Raises:
        SeabedError: the model or the data cannot be used at all.
    """
    rules = protocol(what.protocol_name)
    wanted = [catalogue.config(name) for name in what.configs] if what.configs is not None else None
    fit_tasks = catalogue.check_names("task", what.tasks, TASKS)
    fit_languages = catalogue.check_names("language", what.languages, LANGUAGES)
    bundle = open_bundle(what.data, revision=what.revision, offline=what.offline)
    todo = select(bundle, wanted, fit_tasks, fit_languages)
    fetch_configs(bundle, [c.name for c in todo], offline=what.offline)
    share = Share()
    if share.size > 1 and what.out is None:
        raise SeabedError("several processes need a results folder to share: give --out")
    encoder = load_encoder(model) if isinstance(model, ModelOptions) else model
    cache = what.cache
    if not isinstance(cache, EmbeddingCache):
        cache = open_cache(Path(cache)) if cache is not None else open_cache(disk=False)
    if what.force and encoder.settings.get("revision") is None:
        cache = open_cache(disk=False)
    several = views(encoder, model if isinstance(model, ModelOptions) else None)
    # All views of a config follow each other, so that its vectors are at hand.
    jobs = [_job(config, bundle, view, rules, what.out) for config in todo for view in several]
    order = [job.key for job in jobs]
    if share.rank == 0:
        _say_what_may_have_changed(jobs, encoder.settings, force=what.force)
    kept = {job.key: done for job in jobs if (done := _finished(job)) and _may_be_kept(job, what.force)}
    if show_plan and share.rank == 0:
        configs_left = list({job.config.name: job.config for job in jobs if job.key not in kept}.values())
        show_plan(
            make_plan(
                configs_left,
                bundle,
                encoder,
                rules,
                cache,
                done=len(todo) - len(configs_left),
                corpus_chunk=what.corpus_chunk,
            )
        )
    if share.size > 1:
        # The longest first, so that no process is left with one at the end; the same order in every process.
        jobs = sorted(jobs, key=lambda job: (-data_bytes(bundle, job.config.name), job.config.name))
    if dry_run:
        return Outcome(silent=share.rank > 0)
    reused: list[str] = []
    failed: dict[str, str] = {}
    made: dict[str, Result] = {}
    off = True if what.quiet or share.rank else None
    with tqdm(total=len(jobs), unit="config", disable=off) as outer:
        for job in share.take(jobs):
            name = job.key
            outer.set_postfix_str(name)
            if name in kept:
                made[name] = kept[name]
                reused.append(name)
            else:
                try:
                    with tqdm(unit="text", leave=False, position=1, disable=off) as inner:
                        result, outcomes = score(
                            job.config, bundle, job.view, rules, job.settings, cache, what.corpus_chunk, inner
                        )
                    if isinstance(model, ModelOptions):
                        result["options"] = model.given()
                    if job.path:
                        # First the outcomes: a result file is never without them.
                        write_outcomes(outcomes_path(job.path), outcomes, result["settings_hash"])
                        write_result(job.path, result)
                    made[name] = result
                except Exception as error:
                    # Without a key or a server every other config would fail for the same reason.
                    if what.fail_fast or isinstance(error, ApiUnusable):
                        raise
                    log.debug("%s failed", name, exc_info=True)
                    failed[name] = str(error).removeprefix(f"{job.config.name}: ") or type(error).__name__
            outer.update(share.finished())
    for part in share.gather({"reused": reused, "failed": failed, "done": list(made)})[1:]:
        reused, failed = reused + part["reused"], failed | part["failed"]
        made |= {j.key: r for j in jobs if j.key in part["done"] and (r := _finished(j))}
    if share.rank == 0:
        # A config without a result always has a reason, or the run would look whole.
        lost = "no process has finished it, nor said why: run the same command again"
        failed |= {name: lost for name in order if name not in made and name not in failed}
    return Outcome(
        silent=share.rank > 0,
        results=[made[name] for name in order if name in made],
        reused=[name for name in order if name in reused],
        failed={name: failed[name] for name in order if name in failed},
    )


@dataclass(frozen=True)
class _Job:
    config: Config
    view: View
    settings: dict[str, Any]
    path: Path | None

    @property
    def key(self) -> str:
        """The config's name, and which view of the vectors it is where there are several."""
        own = (str(self.view.dimension or ""), self.view.precision.removeprefix("float32"))
        return " ".join((self.config.name, *(part for part in own if part)))


def _job(config: Config, bundle: Bundle, view: View, rules: Protocol, out: Path | None) -> _Job:
    settings = config_settings(config, bundle, view, rules)
    model = settings["model"]["model"]
    path = result_path(out, model, run_hash(settings), config.name) if out else None
    return _Job(config, view, settings, path)


def _finished(job: _Job) -> Result | None:
    """The result of an earlier run with the same settings."""
    done = read_result(job.path) if job.path else None
    return done if done is not None and done["settings_hash"] == settings_hash(job.settings) else None


def _may_be_kept(job: _Job, force: bool) -> bool:
    """Whether equal settings mean the same model: its revision is known, or a function's source is the same."""
    model = job.settings["model"]
    return not force and (model.get("revision") or model.get("source")) is not None


def _say_what_may_have_changed(jobs: Sequence[_Job], model: dict[str, Any], *, force: bool) -> None:
    if force or model.get("revision") is not None or not jobs or jobs[0].path is None:
        return
    name, source = model["model"], model.get("source")
    done = sum(_finished(job) is not None for job in jobs)
    if done and source:
        log.warning(
            "%s: %d results are kept, its source file is the same; what it imports is not looked at. --force "
            "scores again",
            name,
            done,
        )
    elif done:
        log.warning("%s may have changed behind its name: its %d results are scored again", name, done)
    folder = jobs[0].path.parent
    for other in (
        sorted(folder.parent.glob(folder.name.rsplit("-", 1)[0] + "-*")) if source and not done else ()
    ):
        first = next((r for p in sorted(other.glob("*.json")) if (r := read_result(p))), None)
        if first and first["model"]["model"] == name and first["model"].get("source") != source:
            log.warning("%s may have changed since the results in %s, which stay there", name, other)


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
        known = {c.name for sample in (False, True) for c in catalogue.configs(sample=sample)}
        strange = sorted(set(bundle.manifest) - known)
        if strange:
            log.warning("%s holds configs this version does not know: %s", bundle.name, ", ".join(strange))
        pool = [catalogue.config(name) for name in bundle.manifest if name in known]
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
