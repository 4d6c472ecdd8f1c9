"""What the nine `evaluate` modules have in common: their facts, and the inputs they take before evaluate sees them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import datasets
import evaluate

from seabed_evaluate.metrics.shared.inputs import LABELS_FIRST, as_array, is_table, numbers, rows_of

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
    Options of every metric:
        n_bootstrap: resamples of the items (in ranking: the queries) for percentile intervals, which stand beside
            the scores as <name>_low and <name>_high (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.
"""


class SeabedMetric(evaluate.Metric, ABC):  # type: ignore[misc]
    """A metric whose arithmetic is a plain function; a subclass calls it and documents its inputs and scores.

    ``summary``: what it gives, in a sentence; ``item``: what evaluate keeps of one item, on either side.
    """

    summary: str
    item: Any = NUMBER

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=self.summary,
            citation=_CITATION,
            inputs_description=f"{self.__doc__}{_OPTIONS}",
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
        """
        super().add_batch(
            predictions=self.plain(predictions, "predictions"),
            references=self.plain(references, "references"),
            **kwargs,
        )

    def plain(self, values: Any, name: str) -> Any:
        """Turn what evaluate would misread into lists or numpy arrays: tensors, columns with an index, masks.

        Args:
            values: a batch of items.
            name: what to call it in an error.

        Returns:
            The items by position.

        Raises:
            ValueError: a value is masked or no number, or there is no order.
        """
        if is_table(values):
            return self.from_table(values, name)
        if self.item is not NUMBER:
            return [_plain_row(row, f"{name}[{index}]") for index, row in enumerate(rows_of(values, name))]
        given = as_array(values, name) if hasattr(values, "shape") else rows_of(values, name)
        if len(given) and isinstance(given[0], str) and not _reads_as_number(given[0]):
            raise ValueError(f"{name}[0] is {given[0]!r}, not a number{LABELS_FIRST}")
        return given

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
    @abstractmethod
    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]: ...


def _plain_row(row: Any, name: str) -> Any:
    if not hasattr(row, "shape"):
        return row
    array = as_array(row, name)
    return list(row) if array.dtype.kind == "O" else array


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
