"""Clean rows and cards for the tests of the data checks, and ways to spoil them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.checks.card import check_card
from seabed_datasets.checks.findings import Finding, Tally
from seabed_datasets.contribute.check import check_rows
from seabed_datasets.loaders import sample

Rows = dict[str, list[dict[str, Any]]]
Spoil = Callable[[Rows], Any]

# Burmese in the Zawgyi encoding, written for these tests.
ZAWGYI = [
    "ျမန္မာႏိုင္ငံသည္ အာရွတြင္ ရွိသည္။",
    "ေက်ာင္းသားမ်ား စာဖတ္ေနၾကသည္။",
    "မိုးရြာေနလို႔ ထီးယူသြားပါ။",
    "ေန႔လယ္စာ စားၿပီးၿပီလား။",
]


@cache
def _clean(task: str) -> tuple[Config, Rows]:
    (config,) = (c for c in catalogue.configs(sample=True) if c.task == task)
    return config, {split: [dict(r) for r in rows] for split, rows in sample.load(config).items()}


def clean(task: str) -> tuple[Config, Rows]:
    """The sample config of a task and a copy of its rows, as a loader returns them."""
    config, rows = _clean(task)
    return config, copy.deepcopy(rows)


def found(task: str, spoil: Spoil = lambda rows: None, **config: Any) -> dict[str, list[Finding]]:
    """Rule -> findings, after the rows of the sample set were spoilt; `config` replaces fields of the config."""
    record, rows = clean(task)
    spoil(rows)
    _, findings = check_rows(record.model_copy(update=config), rows)
    return by_rule(findings)


def by_rule(findings: list[Finding]) -> dict[str, list[Finding]]:
    """Rule -> findings."""
    grouped: dict[str, list[Finding]] = {}
    for f in findings:
        grouped.setdefault(f.rule, []).append(f)
    return grouped


def card_findings(
    folder: Path, *changes: tuple[str, str], loader: Path | None = Path(__file__), base: str = "ntrex"
) -> dict[str, list[Finding]]:
    """Rule -> findings of NTREX's card after texts in it were replaced."""
    text = (catalogue.cards_dir() / f"{base}.md").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    path = folder / f"{base}.md"
    path.write_text(text, encoding="utf-8")
    tally = Tally(base)
    check_card(catalogue.read_card(path), text, loader, tally)
    return by_rule(tally.findings({}, []))
