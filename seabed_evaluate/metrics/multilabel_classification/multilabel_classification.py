"""``evaluate.load("seabed/multilabel_classification")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from typing import Any

from seabed_evaluate.metrics.shared.module import NUMBERS, SeabedMetric  # From: seabed

from .scores import label_lists, multilabel_classification_scores


class SeabedMultilabelClassification(SeabedMetric):
    """Multilabel classification scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/multilabel_classification")
        >>> scores = metric.compute(predictions=[[0], [1, 2]], references=[[0], [1]])
        >>> scores["f1_weighted"], scores["f1_micro"], scores["accuracy"]
        (1.0, 0.8, 0.5)
    """

    function = staticmethod(multilabel_classification_scores)
    summary = "Multi-label classification: weighted F1 (the main score), macro and micro F1, exact-set accuracy, and per-label accuracy weighted by label frequency."
    item = NUMBERS

    def from_table(self, table: Any, name: str) -> Any:
        """Turn rows of 0 and 1 into lists of label indices, or evaluate would make lists of 0 and 1 of them.

        Args:
            table: array, tensor, frame or sparse matrix, shape (items, labels).
            name: what to call it in an error.

        Returns:
            Lists of label indices.
        """
        return label_lists(table, name)
