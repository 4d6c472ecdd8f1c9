"""``evaluate.load("seabed/instruction_retrieval")``: the arithmetic is in ``scores``, next to this file."""

# ruff: noqa: F401
# evaluate copies only the files and checks only the packages that this file names, hence the unused imports.
# Each import is on one line without a comment behind it: evaluate reads such a comment as an address.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import datasets
import evaluate
import numpy

from .bootstrap import scores_with_intervals
from .inputs import numbers
from .ranking import ranking_scores
from .scores import instruction_retrieval_scores

_DESCRIPTION = """Instruction retrieval: nDCG, MAP, MRR, precision, recall and hit rate at every cut-off asked for; nDCG@5
is the main score."""

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


class SeabedInstructionRetrieval(evaluate.Metric):  # type: ignore[misc]
    """Instruction retrieval scores from predictions and references.

    Args:
        predictions: per query a list of {"id": string, "score": number}, in any order, higher scores are
            better.
        references: per query a list of {"id": string, "score": relevance}, whole numbers from 0.
        k: cut-offs (default 1, 3, 5, 10, 100).
        ties: "id", equal scores by document id ascending (default), or "trec", as trec_eval orders them.
        per_query: also return the value of every query (default False).
        n_bootstrap: resamples of the queries for percentile intervals (default 0: none).
        seed: seed of the resampling (default 42).
        confidence: coverage of the intervals (default 0.95).

    Returns:
        ndcg_at_k, map_at_k, mrr_at_k, precision_at_k, recall_at_k, hit_rate_at_k for every k: fractions in
            [0, 1];
        num_queries, and num_queries_skipped for queries without a relevant document.
        With resampling also <name>_low, <name>_high and bootstrap_undefined.

    Raises:
        ValueError: for inputs that have no score, naming the argument and the item; see the README.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/instruction_retrieval")
        >>> hits = [[{"id": "d1", "score": 0.9}, {"id": "d2", "score": 0.8}]]
        >>> judged = [[{"id": "d2", "score": 1}]]
        >>> scores = metric.compute(predictions=hits, references=judged, k=[5])
        >>> scores["mrr_at_5"], round(scores["ndcg_at_5"], 4)
        (0.5, 0.6309)

        With a 90% bootstrap interval:

        >>> scores = metric.compute(predictions=hits, references=judged, k=[5], n_bootstrap=100, confidence=0.9)
        >>> scores["ndcg_at_5_low"] <= scores["ndcg_at_5"] <= scores["ndcg_at_5_high"]
        True
    """

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=self.__doc__,
            features=datasets.Features(
                {
                    "predictions": [{"id": datasets.Value("string"), "score": datasets.Value("float64")}],
                    "references": [{"id": datasets.Value("string"), "score": datasets.Value("float64")}],
                }
            ),
            reference_urls=["https://arxiv.org/abs/2508.12243"],
        )

    def _compute(
        self,
        predictions: Any,
        references: Any,
        k: Sequence[int] = (1, 3, 5, 10, 100),
        ties: str = "id",
        per_query: bool = False,
        n_bootstrap: int = 0,
        seed: int = 42,
        confidence: float = 0.95,
    ) -> dict[str, Any]:
        return instruction_retrieval_scores(
            predictions,
            references,
            k=k,
            ties=ties,
            per_query=per_query,
            n_bootstrap=n_bootstrap,
            seed=seed,
            confidence=confidence,
        )
