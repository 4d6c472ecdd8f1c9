"""SB1xx: a card that breaks each rule, and one that keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from seabed_datasets import catalogue
from seabed_datasets.catalogue import cards
from seabed_datasets.checks import citation
from seabed_datasets.checks.card import check_card, loader_path
from seabed_datasets.checks.findings import Tally
from seabed_datasets.checks.rules import RULES
from seabed_datasets.contribute.check import check
from tests.check_cases import card_findings
from tests.toy_card import write_card

LICENCE = "The paper prints CC BY-SA 4.0; the repository states CC-BY-SA-4.0. They agree."
EXCEPTION = "  exceptions:\n    - {rule: %s, configs: %s, reason: %s, date: %s}\n"

BREAKS: dict[str, list[tuple[str, str]]] = {
    "SB102": [("Professional translators wrote every translation.", "TODO who wrote it")],
    "SB103": [
        ("license: cc-by-sa-4.0", "license: unknown"),
        ("license_source: maker", "license_source: null"),
        ("redistribution: allowed", "redistribution: unknown"),
        (LICENCE, "Not known."),
    ],
    "SB104": [("license: cc-by-sa-4.0", "license: cc-by-nc-4.0")],
    "SB105": [("  title = {{NTREX}-128", "  title = {{{NTREX}-128")],
    "SB106": [("language: [eng, ind, tha", "language: [eng, tha")],
    "SB107": [("## How it was made", "## History")],
    "SB108": [("size_categories: [10K<n<100K]", "size_categories: [medium]")],
    "SB109": [("revision: 8561f6a622db9edad1217683e5c83daefd8bb2bf", "revision: main")],
    "SB111": [("  exceptions:\n", EXCEPTION % ("SB999", "null", "there is no such rule", "2025-01-01"))],
    "SB113": [("  status: seen", "  version: 2\n  status: seen")],
    "SB114": [("sample_creation: found", "sample_creation: created")],
    "SB115": [("```bibtex\n", "```\n")],
    "SB116": [
        ("id: MicrosoftTranslator/NTREX", "id: imperialite/filipino-tiktok-hatespeech"),
        ("other: NTREX-128/newstest2019-ref.{lang}.txt", "other: data/train.csv"),
    ],
    "SB118": [("  license_source: maker\n", "")],
    "SB119": [("  domains: [News, Written]\n  origin", "  domains: [Written]\n  origin")],
}
KEEPS: dict[str, list[tuple[str, str]]] = {
    "SB102": [("Professional translators", "TODOS los traductores")],
    "SB103": [
        ("license: cc-by-sa-4.0", "license: unknown"),
        ("license_source: maker", "license_source: null"),
        ("redistribution: allowed", "redistribution: unknown"),
    ],
    "SB104": [
        ("license: cc-by-sa-4.0", "license: cc-by-nc-4.0"),
        ("redistribution: allowed", "redistribution: noncommercial"),
    ],
    "SB105": [("```bibtex\n@inproceedings", "```bibtex\n@article")],
    "SB106": [("language: [eng, ind, tha", "language: [tha, ind, eng")],
    "SB107": [("## Example (written for this card, not from the data)", "## Example")],
    "SB108": [("size_categories: [10K<n<100K]", "size_categories: [10K<n<100K, 1K<n<10K]")],
    "SB109": [("8561f6a622db9edad1217683e5c83daefd8bb2bf", "a" * 40)],
    "SB111": [
        ("  exceptions:\n", EXCEPTION % ("SB303", "[ntrex_mya]", "upstream is like that", "2025-01-01"))
    ],
    "SB113": [("  status: seen", "  version: 2\n  changes: {2: a line was lost}\n  status: seen")],
    "SB114": [
        ("sample_creation: found", "sample_creation: created"),
        ("## How it was made\n", "## How it was made\nNative speakers translated it (paper 3.4). "),
    ],
    "SB115": [("```bibtex\n", "```\n"), ("citation: Federmann, Kocmi, and Xin (2022)", "citation: null")],
    "SB116": [
        ("id: MicrosoftTranslator/NTREX", "id: imperialite/filipino-tiktok-hatespeech"),
        ("other: NTREX-128/newstest2019-ref.{lang}.txt", "other: data/train.csv"),
        (
            "  errata:\n",
            "  errata:\n    - The rows of tiktokhatespeech and `hatespeech_classification_fil`.\n",
        ),
    ],
    "SB118": [("license_source: maker", "license_source: secondary")],
    "SB119": [("    domains: [News, Written]", "    domains: [Written, Education]")],
}


@pytest.mark.parametrize("rule", BREAKS)
def test_a_card_that_breaks_the_rule(rule: str, tmp_path: Path) -> None:
    assert set(card_findings(tmp_path, *BREAKS[rule])) == {rule}


@pytest.mark.parametrize("rule", KEEPS)
def test_a_card_that_keeps_it(rule: str, tmp_path: Path) -> None:
    assert card_findings(tmp_path, *KEEPS[rule]) == {}


def test_a_clean_card_has_no_findings(tmp_path: Path) -> None:
    assert card_findings(tmp_path) == {}


def test_a_missing_loader_or_source_is_sb110(tmp_path: Path) -> None:
    assert set(card_findings(tmp_path, loader=None)) == {"SB110"}
    loader = loader_path(catalogue.dataset("ntrex"))
    assert loader is not None
    assert loader.name == "ntrex.py"
    assert card_findings(tmp_path, loader=loader) == {}


def test_a_todo_in_the_loader_is_sb102(tmp_path: Path) -> None:
    loader = tmp_path / "loader.py"
    loader.write_text('"""TODO."""\n', encoding="utf-8")
    (finding,) = card_findings(tmp_path, loader=loader)["SB102"]
    assert finding.examples == ['loader, line 1: """TODO."""']


@pytest.mark.parametrize(
    ("rule", "configs", "reason", "day", "message"),
    [
        ("SB999", "null", "upstream is like that", "2025-01-01", "SB999 is no rule"),
        (
            "SB303",
            "[ntrex_khm, ntrex_jav]",
            "upstream is like that",
            "2025-01-01",
            "['ntrex_jav'] are no configs",
        ),
        ("SB303", "null", "because", "2025-01-01", "'because' is no reason"),
        ("SB303", "null", "upstream is like that", "2999-01-01", "in the future"),
    ],
)
def test_exceptions_that_are_wrong(
    rule: str, configs: str, reason: str, day: str, message: str, tmp_path: Path
) -> None:
    change = ("  exceptions:\n", EXCEPTION % (rule, configs, reason, day))
    (finding,) = card_findings(tmp_path, change)["SB111"]
    assert message in finding.examples[0]


def test_an_exception_needs_an_erratum(tmp_path: Path) -> None:
    path = write_card(
        tmp_path, "bare", exceptions=[{"rule": "SB204", "reason": "upstream cut it so", "date": "2025-01-01"}]
    )
    dataset, tally = catalogue.read_card(path), Tally("bare")
    check_card(dataset, path.read_text(encoding="utf-8"), path, tally)
    (finding,) = (f for f in tally.findings({}, []) if f.rule == "SB111")
    assert "lists no errata" in finding.examples[0]


def test_a_card_nobody_can_read_is_sb101(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good = write_card(tmp_path, "good")
    for module in (catalogue, cards):
        monkeypatch.setattr(module, "cards_dir", lambda: tmp_path)
    for function in (cards._all, cards._by_config):
        monkeypatch.setattr(cards, function.__name__, function.__wrapped__)
    assert "SB101" not in {f.rule for f in check(["good"], cards_only=True).findings}
    (tmp_path / "bad.md").write_text(
        good.read_text(encoding="utf-8").replace("task: sts", "task: st"), encoding="utf-8"
    )
    (finding,) = check(["good"], cards_only=True).errors
    assert (finding.rule, finding.where) == ("SB101", "bad.md")
    assert "seabed.task" in finding.examples[0]


def findings_of(path: Path) -> dict[str, list[str]]:
    """Rule -> examples, of a card that a test wrote."""
    dataset, tally = catalogue.read_card(path), Tally(path.stem)
    check_card(dataset, path.read_text(encoding="utf-8"), path, tally)
    return {f.rule: f.examples for f in tally.findings({}, [])}


@pytest.mark.parametrize("labels", [None, ["a", "b"]])
def test_guessed_labels_need_a_source(labels: list[str] | None, tmp_path: Path) -> None:
    label: dict[str, Any] = {"task": "classification", "labels": labels}
    assert "no labels_source" in findings_of(write_card(tmp_path, "guessed", **label))["SB117"][0]
    sourced = write_card(tmp_path, "sourced", labels_source="none were found", **label)
    assert "SB117" not in findings_of(sourced)
    unnamed = write_card(tmp_path, "sourced", labels_source="none", **label | {"status": "documented"})
    assert "SB117" not in findings_of(unnamed)
    if labels:
        seen = write_card(tmp_path, "seen", status="seen", **label)
        assert "SB117" not in findings_of(seen)


@pytest.mark.parametrize("rows", ["{mya: 250, tha: 250}", "{mya: 250}", "{mya: 251, tha: 250}"])
def test_a_set_of_table_2_has_the_size_printed_there(rows: str, tmp_path: Path) -> None:
    change = ("    rows: {mya: 250, tha: 250}\n", f"    rows: {rows}\n")
    found = card_findings(tmp_path, change, base="sts17")
    assert ("SB114" in found) == (rows != "{mya: 250, tha: 250}")
    without = card_findings(
        tmp_path, (change[0], ""), ("(paper 3.4, A.5)", ""), ("sizes: {test: 250}", "sizes: {}"), base="sts17"
    )
    assert len(without["SB114"][0].examples) == 2


def test_a_crosslingual_set_of_seabed_needs_its_size(tmp_path: Path) -> None:
    found = card_findings(tmp_path, ("sizes: {test: 250}", "sizes: {}"), base="sts17crosslingual")
    assert "`sizes` is empty" in found["SB114"][0].examples[0]


def test_every_card_rule_is_tested() -> None:
    elsewhere = {"SB101", "SB110", "SB112", "SB117", "SB120"}
    assert set(BREAKS) == set(KEEPS) == {r for r in RULES if r < "SB200"} - elsewhere


def test_all_cards_pass() -> None:
    keys = [d.key for d in [*catalogue.datasets(), *catalogue.datasets(sample=True)]]
    done = check(keys, cards_only=True)
    assert len(done.cards) == len(keys)
    assert [(f.where, f.rule, f.examples) for f in done.errors] == []


@pytest.mark.parametrize(
    ("bibtex", "fault"),
    [
        ("@misc{a, author = {B}, title = {C}, year = {2024}}", None),
        ('@article{a,\n  author = "B and C",\n  title = {On {SEA} {\\"u}},\n  year = 2024,\n}', None),
        ("@misc{a, title = {C}, howpublished = {GitHub}}\n\n@misc{b, title = {D}, url = {x}}", None),
        ("", "no entry"),
        ("see the paper", "expected an entry"),
        ("@misc{a, author = {B}, title = {C}, year = {2024}", "braces are not balanced"),
        ("@article{a, author = {B}, title = {C}}", "no year or date"),
        ("@misc{a, author = {B}, year = {2024}}", "no title"),
        ("@misc{a, title = {C}, year = {2024}}", "no author"),
        ("@misc{a, author = {B} title = {C}, year = {2024}}", "a comma is missing after author"),
        ("@misc{a, author {B}, title = {C}}", "expected `field = {value},`"),
    ],
)
def test_citations(bibtex: str, fault: str | None) -> None:
    faults = citation.faults(bibtex)
    assert (faults == []) if fault is None else (fault in faults[0])
