"""Loader skeletons: for each task, which columns it needs and the few lines that turn them into rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seabed_datasets.contribute.sniffing import (
    Sniffed,
    find,
    is_flag,
    is_label,
    is_list,
    is_number,
    is_text,
    longest,
    separator,
)

TODO = "TODO"
NLI = {"entailment", "contradiction"}


@dataclass(frozen=True)
class Skeleton:
    """A loader to be, and what the card needs beside it.

    `columns`: role -> column of the file, "TODO" where nobody can tell. `make`: a function of the source
    text, `rows` in and the rows of a split (or splits) out. `helpers`: names it imports from loaders.shapes.
    """

    columns: dict[str, str]
    make: Callable[[str], str]
    helpers: list[str] = field(default_factory=list)
    labels: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    whole: bool = False
    after: str = ""


def skeleton(task: str, sniffed: Sniffed) -> Skeleton:
    """The loader of a task for a file.

    Args:
        task: one of the nine.
        sniffed: the file.

    Returns:
        The skeleton.
    """
    return _TASKS[task](sniffed)


def _anything(values: list[Any]) -> bool:
    return True


def _pick(sniffed: Sniffed, **roles: Callable[[list[Any]], bool]) -> dict[str, str]:
    taken: dict[str, str] = {}
    for role, fits in roles.items():
        taken[role] = find(sniffed, role, taken.values(), fits) or TODO
    return taken


def _two_texts(sniffed: Sniffed, taken: Mapping[str, str]) -> dict[str, str]:
    """sentence1 and sentence2: by name, else the two longest columns in the order of the file."""
    pair = _pick(sniffed, sentence1=is_text, sentence2=is_text)
    if TODO in pair.values():
        two = sorted(longest(sniffed, taken.values())[:2], key=sniffed.columns.index)
        pair = dict(zip(("sentence1", "sentence2"), [*two, TODO, TODO], strict=False))
    return pair


def _bitext(sniffed: Sniffed) -> Skeleton:
    columns = _two_texts(sniffed, {})
    one, two = columns["sentence1"], columns["sentence2"]
    return Skeleton(columns, lambda rows: f"side_by_side({rows}, {one!r}, {two!r})", ["side_by_side"])


def _pair(sniffed: Sniffed) -> Skeleton:
    label = _pick(sniffed, label=is_label)
    columns = _two_texts(sniffed, label) | label
    one, two, mark = columns["sentence1"], columns["sentence2"], columns["label"]
    values = _label_values(sniffed, mark)
    if set(values) >= NLI:
        neutral = "" if "neutral" in values else ", neutral=None"
        return Skeleton(
            columns,
            lambda rows: f"nli_pairs({rows}, premise={one!r}, hypothesis={two!r}, label={mark!r}{neutral})",
            ["nli_pairs"],
            ["contradiction", "entailment"],
        )
    names = {v: f"TODO_{v}" for v in values}
    return Skeleton(
        columns,
        lambda rows: (
            f'({{"sentence1": r[{one!r}], "sentence2": r[{two!r}], "label": NAMES[str(r[{mark!r}])]}} '
            f"for r in {rows})"
        ),
        [],
        list(names.values()) or [TODO],
        ["Two labels: the first means no (0), the second yes (1), for entails or paraphrases."],
        after=f"# TODO: each value of the file -> one of the two labels of the card\nNAMES = {names!r}\n",
    )


def _sts(sniffed: Sniffed) -> Skeleton:
    score = _pick(sniffed, score=is_number)
    columns = _two_texts(sniffed, score) | score
    one, two, mark = columns["sentence1"], columns["sentence2"], columns["score"]
    return Skeleton(
        columns,
        lambda rows: (
            f'({{"sentence1": r[{one!r}], "sentence2": r[{two!r}], "score": float(r[{mark!r}])}} for r in {rows})'
        ),
    )


def _labelled(sniffed: Sniffed) -> Skeleton:
    columns = _pick(sniffed, label=is_label)
    columns["text"] = find(sniffed, "text", columns.values(), is_text) or next(
        iter(longest(sniffed, columns.values())), TODO
    )
    text, mark = columns["text"], columns["label"]
    values = _label_values(sniffed, mark)
    numbers = bool(values) and is_number(list(values))
    names = ", names=numbered(config)" if numbers else ""
    return Skeleton(
        columns,
        lambda rows: f"labelled({rows}, text={text!r}, label={mark!r}{names})",
        ["labelled", *(["numbered"] if numbers else [])],
        [f"TODO_{v}" for v in values] if numbers else values or [TODO],
        ["Give the numbers 0, 1, ... upstream's names, in this order."] if numbers else [],
    )


def _label_values(sniffed: Sniffed, column: str) -> list[str]:
    """The labels of a column: those the file declares, else those it has, numbers in their order."""
    if column == TODO:
        return []
    if sniffed.class_labels and column in sniffed.class_labels:
        return sniffed.class_labels[column]
    found = {str(v) for v in sniffed.values(column)}
    return sorted(found, key=lambda v: (0, float(v), "") if is_number([v]) else (1, 0.0, v))


def _multi(sniffed: Sniffed) -> Skeleton:
    flags = [c for c in sniffed.columns if is_flag(sniffed.values(c))]
    lists = find(sniffed, "labels", [], is_list)
    if len(flags) > 1 and lists is None:
        text = next(iter(longest(sniffed, flags)), TODO)
        on = "" if isinstance(sniffed.values(flags[0])[0], str) else ", on=(1,), off=(0,)"
        return Skeleton(
            {"text": text, **{name: name for name in flags}},
            lambda rows: f"flags({rows}, text={text!r}, labels=config.labels or []{on})",
            ["flags"],
            flags,
        )
    mark = lists or find(sniffed, "labels", [], lambda v: separator(v) is not None)
    text = find(sniffed, "text", [mark or ""], is_text) or next(iter(longest(sniffed, [mark or ""])), TODO)
    values = sniffed.values(mark) if mark else []
    cut = separator(values) if mark and not lists else None
    found = {x.strip() for v in values for x in (v if lists else v.split(cut)) if x.strip()}
    taken = f"r[{mark or TODO!r}]"
    given = taken if lists else f"[x.strip() for x in {taken}.split({cut or TODO!r}) if x.strip()]"
    return Skeleton(
        {"text": text, "labels": mark or TODO},
        lambda rows: f'({{"text": r[{text!r}], "labels": {given}}} for r in {rows})',
        [],
        sorted(found) or [TODO],
    )


def _retrieval(sniffed: Sniffed) -> Skeleton:
    lists = find(sniffed, "passage", [], is_list)
    columns = _pick(sniffed, question=is_text)
    if columns["question"] == TODO:
        # Of two texts the shorter one asks.
        columns["question"] = next(iter(longest(sniffed)[1:2]), TODO)
    question = columns["question"]
    passage = lists or find(sniffed, "passage", [question], is_text)
    passage = passage or next(iter(longest(sniffed, [question])), TODO)
    columns["passage"] = passage
    if lists:
        return Skeleton(
            columns,
            lambda rows: f"question_answering((None, r[{question!r}], r[{passage!r}]) for r in {rows})",
            ["question_answering"],
            whole=True,
        )
    return Skeleton(
        columns,
        lambda rows: f"question_answering(asked({rows}, question={question!r}, passage={passage!r}))",
        ["asked", "question_answering"],
        whole=True,
    )


def _instructions(sniffed: Sniffed) -> Skeleton:
    columns = _pick(sniffed, instruction=is_text, output=is_text)
    texts = longest(sniffed)
    if TODO in columns.values():
        columns = dict(zip(("output", "instruction"), [*texts[:2], TODO, TODO], strict=False))
    given = find(sniffed, "input", columns.values(), is_text) if len(texts) > 2 else None
    second = f'r[{given!r}] or ""' if given else '""'
    if given:
        columns["input"] = given
    instruction, output = columns["instruction"], columns["output"]
    return Skeleton(
        columns,
        lambda rows: f'instructions((r[{instruction!r}], {second}, r[{output!r}] or "") for r in {rows})',
        ["instructions"],
        whole=True,
    )


def _reranking(sniffed: Sniffed) -> Skeleton:
    if find(sniffed, "positive", [], is_list):
        columns = _pick(sniffed, query=is_text, positive=is_list, negative=is_list)
        asks, yes, no = columns["query"], columns["positive"], columns["negative"]
        return Skeleton(
            columns,
            lambda rows: (
                f"(rerank_row(str(i), r[{asks!r}], r[{yes!r}], r[{no!r}]) for i, r in enumerate({rows}))"
            ),
            ["rerank_row"],
        )
    relevance = find(sniffed, "relevance", [], is_flag) or TODO
    texts = longest(sniffed, [relevance])
    # A query stands in several rows, its documents in one each.
    query = find(sniffed, "query", [relevance], is_text) or min(
        texts, key=lambda c: len(set(sniffed.values(c))), default=TODO
    )
    document = find(sniffed, "passage of a query", [query, relevance], is_text)
    document = document or next((c for c in texts if c != query), TODO)
    return Skeleton(
        {"query": query, "document": document, "relevance": relevance},
        lambda rows: f"judged({rows})",
        ["rerank_row"],
        after=_JUDGED.format(query=query, document=document, relevance=relevance),
    )


_JUDGED = '''

def judged(rows: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """One row per query, from one record per query and document.

    Args:
        rows: upstream's records.

    Returns:
        Rows with the documents of each query.
    """
    queries: dict[str, tuple[list[str], list[str]]] = {{}}
    for row in rows:
        no, yes = queries.setdefault(row[{query!r}], ([], []))
        (yes if str(row[{relevance!r}]) == "1" else no).append(row[{document!r}])
    for number, (query, (no, yes)) in enumerate(queries.items()):
        yield rerank_row(str(number), query, yes, no)
'''

_TASKS: dict[str, Callable[[Sniffed], Skeleton]] = {
    "bitext_mining": _bitext,
    "pair_classification": _pair,
    "sts": _sts,
    "classification": _labelled,
    "clustering": _labelled,
    "multilabel_classification": _multi,
    "retrieval": _retrieval,
    "instruction_retrieval": _instructions,
    "reranking": _reranking,
}
