"""``evaluate.load("seabed/pair_classification")``: the arithmetic is in ``scores``, next to this file."""

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
from .scores import pair_classification_scores

_DESCRIPTION = """Pair classification from similarity scores: average precision (the main score), best F1 and best
accuracy with the thresholds that give them."""

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


class SeabedPairClassification(evaluate.Metric):  # type: ignore[misc]
    """Pair classification scores from predictions and references.

    Args:
        predictions: one score per pair, higher means more likely positive.
        references: 1 for a positive pair, 0 for a negative one.
        n_bootstrap: resamples of the pairs for percentile intervals (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Returns:
        ap (main), best_f1, best_accuracy: fractions in [0, 1]; best_f1_threshold, best_accuracy_threshold: in
            units of
        the predictions, a pair being positive when its score is at least the threshold.
        With resampling also <name>_low, <name>_high and bootstrap_undefined.

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/pair_classification")
        >>> scores = metric.compute(predictions=[0.9, 0.8, 0.3, 0.1], references=[1, 0, 1, 0])
        >>> round(scores["ap"], 4), scores["best_f1"], scores["best_f1_threshold"]
        (0.8333, 0.8, 0.3)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[0.9, 0.8, 0.3, 0.1], references=[1, 0, 1, 0], n_bootstrap=100, confidence=0.9)
        >>> scores["ap_low"] <= scores["ap"] <= scores["ap_high"]
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
        n_bootstrap: int = 0,
        seed: int = 42,
        confidence: float = 0.95,
    ) -> dict[str, Any]:
        return pair_classification_scores(
            predictions,
            references,
            n_bootstrap=n_bootstrap,
            seed=seed,
            confidence=confidence,
        )
