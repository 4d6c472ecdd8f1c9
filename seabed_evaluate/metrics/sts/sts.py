"""``evaluate.load("seabed/sts")``: the arithmetic is in ``scores``, next to this file."""

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
from .inputs import numbers
from .scores import sts_scores

_DESCRIPTION = """Semantic textual similarity: Spearman (the main score), Pearson and Kendall correlation of predicted
similarities with ratings."""

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


class SeabedSts(evaluate.Metric):  # type: ignore[misc]
    """Semantic textual similarity scores from predictions and references.

    Args:
        predictions: one similarity per pair, any scale.
        references: one rating per pair, any scale.
        n_bootstrap: resamples of the pairs for percentile intervals (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Returns:
        spearman (main), pearson, kendall: in [-1, 1].
        With resampling also <name>_low, <name>_high and bootstrap_undefined.

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/sts")
        >>> scores = metric.compute(predictions=[0.1, 0.4, 0.3, 0.8], references=[1, 2, 3, 5])
        >>> round(scores["spearman"], 4), round(scores["pearson"], 4)
        (0.8, 0.9282)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[0.1, 0.4, 0.3, 0.8], references=[1, 2, 3, 5], n_bootstrap=100, confidence=0.9)
        >>> scores["spearman_low"] <= scores["spearman"] <= scores["spearman_high"]
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
        return sts_scores(
            predictions,
            references,
            n_bootstrap=n_bootstrap,
            seed=seed,
            confidence=confidence,
        )
