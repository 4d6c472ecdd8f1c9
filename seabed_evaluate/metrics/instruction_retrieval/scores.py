"""Instruction retrieval: scored as retrieval is, with nDCG@5 as the main score.

How the instruction joined the query is the encoder's business, not the metric's.

>>> scores = instruction_retrieval_scores([{"d1": 0.9, "d2": 0.8}], [{"d2": 1}], k=5)
>>> round(scores[MAIN_SCORE], 4)
0.6309
"""

from seabed_evaluate.metrics.shared.ranking import ranking_scores

MAIN_SCORE = "ndcg_at_5"

instruction_retrieval_scores = ranking_scores
