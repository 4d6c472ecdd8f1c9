"""`seabed study NAME`: the paper's studies, and some that it does not have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from seabed_datasets.bundle.reading import HUB_BUNDLE
from seabed_datasets.terminal import DATA, LANGS_OPTION, OUTPUT, SPEED, Names, Quiet, app, takes
from seabed_evaluate.encoders.options import ModelOptions

if TYPE_CHECKING:
    from seabed_evaluate.report.sheets import Format, Row
    from seabed_evaluate.runner.options import RunOptions
    from seabed_evaluate.studies.translation import Compared

study_app = typer.Typer(
    no_args_is_help=True,
    help="Answer a question with the benchmark, as sections 3.5 and 5 of the paper do.",
)
app.add_typer(study_app, name="study")

FormatOption = Annotated[
    str, typer.Option("--format", help="table, md, csv or json.", rich_help_panel=OUTPUT)
]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", help="Draw the result into this .svg or .png.", rich_help_panel=OUTPUT),
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Keep vectors in memory only.", rich_help_panel=SPEED)
]


@dataclass(frozen=True)
class DataOptions:
    """Which rows a study reads."""

    data: Annotated[str, typer.Option(help="A bundle folder or a Hub repository.")] = HUB_BUNDLE
    configs: Annotated[Names, typer.Option(help="Comma-separated config names.")] = None
    languages: Annotated[Names, LANGS_OPTION] = None
    revision: Annotated[
        str | None, typer.Option(help="Commit, branch or tag of the data on the Hub.", rich_help_panel=DATA)
    ] = None
    offline: Annotated[
        bool, typer.Option("--offline", help="Use what an earlier run fetched.", rich_help_panel=DATA)
    ] = False

    def options(self, no_cache: bool) -> RunOptions:
        """As a run takes them, with the user's cache of vectors.

        Args:
            no_cache: keep vectors in memory only.

        Returns:
            The record of a run without result files.
        """
        from seabed_evaluate.encoders.vector_cache import open_cache
        from seabed_evaluate.runner.options import RunOptions

        return RunOptions(
            data=self.data,
            configs=self.configs,
            languages=self.languages,
            revision=self.revision,
            offline=self.offline,
            out=None,
            cache=open_cache(disk=not no_cache),
        )


def _format(name: str) -> Format:
    from seabed_datasets.catalogue import check_names

    check_names("--format", [name], ("table", "md", "csv", "json"))
    return name  # type: ignore[return-value]


def _models(model: ModelOptions) -> list[ModelOptions]:
    """One record per model named, with the same options."""
    return [replace(model, model=name.strip()) for name in model.model.split(",") if name.strip()]


def _save(figure: Any, plot: Path) -> None:
    from seabed_evaluate.report.plots import save

    save(figure, plot)
    typer.echo(f"wrote {plot}", err=True)


@study_app.command()
@takes(ModelOptions, DataOptions)
def sample(
    model: ModelOptions,
    data: DataOptions,
    fraction: Annotated[float, typer.Option(help="Share of the rows kept.")] = 0.3,
    draws: Annotated[int, typer.Option(min=1, help="Samples; the same rows for every model.")] = 20,
    seed: Annotated[int, typer.Option(help="Of the samples.")] = 42,
    keep_targets: Annotated[
        bool, typer.Option("--keep-targets", help="Cut the sources only and search all targets: accuracy.")
    ] = False,
    no_cache: NoCache = False,
    format: FormatOption = "table",
    plot: PlotOption = None,
    quiet: Quiet = False,
) -> None:
    """Do scores and ranks change on a sample of a bitext set? (section 3.5, Table 3)

    Several models, comma-separated, are ranked on the same rows. Vectors that a run has kept are used again.

    Example: seabed study sample --model MODEL_A,MODEL_B --data bundle --configs ntrex_tha,ntrex_mya
    """
    from dataclasses import asdict

    from seabed_evaluate.report.sheets import show
    from seabed_evaluate.studies.sample import sample as draw_samples
    from seabed_evaluate.studies.sample import sample_sheets
    from seabed_evaluate.studies.vectors import open_session

    form, what = _format(format), data.options(no_cache)
    found = []
    for one in _models(model):
        session = open_session(what, one, task="bitext_mining", quiet=quiet)
        found.append(draw_samples(session, fraction=fraction, draws=draws, seed=seed))
    show(sample_sheets(found, fraction, keep_targets), form, draws=[asdict(f) for f in found])
    if plot:
        from seabed_evaluate.studies.plots import sample_plot

        _save(sample_plot(found, fraction), plot)


@study_app.command()
@takes(ModelOptions, DataOptions)
def similarity(
    model: ModelOptions,
    data: DataOptions,
    batch: Annotated[int, typer.Option(min=2, help="Rows compared with each other.")] = 128,
    no_cache: NoCache = False,
    format: FormatOption = "table",
    plot: PlotOption = None,
    quiet: Quiet = False,
) -> None:
    """How alike are the languages to a model? Cosines of translations and of other sentences. (5.6, Figure 5)

    Without --configs it reads the 28 ALTDialect pairs; any set of parallel rows works, e.g. NTREX's configs.

    Example: seabed study similarity --model MODEL --data bundle --plot similarity.svg
    """
    from seabed_datasets import catalogue
    from seabed_evaluate.report.sheets import show
    from seabed_evaluate.studies.similarity import similarity as compare
    from seabed_evaluate.studies.similarity import similarity_sheet
    from seabed_evaluate.studies.vectors import open_session

    form, what = _format(format), data.options(no_cache)
    if what.configs is None:
        what = replace(what, configs=tuple(c.name for c in catalogue.configs() if c.key == "altdialect"))
    session = open_session(what, model, task="bitext_mining", quiet=quiet)
    pairs = compare(session, batch=batch)
    show([similarity_sheet(session.model, pairs, batch)], form)
    if plot:
        from seabed_evaluate.studies.plots import similarity_plot

        _save(similarity_plot(session.model, pairs), plot)


@study_app.command()
@takes(DataOptions)
def tokens(
    data: DataOptions,
    models: Annotated[list[str], typer.Argument(help="Model folders, Hub ids or names of `seabed models`.")],
    scores: Annotated[
        str | None,
        typer.Option(help="Scores by language to hold them against: table6, or a results folder."),
    ] = None,
    format: FormatOption = "table",
    plot: PlotOption = None,
    quiet: Quiet = False,
) -> None:
    """How much of a tokenizer's vocabulary is a language's, and how many tokens does it need? (5.5, Table 10)

    Reads tokenizer files only. With --configs of one parallel set (e.g. ntrex_tha,ntrex_mya) it also counts the
    tokens of the same sentences in every language; with --scores it draws Figure 4.

    Example: seabed study tokens bge-m3 LaBSE --data bundle --configs ntrex_tha,ntrex_mya --scores table6
    """
    from dataclasses import asdict

    from seabed_evaluate.report.sheets import Sheet, show
    from seabed_evaluate.studies import tokens as study
    from seabed_evaluate.studies.tokenizers import read_tokenizer

    form = _format(format)
    files = [read_tokenizer(name) for name in models]
    counts = {f.name: (f.size, study.vocabulary_counts(f)) for f in files}
    sheets: list[Sheet] = [study.vocabulary_sheet(counts)]
    values: dict[str, dict[str, float | None]] = {
        name: {lang: 100 * n / size for lang, n in own.items() if lang in study.OWN_SCRIPT}
        for name, (size, own) in counts.items()
    }
    what = "share of the vocabulary, %"
    if data.configs:
        texts = _parallel(data)
        what = "tokens / English tokens"
        for f in files:
            costs = study.token_costs(f, texts)
            sheets.append(study.cost_sheet(f.name, costs, f.limit))
            values[f.name] = {c.language: c.premium for c in costs if c.language != "eng"}
    if plot and not scores:
        raise typer.BadParameter(
            "--plot draws scores against tokens: add --scores table6 or a results folder"
        )
    found: Sequence[study.Correlation] = ()
    known = _language_scores(scores, list(values)) if scores else {}
    if scores:
        found = study.correlations(values, known)
        sheets.append(study.correlation_sheet(found, what))
    show(
        sheets,
        form,
        counts={n: {"size": s, **own} for n, (s, own) in counts.items()},
        correlations=[asdict(c) for c in found],
    )
    if plot:
        from seabed_evaluate.studies.plots import tokens_plot

        _save(tokens_plot(values, known, found, what), plot)


def _parallel(data: DataOptions) -> dict[str, list[str]]:
    """Parallel sentences of the configs named, without a model."""
    from seabed_datasets import catalogue
    from seabed_evaluate.runner.bundles import fetch_configs, open_bundle, read_splits
    from seabed_evaluate.studies.parallel import parallel_texts

    configs = [catalogue.config(name) for name in data.configs or ()]
    bundle = open_bundle(data.data, revision=data.revision, offline=data.offline)
    for c in configs:
        if c.name not in bundle.manifest:
            raise typer.BadParameter(f"{bundle.name} holds no {c.name}; `seabed build {c.name}` makes it")
    fetch_configs(bundle, [c.name for c in configs], offline=data.offline)
    return parallel_texts([(c, read_splits(bundle, c)["test"]) for c in configs])


def _language_scores(source: str, models: Sequence[str]) -> dict[str, dict[str, float | None]]:
    """Scores by language of models; a model is found by the last part of its name."""
    from seabed_datasets.catalogue.vocabulary import LANGUAGES
    from seabed_datasets.errors import SeabedError
    from seabed_evaluate.report.ranks import scores_of

    by_model: dict[str, dict[str, float | None]] = {}
    for lang in LANGUAGES:
        try:
            own = scores_of(f"{source}:{lang}")
        except SeabedError:
            if source.startswith("table"):
                raise
            continue  # a results folder need not hold every language
        for name, score in own.items():
            by_model.setdefault(name.rsplit("/", 1)[-1], {})[lang] = score
    found = {m: by_model[short] for m in models if (short := m.rsplit("/", 1)[-1]) in by_model}
    if not found:
        raise SeabedError(
            f"{source} has scores of none of {', '.join(models)}; it has {', '.join(list(by_model)[:5])}, ..."
        )
    return found


@study_app.command()
@takes(ModelOptions, DataOptions)
def translation(
    model: ModelOptions,
    data: DataOptions,
    pairs: Annotated[
        Path | None,
        typer.Option(
            help="CSV of language, human, machine and, if wanted, original: configs, or CSVs of id, sentence1, "
            "sentence2."
        ),
    ] = None,
    template: Annotated[
        str | None, typer.Option(help="Print the CSV of this config's rows to be translated, and stop.")
    ] = None,
    no_cache: NoCache = False,
    format: FormatOption = "table",
    plot: PlotOption = None,
    quiet: Quiet = False,
) -> None:
    """Does an STS set score alike when a machine has translated it? (section 5.4, Table 7, Figure 3)

    Example: seabed study translation --model MODEL --data bundle --pairs pairs.csv
    """
    from seabed_evaluate.report.sheets import show
    from seabed_evaluate.studies.translation import read_pairs, translation_sheets
    from seabed_evaluate.studies.translation import translation as compare
    from seabed_evaluate.studies.vectors import open_session

    if template is not None:
        from seabed_datasets import catalogue
        from seabed_evaluate.runner.bundles import fetch_configs, open_bundle, read_splits
        from seabed_evaluate.studies.translation import template as as_csv

        config = catalogue.config(template)
        bundle = open_bundle(data.data, revision=data.revision, offline=data.offline)
        fetch_configs(bundle, [config.name], offline=data.offline)
        typer.echo(as_csv(read_splits(bundle, config)["test"]), nl=False)
        return
    if pairs is None:
        raise typer.BadParameter("name the sets with --pairs FILE, or start with --template CONFIG")
    form, what, sets = _format(format), data.options(no_cache), read_pairs(pairs)
    named = {n for p in sets for n in (p.human, p.machine, p.original) if n and not n.endswith(".csv")}
    what = replace(what, configs=tuple(sorted(named)))
    found: list[Compared] = []
    foreign: dict[str, Row] = {}
    for one in _models(model):
        own, foreign = compare(open_session(what, one, task="sts", quiet=quiet), sets)
        found += own
    show(translation_sheets(found, foreign), form)
    if plot:
        from seabed_evaluate.studies.plots import translation_plot

        _save(translation_plot(found), plot)


@study_app.command()
def origin(
    results: Annotated[list[Path], typer.Argument(help="Result folders or files.")],
    labels: Annotated[
        Path | None, typer.Option(help="CSV of key, language (may be blank), origin: another split.")
    ] = None,
    by: Annotated[str, typer.Option(help="Whose split: ours or paper (its annotation column).")] = "ours",
    format: FormatOption = "table",
    plot: PlotOption = None,
) -> None:
    """Do models score higher on human-made sets, with task and language held equal? (5.4, Tables 8 and 9)

    Example: seabed study origin results/ --by paper
    """
    from seabed_datasets.catalogue import check_names
    from seabed_evaluate.report.sheets import show
    from seabed_evaluate.runner.results import read_results
    from seabed_evaluate.studies.origin import gaps, items_of, origin_of, origin_sheets

    form = _format(format)
    check_names("--by", [by], ("ours", "paper"))
    split = origin_of(labels, by)
    words = str(labels) if labels else {"ours": "our cards", "paper": "the paper's annotation column"}[by]
    found = [gaps(name, items) for name, items in items_of(read_results(results), split).items()]
    show(origin_sheets(found, words), form)
    if plot:
        from seabed_evaluate.studies.plots import origin_plot

        _save(origin_plot(found), plot)


@study_app.command()
@takes(ModelOptions, DataOptions)
def mixed(
    model: ModelOptions,
    data: DataOptions,
    no_cache: NoCache = False,
    format: FormatOption = "table",
    plot: PlotOption = None,
    quiet: Quiet = False,
) -> None:
    """Does a query prefer its own language over the right passage in a corpus of many languages?

    --configs names a parallel set, e.g. ntrex_ind,ntrex_tha,ntrex_mya: its sentences in all languages are one
    corpus.

    Example: seabed study mixed --model MODEL --data bundle --configs ntrex_ind,ntrex_tha,ntrex_mya
    """
    from seabed_evaluate.report.sheets import show
    from seabed_evaluate.studies.mixed import mixed_search, mixed_sheet
    from seabed_evaluate.studies.vectors import language_vectors, open_session

    form = _format(format)
    session = open_session(data.options(no_cache), model, task="bitext_mining", quiet=quiet)
    found = mixed_search(language_vectors(session))
    show([mixed_sheet(session.model, found)], form)
    if plot:
        from seabed_evaluate.studies.plots import mixed_plot

        _save(mixed_plot(session.model, found), plot)


@study_app.command()
@takes(ModelOptions, DataOptions)
def prompts(
    model: ModelOptions,
    data: DataOptions,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", help="CSV of name, task (blank: all), text: instructions or templates with {text}."
        ),
    ] = None,
    no_cache: NoCache = False,
    format: FormatOption = "table",
    plot: PlotOption = None,
    quiet: Quiet = False,
) -> None:
    """How much do scores depend on the prompt? Without one, the model's own, and others from a file.

    Example: seabed study prompts --model MODEL --data bundle --langs mya --file burmese.csv
    """
    from seabed_evaluate.encoders.loading import load_encoder
    from seabed_evaluate.report.sheets import show
    from seabed_evaluate.studies.prompts import prompt_scores, prompt_sheets, read_variants

    form = _format(format)
    variants = read_variants(file) if file else []
    encoder = load_encoder(model)
    name = str(encoder.settings["model"])
    found = prompt_scores(replace(data.options(no_cache), quiet=quiet), encoder, variants)
    sheets = prompt_sheets(name, found)
    show(sheets, form, scores={n: {c: s for c, (_, s) in own.items()} for n, own in found.items()})
    if plot:
        from seabed_evaluate.studies.plots import prompts_plot

        _save(prompts_plot(name, sheets[0].rows, list(found)), plot)
