"""Retrieval: nDCG, MAP, MRR, precision, recall and hit rate at every k (main: nDCG@10).

>>> hits = [[("d1", 0.9), ("d2", 0.8), ("d3", 0.1)]]
>>> scores = retrieval_scores(hits, [{"d2": 1}], k=[10])
>>> scores["mrr_at_10"], round(scores[MAIN_SCORE], 4)
(0.5, 0.6309)
"""

from seabed_evaluate.metrics.shared.ranking import ranking_scores

MAIN_SCORE = "ndcg_at_10"

retrieval_scores = ranking_scores
