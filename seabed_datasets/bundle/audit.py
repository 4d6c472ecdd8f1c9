"""Making a config both ways, from upstream and from the authors' release, and telling where they differ."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.bundle.staging import Origin, rows_of
from seabed_datasets.catalogue import Config
from seabed_datasets.loaders import release
from seabed_datasets.schemas import SPLITS, Row, unify, with_labels

EXAMPLES = 5
# Scores closer than this are the same number written with fewer digits.
SCORE_DIFFERENCE = 1e-6


@dataclass(frozen=True)
class SplitAudit:
    """Where the two ways differ in one split.

    `texts_*` count distinct texts (for pairs, distinct pairs). `both`: texts in both ways. `elsewhere`: texts
    of the release's split that upstream has in its other split. `differing`: texts in both ways whose label,
    labels, score or relevant documents differ; `changes`: (upstream's, the release's) -> how many texts.
    """

    split: str
    rows_upstream: int
    rows_release: int
    texts_upstream: int
    texts_release: int
    both: int
    elsewhere: int
    differing: int
    changes: dict[str, int]


@dataclass(frozen=True)
class Audit:
    """The comparison of one config."""

    config: str
    release: str | None
    commit: str | None
    files: list[str]
    splits: list[SplitAudit]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON.

        Returns:
            The fields; splits as dicts.
        """
        return asdict(self)

    def table(self) -> list[dict[str, str]]:
        """One row per split, for print_table.

        Returns:
            Column -> cell.
        """
        return [
            {
                "config": self.config,
                "split": s.split,
                "rows upstream": str(s.rows_upstream),
                "rows release": str(s.rows_release),
                "texts in both": str(s.both),
                "only upstream": str(s.texts_upstream - s.both),
                "only release": str(s.texts_release - s.both),
                "in upstream's other split": str(s.elsewhere),
                "label differs": str(s.differing),
            }
            for s in self.splits
        ]

    def notes(self) -> list[str]:
        """What was compared, and the commonest differences of labels.

        Returns:
            Lines of text.
        """
        lines = [f"upstream: {', '.join(self.files)}", f"release: {self.release} @ {self.commit}"]
        for s in self.splits:
            lines += [f"{s.split}: {change}: {n} texts" for change, n in s.changes.items()]
        return lines


@dataclass
class _Way:
    """What is kept of one way: texts as hashes with what is judged of them, so that large sets fit."""

    rows: Counter[str]
    judged: dict[str, dict[bytes, str]]


def audit(name: str, mirror: str | Path | None = None) -> Audit:
    """Compare the two ways to make a config.

    Args:
        name: of the config.
        mirror: a folder of upstream files for that side; the authors' copy always comes from the Hub.

    Returns:
        Counts of rows, of texts in common, and of labels that differ.

    Raises:
        UnknownName: no such config.
        SeabedError: one of the two cannot be made.
    """
    config = catalogue.config(name)
    ours, files = _way(config, "upstream", Path(mirror) if mirror else None)
    theirs, copied = _way(config, "release", None)
    return Audit(
        config=name,
        release=release.repository(config),
        commit=next((u.revision for u in copied), None),
        files=list(dict.fromkeys(f"{u.id} {u.path}" for u in files)),
        splits=[_compare(split, ours, theirs) for split in SPLITS[config.task]],
    )


def _way(config: Config, origin: Origin, mirror: Path | None) -> tuple[_Way, list[Any]]:
    splits, used = rows_of(config, origin, mirror)
    named, splits = with_labels(config, splits)
    way = _Way(Counter(), {})
    texts: dict[str, str] = {}
    for split in reversed(SPLITS[config.task]):  # documents before the queries that name them
        judged = way.judged[split] = {}
        for row in unify(named, split, splits[split], {}):
            way.rows[split] += 1
            if split == "corpus":
                texts[row["id"]] = _hash([row["text"]]).hex()
            judged[_hash(_texts(row))] = _judgement(named, row, texts)
    return way, used


def _hash(texts: Iterable[str]) -> bytes:
    return hashlib.blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=12).digest()


def _texts(row: Row) -> list[str]:
    if "sentence1" in row:
        return [row["sentence1"], row["sentence2"]]
    return [row["query"] if "query" in row else row["text"]]


def _judgement(config: Config, row: Row, documents: dict[str, str]) -> str:
    """What people said of a row, as text that both ways write alike: label names, score, relevant texts."""
    names = config.labels or []
    if "label" in row:
        return names[row["label"]]
    if "labels" in row:
        return ", ".join(names[i] for i in row["labels"]) or "(none)"
    if "score" in row:
        return f"{round(row['score'] / SCORE_DIFFERENCE) * SCORE_DIFFERENCE:g}"
    if "documents" in row:
        pairs = zip(row["documents"], row["relevance"], strict=True)
        return _set(_hash([text]).hex() for text, grade in pairs if grade)
    return _set(documents.get(d["id"], d["id"]) for d in row.get("relevant", []))


def _set(hashes: Iterable[str]) -> str:
    found = sorted(set(hashes))
    return f"{len(found)} relevant [{_hash(found).hex()[:8]}]" if found else ""


def _compare(split: str, ours: _Way, theirs: _Way) -> SplitAudit:
    one, two = ours.judged[split], theirs.judged[split]
    common = one.keys() & two.keys()
    differing = [key for key in common if one[key] != two[key]]
    others = {k for s, judged in ours.judged.items() if {s, split} == {"train", "test"} for k in judged}
    changes = Counter(f"upstream {one[key]!r}, release {two[key]!r}" for key in differing)
    return SplitAudit(
        split=split,
        rows_upstream=ours.rows[split],
        rows_release=theirs.rows[split],
        texts_upstream=len(one),
        texts_release=len(two),
        both=len(common),
        elsewhere=len((two.keys() - one.keys()) & others),
        differing=len(differing),
        changes=dict(sorted(changes.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]),
    )
