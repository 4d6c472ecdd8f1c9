"""Machine translation against human translation of one STS set (the paper, section 5.4, Table 7 and Figure 3)."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import LANGUAGES
from seabed_datasets.checks.scripts import SCRIPT_OF, kinds, letters
from seabed_datasets.errors import DataError, SeabedError
from seabed_evaluate.metrics.sts.scores import sts_scores
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.runner.similarity import cosines
from seabed_evaluate.studies.sample import rank
from seabed_evaluate.studies.vectors import Session, embed, rows

VARIANTS = ("original", "machine", "human")
RESAMPLES = 1000
SEED = 42
COLUMNS = ("id", "sentence1", "sentence2")


@dataclass(frozen=True)
class Pairing:
    """One set in a language: where its variants are, each a config or a CSV of id, sentence1, sentence2."""

    language: str
    human: str
    machine: str
    original: str | None = None


def read_pairs(path: Path) -> list[Pairing]:
    """The sets to compare.

    Args:
        path: a CSV with the columns language, human, machine and, if wanted, original.

    Returns:
        One entry per line.

    Raises:
        SeabedError: a column or a value is missing.
    """
    found = []
    for number, row in enumerate(_csv(path, ("language", "human", "machine")), 2):
        if row["language"] not in LANGUAGES or not row["human"] or not row["machine"]:
            raise SeabedError(
                f"{path}, line {number}: language (one of {', '.join(LANGUAGES)}), human and machine are needed"
            )
        found.append(Pairing(row["language"], row["human"], row["machine"], row.get("original") or None))
    if not found:
        raise SeabedError(f"{path} names no set")
    return found


def _csv(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SeabedError(f"{path} cannot be read: {error}") from None
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        found = list(reader)
    except csv.Error as error:
        raise SeabedError(f"{path} is no CSV: {error}") from None
    if missing := [c for c in columns if c not in (reader.fieldnames or [])]:
        raise SeabedError(f"{path} has the columns {reader.fieldnames}; {', '.join(missing)} is missing")
    return found


def template(columns: Mapping[str, Sequence[Any]]) -> str:
    """The CSV that a translator fills in: one line per row of a set, in its order.

    Args:
        columns: the rows, id, sentence1 and sentence2.

    Returns:
        The text of the CSV: the sentences stand in it, to be overwritten by their translations.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(zip(*(columns[c] for c in COLUMNS), strict=True))
    return out.getvalue()


def variant(session: Session, name: str, gold: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """The rows of a variant, checked against the set whose scores it takes.

    Args:
        session: whose bundle.
        name: a config, or a CSV.
        gold: rows of the human variant: id, score.

    Returns:
        Columns id, sentence1, sentence2.

    Raises:
        SeabedError: other rows, another order, or other scores; the first row that differs is named.
    """
    if name.endswith(".csv"):
        lines = _csv(Path(name), COLUMNS)
        found: dict[str, list[Any]] = {c: [line[c] for line in lines] for c in COLUMNS}
    else:
        found = rows(session, catalogue.config(name))
    if len(found["id"]) != len(gold["id"]):
        raise SeabedError(f"{name} has {len(found['id'])} rows, the human variant {len(gold['id'])}")
    same = zip(found["id"], gold["id"], strict=True)
    if name.endswith(".csv"):
        wrong = next((i for i, (a, b) in enumerate(same) if a != b), None)
    else:
        scores = zip(found["score"], gold["score"], strict=True)
        wrong = next((i for i, (a, b) in enumerate(scores) if a != b), None)
    if wrong is not None:
        raise SeabedError(
            f"{name}, row {wrong}: id {found['id'][wrong]!r} is not the row of the human variant "
            f"({gold['id'][wrong]!r}); a variant has the same rows in the same order"
        )
    empty = next((i for c in COLUMNS[1:] for i, t in enumerate(found[c]) if not str(t).strip()), None)
    if empty is not None:
        raise SeabedError(f"{name}, row {empty} ({found['id'][empty]!r}): a sentence is empty")
    return found


@dataclass(frozen=True)
class Compared:
    """One model in one language: mean Spearman of its sets by variant, human minus machine, and its interval."""

    model: str
    language: str
    sets: tuple[str, ...]
    scores: Mapping[str, float | None]
    gap: float
    low: float
    high: float


def compare_variants(
    model: str,
    language: str,
    sets: Mapping[str, Mapping[str, tuple[Any, Any]]],
    *,
    resamples: int = RESAMPLES,
) -> Compared:
    """Spearman of every variant, and the paired interval of the gap.

    Args:
        model: its name.
        language: of the sets.
        sets: set -> variant -> (cosines, gold), both of shape (n,), human and machine row by row the same.
        resamples: of the paired bootstrap over rows: both variants get the same rows.

    Returns:
        Means over the sets; the gap is human minus machine.

    Raises:
        ValueError: a variant's cosines or scores are all equal.

    Source:
        the paper, Table 7; Efron and Tibshirani (1993), chapter 13.
    """
    found: dict[str, list[float]] = {}
    gaps = np.zeros(resamples)
    for own in sets.values():
        drawn = {}
        for name, (predicted, gold) in own.items():
            scored = sts_scores(predicted, gold, n_bootstrap=resamples, seed=SEED, draws=True)
            found.setdefault(name, []).append(float(scored["spearman"]))
            drawn[name] = np.asarray(scored["draws"]["spearman"])
        # Equal numbers of rows are drawn alike, so the difference is paired.
        gaps += (drawn["human"] - drawn["machine"]) / len(sets)
    means = {v: float(np.mean(found[v])) if len(found.get(v, [])) == len(sets) else None for v in VARIANTS}
    low, high = np.nanquantile(gaps, [0.025, 0.975])
    gap = float(np.mean(found["human"]) - np.mean(found["machine"]))
    return Compared(model, language, tuple(sets), means, gap, float(low), float(high))


def translation(session: Session, pairs: Sequence[Pairing]) -> tuple[list[Compared], dict[str, Row]]:
    """Score human, machine and original variants with one model.

    Args:
        session: model and bundle.
        pairs: the sets.

    Returns:
        One entry per language; and the share of rows with letters of another regional script, by set.
    """
    by_language: dict[str, dict[str, dict[str, tuple[Any, Any]]]] = {}
    foreign: dict[str, Row] = {}
    for pair in pairs:
        config = catalogue.config(pair.human)
        if config.task != "sts":
            raise SeabedError(f"{pair.human} is {config.task}; this study compares sets of sts")
        gold = rows(session, config)
        named = {"human": pair.human, "machine": pair.machine, "original": pair.original}
        own = {}
        row: Row = {"set": config.name, "language": pair.language}
        for name, place in named.items():
            if place is None:
                continue
            texts = gold if place == pair.human else variant(session, place, gold)
            one, two = (embed(session, config, texts[c], f"{config.name}, {name}") for c in COLUMNS[1:])
            own[name] = (cosines(one, two), gold["score"])
            if name != "original":
                row[f"{name}, %"] = 100 * foreign_share(
                    [*texts["sentence1"], *texts["sentence2"]], pair.language
                )
        by_language.setdefault(pair.language, {})[config.name] = own
        foreign[config.name] = row
    return (
        [compare_variants(session.model, lang, sets) for lang, sets in by_language.items()],
        foreign,
    )


def foreign_share(texts: Sequence[str], language: str) -> float:
    """The share of texts with letters of another regional script, as the Thai letters in machine-made Burmese.

    Args:
        texts: n texts.
        language: ISO 639-3.

    Returns:
        0 to 1.

    Raises:
        DataError: no texts.

    Source:
        the paper, Figure 3.

    >>> foreign_share(["မြန်မာ", "မြန်မา"], "mya")
    0.5
    """
    if not texts:
        raise DataError("no texts to look for letters in")
    others = {SCRIPT_OF[lang] for lang in ("tha", "mya", "tam", "khm", "lao")} - {SCRIPT_OF[language]}
    return sum(bool(others & letters(kinds(t)).keys()) for t in texts) / len(texts)


def translation_sheets(found: Sequence[Compared], foreign: Mapping[str, Row]) -> list[Sheet]:
    """Table 7's columns, the gaps, and Figure 3's effect.

    Args:
        found: one entry per model and language.
        foreign: of `translation`.

    Returns:
        The sheets, one per language and one of letters.
    """
    sheets = []
    for language in dict.fromkeys(c.language for c in found):
        own = [c for c in found if c.language == language]
        machine, human = (rank([c.scores[v] or 0.0 for c in own]) for v in ("machine", "human"))
        table: list[Row] = [
            {
                "model": c.model,
                **{v: None if (s := c.scores[v]) is None else s * 100 for v in VARIANTS},
                "human - machine": c.gap * 100,
                "95 % from": c.low * 100,
                "to": c.high * 100,
                "rank machine": machine[i],
                "rank human": human[i],
            }
            for i, c in enumerate(own)
        ]
        notes = [
            f"Spearman x100, mean of {', '.join(own[0].sets)}; interval: paired bootstrap over the rows.",
        ]
        if len(own) > 2:
            from scipy.stats import kendalltau

            tau = kendalltau([c.scores["machine"] for c in own], [c.scores["human"] for c in own]).statistic
            notes.append(f"Kendall's tau between the two orders of models: {tau:.2f}.")
        sheets.append(Sheet(f"Machine and human translation, {LANGUAGES[language]}", table, notes))
    if foreign:
        note = "Share of sentences that hold letters of another script of the region."
        sheets.append(Sheet("Letters of another script", list(foreign.values()), [note]))
    return sheets
