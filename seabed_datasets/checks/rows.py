"""SB2xx: rules about rows, checked one row at a time."""

from __future__ import annotations

import math
from typing import Any

from seabed_datasets.catalogue import Config
from seabed_datasets.checks.fields import text_columns, texts
from seabed_datasets.checks.findings import Tally, snippet
from seabed_datasets.checks.scripts import kinds
from seabed_datasets.checks.statistics import Seen
from seabed_datasets.schemas import Row, is_empty

LONG = 20_000
_NO_LETTERS = {"digit", "zero-width", "replacement", "odd", "other"}
_SINGLE = {"classification", "clustering", "pair_classification", "sts"}


class RowRules:
    """Checks the rows of one config; texts are remembered as hashes only.

    Splits must come in the order of `SPLITS`: train before test, queries before their corpus.
    """

    def __init__(self, config: Config, tally: Tally) -> None:
        self._config, self._tally = config, tally
        self._columns = text_columns(config)
        self._ids: dict[str, set[int]] = {}
        self._answers: dict[int, Any] = {}
        self._distinct: dict[str, set[Any]] = {}
        self._wanted: dict[str, str] = {}

    def see(self, split: str, row: Row, seen: Seen) -> None:
        """Check one row.

        Args:
            split: the split it belongs to.
            row: a row of the task's schema, labels as integers.
            seen: what it is beside the rows before it.
        """
        self._identity(split, row)
        self._texts(split, row)
        if seen.repeated or seen.leaked:
            shown = f"{row['id']}: {snippet(str(row[self._columns[0]]))}"
            if seen.repeated:
                self._tally.add("SB203", shown, split)
            if seen.leaked:
                self._tally.add("SB204", shown, split)
        if self._config.task in _SINGLE:
            self._answer(split, row, seen.key)
        self._labels(split, row)
        if "sentence1" in row and not is_empty(row["sentence1"]) and row["sentence1"] == row["sentence2"]:
            self._tally.add("SB220", f"{row['id']}: {snippet(row['sentence1'])}", split)
        if "relevance" in row:
            self._reranking(split, row)
        if split == "test" and "relevant" in row:
            self._query(split, row)

    def finish(self) -> None:
        """Check what only all rows together show."""
        for split, values in self._distinct.items():
            if len(values) == 1 and len(self._ids[split]) > 1:
                self._tally.add("SB209", f"every row has {self._name(next(iter(values)))}", split)
        for document, query in self._wanted.items():
            self._tally.add("SB211", f"query {query}: document {document}", "test")

    def _identity(self, split: str, row: Row) -> None:
        ids, key = self._ids.setdefault(split, set()), hash(row["id"])
        if key in ids:
            self._tally.add("SB210", str(row["id"]), split)
        ids.add(key)
        if split == "corpus":
            self._wanted.pop(row["id"], None)

    def _texts(self, split: str, row: Row) -> None:
        without_letters = long = False
        for column in self._columns:
            if not isinstance(row.get(column), (str, list)):
                self._tally.add("SB201", f"{row['id']}: {column} is missing", split)
            for text in texts(row, column):
                if is_empty(text):
                    name = "SB213" if split == "corpus" or column == "documents" else "SB201"
                    self._tally.add(name, f"{row['id']}: {column} {snippet(text)!r}", split)
                elif not kinds(text).keys() - _NO_LETTERS:
                    without_letters = True
                long = long or len(text) > LONG
        if without_letters:
            self._tally.add("SB214", f"{row['id']}: {snippet(str(row[self._columns[0]]))}", split)
        if long:
            self._tally.add("SB215", f"{row['id']}: more than {LONG:,} characters", split)

    def _answer(self, split: str, row: Row, key: int) -> None:
        answer = row["score"] if "score" in row else row["label"]
        first = self._answers.setdefault(key, answer)
        if first != answer:
            self._tally.add(
                "SB205",
                f"{row['id']}: {snippet(str(row[self._columns[0]]))}: "
                f"{self._name(first)} and {self._name(answer)}",
                split,
            )

    def _labels(self, split: str, row: Row) -> None:
        names = self._config.labels or []
        given = row["labels"] if "labels" in row else [row["label"]] if "label" in row else []
        for label in given:
            if not isinstance(label, int) or not 0 <= label < len(names):
                self._tally.add("SB207", f"{row['id']}: label {label!r} of {len(names)}", split)
        if "score" in row:
            low, high = self._config.score_range or (-math.inf, math.inf)
            score = row["score"]
            if score is None or not (math.isfinite(score) and low <= score <= high):
                self._tally.add("SB208", f"{row['id']}: {score}", split)
            given = [score]
        if given or "labels" in row:
            values = self._distinct.setdefault(split, set())
            if len(values) < 2:
                values.add(tuple(given))

    def _name(self, value: Any) -> str:
        values, names = value if isinstance(value, tuple) else (value,), self._config.labels or []
        known = [names[v] if isinstance(v, int) and 0 <= v < len(names) else str(v) for v in values]
        return ", ".join(known) or "no label"

    def _reranking(self, split: str, row: Row) -> None:
        judged = row["relevance"]
        if not any(r > 0 for r in judged):
            self._tally.add("SB212", f"{row['id']}: {snippet(str(row['query']))}", split)
        elif all(r > 0 for r in judged):
            self._tally.add("SB221", f"{row['id']}: all {len(judged)}", split)

    def _query(self, split: str, row: Row) -> None:
        relevant = [r["id"] for r in row["relevant"] or [] if r["score"] > 0]
        if not relevant:
            self._tally.add("SB212", f"{row['id']}: {snippet(str(row['text']))}", split)
        for document in relevant:
            self._wanted.setdefault(document, row["id"])
