"""``evaluate.load("seabed/instruction_retrieval")``: the arithmetic is in ``scores``, next to this file."""

from __future__ import annotations

from seabed_evaluate.metrics.shared.module import HITS, SeabedMetric  # From: seabed

from .scores import instruction_retrieval_scores


class SeabedInstructionRetrieval(SeabedMetric):
    """Instruction retrieval scores from predictions and references.

    Examples:
        >>> import evaluate
        >>> metric = evaluate.load("seabed/instruction_retrieval")
        >>> scores = metric.compute(predictions=[{"d1": 0.9, "d2": 0.8}], references=[{"d2": 1}], k=5)
        >>> round(scores["ndcg_at_5"], 4)
        0.6309
    """

    function = staticmethod(instruction_retrieval_scores)
    summary = "Instruction retrieval: nDCG, MAP, MRR, precision, recall and hit rate at every cut-off asked for; nDCG@5 is the main score."
    item = HITS
