"""``evaluate.load("seabed/bitext_mining")``: the arithmetic is in ``scores``, next to this file."""

# ruff: noqa: F401
# evaluate copies only the files and checks only the packages that this file names, hence the unused imports.
# Each import is on one line without a comment behind it: evaluate reads such a comment as an address.

from __future__ import annotations

from typing import Any

import datasets
import evaluate
import numpy
import scipy

from .bootstrap import scores_with_intervals
from .confusion import confusion_statistics
from .inputs import numbers
from .scores import bitext_mining_scores

_DESCRIPTION = """Bitext mining: for every source sentence, which target row was chosen. Weighted F1 over row indices (the
main score), accuracy, precision and recall."""

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


class SeabedBitextMining(evaluate.Metric):  # type: ignore[misc]
    """Bitext mining scores from predictions and references.

    Args:
        predictions: index of the target row chosen for each source sentence, whole numbers from 0.
        references: index of the true target row for each source sentence.
        per_item: also return the F1 share and correctness of each row (default False).
        n_bootstrap: resamples of the rows for percentile intervals (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Returns:
        f1 (main), accuracy, precision, recall: fractions in [0, 1].
        With resampling also <name>_low, <name>_high and bootstrap_undefined.

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/bitext_mining")
        >>> scores = metric.compute(predictions=[0, 1, 2, 0], references=[0, 1, 2, 3])
        >>> {name: round(value, 4) for name, value in scores.items()}
        {'f1': 0.6667, 'accuracy': 0.75, 'precision': 0.625, 'recall': 0.75}

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[0, 1, 2, 0], references=[0, 1, 2, 3], n_bootstrap=100, confidence=0.9)
        >>> scores["f1_low"] <= scores["f1"] <= scores["f1_high"]
        True
    """

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features(
                {
                    "predictions": datasets.Value("float64"),
                    "references": datasets.Value("float64"),
                }
            ),
            reference_urls=["https://arxiv.org/abs/2508.12243"],
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        per_item: bool = False,
        n_bootstrap: int = 0,
        seed: int = 42,
        confidence: float = 0.95,
    ) -> dict[str, Any]:
        return bitext_mining_scores(
            predictions,
            references,
            per_item=per_item,
            n_bootstrap=n_bootstrap,
            seed=seed,
            confidence=confidence,
        )
