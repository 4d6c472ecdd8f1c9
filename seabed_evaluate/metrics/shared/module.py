"""What the nine `evaluate` modules have in common: their facts, and the inputs they take before evaluate sees them."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import datasets
import evaluate

from seabed_evaluate.metrics.shared.inputs import as_array, is_table, nested, numbers, rows_of

NUMBER = datasets.Value("float64")
NUMBERS = [NUMBER]
HITS = [{"id": datasets.Value("string"), "score": NUMBER}]

_PAPER = "https://arxiv.org/abs/2508.12243"

_CITATION = """\
@misc{ponwitayarat2025seabed,
  title = {SEA-BED: How Do Embedding Models Represent Southeast Asian Languages?},
  author = {Ponwitayarat, Wuttikorn and Limkonchotiwat, Peerat and Ng, Raymond and Montalan, Jann Railey and
            Aung, Thura and Ngui, Jian Gang and Susanto, Yosephine and Tjhi, William Chandra and
            Tasawong, Panuthep and Cambria, Erik and Chuangsuwanich, Ekapol and Nutanong, Sarana},
  year = {2025},
  eprint = {2508.12243},
  archivePrefix = {arXiv}
}
"""

_OPTIONS = """

Options of every metric (above: resampling):
    n_bootstrap: resamples of the items (in ranking: the queries) for percentile intervals, which stand beside
        the scores as <name>_low and <name>_high (default 0: none, at most 100,000).
    seed: seed of the resampling (default 42).
    confidence: coverage of the intervals (default 0.95).
"""


class SeabedMetric(evaluate.Metric, ABC):  # type: ignore[misc]
    """A metric whose arithmetic is a plain function.

    A subclass names the function, whose docstring says what it takes and gives; ``summary``, a sentence; and
    ``item``, what evaluate keeps of one item on either side.
    """

    summary: str
    item: Any = NUMBER

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=self.summary,
            citation=_CITATION,
            inputs_description=f"{inspect.getdoc(self)}\n\n{inspect.getdoc(self.function)}{_OPTIONS}",
            features=datasets.Features({"predictions": self.item, "references": self.item}),
            homepage=_PAPER,
            license="Apache-2.0",
            reference_urls=[_PAPER],
        )

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add a batch of predictions and references.

        Args:
            predictions: list, array, tensor or column; see below.
            references: the same.
            **kwargs: none.

        Raises:
            ValueError: something is not a number, naming the argument and the item.
        """
        super().add_batch(
            predictions=self.plain(predictions, "predictions"),
            references=self.plain(references, "references"),
            **kwargs,
        )

    def plain(self, values: Any, name: str) -> Any:
        """Check a batch, and turn what evaluate would misread (tensors, masks, an index) into lists and arrays.

        Checked here, a bad value is named, and evaluate has not yet opened a file that the next call would wait for.

        Args:
            values: a batch of items.
            name: what to call it in an error.

        Returns:
            The items by position.

        Raises:
            ValueError: something is not a number, is masked, or there is no order.
        """
        if is_table(values):
            return self.from_table(values, name)
        if self.item is NUMBER:
            return numbers(values, name)
        rows = rows_of(values, name)
        if self.item is NUMBERS:
            nested(rows, name, numbers)
            return [as_array(row, name) if hasattr(row, "shape") else row for row in rows]
        return [_hits(row, f"{name}[{index}]") for index, row in enumerate(rows)]

    def from_table(self, table: Any, name: str) -> Any:
        """Read an array of two dimensions.

        Args:
            table: array, tensor or frame.
            name: what to call it in an error.

        Returns:
            A numpy array.

        Raises:
            ValueError: the metric takes one number per item.
        """
        return numbers(table, name) if self.item is NUMBER else as_array(table, name)

    # evaluate takes the first class of a module that is not abstract, so this one must be.
    @property
    @abstractmethod
    def function(self) -> Any:
        """The plain function."""

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        scores: dict[str, Any] = self.function(predictions, references, **options)
        return scores


def _hits(row: Any, name: str) -> Any:
    """The hits or judgments of one query as rows, from any of the three forms."""
    try:
        len(row)
        pairs = list(row.items() if isinstance(row, Mapping) else row)
        if pairs and not isinstance(pairs[0], Mapping):
            pairs = [{"id": document, "score": score} for document, score in pairs]
        if all("id" in pair and "score" in pair for pair in pairs):
            return pairs
    except (TypeError, ValueError):
        pass
    raise ValueError(
        f"{name} must hold (id, score) pairs or {{'id': ..., 'score': ...}} rows, found {row!r:.80}"
    )
