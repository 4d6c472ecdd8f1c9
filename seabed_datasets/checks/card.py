"""SB1xx: rules about a card."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from importlib.util import find_spec
from pathlib import Path

from seabed_datasets.catalogue import Dataset
from seabed_datasets.catalogue.coverage import made_for_seabed_rows
from seabed_datasets.catalogue.licences import made_for_seabed
from seabed_datasets.catalogue.twins import twins
from seabed_datasets.catalogue.vocabulary import DOMAINS, LABELLED, PRINTED_DOMAINS
from seabed_datasets.checks import citation, hub_words
from seabed_datasets.checks.findings import Tally
from seabed_datasets.checks.rules import RULES

SECTIONS = ("How it was made", "Example", "Splits", "Licence", "Citation")
# A word, so that "metodo" or a name is left alone.
_TODO = re.compile(r"\bTODO\b")
_COMMIT = re.compile(r"[0-9a-f]{40}")
JUSTIFIED = 60
CITED_IN_WORDS = 20


def check_card(dataset: Dataset, text: str, loader: Path | None, tally: Tally) -> None:
    """Check what a card says.

    Args:
        dataset: the card as read.
        text: the card as written.
        loader: its loader script, or None where there is none.
        tally: where findings go.
    """
    for where, source in (("card", text), ("loader", loader.read_text(encoding="utf-8") if loader else "")):
        for number, line in enumerate(source.split("\n"), 1):
            if _TODO.search(line):
                tally.add("SB102", f"{where}, line {number}: {line.strip()[:80]}")
    sections = _sections(dataset.body)
    _check_exceptions(dataset, tally)
    _check_version(dataset, tally)
    if dataset.seabed.sample:
        return
    for name in SECTIONS:
        if not any(title.startswith(name) and body.strip() for title, body in sections.items()):
            tally.add("SB107", f"'## {name}'")
    _check_licence(dataset, sections, tally)
    _check_citation(dataset, sections, tally)
    _check_made_for_seabed(dataset, sections, tally)
    _check_twins(dataset, tally)
    _check_labels(dataset, tally)
    _check_domains(dataset, tally)
    _check_words(dataset, tally)
    spoken = {lang for config in dataset.seabed.configs.values() for lang in config.languages}
    if spoken != set(dataset.language):
        tally.add("SB106", f"language: {sorted(dataset.language)}, configs: {sorted(spoken)}")
    _check_sources(dataset, loader, tally)


def loader_path(dataset: Dataset) -> Path | None:
    """Where the loader script of a dataset is.

    Args:
        dataset: the card.

    Returns:
        The file, or None where there is none.
    """
    spec = find_spec(f"seabed_datasets.loaders.{dataset.seabed.task}.{dataset.key}")
    return Path(spec.origin) if spec and spec.origin else None


def _sections(body: str) -> dict[str, str]:
    parts = re.split(r"(?m)^## +(.+)$", body)
    return dict(zip((p.strip() for p in parts[1::2]), parts[2::2], strict=True))


def _section(sections: dict[str, str], name: str) -> str:
    return next((body.strip() for title, body in sections.items() if title.startswith(name)), "")


def _check_licence(dataset: Dataset, sections: dict[str, str], tally: Tally) -> None:
    licence, allowed = dataset.license, dataset.seabed.redistribution
    if licence not in hub_words.LICENCES:
        tally.add("SB103", f"license {licence!r} is no licence id of the Hub")
    elif licence == "other" and not dataset.license_name:
        tally.add("SB103", "license 'other' without license_name")
    elif licence in ("other", "unknown") and len(_section(sections, "Licence")) < JUSTIFIED:
        tally.add("SB103", f"license {licence!r} and no reason under '## Licence'")
    wrong = (
        ("-nd" in licence and allowed not in ("no-derivatives", "forbidden"))
        or ("-nc" in licence and "-nd" not in licence and allowed not in ("noncommercial", "forbidden"))
        or (licence == "unknown" and allowed == "allowed")
    )
    if wrong:
        tally.add("SB104", f"license {licence}, redistribution {allowed}")
    source = dataset.seabed.license_source
    if (licence == "unknown") != (source is None):
        tally.add("SB118", f"license {licence}, license_source {source}")


def _check_made_for_seabed(dataset: Dataset, sections: dict[str, str], tally: Tally) -> None:
    s = dataset.seabed
    printed = made_for_seabed_rows().get(dataset.key)
    rows = s.paper.rows if s.paper else {}
    if printed is not None and rows != printed:
        tally.add("SB114", f"paper.rows {rows}, Table 2: {printed}")
    if not made_for_seabed(dataset):
        return
    if printed is None and not s.sizes:
        tally.add("SB114", "Table 2 has no row of this set, and `sizes` is empty")
    if "paper 3.4" not in _section(sections, "How it was made"):
        tally.add("SB114", "'## How it was made' does not say what section 3.4 of the paper says (paper 3.4)")


def _check_twins(dataset: Dataset, tally: Tally) -> None:
    said = "\n".join([*dataset.seabed.errata, dataset.body])
    for key in twins(dataset):
        if not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", said):
            tally.add("SB116", f"{key} has the same rows or reads the same files")


def _check_labels(dataset: Dataset, tally: Tally) -> None:
    s = dataset.seabed
    if s.task not in LABELLED or s.labels_source:
        return
    unnamed = [name for name, c in s.configs.items() if not (c.labels or s.labels)]
    if unnamed or s.status == "guessed":
        tally.add("SB117", f"status {s.status}, labels {s.labels}, no labels_source")


def _check_domains(dataset: Dataset, tally: Tally) -> None:
    paper = dataset.seabed.paper
    words = [w[:1].upper() + w[1:] for w in (paper.domains if paper else [])]
    printed = {PRINTED_DOMAINS.get(w, w) for w in words} & set(DOMAINS)
    if missing := sorted(printed - set(dataset.seabed.domains)):
        tally.add("SB119", f"domains lack {missing}; the paper prints {words}")


def _check_citation(dataset: Dataset, sections: dict[str, str], tally: Tally) -> None:
    cited = _section(sections, "Citation")
    blocks = re.findall(r"```bibtex\n(.*?)```", cited, re.DOTALL)
    if not blocks and len(cited) < CITED_IN_WORDS:
        tally.add("SB105", "neither a ```bibtex block nor words under '## Citation'")
    paper = dataset.seabed.paper
    if paper and paper.citation and not blocks:
        tally.add("SB115", f"the paper cites {paper.citation}; no ```bibtex block gives the title")
    for block in blocks:
        for fault in citation.faults(block):
            tally.add("SB105", fault)


def _check_words(dataset: Dataset, tally: Tally) -> None:
    closed: tuple[tuple[str, Iterable[str], Iterable[str]], ...] = (
        ("task_categories", dataset.task_categories, hub_words.TASK_CATEGORIES),
        ("annotations_creators", dataset.annotations_creators, hub_words.CREATORS),
        ("language_creators", dataset.language_creators, hub_words.CREATORS),
        ("size_categories", dataset.size_categories, hub_words.SIZES),
    )
    for field, given, known in closed:
        if strange := [word for word in given if word not in known]:
            tally.add("SB108", f"{field}: {strange}, known: {', '.join(known)}")
        if not given and (field != "size_categories" or dataset.seabed.sizes):
            tally.add("SB108", f"{field} is empty")
    for word in dataset.source_datasets:
        if word != "original" and not word.startswith("extended"):
            tally.add("SB108", f"source_datasets: {word!r} is neither original nor extended|...")
    wanted = {"sea-bed", dataset.seabed.task.replace("_", "-")}
    if missing := sorted(wanted - set(dataset.tags)):
        tally.add("SB108", f"tags lack {missing}")


def _check_sources(dataset: Dataset, loader: Path | None, tally: Tally) -> None:
    s = dataset.seabed
    if s.upstream and loader is None:
        tally.add("SB110", f"no loader at seabed_datasets/loaders/{s.task}/{dataset.key}.py")
    if not s.upstream and s.authors_release is None:
        tally.add("SB110", "neither upstream nor authors_release")
    for source in s.upstream:
        if source.kind in ("hf", "github") and not _COMMIT.fullmatch(source.revision or ""):
            tally.add("SB109", f"{source.kind} {source.id}: revision {source.revision}")
        if source.kind == "url" and not source.sha256:
            tally.add("SB109", f"url {source.id}: no sha256")


def _check_exceptions(dataset: Dataset, tally: Tally) -> None:
    for e in dataset.seabed.exceptions:
        if e.rule not in RULES:
            tally.add("SB111", f"{e.rule} is no rule")
        if strange := sorted(set(e.configs or []) - dataset.seabed.configs.keys()):
            tally.add("SB111", f"{e.rule}: {strange} are no configs of this card")
        if len(e.reason.split()) < 3:
            tally.add("SB111", f"{e.rule}: {e.reason!r} is no reason")
        if e.date > date.today():
            tally.add("SB111", f"{e.rule}: {e.date} is in the future")
        if e.rule >= "SB2" and not dataset.seabed.errata:
            tally.add("SB111", f"{e.rule}: the card lists no errata, so nobody can see what is excused")


def _check_version(dataset: Dataset, tally: Tally) -> None:
    version, changes = dataset.seabed.version, dataset.seabed.changes
    if missing := [n for n in range(2, version + 1) if n not in changes]:
        tally.add("SB113", f"version {version}, changes lack {missing}")
