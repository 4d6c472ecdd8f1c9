"""Statistics of a config, gathered while its rows stream by; texts are remembered as hashes only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from seabed_datasets.catalogue import Config
from seabed_datasets.checks.fields import same, text_columns, texts
from seabed_datasets.checks.scripts import kinds, letters
from seabed_datasets.schemas import SPLITS, Row, is_empty

Stats = dict[str, Any]


def describe(counts: Mapping[int | float, int]) -> dict[str, float | int]:
    """The distribution of numbers that were counted by value.

    Args:
        counts: value -> how often it occurs.

    Returns:
        min, mean (2 decimals), p50 and p95 (smallest value that at least half, or 95 %, do not exceed), max.

    >>> describe({3: 1, 5: 2, 9: 1})
    {'min': 3, 'mean': 5.5, 'p50': 5, 'p95': 9, 'max': 9}
    """
    if not counts:
        return {}
    values, total = sorted(counts), sum(counts.values())
    return {
        "min": values[0],
        "mean": round(sum(v * n for v, n in counts.items()) / total, 2),
        "p50": _quantile(values, counts, total, 0.50),
        "p95": _quantile(values, counts, total, 0.95),
        "max": values[-1],
    }


def _quantile(
    values: list[int | float], counts: Mapping[int | float, int], total: int, share: float
) -> int | float:
    passed = 0
    for value in values:
        passed += counts[value]
        if passed >= share * total:
            return value
    return values[-1]


class Seen(NamedTuple):
    """What a row is beside the rows before it: the hash of its texts, and where that stood already."""

    key: int
    repeated: bool
    leaked: bool


class _Split:
    """What is known of one split so far."""

    def __init__(self, config: Config, name: str) -> None:
        self.config, self.name = config, name
        self.columns = text_columns(config)
        self.rows = self.empty = self.repeats = self.leaked = 0
        self.keys: set[int] = set()
        self.lengths: dict[str, Counter[int | float]] = {column: Counter() for column in self.columns}
        self.scripts: Counter[str] = Counter()
        self.labels: Counter[int] = Counter()
        self.scores: Counter[int | float] = Counter()
        self.relevant: Counter[int | float] = Counter()

    def see(self, row: Row, train: set[int] | None) -> Seen:
        self.rows += 1
        key = same(self.config, self.name, row)
        seen = Seen(key, key in self.keys, train is not None and key in train)
        self.keys.add(key)
        self.repeats += seen.repeated
        self.leaked += seen.leaked
        for column in self.columns:
            for text in texts(row, column):
                self.lengths[column][len(text)] += 1
                self.empty += is_empty(text)
                self.scripts.update(letters(kinds(text)))
        if "label" in row:
            self.labels[row["label"]] += 1
        self.labels.update(row.get("labels") or [])
        if isinstance(row.get("score"), float):
            self.scores[row["score"]] += 1
        if self.name == "test" and row.get("relevant") is not None:
            self.relevant[len(row["relevant"])] += 1
        if "relevance" in row:
            self.relevant[sum(1 for r in row["relevance"] if r > 0)] += 1
        return seen

    def result(self, dropped: Mapping[str, int]) -> Stats:
        total = sum(self.scripts.values())
        found: Stats = {
            "rows": self.rows,
            "unique": len(self.keys),
            "duplicates": self.repeats,
            "empty": self.empty,
            "dropped": sum(dropped.values()),
            "characters": {c: describe(n) for c, n in self.lengths.items()},
            "scripts": {s: round(n / total, 4) for s, n in self.scripts.most_common() if n >= total / 1000},
        }
        if self.labels:
            names = self.config.labels or []
            found["labels"] = {name: self.labels[i] for i, name in enumerate(names)}
        if self.scores:
            found["score"] = describe(self.scores)
        if self.relevant:
            found["relevant documents"] = describe(self.relevant)
        return found


class Statistics:
    """Gathers the statistics of one config.

    Splits must come in the order of `SPLITS`, so that leakage from train to test can be counted.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self._splits = {name: _Split(config, name) for name in SPLITS[config.task]}

    def see(self, split: str, row: Row) -> Seen:
        """Count one row.

        Args:
            split: the split it belongs to.
            row: a row of the task's schema.

        Returns:
            What it is beside the rows before it.
        """
        train = self._splits["train"].keys if split == "test" and "train" in self._splits else None
        return self._splits[split].see(row, train)

    def result(self, dropped: Mapping[str, Mapping[str, int]] | None = None) -> Stats:
        """The statistics of the rows seen.

        Args:
            dropped: split -> reason -> rows that were left out before.

        Returns:
            Per split: rows, unique and duplicate rows, empty texts, rows dropped, characters per text
            column, share of letters per script, and labels, score or relevant documents where the task has
            them; for a train split also leakage: test rows whose text stands in train.
        """
        found: Stats = {"splits": {n: s.result((dropped or {}).get(n, {})) for n, s in self._splits.items()}}
        if "train" in self._splits:
            test = self._splits["test"]
            found["leakage"] = {
                "rows": test.leaked,
                "share": round(test.leaked / test.rows, 4) if test.rows else 0.0,
            }
        return found


def lines(stats: Stats) -> Iterable[dict[str, str]]:
    """Statistics as rows of a table, one per split.

    Args:
        stats: what `Statistics.result` returned.

    Yields:
        Column -> text.
    """
    for split, s in stats["splits"].items():
        labels: dict[str, int] = s.get("labels", {})
        total = sum(labels.values())
        # A table cell is no place for seventy topics.
        shown = sorted(labels.items(), key=lambda item: -item[1])[:6]
        yield {
            "split": split,
            "rows": f"{s['rows']:,}",
            "unique": f"{s['unique']:,}",
            "dropped": f"{s['dropped']:,}",
            "leaked": f"{stats['leakage']['rows']:,}" if split == "test" and "leakage" in stats else "-",
            "characters min/p50/p95/max": "; ".join(
                "{min}/{p50}/{p95}/{max}".format(**c) for c in s["characters"].values() if c
            ),
            "scripts": ", ".join(f"{name} {share:.0%}" for name, share in list(s["scripts"].items())[:3]),
            "balance": ", ".join(f"{name} {n / total:.0%}" for name, n in shown if total)
            + (f", {len(labels) - 6} more" if len(labels) > 6 else "")
            or ("score {min:g} to {max:g}, mean {mean:g}".format(**s["score"]) if "score" in s else "-"),
        }
