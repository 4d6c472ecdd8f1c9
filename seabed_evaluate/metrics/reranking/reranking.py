"""``evaluate.load("seabed/reranking")``: the arithmetic is in ``scores``, next to this file."""

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
from .ranking import ranking_scores
from .scores import reranking_scores

_DESCRIPTION = """Reranking of candidate lists: MAP (the main score), MRR@10 and nDCG@10."""

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


class SeabedReranking(evaluate.Metric):  # type: ignore[misc]
    """Reranking scores from predictions and references.

    Args:
        predictions: per query one score per candidate, higher is better.
        references: per query one relevance per candidate, whole numbers from 0.
        per_query: also return the value of every query (default False).
        n_bootstrap: resamples of the queries for percentile intervals (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Returns:
        map (main), mrr_at_10, ndcg_at_10: fractions in [0, 1]; num_queries, and num_queries_skipped for
            queries whose
        candidates are all relevant or all not.
        With resampling also <name>_low, <name>_high and bootstrap_undefined.

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/reranking")
        >>> scores = metric.compute(predictions=[[0.2, 0.9, 0.4]], references=[[1, 0, 0]])
        >>> round(scores["map"], 4), scores["ndcg_at_10"]
        (0.3333, 0.5)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=[[0.2, 0.9, 0.4]], references=[[1, 0, 0]], n_bootstrap=100, confidence=0.9)
        >>> scores["map_low"] <= scores["map"] <= scores["map_high"]
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
        per_query: bool = False,
        n_bootstrap: int = 0,
        seed: int = 42,
        confidence: float = 0.95,
    ) -> dict[str, Any]:
        return reranking_scores(
            predictions,
            references,
            per_query=per_query,
            n_bootstrap=n_bootstrap,
            seed=seed,
            confidence=confidence,
        )
