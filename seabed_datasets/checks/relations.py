"""Rules about how columns and splits belong together, judged on a sample of the rows.

They find what no single row shows: labels that trade places between splits (SB217), relevance that was
shuffled (SB218), sentence pairs that slipped (SB219).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import combinations
from typing import Any, Generic, TypeVar

import numpy as np

from seabed_datasets.catalogue import Config
from seabed_datasets.checks.findings import Tally
from seabed_datasets.checks.scripts import kinds, letters
from seabed_datasets.schemas import Row

T = TypeVar("T")

SAMPLE_ROWS = 3000
SAMPLE_QUERIES = 300
CHARACTERS = 300
DOCUMENT_CHARACTERS = 1500

# At least this many test rows of a label make its recall worth reading.
LABEL_ROWS = 8
# Two labels that trade places are taken for each other more often than not, and beyond chance.
CROSSED = 0.55
SURE = 3.3
PAIR_ROWS = 50
PAIR_CORRELATION = 0.2


class _Sample(Generic[T]):
    """A fixed-size sample of a stream, the same for the same stream."""

    def __init__(self, size: int) -> None:
        self.size, self.seen = size, 0
        self.items: list[T] = []
        self._random = random.Random(0)

    def add(self, item: T) -> None:
        self.seen += 1
        if len(self.items) < self.size:
            self.items.append(item)
        else:
            place = self._random.randrange(self.seen)
            if place < self.size:
                self.items[place] = item


class RelationRules:
    """Checks one config; splits must come in the order of `SPLITS`."""

    def __init__(self, config: Config, tally: Tally) -> None:
        self._config, self._tally = config, tally
        self._rows: dict[str, _Sample[tuple[str, int]]] = {}
        self._lengths: _Sample[tuple[int, int]] = _Sample(SAMPLE_ROWS)
        self._queries: _Sample[tuple[str, list[str]]] = _Sample(SAMPLE_QUERIES)
        self._wanted: set[str] | None = None
        self._documents: dict[str, str] = {}

    def see(self, split: str, row: Row) -> None:
        """Keep a row for the sample.

        Args:
            split: the split it belongs to.
            row: a row of the task's schema.
        """
        task = self._config.task
        if task == "classification":
            sample = self._rows.setdefault(split, _Sample(SAMPLE_ROWS))
            sample.add(((row["text"] or "")[:CHARACTERS], row["label"]))
        elif task == "bitext_mining":
            self._lengths.add((len(row["sentence1"] or ""), len(row["sentence2"] or "")))
        elif "relevant" in row and split == "test" and row["relevant"]:
            self._queries.add((row["text"] or "", [r["id"] for r in row["relevant"] if r["score"] > 0]))
        elif "relevant" in row and split == "corpus":
            if self._wanted is None:
                self._wanted = {d for _, documents in self._queries.items for d in documents[:1]}
            if row["id"] in self._wanted:
                self._documents[row["id"]] = (row["text"] or "")[:DOCUMENT_CHARACTERS]

    def finish(self) -> None:
        """Judge the samples."""
        if {"train", "test"} <= self._rows.keys() and len(self._config.labels or []) > 1:
            self._swapped()
        if self._lengths.seen >= PAIR_ROWS:
            self._misaligned()
        if self._documents:
            self._shuffled()

    def _swapped(self) -> None:
        train, test = self._rows["train"].items, self._rows["test"].items
        common = Counter(label for _, label in test)
        known = {label for _, label in train}
        judged = sorted(label for label, n in common.items() if n >= LABEL_ROWS and label in known)
        if len(judged) < 2:
            return
        train = [(t, y) for t, y in train if y in judged]
        test = [(t, y) for t, y in test if y in judged]
        guesses = _confusion(train, test, judged)
        names = self._config.labels or []
        for one, two in combinations(range(len(judged)), 2):
            wrong, sureness = _crossed(guesses, one, two)
            if wrong >= CROSSED and sureness >= SURE:
                self._tally.add(
                    "SB217",
                    f"of test rows {names[judged[one]]} or {names[judged[two]]}, what train teaches calls "
                    f"{wrong:.0%} the other",
                    "test",
                )

    def _misaligned(self) -> None:
        from scipy.stats import spearmanr

        one, two = zip(*self._lengths.items, strict=True)
        if len(set(one)) < 5 or len(set(two)) < 5:
            return
        correlation = float(spearmanr(one, two).statistic)
        if correlation < PAIR_CORRELATION:
            self._tally.add("SB219", f"rank correlation of the lengths is {correlation:.2f}", "test")

    def _shuffled(self) -> None:
        pairs = [
            (query, self._documents[ids[0]])
            for query, ids in self._queries.items
            if ids and ids[0] in self._documents
        ]
        pairs = [(q, d) for q, d in pairs if _script(q) == _script(d)]
        if len(pairs) < 10:
            return
        place = _mean_place([q for q, _ in pairs], [d for _, d in pairs])
        if place < 0.5 + max(0.08, 3 * math.sqrt(1 / 12 / len(pairs))):
            self._tally.add(
                "SB218",
                f"a query's own document is more like it than {place:.0%} of {len(pairs)} documents "
                "(50% is chance)",
                "test",
            )


def _script(text: str) -> str:
    there = letters(kinds(text))
    return max(there, key=lambda s: (there[s], s)) if there else ""


def _confusion(train: list[tuple[str, int]], test: list[tuple[str, int]], labels: list[int]) -> Any:
    """Test rows of label i that a classifier learned from train gives label j, shape (k, k)."""
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.naive_bayes import MultinomialNB

    vectorizer = HashingVectorizer(
        analyzer="char", ngram_range=(1, 4), n_features=2**17, alternate_sign=False, norm="l2"
    )
    # Equal priors: with unequal ones a common label of train swallows the test.
    model = MultinomialNB(alpha=0.01, fit_prior=False)
    model.fit(vectorizer.transform([t for t, _ in train]), [y for _, y in train])
    predicted = model.predict(vectorizer.transform([t for t, _ in test]))
    place = {y: i for i, y in enumerate(labels)}
    guesses = np.zeros((len(labels), len(labels)))
    for (_, true), guess in zip(test, predicted, strict=True):
        guesses[place[true], place[int(guess)]] += 1
    return guesses


def _crossed(guesses: Any, one: int, two: int) -> tuple[float, float]:
    """How often two labels are taken for each other, when one of the two is the guess.

    Both ways count the same, so that a classifier that prefers one of them comes out at one half. The second
    number is the distance from one half in standard errors.
    """
    share, variance = 0.0, 0.0
    for true, other in ((one, two), (two, one)):
        right, wrong = guesses[true, true], guesses[true, other]
        if right + wrong < LABEL_ROWS:
            return 0.0, 0.0
        share += wrong / (right + wrong) / 2
        # One row more on either side: no estimate of the spread may be zero.
        smooth = (wrong + 1) / (right + wrong + 2)
        variance += smooth * (1 - smooth) / (right + wrong) / 4
    return float(share), float((share - 0.5) / math.sqrt(variance))


def _mean_place(queries: list[str], documents: list[str]) -> float:
    """Mean share of the other documents that are less like a query than its own, by character n-grams."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(2, 4), sublinear_tf=True, max_features=200_000)
    right = vectorizer.fit_transform(documents)
    alike = (vectorizer.transform(queries) @ right.T).toarray()
    places = []
    for i, row in enumerate(alike):
        others = np.array([row[j] for j in range(len(row)) if documents[j] != documents[i]])
        if len(others):
            places.append(float((others < row[i]).mean() + 0.5 * (others == row[i]).mean()))
    return float(np.mean(places)) if places else 1.0
