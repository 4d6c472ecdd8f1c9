"""The authors' processed copies on the Hub, read by one generic loader.

They are the rows the paper scored. Column and split names differ per task and dataset and are in the card's
`authors_release`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from seabed_datasets.catalogue import Config, Release, dataset
from seabed_datasets.errors import RawFormatError, SourceError
from seabed_datasets.files import file_sha256
from seabed_datasets.loaders.shapes import drawn, question_answering, rerank_row, train_test, with_negatives
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources import readers
from seabed_datasets.sources.raw_files import Used, hub_file, why


def repository(config: Config) -> str | None:
    """The Hub id of the authors' copy of a config.

    Args:
        config: which config.

    Returns:
        The id, verbatim, or None when the card names none.
    """
    release = dataset(config.key).seabed.authors_release
    if release is None:
        return None
    if config.name in release.ids:
        return release.ids[config.name]
    return release.pattern and release.pattern.format_map({"lang": config.lang, **config.params})


def was_seen(config: Config) -> bool:
    """Whether the id of the authors' copy was read in their code, and is not only derived from a pattern.

    Args:
        config: which config.

    Returns:
        True when it was seen.
    """
    release = dataset(config.key).seabed.authors_release
    return release is not None and repository(config) in release.seen


def commit(config: Config) -> str | None:
    """The newest commit of the authors' copy.

    Args:
        config: which config.

    Returns:
        Its id, or None when the card names no copy.

    Raises:
        SourceError: the Hub cannot be asked.
    """
    repo = repository(config)
    return repo and _list(config, repo)[1]


def load(config: Config) -> tuple[Splits, list[Used]]:
    """The rows of the authors' copy.

    Args:
        config: which config.

    Returns:
        Split -> rows; the files used.

    Raises:
        SourceError: there is no copy, or it cannot be read.
        RawFormatError: it has other columns or labels than the card says.
    """
    release, repo = dataset(config.key).seabed.authors_release, repository(config)
    if release is None or repo is None:
        raise SourceError(
            f"{config.name}: the card names no authors' release; try `seabed build {config.name} --from upstream`",
            "no source",
        )
    files, commit = _list(config, repo)
    used: list[Used] = []

    def rows(split: str) -> Iterator[dict[str, Any]]:
        for name in _files_of(files, split):
            path, revision = hub_file(config.name, repo, name, commit)
            used.append(Used("hf", repo, revision, name, file_sha256(path), path.stat().st_size))
            yield from _read(path)

    named = release.split.format_map({"lang": config.lang, **config.params})
    splits = [s for s in (named, "test", "validation", "train") if _files_of(files, s)]
    if not splits:
        raise SourceError(f"{config.name}: {repo} has no data files among {files[:10]}", "gone")
    tested = list(rows(splits[0]))
    if release.draw:
        tested = drawn(tested, release.draw)
    if config.task in ("retrieval", "instruction_retrieval"):
        return _retrieval(config, release, tested), used
    shape = _SHAPES[config.task]
    if config.task in ("classification", "multilabel_classification"):
        if splits[0] == "train":
            return train_test(shape(config, release, tested), *release.cut), used
        trained = list(rows(release.train_split or "train"))
        return {"train": shape(config, release, trained), "test": shape(config, release, tested)}, used
    return {"test": shape(config, release, tested)}, used


def _list(config: Config, repo: str) -> tuple[list[str], str | None]:
    from huggingface_hub import HfApi

    try:
        info = HfApi().dataset_info(repo)
    except Exception as error:
        raise SourceError(f"{config.name}: cannot list {repo}: {error}", why(error)) from None
    return [s.rfilename for s in info.siblings or []], info.sha


def _files_of(files: Iterable[str], split: str) -> list[str]:
    """Parquet files under data/ where there are any (a stray CSV may lie beside them), else one flat file.

    A lone flat file whose name is no split's is the train split, as `datasets` reads it.
    """
    shards = [f for f in files if re.fullmatch(rf"data/{split}-\d+-of-\d+(-[0-9a-f]+)?\.parquet", f)]
    if shards or any(f.startswith("data/") and f.endswith(".parquet") for f in files):
        return sorted(shards)
    flat = [f for f in files if re.fullmatch(r"(data/)?[^/]+\.(csv|jsonl|json|parquet)", f)]
    if split == "train" and len(flat) == 1 and Path(flat[0]).stem not in ("test", "validation", "dev"):
        return flat
    return [f for f in flat if Path(f).stem == split][:1]


def _read(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".parquet":
        return readers.parquet(path, columns=[])
    if path.suffix == ".csv":
        return readers.table(path, columns=[])
    return readers.json_rows(path)


def _pick(config: Config, release: Release, row: dict[str, Any], ours: str, *usual: str) -> Any:
    names = [release.columns[ours]] if ours in release.columns else usual
    for name in names:
        if name in row:
            return row[name]
    raise RawFormatError(
        f"{config.name}: the authors' copy has columns {sorted(row)}, expected {' or '.join(names)} for {ours}"
    )


def _number(value: Any) -> Any:
    """A whole number that a CSV file holds as text, or a column with gaps as a float; else the value."""
    if isinstance(value, str) and re.fullmatch(r"-?\d+(\.0)?", value):
        return int(float(value))
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _label(config: Config, release: Release, value: Any) -> str:
    """A label's name: by the card's map, else already a name (also one that is a number), else by position."""
    names = config.labels or []
    by_value: dict[Any, str] = dict(release.labels or {})
    for known in (value, _number(value)) if isinstance(value, str | int | float) else ():
        if known in by_value:
            return by_value[known]
        if not names or str(known) in names:
            return str(known)
    position = _number(value)
    if isinstance(position, int) and release.labels is None and 0 <= position < len(names):
        return names[position]
    raise RawFormatError(f"{config.name}: the authors' label {value!r} has no name in the card")


def _bitext(config: Config, release: Release, rows: list[dict[str, Any]]) -> Iterator[Row]:
    """With a 1-based `gold` column of pairs, target row gold[1] belongs to source row gold[0]."""
    for i, row in enumerate(rows):
        one, other = row, row
        if "gold" in row:
            if not row["gold"]:
                continue
            one, other = _gold(config, rows, row["gold"])
        yield {
            "id": str(i),
            "sentence1": _pick(config, release, one, "sentence1", "source", "sentence1"),
            "sentence2": _pick(config, release, other, "sentence2", "target", "sentence2"),
        }


def _gold(config: Config, rows: list[dict[str, Any]], pair: Any) -> list[dict[str, Any]]:
    numbers = [_number(n) for n in pair] if isinstance(pair, list) else []
    if len(numbers) != 2 or not all(isinstance(n, int) and 1 <= n <= len(rows) for n in numbers):
        raise RawFormatError(
            f"{config.name}: gold {pair!r} is not a pair of row numbers from 1 to {len(rows)}"
        )
    return [rows[n - 1] for n in numbers]


def _pairs(config: Config, release: Release, rows: list[dict[str, Any]]) -> Iterator[Row]:
    """Where a label 2 occurs: 1 (neutral) is left out, 0 (entailment) becomes 1, 2 (contradiction) 0."""
    values = [_number(_pick(config, release, r, "label", "label", "labels")) for r in rows]
    by_number = {0: 1, 2: 0} if 2 in values else {0: 0, 1: 1}
    names = config.labels or []
    for i, (row, value) in enumerate(zip(rows, values, strict=True)):
        if isinstance(value, int) and value not in by_number and not (value == 1 and 2 in values):
            raise RawFormatError(f"{config.name}, row {i}: label {value!r} is not 0, 1 or 2")
        if isinstance(value, int) and value not in by_number:
            continue
        yield {
            "id": str(i),
            "sentence1": _pick(config, release, row, "sentence1", "sentence1"),
            "sentence2": _pick(config, release, row, "sentence2", "sentence2"),
            "label": names[by_number[value]] if isinstance(value, int) else value,
        }


def _sts(config: Config, release: Release, rows: list[dict[str, Any]]) -> Iterator[Row]:
    for row in rows:
        yield {
            "sentence1": _pick(config, release, row, "sentence1", "sentence1"),
            "sentence2": _pick(config, release, row, "sentence2", "sentence2"),
            "score": _pick(config, release, row, "score", "score"),
        }


def _labelled(config: Config, release: Release, rows: list[dict[str, Any]]) -> Iterator[Row]:
    for row in rows:
        label = _pick(config, release, row, "label", "labels", "label")
        text = _pick(config, release, row, "text", "texts", "text")
        yield {"text": text, "label": _label(config, release, label)}


def _multi(config: Config, release: Release, rows: list[dict[str, Any]]) -> Iterator[Row]:
    for row in rows:
        labels = _pick(config, release, row, "labels", "labels")
        text = _pick(config, release, row, "text", "texts", "text")
        if not isinstance(labels, list):
            raise RawFormatError(f"{config.name}: expected a list of labels, found {labels!r}")
        yield {"text": text, "labels": [_label(config, release, v) for v in labels]}


def _rerank(config: Config, release: Release, rows: list[dict[str, Any]]) -> Iterator[Row]:
    for i, row in enumerate(rows):
        yes = _pick(config, release, row, "positive", "positive")
        no = _pick(config, release, row, "negative", "negative")
        if yes and no:
            query = _pick(config, release, row, "query", "query")
            yield rerank_row(str(i), query, yes, no)


def _retrieval(config: Config, release: Release, rows: list[dict[str, Any]]) -> Splits:
    """Queries, their passages and, where the card names them, further passages of the corpus."""
    if not rows:
        return {"test": [], "corpus": []}
    query = release.columns.get("query") or _first(
        config, rows[0], "question", "query", "instruction", "Instruction"
    )
    passage = release.columns.get("document") or _first(
        config, rows[0], "context", "document", "output", "Output"
    )
    negative = release.columns.get("negative")
    try:
        asked = [unit for row in rows for unit in _asked(row, query, passage)]
        others = [text for row in rows for text in _at(row, negative.split("."))] if negative else []
    except (KeyError, TypeError) as error:
        raise RawFormatError(
            f"{config.name}: the authors' copy has columns {sorted(rows[0])}, expected {query} and {passage}: {error!r}"
        ) from None
    return with_negatives((None, text, passages, ()) for text, passages in asked) | {
        "corpus": question_answering([(None, t, p) for t, p in asked], others)["corpus"]
    }


def _first(config: Config, row: dict[str, Any], *names: str) -> str:
    for name in names:
        if name in row:
            return name
    raise RawFormatError(
        f"{config.name}: the authors' copy has columns {sorted(row)}, expected {' or '.join(names)}"
    )


def _at(value: Any, path: list[str]) -> list[Any]:
    """Every value at a path of keys; lists on the way are walked, nothing is below None."""
    if value is None:
        return []
    if isinstance(value, list):
        return [found for part in value for found in _at(part, path)]
    return _at(value[path[0]], path[1:]) if path else [value]


def _asked(row: dict[str, Any], query: str, passage: str) -> Iterator[tuple[str, list[str]]]:
    """Each question of a row with the passages that stand beside it, for dotted paths such as qas.question."""
    asks, holds = query.split("."), passage.split(".")
    shared = 0
    while asks[shared] == holds[shared]:
        shared += 1
    for unit in _at(row, asks[:shared]):
        passages = _at(unit, holds[shared:])
        for text in _at(unit, asks[shared:]):
            yield text, passages


_SHAPES: dict[str, Callable[[Config, Release, list[dict[str, Any]]], Iterator[Row]]] = {
    "bitext_mining": _bitext,
    "pair_classification": _pairs,
    "sts": _sts,
    "classification": _labelled,
    "clustering": _labelled,
    "multilabel_classification": _multi,
    "reranking": _rerank,
}
