"""Named evaluation settings, as data. Whatever changes a score and is not the model's stands here."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from seabed_datasets.errors import unknown

Classifier = Literal["logistic", "linear_svc"]


@dataclass(frozen=True)
class Protocol:
    """How predictions are made and scored.

    `classifier`, `multilabel_classifier`: logistic = logistic regression (C=1, lbfgs, run to convergence);
    linear_svc = linear SVM with balanced classes; both on the full train split, one per label for multi-label.
    `instruction_query`: with_query = the instruction beside the query; instruction_only = the instruction
    column alone.
    `rerank_prompts`: whether queries and candidates of reranking get prompts.
    `main`: the score of each task that tables average.
    """

    name: str
    classifier: Classifier
    multilabel_classifier: Classifier
    instruction_query: Literal["with_query", "instruction_only"]
    rerank_prompts: bool
    kmeans_batch: int = 500
    kmeans_init: int = 3
    seed: int = 42
    kmeans_spread_seeds: tuple[int, ...] = (42, 43, 44, 45, 46)
    top_k: int = 100
    main: dict[str, str] = field(
        default_factory=lambda: {
            "bitext_mining": "f1",
            "classification": "f1_weighted",
            "clustering": "v_measure",
            "instruction_retrieval": "ndcg_at_5",
            "multilabel_classification": "f1_weighted",
            "pair_classification": "ap",
            "reranking": "map",
            "retrieval": "ndcg_at_10",
            "sts": "spearman",
        }
    )

    def settings(self) -> dict[str, Any]:
        """Everything that can change a score, for the result file.

        Returns:
            Plain values.
        """
        # As a result file holds it, where a tuple is a list.
        return asdict(self) | {"kmeans_spread_seeds": list(self.kmeans_spread_seeds)}


PROTOCOLS = {
    # What the paper's text says, completed by the released code where the text is silent: it names logistic
    # regression for classification and no classifier for multi-label.
    "paper": Protocol("paper", "logistic", "linear_svc", "with_query", rerank_prompts=True),
    # What the authors' released code does.
    "released-code": Protocol(
        "released-code", "linear_svc", "linear_svc", "instruction_only", rerank_prompts=False
    ),
}


def protocol(name: str) -> Protocol:
    """One protocol by name.

    Args:
        name: "paper" or "released-code".

    Returns:
        The protocol.

    Raises:
        UnknownName: no such protocol.
    """
    if name not in PROTOCOLS:
        raise unknown("protocol", name, PROTOCOLS)
    return PROTOCOLS[name]
