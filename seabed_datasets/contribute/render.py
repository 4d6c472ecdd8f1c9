"""A check's findings as JSON, as rows of a table, and as Markdown for a pull request."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Any

from seabed_datasets.checks.findings import Finding
from seabed_datasets.checks.rules import RULES, Rule
from seabed_datasets.contribute.check import Checked

MARKDOWN_ROWS = 50


def as_json(done: Checked) -> dict[str, Any]:
    """Everything a check found.

    Args:
        done: the check.

    Returns:
        A value for `json.dumps`.
    """
    return {
        "passed": not done.errors,
        "counts": dict(Counter(f.severity for f in done.findings)),
        "findings": [asdict(f) | {"title": f.title} for f in done.findings],
        "cards": len(done.cards),
        "configs": sorted(done.stats),
        "skipped": done.skipped,
    }


def as_rows(findings: list[Finding]) -> list[dict[str, str]]:
    """Findings as rows of a table.

    Args:
        findings: which to show.

    Returns:
        Column -> text.
    """
    return [
        {
            "severity": f.severity,
            "rule": f.rule,
            "where": f.where + (f" {f.split}" if f.split else ""),
            "what": f.title,
            "rows": f"{f.count:,} of {f.total:,}",
            "examples": "\n".join(f.examples),
        }
        for f in findings
    ]


def summary(done: Checked) -> str:
    """A check in one line.

    Args:
        done: the check.

    Returns:
        Counts of what was checked and found.
    """
    by = Counter(f.severity for f in done.findings)
    text = f"{len(done.cards)} cards, rows of {len(done.stats)} configs: {by['error']} errors, "
    text += f"{by['excepted']} excepted, {by['warning']} warnings"
    return text + (f"; rows of {len(done.skipped)} configs were not there" if done.skipped else "")


def fixes(findings: list[Finding]) -> list[str]:
    """What to do about each rule that was broken.

    Args:
        findings: which.

    Returns:
        One line per rule.
    """
    return [
        f"{r.id} {r.title}. {r.reason} {r.fix}"
        for r in (RULES[n] for n in sorted({f.rule for f in findings}))
    ]


def as_markdown(done: Checked) -> str:
    """A check as a comment on a pull request.

    Args:
        done: the check.

    Returns:
        Markdown: the verdict, errors with what to do, warnings folded.
    """
    verdict = "failed" if done.errors else "passed"
    parts = [f"### `seabed check` {verdict}", "", summary(done) + "."]
    for severity in ("error", "excepted", "warning"):
        found = [f for f in done.findings if f.severity == severity]
        if not found:
            continue
        title = {"error": "Errors", "excepted": "Excepted by the card", "warning": "Warnings"}[severity]
        table = ["", "| rule | where | what | rows | examples |", "|---|---|---|---|---|"]
        for row, f in zip(as_rows(found)[:MARKDOWN_ROWS], found, strict=False):
            what = f.excuse or row["what"]
            cells = (row["rule"], row["where"], what, row["rows"], row["examples"])
            table.append("| " + " | ".join(_cell(c) for c in cells) + " |")
        if len(found) > MARKDOWN_ROWS:
            table.append(f"\n{len(found) - MARKDOWN_ROWS} more; `--format json` has all.")
        if severity == "error":
            parts += ["", f"**{title}**", *table, "", *(f"- {line}" for line in fixes(found))]
        else:
            parts += ["", f"<details><summary>{title} ({len(found)})</summary>", *table, "", "</details>"]
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    return (
        text.replace("\\", "\\\\")
        .replace("|", "\\|")
        .replace("<", "&lt;")
        .replace("`", "'")
        .replace("\n", "<br>")
    )


def rule_rows() -> list[dict[str, str]]:
    """All rules as rows of a table.

    Returns:
        Column -> text.
    """

    def level(rule: Rule) -> str:
        if rule.limit is None:
            return "warning"
        return "error" if rule.limit == 0 else f"error from {rule.limit:.0%}"

    return [{"rule": r.id, "level": level(r), "what": r.title, "why": r.reason} for r in RULES.values()]
