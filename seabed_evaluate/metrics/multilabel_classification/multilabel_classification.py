"""``evaluate.load("seabed/multilabel_classification")``: the arithmetic is in ``scores``, next to this file."""

# ruff: noqa: F401
# evaluate copies only the files and checks only the packages that this file names, hence the unused imports.
# Each import is on one line without a comment behind it: evaluate reads such a comment as an address.

from __future__ import annotations

from typing import Any

import datasets
import evaluate
import numpy

from .bootstrap import scores_with_intervals
from .inputs import numbers
from .scores import multilabel_classification_scores

_DESCRIPTION = """Multi-label classification: weighted F1 (the main score), macro and micro F1, exact-set accuracy, and
per-label accuracy weighted by label frequency."""

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


class SeabedMultilabelClassification(evaluate.Metric):  # type: ignore[misc]
    """Multilabel classification scores from predictions and references.

    Args:
        predictions: list of predicted label indices of each item; an empty list means no label.
        references: list of true label indices of each item.
        num_labels: number of labels, to refuse indices out of range (default None: the highest label seen
            plus 1).
        per_item: also return whether the whole set of each item is right (default False).
        n_bootstrap: resamples of the items for percentile intervals (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Returns:
        f1_weighted (main), f1_macro, f1_micro, accuracy, label_weighted_accuracy: fractions in [0, 1].
        With resampling also <name>_low, <name>_high and bootstrap_undefined.

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/multilabel_classification")
        >>> scores = metric.compute(predictions=[[0], [1, 2]], references=[[0], [1]])
        >>> scores["f1_weighted"], scores["f1_micro"], scores["accuracy"]
        (1.0, 0.8, 0.5)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[[0], [1, 2]], references=[[0], [1]], n_bootstrap=100, confidence=0.9)
        >>> scores["f1_weighted_low"] <= scores["f1_weighted"] <= scores["f1_weighted_high"]
        True
    """

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features(
                {
                    "predictions": [datasets.Value("float64")],
                    "references": [datasets.Value("float64")],
                }
            ),
            reference_urls=["https://arxiv.org/abs/2508.12243"],
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        num_labels: int | None = None,
        per_item: bool = False,
        n_bootstrap: int = 0,
        seed: int = 42,
        confidence: float = 0.95,
    ) -> dict[str, Any]:
        return multilabel_classification_scores(
            predictions,
            references,
            num_labels=num_labels,
            per_item=per_item,
            n_bootstrap=n_bootstrap,
            seed=seed,
            confidence=confidence,
        )
