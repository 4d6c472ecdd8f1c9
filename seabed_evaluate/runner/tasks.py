"""One function per task: a config's rows and an embedding function -> scores.

`embed(texts, side, instructions)` returns float32 vectors of shape (n, dimension) of the final, prompted
texts; a split is a dict of columns. The arithmetic is the metric modules' own. Beside the scores stands
`outcomes`, what intervals and comparisons need of every item (see `seabed_evaluate.runner.outcomes`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seabed_datasets.errors import DataError
from seabed_evaluate.encoders.batching import Vectors
from seabed_evaluate.encoders.prompts import Side
from seabed_evaluate.metrics.bitext_mining.scores import bitext_mining_scores
from seabed_evaluate.metrics.classification.scores import classification_scores
from seabed_evaluate.metrics.clustering.scores import clustering_scores
from seabed_evaluate.metrics.instruction_retrieval.scores import instruction_retrieval_scores
from seabed_evaluate.metrics.multilabel_classification.scores import (
    indicators,
    multilabel_classification_scores,
)
from seabed_evaluate.metrics.pair_classification.scores import pair_classification_scores
from seabed_evaluate.metrics.reranking.scores import reranking_scores
from seabed_evaluate.metrics.retrieval.scores import retrieval_scores
from seabed_evaluate.metrics.sts.scores import sts_scores
from seabed_evaluate.runner.outcomes import bitext_values, clustering_values, compact
from seabed_evaluate.runner.protocols import Classifier, Protocol
from seabed_evaluate.runner.similarity import cosines, pair_similarities, top_k, top_k_of_parts

Split = dict[str, list[Any]]
Scores = dict[str, Any]
Embed = Callable[[Sequence[str], Side, Sequence[str | None] | None], Vectors]

MAX_ITERATIONS = 10_000
# Documents whose vectors are held at once.
CORPUS_CHUNK = 65_536


def inputs(
    task: str, data: dict[str, Split], protocol: Protocol
) -> list[tuple[Sequence[str], Side, Sequence[str | None] | None]]:
    """Everything a task function will ask vectors of, for planning.

    Args:
        task: name of the task.
        data: its splits.
        protocol: the settings.

    Returns:
        Texts, side and own instructions, as `embed` is called with them.
    """
    test = data["test"]
    if task in ("bitext_mining", "pair_classification", "sts"):
        return [(test["sentence1"], "query", None), (test["sentence2"], "query", None)]
    if task in ("classification", "multilabel_classification"):
        return [(data["train"]["text"], "query", None), (test["text"], "query", None)]
    if task == "clustering":
        return [(test["text"], "query", None)]
    if task == "reranking":
        candidates = [d for row in test["documents"] for d in row]
        return [(test["query"], "query", None), (candidates, "document", None)]
    own = _own_instructions(test, protocol) if task == "instruction_retrieval" else (test["text"], None)
    return [(own[0], "query", own[1]), (data["corpus"]["text"], "document", None)]


def bitext_mining(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """Nearest target of each source sentence, source -> target, among all targets of the split.

    Args:
        data: split `test` with sentence1 and sentence2, aligned.
        embed: the embedding function.
        protocol: the settings.

    Returns:
        The scores of seabed_evaluate.metrics.bitext_mining.

    Source:
        the paper, section 3.2; equal targets count for the first of them.
    """
    test = data["test"]
    places: dict[str, int] = {}
    for row, text in enumerate(test["sentence2"]):
        places.setdefault(text, row)
    source = embed(test["sentence1"], "query", None)
    target = embed(list(places), "query", None)
    nearest, _ = top_k(source, target, 1, device=getattr(embed, "device", None))
    chosen = np.array(list(places.values()))[nearest[:, 0]]
    scores = bitext_mining_scores(chosen, np.arange(len(chosen)))
    return scores | {"outcomes": compact(values=bitext_values(chosen))}


def _scored(function: Callable[..., Scores], predictions: Any, references: Any, **options: Any) -> Scores:
    scores = function(predictions, references, **options)
    return scores | {"outcomes": compact(predictions=predictions, references=references)}


def _per_query(scores: Scores, measure: str) -> Scores:
    """Keep the main measure's value of every query; a query that does not count is NaN."""
    values = np.array(scores.pop("per_query")[measure], dtype=np.float64)
    return scores | {"outcomes": compact(values=values)}


def pair_classification(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """Cosine of the two sentences against the label.

    Args:
        data: split `test` with sentence1, sentence2, label (1 = entails or paraphrases).
        embed: the embedding function.
        protocol: the settings.

    Returns:
        The scores of seabed_evaluate.metrics.pair_classification, `ap` being that of the cosine; `dot_ap`,
        `euclidean_ap` and `manhattan_ap` are those of the other similarities.
    """
    return _paired(pair_classification_scores, "ap", data["test"], "label", embed)


def sts(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """Cosine of the two sentences against the human score.

    Args:
        data: split `test` with sentence1, sentence2, score.
        embed: the embedding function.
        protocol: the settings.

    Returns:
        The scores of seabed_evaluate.metrics.sts, `spearman` being that of the cosine; `euclidean_spearman` and
        `manhattan_spearman` are those of minus the distances.
    """
    found = _paired(sts_scores, "spearman", data["test"], "score", embed)
    # As in mteb, whose STS has no correlation of dot products.
    found.pop("dot_spearman", None)
    return found


def _paired(
    function: Callable[..., Scores], measure: str, test: Split, references: str, embed: Embed
) -> Scores:
    """The scores of the cosine, and one measure of each other similarity of the same vectors."""
    one, two = embed(test["sentence1"], "query", None), embed(test["sentence2"], "query", None)
    alike = pair_similarities(one, two)
    # Beyond six digits the noise of float32 would put equal pairs (texts cut at the same place, say) in an order.
    scores = _scored(function, alike.pop("cosine").round(6), test[references])
    for name, values in alike.items():
        # A distance that is the same for every pair leaves its correlation undefined: it has no score then.
        if values.min() < values.max():
            scores[f"{name}_{measure}"] = function(values, test[references])[measure]
    return scores


def classification(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """A linear classifier on the vectors of the full train split.

    Args:
        data: splits `train` and `test` with text and label.
        embed: the embedding function.
        protocol: which classifier.

    Returns:
        The scores of seabed_evaluate.metrics.classification, and the number of solver iterations.

    Raises:
        DataError: the train split has one class only.
    """
    train, test = data["train"], data["test"]
    if len(set(train["label"])) < 2:
        raise DataError("the train split has a single class, so nothing can be learned from it")
    vectors = _float64(embed(train["text"], "query", None))
    model = _fitted(protocol.classifier, protocol.seed, vectors, train["label"])
    predicted = model.predict(_float64(embed(test["text"], "query", None)))
    scores = _scored(classification_scores, predicted, test["label"])
    return scores | {"iterations": int(np.max(model.n_iter_))}


def multilabel_classification(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """One linear classifier per label of the full train split, decided at 0.

    Args:
        data: splits `train` and `test` with text and labels.
        embed: the embedding function.
        protocol: which classifier.

    Returns:
        The scores of seabed_evaluate.metrics.multilabel_classification. Labels that never occur in train are never
        predicted.

    Raises:
        DataError: no row of the train split has a label.
    """
    train, test = data["train"], data["test"]
    seen = sorted({label for row in train["labels"] for label in row})
    if not seen:
        raise DataError("no row of the train split has a label")
    x, y = _float64(embed(train["text"], "query", None)), _float64(embed(test["text"], "query", None))
    predicted: list[list[int]] = [[] for _ in test["text"]]
    for label in seen:
        truth = np.array([label in row for row in train["labels"]])
        hits = (
            truth[:1].repeat(len(y))
            if truth.all()
            else _fitted(protocol.multilabel_classifier, protocol.seed, x, truth).predict(y)
        )
        for row in np.flatnonzero(hits):
            predicted[row].append(label)
    count = max([*seen, *(label for row in test["labels"] for label in row)]) + 1
    guesses, truths = (indicators(rows, "labels", count) for rows in (predicted, test["labels"]))
    return _scored(multilabel_classification_scores, guesses.astype(np.int8), truths.astype(np.int8))


def _fitted(kind: Classifier, seed: int, vectors: Any, labels: Any) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    model = (
        LinearSVC(class_weight="balanced", random_state=seed, max_iter=MAX_ITERATIONS)
        if kind == "linear_svc"
        else LogisticRegression(C=1.0, max_iter=MAX_ITERATIONS)
    )
    with warnings.catch_warnings():
        # A fit that did not converge is not the optimum the protocol names, so it must not become a score.
        warnings.filterwarnings("error", message=".*failed to converge.*")
        return model.fit(vectors, labels)


def _float64(vectors: Vectors) -> Any:
    return vectors.astype(np.float64)


def clustering(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """Mini-batch k-means with as many clusters as labels.

    Args:
        data: split `test` with text and label.
        embed: the embedding function.
        protocol: batch size, starts, seed, and the seeds that show the spread.

    Returns:
        The scores of seabed_evaluate.metrics.clustering for the protocol's seed; `v_measure_seeds` for every seed.

    Raises:
        DataError: the split has one class only.
    """
    from sklearn.cluster import MiniBatchKMeans

    test = data["test"]
    clusters = len(set(test["label"]))
    if clusters < 2:
        raise DataError("the test split has a single class, so clusters cannot be compared with it")
    vectors = embed(test["text"], "query", None)

    def scored(seed: int) -> Scores:
        model = MiniBatchKMeans(
            n_clusters=clusters,
            batch_size=protocol.kmeans_batch,
            n_init=protocol.kmeans_init,
            random_state=seed,
        )
        found = model.fit_predict(vectors)
        scores: Scores = clustering_scores(found, test["label"])
        return scores | {"outcomes": compact(values=clustering_values(found, np.array(test["label"])))}

    by_seed = {seed: scored(seed) for seed in dict.fromkeys((protocol.seed, *protocol.kmeans_spread_seeds))}
    spread = {str(seed): s["v_measure"] for seed, s in by_seed.items()}
    return by_seed[protocol.seed] | {"v_measure_seeds": spread}


def retrieval(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """Best documents of each query by cosine; the text alone, titles are not used.

    Args:
        data: splits `test` (queries with `relevant`) and `corpus`.
        embed: the embedding function.
        protocol: how many documents are ranked.

    Returns:
        The scores of seabed_evaluate.metrics.retrieval.
    """
    queries = data["test"]
    hits = _search(queries["text"], None, data["corpus"], embed, protocol)
    scores = retrieval_scores(hits, _judgments(queries), per_query=True)
    return _per_query(scores, protocol.main["retrieval"])


def instruction_retrieval(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """Best documents of each query and its instruction by cosine.

    Args:
        data: splits `test` (queries with `instruction` and `relevant`) and `corpus`.
        embed: the embedding function.
        protocol: whether the query is encoded beside its instruction.

    Returns:
        The scores of seabed_evaluate.metrics.instruction_retrieval.
    """
    queries = data["test"]
    texts, own = _own_instructions(queries, protocol)
    hits = _search(texts, own, data["corpus"], embed, protocol)
    scores = instruction_retrieval_scores(hits, _judgments(queries), per_query=True)
    return _per_query(scores, protocol.main["instruction_retrieval"])


def _own_instructions(
    queries: Split, protocol: Protocol
) -> tuple[Sequence[str], Sequence[str | None] | None]:
    texts, own = list(queries["text"]), list(queries["instruction"])
    if protocol.instruction_query == "instruction_only":
        return [i or t for t, i in zip(texts, own, strict=True)], None
    return texts, own


def _search(
    texts: Sequence[str],
    instructions: Sequence[str | None] | None,
    corpus: Split,
    embed: Embed,
    protocol: Protocol,
) -> list[list[tuple[str, float]]]:
    # Ids in order make the lower index the lower id, which is the rule for ties.
    order = sorted(range(len(corpus["id"])), key=corpus["id"].__getitem__)
    ids = [corpus["id"][i] for i in order]
    queries = embed(texts, "query", instructions)
    chunk = getattr(embed, "corpus_chunk", CORPUS_CHUNK)
    documents = (
        embed([corpus["text"][i] for i in order[start : start + chunk]], "document", None)
        for start in range(0, len(order), chunk)
    )
    found, scores = top_k_of_parts(queries, documents, protocol.top_k, device=getattr(embed, "device", None))
    return [
        [(ids[i], s) for i, s in zip(row, values, strict=True)]
        for row, values in zip(found.tolist(), scores.tolist(), strict=True)
    ]


def _judgments(queries: Split) -> list[dict[str, int]]:
    return [{r["id"]: r["score"] for r in relevant} for relevant in queries["relevant"]]


def reranking(data: dict[str, Split], embed: Embed, protocol: Protocol) -> Scores:
    """Cosine of each query with its own candidates.

    Args:
        data: split `test` with query, documents, relevance.
        embed: the embedding function.
        protocol: the settings.

    Returns:
        The scores of seabed_evaluate.metrics.reranking.
    """
    test = data["test"]
    queries = embed(test["query"], "query", None)
    lengths = [len(d) for d in test["documents"]]
    documents = embed([d for row in test["documents"] for d in row], "document", None)
    scores = cosines(np.repeat(queries, lengths, axis=0), documents)
    ends = np.cumsum(lengths)[:-1]
    found = reranking_scores([s.tolist() for s in np.split(scores, ends)], test["relevance"], per_query=True)
    return _per_query(found, protocol.main["reranking"])


TASK_FUNCTIONS: dict[str, Callable[[dict[str, Split], Embed, Protocol], Scores]] = {
    "bitext_mining": bitext_mining,
    "classification": classification,
    "clustering": clustering,
    "instruction_retrieval": instruction_retrieval,
    "multilabel_classification": multilabel_classification,
    "pair_classification": pair_classification,
    "reranking": reranking,
    "retrieval": retrieval,
    "sts": sts,
}
