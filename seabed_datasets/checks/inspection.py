"""One pass over the rows of a config: statistics and all rules about rows together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.checks.balance import check_balance, check_names, check_sizes
from seabed_datasets.checks.findings import Finding, Tally
from seabed_datasets.checks.relations import RelationRules
from seabed_datasets.checks.rows import RowRules
from seabed_datasets.checks.script import ScriptRules
from seabed_datasets.checks.statistics import Statistics, Stats
from seabed_datasets.errors import DataError
from seabed_datasets.schemas import Row


class Inspection:
    """Watches the rows of one config; splits must come in the order of `SPLITS`.

    It reads a row and never changes it, so that a builder can show it every row it writes.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.tally = Tally(config.name)
        self._statistics = Statistics(config)
        self._rows = RowRules(config, self.tally)
        self._script = ScriptRules(config, self.tally)
        self._relations = RelationRules(config, self.tally)

    def see(self, split: str, row: Row) -> None:
        """Count and check one row.

        Args:
            split: the split it belongs to.
            row: a row of the task's schema, labels as integers.
        """
        self._rows.see(split, row, self._statistics.see(split, row))
        self._script.see(split, row)
        self._relations.see(split, row)

    def watched(self, split: str, rows: Iterable[Row]) -> Iterator[Row]:
        """Pass rows on, counting and checking each.

        Args:
            split: the split they belong to.
            rows: rows of the task's schema.

        Yields:
            The same rows.
        """
        for row in rows:
            self.see(split, row)
            yield row

    def refuse(self, split: str, error: DataError) -> None:
        """Note a row that broke the schema and was left out.

        Args:
            split: the split it belongs to.
            error: why.
        """
        self.tally.add(error.rule, str(error), split)

    def finish(
        self, dropped: Mapping[str, Mapping[str, int]], *, truncated: bool = False
    ) -> tuple[Stats, list[Finding]]:
        """Close the pass.

        Args:
            dropped: split -> reason -> rows that were left out before.
            truncated: whether a raw file was cut.

        Returns:
            The statistics, `checks` among them (rule -> rows that broke it); and the findings.
        """
        stats = self._statistics.result(dropped)
        for rules in (self._rows, self._script, self._relations):
            rules.finish()
        for split, reasons in dropped.items():
            for reason, count in reasons.items():
                self.tally.add("SB202", f"{count} rows: {reason}", split, count)
        check_names(self.config, self.tally)
        check_balance(stats, self.tally)
        dataset = catalogue.dataset(self.config.key)
        check_sizes(dataset, self.config, stats, self.tally, truncated=truncated)
        totals = {split: s["rows"] for split, s in stats["splits"].items()}
        findings = self.tally.findings(totals, dataset.seabed.exceptions)
        return stats | {"checks": counts(findings)}, findings


def counts(findings: list[Finding]) -> dict[str, Any]:
    """Findings in numbers, as a manifest keeps them.

    Args:
        findings: of one config.

    Returns:
        Rule -> rows that broke it.
    """
    found: dict[str, int] = {}
    for f in findings:
        found[f.rule] = found.get(f.rule, 0) + f.count
    return found
