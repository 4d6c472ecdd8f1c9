"""``evaluate.load("seabed/clustering")``: the arithmetic is in ``scores``, next to this file."""

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
from .scores import clustering_scores

_DESCRIPTION = """Clustering against true classes: V-measure (the main score), homogeneity, completeness, adjusted Rand
index and normalised mutual information."""

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


class SeabedClustering(evaluate.Metric):  # type: ignore[misc]
    """Clustering scores from predictions and references.

    Args:
        predictions: cluster of each item, whole numbers; names of clusters do not matter.
        references: true class of each item, whole numbers.
        n_bootstrap: resamples of the items for percentile intervals (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Returns:
        v_measure (main), homogeneity, completeness, nmi in [0, 1]; ari in [-0.5, 1].
        With resampling also <name>_low, <name>_high and bootstrap_undefined.

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/clustering")
        >>> scores = metric.compute(predictions=[1, 1, 0, 0], references=[0, 0, 1, 1])
        >>> scores["v_measure"], scores["ari"]
        (1.0, 1.0)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[1, 1, 0, 0], references=[0, 0, 1, 1], n_bootstrap=100, confidence=0.9)
        >>> scores["v_measure_low"] <= scores["v_measure"] <= scores["v_measure_high"]
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
        return clustering_scores(
            predictions,
            references,
            n_bootstrap=n_bootstrap,
            seed=seed,
            confidence=confidence,
        )
