"""The catalogue: cards -> Dataset and Config records.

A card (`cards/<key>.md`) is the only record of a dataset. Its YAML front matter is checked here against
closed vocabularies; everything else in the project asks this module.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from seabed_datasets.catalogue.front_matter import parse
from seabed_datasets.catalogue.vocabulary import (
    ASPECTS,
    LABELLED,
    LANGUAGES,
    MACHINE_ANNOTATION,
    SUBTASKS,
    TASKS,
    Domain,
    LicenseSource,
    Origin,
    OriginPaper,
    Redistribution,
    Status,
    Task,
)
from seabed_datasets.errors import CardError, unknown


# Keys and configs become paths, words of command lines, variables of the publishing job and parts of code.
def _name(text: str) -> str:
    if not re.fullmatch(r"[a-z0-9_]{1,100}", text):
        raise ValueError(f"{text[:100]!r} is no name: only a to z, 0 to 9 and _ are allowed, 100 at most")
    return text


Name = Annotated[str, AfterValidator(_name)]

_PACKAGE = Path(__file__).parents[1]
SAMPLE_DIR = _PACKAGE / "sample"


def cards_dir() -> Path:
    """The folder of the cards: inside the wheel, or beside the package in a checkout.

    Returns:
        The folder.

    Raises:
        CardError: no cards are installed.
    """
    for folder in (_PACKAGE / "cards", _PACKAGE.parent / "cards"):
        if folder.is_dir():
            return folder
    raise CardError(f"no cards found in {_PACKAGE} or beside it: reinstall the package")


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Record):
    """One place raw files come from; `files` maps a loader's role to a path, with {lang} and params filled.

    In a mirror a file lies at `<key>/<path>`, and at `<key>/<id>/<path>` where the id has {lang} or params.
    `kind`: hf = a dataset repository on the Hub, github = a repository at a commit, url = `id` is the
    address of a folder, manual = a person must obtain the file (see `access`). `addresses`: path -> full
    address, where it is not id + path.
    """

    kind: Literal["hf", "github", "url", "manual"]
    id: str
    revision: str | None = None
    files: dict[str, str | list[str]]
    configs: list[str] | None = None
    sha256: dict[str, str] = Field(default_factory=dict)
    addresses: dict[str, str] = Field(default_factory=dict)
    access: str = "open"
    note: str | None = None


class Exemption(_Record):
    """A data check this dataset is excused from: `rule` of `seabed check`, for some configs or (None) all."""

    rule: str
    configs: list[str] | None = None
    reason: str
    date: date


class SeeAlso(_Record):
    """Another copy of the data, not read by the loader."""

    kind: str
    id: str
    revision: str | None = None
    note: str | None = None


class Release(_Record):
    """The authors' processed copy on the Hub (`ids` verbatim, misspellings too).

    `columns`: ours -> theirs; a dotted path leads into nested ones. `cut`: for a copy with a train split only,
    the share that becomes test and, if a second is given, the share of the rest that is not used. `draw`: the
    share of the rows that their code draws at random.
    """

    pattern: str | None = None
    ids: dict[str, str] = Field(default_factory=dict)
    seen: list[str] = Field(default_factory=list)
    split: str = "test"
    train_split: str | None = None
    columns: dict[str, str] = Field(default_factory=dict)
    labels: dict[str | int, str] | None = None
    cut: list[float] = Field(default_factory=lambda: [0.30])
    draw: float | None = None
    note: str | None = None


class _CardConfig(_Record):
    languages: list[str]
    units: list[str] | None = None
    params: dict[str, str] = Field(default_factory=dict)
    labels: list[str] | None = None
    origin: Origin | None = None
    note: str | None = None


class Config(_Record):
    """One Hub config: a dataset in one language (or one language pair).

    `languages`: ISO 639-3 codes; for pairs of sentences the first is sentence1's. `units`: the languages
    it counts under when scores are averaged. `params`: what a loader's file names need beside `lang`.
    `origin`: ours; `origin_paper`: by the annotation column of the paper's Tables 12 and 13.
    """

    name: str
    key: str
    task: Task
    lang: str
    languages: list[str]
    units: list[str]
    params: dict[str, str]
    labels: list[str] | None
    score_range: tuple[float, float] | None
    origin: Origin
    origin_paper: OriginPaper
    version: int
    sample: bool

    @property
    def aspect(self) -> str:
        """What the config's task shows, one of the four aspects of the paper's section 3.2."""
        return ASPECTS[self.task]


class _Paper(_Record):
    """The words of the paper's Tables 12 and 13, as printed; `rows`: Table 2's sizes, language -> rows."""

    sample_creation: str | None
    annotation: str | None
    license: str | None
    domains: list[str]
    citation: str | None
    rows: dict[str, int] = Field(default_factory=dict)


class _Seabed(_Record):
    task: Task
    subtask: str | None
    domains: list[Domain]
    origin: Origin
    origin_paper: OriginPaper = "not printed"
    origin_reason: str
    in_paper: bool = True
    sample: bool = False
    version: int = 1
    configs: dict[Name, _CardConfig]
    labels: list[str] | None = None
    labels_source: str | None = None
    score_range: tuple[float, float] | None = None
    sizes: dict[str, int | dict[str, int]] = Field(default_factory=dict)
    paper: _Paper | None = None
    license_paper: str | None = None
    license_upstream: str | None
    license_source: LicenseSource | None = None
    redistribution: Redistribution
    status: Status
    authors_release: Release | None = None
    upstream: list[Source] = Field(default_factory=list)
    see_also: list[SeeAlso] = Field(default_factory=list)
    errata: list[str] = Field(default_factory=list)
    exceptions: list[Exemption] = Field(default_factory=list)
    unverified: list[str] = Field(default_factory=list)
    changes: dict[int, str] = Field(default_factory=dict)


class Dataset(_Record):
    """One card: the Hub's own dataset-card fields, the `seabed` block, and the prose."""

    key: Name
    pretty_name: str
    language: list[str]
    license: str
    license_name: str | None = None
    license_link: str | None = None
    task_categories: list[str]
    annotations_creators: list[str]
    language_creators: list[str]
    source_datasets: list[str]
    size_categories: list[str]
    tags: list[str]
    seabed: _Seabed
    body: str

    @model_validator(mode="after")
    def _consistent(self) -> Dataset:
        s = self.seabed
        if s.subtask is not None and s.subtask not in SUBTASKS[s.task]:
            raise ValueError(f"seabed.subtask {s.subtask!r} is not one of {list(SUBTASKS[s.task])}")
        for name, config in s.configs.items():
            if name != self.key and not name.startswith(self.key + "_"):
                raise ValueError(f"config {name!r} does not start with the card's key {self.key!r}")
            for lang in config.units or [name.rsplit("_", 1)[-1]]:
                if lang not in LANGUAGES:
                    raise ValueError(f"config {name!r}: {lang!r} is not one of {list(LANGUAGES)}")
        if s.task in LABELLED:
            missing = [n for n, c in s.configs.items() if not (c.labels or s.labels)]
            if missing and s.status != "guessed" and not s.labels_source:
                raise ValueError(f"label names are missing for {missing}: fill seabed.labels")
        if s.task == "sts" and s.score_range is None:
            raise ValueError("seabed.score_range is missing")
        if s.origin_paper != "not printed":
            printed = s.paper.annotation if s.paper else None
            by_paper = "machine" if printed in MACHINE_ANNOTATION else "human"
            if s.origin_paper != by_paper:
                raise ValueError(f"seabed.origin_paper is not {by_paper!r}: paper.annotation is {printed!r}")
        for name, config in s.configs.items():
            if config.origin not in (None, s.origin) and not config.note:
                raise ValueError(f"config {name!r}: an origin of its own needs a note that says why")
        return self

    @property
    def aspect(self) -> str:
        """What the task shows, one of the four aspects of the paper's section 3.2."""
        return ASPECTS[self.seabed.task]

    def config(self, name: str) -> Config:
        """The record of one config of this dataset.

        Args:
            name: the config's name.

        Returns:
            The record.
        """
        s, c = self.seabed, self.seabed.configs[name]
        units = c.units or [name.rsplit("_", 1)[1]]
        return Config(
            name=name,
            key=self.key,
            task=s.task,
            lang=units[0],
            languages=c.languages,
            units=units,
            params=c.params,
            labels=c.labels or s.labels,
            score_range=s.score_range,
            origin=c.origin or s.origin,
            origin_paper=s.origin_paper,
            version=s.version,
            sample=s.sample,
        )


def read_card(path: Path) -> Dataset:
    """Read and check one card file.

    Args:
        path: `cards/<key>.md`; the file's stem is the key.

    Returns:
        The record.

    Raises:
        CardError: the front matter is missing, is not YAML, or breaks the catalogue's rules.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CardError(f"{path.name}: not UTF-8 (byte {error.start})") from None
    if not text.startswith("---\n") or "\n---\n" not in text:
        raise CardError(f"{path.name}: no YAML front matter between '---' lines")
    head, body = text[4:].split("\n---\n", 1)
    try:
        fields = parse(head, first_line=2)
    except ValueError as error:
        raise CardError(f"{path.name}: front matter: {error}") from None
    if not isinstance(fields, dict):
        raise CardError(f"{path.name}: front matter is no mapping but {type(fields).__name__}")
    if strange := [f for f in fields if not isinstance(f, str) or f in ("key", "body")]:
        raise CardError(f"{path.name}: a card has no field {reprlib.repr(strange[0])}")
    try:
        return Dataset(key=path.stem, body=body.strip(), **fields)
    except ValidationError as error:
        raise CardError(f"{path.name}: {_explain(error)}") from None


def _explain(error: ValidationError) -> str:
    """Bounded whatever the card holds."""
    return "; ".join(
        f"{'.'.join(str(p)[:60] for p in e['loc']) or 'card'}: {e['msg'][:300]} (found {reprlib.repr(e['input'])})"
        for e in error.errors(include_url=False)[:5]
    )


@lru_cache(maxsize=1)
def _all() -> dict[str, Dataset]:
    paths = sorted(cards_dir().glob("*.md")) + sorted(SAMPLE_DIR.glob("*.md"))
    return {p.stem: read_card(p) for p in paths}


@lru_cache(maxsize=1)
def _by_config() -> dict[str, str]:
    homes: dict[str, str] = {}
    for key, ds in _all().items():
        for name in ds.seabed.configs:
            if name in homes:
                raise CardError(f"config {name!r} is in two cards: {homes[name]} and {key}")
            homes[name] = key
    return homes


def datasets(*, sample: bool = False) -> list[Dataset]:
    """All datasets, by key.

    Args:
        sample: the sample sets of the offline demo instead of SEA-BED's own.

    Returns:
        The records.
    """
    return [d for d in _all().values() if d.seabed.sample == sample]


def paper_datasets() -> list[Dataset]:
    """The 169 datasets of the paper, without those added later.

    Returns:
        The records, by key.
    """
    return [d for d in datasets() if d.seabed.in_paper]


def dataset(key: str) -> Dataset:
    """One dataset by its key.

    Args:
        key: e.g. "ntrex".

    Returns:
        The record.

    Raises:
        UnknownName: no card has this key; the closest ones are named.
    """
    if key not in _all():
        raise unknown("dataset", key, _all(), "`seabed list` shows all.")
    return _all()[key]


def config(name: str) -> Config:
    """One config by its name.

    Args:
        name: e.g. "ntrex_tha".

    Returns:
        The record.

    Raises:
        UnknownName: no card has this config; the closest ones are named.
    """
    if name not in _by_config():
        raise unknown("config", name, _by_config(), "`seabed list` shows all.")
    return dataset(_by_config()[name]).config(name)


def configs(
    *,
    tasks: Iterable[str] | None = None,
    languages: Iterable[str] | None = None,
    origin: str | None = None,
    origin_by: str = "ours",
    sample: bool = False,
) -> list[Config]:
    """The configs that fit every filter given.

    Args:
        tasks: names of tasks.
        languages: ISO 639-3 codes; a config fits when one of its units is among them.
        origin: "human" or "machine"; by the paper also "not printed".
        origin_by: "ours" (the cards' own) or "paper" (the annotation column of its Tables 12 and 13).
        sample: the sample sets of the offline demo instead of SEA-BED's own.

    Returns:
        The records, by dataset key.

    Raises:
        UnknownName: a filter names a task, language or origin that does not exist.
    """
    wanted_tasks = check_names("task", tasks, TASKS)
    wanted_langs = check_names("language", languages, LANGUAGES)
    check_names("origin column", [origin_by], ("ours", "paper"))
    known = get_args(Origin if origin_by == "ours" else OriginPaper)
    check_names("origin", [origin] if origin else None, known)
    found = []
    for ds in datasets(sample=sample):
        for name in ds.seabed.configs:
            c = ds.config(name)
            if (
                (wanted_tasks is None or c.task in wanted_tasks)
                and (wanted_langs is None or wanted_langs & set(c.units))
                and (origin is None or (c.origin if origin_by == "ours" else c.origin_paper) == origin)
            ):
                found.append(c)
    return found


def check_names(kind: str, names: Iterable[str] | None, known: Iterable[str]) -> set[str] | None:
    """Check names a user gave against those that exist.

    Args:
        kind: what they name, for the error.
        names: what the user gave, or None for no filter.
        known: what exists.

    Returns:
        The names as a set, or None.

    Raises:
        UnknownName: one of them does not exist.
    """
    if names is None:
        return None
    given, valid = list(names), list(known)
    for name in given:
        if name not in valid:
            raise unknown(kind, name, valid)
    return set(given)
