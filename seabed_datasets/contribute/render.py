"""A check's findings as JSON, as rows of a table, and as Markdown for a pull request."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict
from typing import Any

from seabed_datasets.checks.findings import Finding
from seabed_datasets.checks.rules import RULES, Rule
from seabed_datasets.contribute.check import Checked
from seabed_datasets.terminal import plain

MARKDOWN_ROWS = 50
SKIPPED_SHOWN = 5
EXAMPLE_LENGTH = 200


def as_json(done: Checked) -> dict[str, Any]:
    """Everything a check found.

    Args:
        done: the check.

    Returns:
        A value for `json.dumps`.
    """
    return {
        "passed": done.passed,
        "verdict": done.verdict,
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
        The verdict, and counts of what was checked and found.
    """
    by = Counter(f.severity for f in done.findings)
    text = (
        f"{done.verdict}: {len(done.cards)} cards, rows of {len(done.stats)} configs: {by['error']} errors, "
    )
    text += f"{by['excepted']} excepted, {by['warning']} warnings"
    return text + (f"; rows of {len(done.skipped)} configs were not checked" if done.skipped else "")


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
    heading: str = "checked no rows" if done.verdict == "no rows checked" else done.verdict
    if done.passed and done.skipped:
        heading += f" for {len(done.stats)} of {len(done.stats) + len(done.skipped)} configs"
    parts = [f"### `seabed check` {heading}", "", summary(done) + "."]
    if done.skipped:
        parts += ["", "Rows not checked:", ""]
        parts += [f"- {inert(reason)}" for reason in list(done.skipped.values())[:SKIPPED_SHOWN]]
        if len(done.skipped) > SKIPPED_SHOWN:
            parts.append(f"- and {len(done.skipped) - SKIPPED_SHOWN} more")
    for severity in ("error", "excepted", "warning"):
        found = [f for f in done.findings if f.severity == severity]
        if not found:
            continue
        title = {"error": "Errors", "excepted": "Excepted by the card", "warning": "Warnings"}[severity]
        table = ["", "| rule | where | what | rows | examples |", "|---|---|---|---|---|"]
        for row, f in zip(as_rows(found)[:MARKDOWN_ROWS], found, strict=False):
            what = inert(f.excuse) if f.excuse else row["what"]
            examples = "<br>".join(inert(line) for line in f.examples)
            table.append(f"| {row['rule']} | {inert(row['where'])} | {what} | {row['rows']} | {examples} |")
        if len(found) > MARKDOWN_ROWS:
            table.append(f"\n{len(found) - MARKDOWN_ROWS} more; `--format json` has all.")
        if severity == "error":
            parts += ["", f"**{title}**", *table, "", *(f"- {line}" for line in fixes(found))]
        else:
            parts += ["", f"<details><summary>{title} ({len(found)})</summary>", *table, "", "</details>"]
    return "\n".join(parts) + "\n"


def inert(text: str) -> str:
    """Text of a row or a card as Markdown that does nothing: no picture, link, @name, #1, HTML or heading.

    Args:
        text: any text.

    Returns:
        A code span on one line that may stand in a table cell: what would end it is escaped as Python does.

    >>> inert("![x](http://a.example) @you | `b`")
    '`` ![x](http://a.example) @you \\\\x7c `b` ``'
    """
    shown = plain(text if len(text) <= EXAMPLE_LENGTH else text[:EXAMPLE_LENGTH] + "…").replace("|", "\\x7c")
    if not shown.strip():
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    blank = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{blank}{shown}{blank}{fence}"


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
