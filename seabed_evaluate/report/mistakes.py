"""The items of a config that a model gets wrong, from the outcomes beside its result file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError, unknown
from seabed_evaluate.runner.bundles import fetch_configs, open_bundle, read_splits
from seabed_evaluate.runner.outcomes import Outcomes, outcomes_path, read_outcomes
from seabed_evaluate.runner.results import Result, result_files

Row = dict[str, str | float | int | None]
# Where an item's text stands.
_TEXTS = {
    "bitext_mining": ("sentence1", "sentence2"),
    "pair_classification": ("sentence1", "sentence2"),
    "sts": ("sentence1", "sentence2"),
    "reranking": ("query",),
}


@dataclass(frozen=True)
class Mistakes:
    """The worst items first. `items`: how many there are; `wrong`: how many count as wrong, where that is clear."""

    model: str
    config: str
    measure: str
    score: float
    items: int
    wrong: int | None
    rows: tuple[Row, ...]
    note: str


def mistakes(
    results: Sequence[Path],
    config: str,
    *,
    data: str | Path | None = None,
    limit: int = 20,
    offline: bool = False,
) -> list[Mistakes]:
    """What models get wrong in a config.

    Args:
        results: result folders or files.
        config: its name.
        data: a bundle folder or Hub repository with its rows, for ids, texts and label names; or None.
        limit: items per model.
        offline: use what was fetched before.

    Returns:
        One entry per result of the config.

    Raises:
        UnknownName: no such config, or no result of it.
        SeabedError: the rows are not those that were scored, or outcomes are missing.
    """
    chosen = catalogue.config(config)
    files = result_files(results)
    own = [(path, r) for path, r in files if r["config"] == config]
    if not own:
        raise unknown("config in these results", config, sorted({r["config"] for _, r in files}))
    found = []
    for path, result in own:
        split = _rows(chosen, result, data, offline) if data is not None else None
        outcomes = read_outcomes(outcomes_path(path), result["settings_hash"])
        order, wrong, values, note = _worst(chosen.task, outcomes)
        names = chosen.labels or []
        rows = tuple(_row(chosen.task, int(i), values, outcomes, split, names) for i in order[:limit])
        found.append(
            Mistakes(
                str(result["model"]["model"]),
                config,
                str(result["main_score"]),
                float(result["score"]),
                len(values),
                wrong,
                rows,
                note,
            )
        )
    return found


def _rows(config: Config, result: Result, data: str | Path, offline: bool) -> Mapping[str, Sequence[Any]]:
    bundle = open_bundle(data, offline=offline)
    if config.name not in bundle.manifest:
        raise SeabedError(f"{bundle.name} holds no {config.name}; `seabed build {config.name} --out {data}`")
    known = {split: s["sha256"] for split, s in bundle.manifest[config.name]["splits"].items()}
    if known != result["data"]["splits"]:
        raise SeabedError(
            f"{config.name}: the rows of {bundle.name} are not those that were scored; leave --data out, or give "
            f"the bundle of the run (version {result['data']['version']})"
        )
    fetch_configs(bundle, [config.name], offline=offline)
    test: Mapping[str, Sequence[Any]] = read_splits(bundle, config)["test"]
    return test


def _worst(task: str, outcomes: Outcomes) -> tuple[Any, int | None, Any, str]:
    """Items by how wrong they are, how many are wrong, a number per item, and what the number is."""
    if "values" in outcomes:
        values = np.asarray(outcomes["values"], dtype=np.float64)
        counted = np.flatnonzero(np.isfinite(values))
        order = counted[np.argsort(values[counted], kind="stable")]
        if task == "bitext_mining":
            return (
                order,
                int((values <= 0).sum()),
                values,
                "what the item adds to the score; 0 or less: wrong",
            )
        if task == "clustering":
            return (
                order,
                None,
                values,
                "what the item adds to the V-measure; the lowest stand apart from their topic",
            )
        return order, int((values[counted] == 0).sum()), values, "the main measure of the query; wrong: 0"
    predictions, references = outcomes["predictions"], outcomes["references"]
    if task == "classification":
        wrong = np.flatnonzero(predictions != references)
        return wrong, len(wrong), (predictions == references).astype(float), "1 right, 0 wrong"
    if task == "multilabel_classification":
        off = (np.asarray(predictions) != np.asarray(references)).sum(axis=1)
        order = np.argsort(-off, kind="stable")
        order = order[off[order] > 0]
        return order, len(order), off.astype(float), "labels too many or missing"
    if task == "pair_classification":
        labels = np.asarray(references).astype(bool)
        scores = np.asarray(predictions, dtype=np.float64)
        # The share of the other class on the wrong side of a pair's cosine.
        higher = np.searchsorted(np.sort(scores[~labels]), scores, side="left")
        lower = np.searchsorted(np.sort(scores[labels]), scores, side="right")
        share = np.where(labels, 1 - higher / max(1, (~labels).sum()), lower / max(1, labels.sum()))
        return (
            np.argsort(-share, kind="stable"),
            None,
            share,
            "share of the other class on the wrong side of its cosine",
        )
    from scipy.stats import rankdata

    ranks = [rankdata(np.asarray(a, dtype=np.float64)) for a in (predictions, references)]
    apart = np.abs(ranks[0] - ranks[1]) / len(ranks[0])
    return (
        np.argsort(-apart, kind="stable"),
        None,
        apart,
        "distance of the ranks by cosine and by gold score, 0 to 1",
    )


def _row(
    task: str,
    item: int,
    values: Any,
    outcomes: Outcomes,
    split: Mapping[str, Sequence[Any]] | None,
    names: Sequence[str],
) -> Row:
    row: Row = {"row": item, "value": round(float(values[item]), 4)}
    if "predictions" in outcomes:
        row |= {
            "expected": _shown(outcomes["references"][item], task, names),
            "found": _shown(outcomes["predictions"][item], task, names),
        }
    if split is not None:
        row["id"] = str(split["id"][item])
        for column in _TEXTS.get(task, ("text",)):
            row[column] = str(split[column][item])
        if task == "clustering":
            row["topic"] = _shown(split["label"][item], "classification", names)
    return row


def _shown(value: Any, task: str, names: Sequence[str]) -> str | float:
    """A label by name where it is known, a number rounded."""
    if task == "classification":
        label = int(value)
        return str(names[label]) if label < len(names) else str(label)
    if task == "multilabel_classification":
        on = np.flatnonzero(np.asarray(value))
        return ", ".join(names[i] if i < len(names) else str(i) for i in on.tolist()) or "none"
    return round(float(value), 4)
