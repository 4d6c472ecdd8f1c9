"""Loader skeletons: for each task, which columns it needs and the few lines that turn them into rows.

What comes from the raw file is written by the `Quote` function given, never pasted into source text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seabed_datasets.contribute.column_names import NAMES
from seabed_datasets.contribute.headers import bare
from seabed_datasets.contribute.literals import Quote
from seabed_datasets.contribute.roles import (
    FLAG,
    LABEL,
    LABEL_LIST,
    LIST,
    NUMBERS,
    TEXT,
    WRITTEN,
    Kind,
    Roles,
    flag,
    label_parts,
    list_items,
    separator,
)
from seabed_datasets.contribute.sniffing import Sniffed
from seabed_datasets.errors import RawFormatError

TODO = "TODO"
NLI = {"entailment", "contradiction"}

# What --column can name for a task.
ROLES: dict[str, tuple[str, ...]] = {
    "bitext_mining": ("sentence1", "sentence2"),
    "pair_classification": ("sentence1", "sentence2", "label"),
    "sts": ("sentence1", "sentence2", "score"),
    "classification": ("text", "label"),
    "clustering": ("text", "label"),
    "multilabel_classification": ("text", "labels"),
    "retrieval": ("question", "passage"),
    "instruction_retrieval": ("instruction", "input", "output"),
    "reranking": ("query", "positive", "negative", "document", "relevance"),
}


def _nothing(quote: Quote) -> str:
    return ""


@dataclass(frozen=True)
class Skeleton:
    """A loader to be, and what the card needs beside it.

    `columns`: role -> column of the file, None where nobody can tell. `make`: a function of the source text,
    `rows` in and the rows of a split (or splits, if `whole`) out. `helpers`: names it imports from
    loaders.shapes. `before` and `after`: source text above and below `load`; `imports`: lines they need.
    `notes`: what is to be said beside the card's labels.
    """

    columns: dict[str, str | None]
    make: Callable[[str, Quote], str]
    helpers: list[str] = field(default_factory=list)
    labels: list[str] | None = None
    notes: list[str] = field(default_factory=list)
    whole: bool = False
    before: Callable[[Quote], str] = _nothing
    after: Callable[[Quote], str] = _nothing
    imports: list[str] = field(default_factory=list)


def skeletons(task: str, files: Sequence[Roles]) -> list[Skeleton]:
    """The loader of a task, for each of its raw files.

    Args:
        task: one of the nine.
        files: the raw files.

    Returns:
        One skeleton per file; all name the same labels.

    Raises:
        RawFormatError: a file is in a form that another task reads.
    """
    for file in files:
        if file.file.format == "squad" and task != "retrieval":
            raise RawFormatError(
                f"{file.file.path.name} is in SQuAD's form, questions with their passages: --task retrieval reads it"
            )
    return _TASKS[task](files)


def _each(make: Callable[[Roles], Skeleton]) -> Callable[[Sequence[Roles]], list[Skeleton]]:
    return lambda files: [make(file) for file in files]


def _two_texts(roles: Roles, taken: Iterable[str | None] = ()) -> dict[str, str | None]:
    """sentence1 and sentence2: as told or by a pair of names, else the two longest in the file's order."""
    used = list(taken)
    free = {bare(c): c for c in reversed(roles.free(used, counters=True))}
    one, two = roles.chosen.get("sentence1"), roles.chosen.get("sentence2")
    if one is None and two is None:
        for names in zip(NAMES["sentence1"], NAMES["sentence2"], strict=True):
            if all(name in free for name in names):
                one, two = (free[name] for name in names)
                break
    if one is None or two is None:
        known = [c for c in (one, two) if c]
        longest = sorted(roles.longest([*used, *known])[: 2 - len(known)], key=roles.file.columns.index)
        one = one or (longest.pop(0) if longest else None)
        two = two or (longest.pop(0) if longest else None)
    found: dict[str, str | None] = {}
    for role, column in (("sentence1", one), ("sentence2", two)):
        if column is None:
            roles.say(role, "no column is left that holds a text in every row")
        found[role] = column and roles.fitting(role, column, TEXT)
    return found


def _bitext(roles: Roles) -> Skeleton:
    columns = _two_texts(roles)
    one, two = (columns[role] or TODO for role in ("sentence1", "sentence2"))
    return Skeleton(columns, lambda rows, q: f"side_by_side({rows}, {q(one)}, {q(two)})", ["side_by_side"])


def _pair(roles: Roles) -> Skeleton:
    label = roles.find("label", LABEL)
    columns = _two_texts(roles, [label]) | {"label": label}
    one, two, mark = (columns[role] or TODO for role in ("sentence1", "sentence2", "label"))
    declared = roles.file.class_labels.get(label or "")
    values = declared or _distinct([roles], [label])
    if set(values) >= NLI:
        neutral = "" if "neutral" in values else ", neutral=None"
        return Skeleton(
            columns,
            lambda rows, q: (
                f"nli_pairs({rows}, premise={q(one)}, hypothesis={q(two)}, label={q(mark)}{neutral})"
            ),
            ["nli_pairs"],
            ["contradiction", "entailment"],
        )
    names = {value: f"TODO_{_word(value)}" for value in values}
    return Skeleton(
        columns,
        lambda rows, q: (
            f'({{"sentence1": r[{q(one)}], "sentence2": r[{q(two)}], '
            f'"label": NAMES.get(r[{q(mark)}], r[{q(mark)}])}} for r in {rows})'
        ),
        [],
        list(dict.fromkeys(names.values())) or [TODO],
        ["Two labels: the first means no (0), the second yes (1), for entails or paraphrases."],
        before=_names(names, "each value of the file -> one of the two labels of the card"),
    )


def _names(names: Mapping[Any, str], what: str) -> Callable[[Quote], str]:
    def write(q: Quote) -> str:
        entries = ", ".join(f"{q(value)}: {q(name)}" for value, name in names.items())
        return f"# TODO: {what}.\nNAMES = {{{entries}}}\n"

    return write


def _sts(roles: Roles) -> Skeleton:
    score = roles.find("score", NUMBERS)
    columns = _two_texts(roles, [score]) | {"score": score}
    one, two, mark = (columns[role] or TODO for role in ("sentence1", "sentence2", "score"))
    return Skeleton(
        columns,
        # As it is: the schema makes a number of it, and names the row where it is none.
        lambda rows, q: (
            f'({{"sentence1": r[{q(one)}], "sentence2": r[{q(two)}], "score": r[{q(mark)}]}} for r in {rows})'
        ),
    )


def _labelled(files: Sequence[Roles]) -> list[Skeleton]:
    marks = [roles.find("label", LABEL) for roles in files]
    texts = [roles.text("text", [mark]) for roles, mark in zip(files, marks, strict=True)]
    labels, names, counted = _labels_of(files, marks)
    more, helpers, notes = "", ["labelled"], list[str]()
    before: Callable[[Quote], str] = _nothing
    if counted:
        more, helpers = ", names=numbered(config)", ["labelled", "numbered"]
        notes = ["Give the numbers 0, 1, ... upstream's names, in this order."]
    elif names:
        more = ", names=NAMES"
        before = _names(names, "upstream's value -> its label, here and in the card")
        notes = ["Give the values upstream's names, here and in the loader."]

    def made(text: str | None, mark: str | None) -> Skeleton:
        return Skeleton(
            {"text": text, "label": mark},
            lambda rows, q: f"labelled({rows}, text={q(text or TODO)}, label={q(mark or TODO)}{more})",
            helpers,
            labels,
            notes,
            before=before,
        )

    return [made(text, mark) for text, mark in zip(texts, marks, strict=True)]


def _distinct(files: Sequence[Roles], columns: Sequence[str | None], kind: Kind = LABEL) -> list[Any]:
    """The different values of a column that fit, numbers in their order, then words in theirs."""
    found: dict[Any, None] = {}
    for roles, column in zip(files, columns, strict=True):
        if column is not None:
            found.update(dict.fromkeys(v for v in roles.file.values(column) if kind.one(v)))
    return sorted(found, key=_order)


def _order(value: Any) -> tuple[int, float, str]:
    number = NUMBERS.one(value) or isinstance(value, bool)
    return (0, float(value), str(value)) if number else (1, 0.0, str(value))


def _word(value: Any) -> str:
    """A value as a label's name: true for True, 3 for 3.0."""
    if isinstance(value, bool):
        return str(value).lower()
    if NUMBERS.one(value) and float(value).is_integer():
        return str(int(float(value)))
    return str(value)


def _labels_of(
    files: Sequence[Roles], columns: Sequence[str | None]
) -> tuple[list[str], dict[Any, str], bool]:
    """The card's labels; upstream's value -> label where they differ; whether they are 0, 1, ... to be named."""
    declared = list(
        dict.fromkeys(
            name
            for roles, column in zip(files, columns, strict=True)
            for name in roles.file.class_labels.get(column or "", [])
        )
    )
    values = _distinct(files, columns)
    if declared:
        return declared, {}, False
    if not values:
        return [TODO], {}, False
    if all(NUMBERS.one(v) or isinstance(v, bool) for v in values):
        names = {v: f"TODO_{_word(v)}" for v in values}
        labels = list(dict.fromkeys(names.values()))
        usual = all(not isinstance(v, bool) and str(v) in (_word(v), f"{_word(v)}.0") for v in values)
        return labels, names, usual and labels == [f"TODO_{i}" for i in range(len(labels))]
    names = {v: _word(v) for v in values if not isinstance(v, str)}
    labels = list(dict.fromkeys(v if isinstance(v, str) else names[v] for v in values))
    return labels, names, False


def _multi(files: Sequence[Roles]) -> list[Skeleton]:
    found = [_multi_columns(roles) for roles in files]
    marks = [mark for mark, _, _ in found]
    listed = [[x for v in _values(r, m) for x in list_items(v)] for r, m in zip(files, marks, strict=True)]
    cut = [
        []
        if m is None or f or x
        else label_parts([str(v) for v in _values(r, m)], separator(_values(r, m)) or "\0")
        for r, (m, f, _), x in zip(files, found, listed, strict=True)
    ]
    values = sorted({x for part in (*listed, *cut) for x in part if LABEL.one(x)}, key=_order)
    flagged_columns = list(dict.fromkeys(c for _, f, _ in found for c in f))
    names = {v: f"TODO_{_word(v)}" for v in values if not isinstance(v, str)}
    declared = list(
        dict.fromkeys(
            n for r, m in zip(files, marks, strict=True) for n in r.file.class_labels.get(m or "", [])
        )
    )
    labels = flagged_columns or declared or [names.get(v, v) for v in values] or [TODO]

    def made(roles: Roles, mark: str | None, flagged: list[str], text: str | None) -> Skeleton:
        if flagged:
            return _flags(roles, text, flagged, labels)
        taken = _taken(roles, mark, bool(names))
        return Skeleton(
            {"text": text, "labels": mark},
            lambda rows, q: f'({{"text": r[{q(text or TODO)}], "labels": {taken(q)}}} for r in {rows})',
            ["written_list"] if mark and _form(roles, mark) is WRITTEN else [],
            labels,
            ["Give the numbers upstream's names, here and in the loader."] if names else [],
            before=_names(names, "upstream's value -> its label, here and in the card")
            if names
            else _nothing,
        )

    return [made(roles, *columns) for roles, columns in zip(files, found, strict=True)]


def _values(roles: Roles, column: str | None) -> list[Any]:
    return [] if column is None else [v for v in roles.file.values(column) if v is not None]


def _multi_columns(roles: Roles) -> tuple[str | None, list[str], str | None]:
    """The column of the labels, or the columns that are one label each; and that of the text."""
    flags = [c for c in roles.free() if roles.share(c, FLAG) > 0.5]
    mark = roles.named("labels")
    if mark is not None and len(flags) > 1 and mark in flags and mark not in roles.chosen.values():
        mark = None
    if mark is None and len(flags) > 1:
        for column in flags:
            roles.fitting(column, column, FLAG)
        return None, flags, roles.text("text", flags)
    if mark is not None:
        mark = _label_column(roles, mark)
    else:
        close = [c for c in roles.free() if _form(roles, c) is not None]
        mark = close[0] if len(close) == 1 else None
        if len(close) > 1:
            roles.say("labels", f"{', '.join(map(repr, close[:5]))} could each be it")
        elif not close:
            roles.say("labels", "no column holds lists of labels, and no two columns are all 0 and 1")
    return mark, [], roles.text("text", [mark])


def _form(roles: Roles, column: str) -> Kind | None:
    """How a column holds lists: as lists, as lists in writing, or as labels with a separator."""
    for kind in (LABEL_LIST, WRITTEN):
        if roles.share(column, kind) > 0.5:
            return kind
    if separator(roles.file.values(column)) is not None:
        return Kind("labels with a separator between them", lambda v: isinstance(v, str))
    return None


def _label_column(roles: Roles, column: str) -> str | None:
    kind = _form(roles, column)
    if kind is None:
        found = f"column {column!r} holds neither lists nor texts with one of | ; , between labels"
        if roles.chosen.get("labels") == column:
            roles.notes.append(f"labels: {found}")
            return column
        roles.say("labels", found)
        return None
    return roles.fitting("labels", column, kind)


def _taken(roles: Roles, mark: str | None, numbers: bool) -> Callable[[Quote], str]:
    """Source text of a row's labels."""
    column = mark or TODO
    kind = _form(roles, mark) if mark else None
    if kind is LABEL_LIST:
        if numbers:
            return lambda q: f"[NAMES.get(x, x) for x in r[{q(column)}]]"
        return lambda q: f"r[{q(column)}]"
    if kind is WRITTEN:
        return lambda q: f"written_list(r[{q(column)}])"
    mark = separator(roles.file.values(column)) if mark else None
    return lambda q: f"[x.strip() for x in r[{q(column)}].split({q(mark or TODO)}) if x.strip()]"


def _flags(roles: Roles, text: str | None, flagged: list[str], labels: list[str]) -> Skeleton:
    every = _distinct([roles] * len(flagged), flagged, FLAG)
    on, off = ([v for v in every if flag(v) is yes] for yes in (True, False))

    def make(rows: str, q: Quote) -> str:
        more = ""
        if (on, off) != (["1"], ["0"]):
            more = "".join(
                f", {name}=({''.join(q(v) + ', ' for v in vs)})" for name, vs in (("on", on), ("off", off))
            )
        return f"flags({rows}, text={q(text or TODO)}, labels=config.labels or []{more})"

    return Skeleton({"text": text, **{name: name for name in flagged}}, make, ["flags"], labels)


def _retrieval(roles: Roles) -> Skeleton:
    if roles.file.format == "squad":
        return Skeleton(
            {},
            lambda rows, q: f"question_answering(squad({rows}))",
            ["question_answering", "squad"],
            whole=True,
        )
    named = roles.named("passage", [roles.named("question")])
    lists = [named] if named and roles.share(named, LIST) > 0.5 else []
    if named is None:
        lists = [c for c in roles.free() if roles.share(c, LIST) > 0.5]
    if len(lists) == 1:
        passage = roles.fitting("passage", lists[0], LIST)
        question = roles.text("question", lists)
        return Skeleton(
            {"question": question, "passage": passage},
            lambda rows, q: (
                f"question_answering((None, r[{q(question or TODO)}], r[{q(passage or TODO)}]) for r in {rows})"
            ),
            ["question_answering"],
            whole=True,
        )
    # Of two texts the shorter one asks.
    question = roles.text("question", [named], place=0 if named else 1)
    passage = roles.text("passage", [question])
    return Skeleton(
        {"question": question, "passage": passage},
        lambda rows, q: (
            f"question_answering(asked({rows}, question={q(question or TODO)}, passage={q(passage or TODO)}))"
        ),
        ["asked", "question_answering"],
        whole=True,
    )


def _instructions(roles: Roles) -> Skeleton:
    told = {role: roles.named(role) for role in ("instruction", "output")}
    guessed = None in told.values()
    if guessed:
        # Of two texts the longer one answers.
        texts = [c for c in roles.longest() if c not in told.values()]
        for role in ("output", "instruction"):
            told[role] = told[role] or (texts.pop(0) if texts else None)
    columns: dict[str, str | None] = {}
    for role, column in told.items():
        if column is None:
            roles.say(role, "no column is left that holds a text in every row")
        columns[role] = column and roles.fitting(role, column, TEXT)
    instruction, output = (columns[role] or TODO for role in ("instruction", "output"))
    given = roles.named("input", told.values())
    if given is None and guessed and len(left := roles.longest(told.values())) == 1:
        given = left[0]
    if given is not None:  # it may be blank: an instruction need not apply to anything
        given = roles.fitting(
            "input", given, Kind("a text or nothing", lambda v: v is None or isinstance(v, str))
        )
        columns["input"] = given

    def make(rows: str, q: Quote) -> str:
        second = f'r[{q(given)}] or ""' if given else '""'
        return f'instructions((r[{q(instruction)}], {second}, r[{q(output)}] or "") for r in {rows})'

    return Skeleton(columns, make, ["instructions"], whole=True)


def _reranking(roles: Roles) -> Skeleton:
    positive = roles.named("positive")
    if positive is not None and ("positive" in roles.chosen or roles.share(positive, LIST) > 0.5):
        query = roles.text("query", [positive])
        yes = roles.fitting("positive", positive, LIST)
        no = roles.find("negative", LIST, [query, positive])
        names = [query or TODO, yes or TODO, no or TODO]
        return Skeleton(
            {"query": query, "positive": yes, "negative": no},
            lambda rows, q: "(rerank_row(str(i), r[{}], r[{}], r[{}]) for i, r in enumerate({}))".format(
                *map(q, names), rows
            ),
            ["rerank_row"],
        )
    relevance = roles.find("relevance", FLAG)
    query = roles.named("query", [relevance])
    if query is None:
        # A query stands in several rows, its documents in one each.
        texts = roles.longest([relevance])
        query = min(texts, key=lambda c: len(set(map(str, roles.file.values(c)))), default=None)
    if query is None:
        roles.say("query", "no column holds a text in every row")
    else:
        query = roles.fitting("query", query, TEXT)
    document = roles.text("document", [query, relevance])
    graded = {v: bool(flag(v)) for v in _distinct([roles], [relevance], FLAG)}

    def after(q: Quote) -> str:
        return _JUDGED.format(
            query=q(query or TODO), document=q(document or TODO), relevance=q(relevance or TODO)
        )

    def before(q: Quote) -> str:
        entries = ", ".join(f"{q(value)}: {q(yes)}" for value, yes in graded.items())
        return f"# Upstream's value -> whether the document is relevant.\nRELEVANT = {{{entries}}}\n"

    return Skeleton(
        {"query": query, "document": document, "relevance": relevance},
        lambda rows, q: f"judged({rows})",
        ["rerank_row"],
        before=before,
        after=after,
        imports=[
            "from collections.abc import Iterable, Iterator, Mapping",
            "from typing import Any",
            "from seabed_datasets.errors import RawFormatError",
        ],
    )


_JUDGED = '''

def judged(rows: Iterable[Mapping[str, Any]]) -> Iterator[Row]:
    """One row per query, from one record per query and document.

    Args:
        rows: upstream's records.

    Returns:
        Rows with the documents of each query.

    Raises:
        RawFormatError: a value says neither yes nor no.
    """
    queries: dict[str, tuple[list[str], list[str]]] = {{}}
    for number, row in enumerate(rows):
        judgement = row[{relevance}]
        if judgement not in RELEVANT:
            raise RawFormatError(f"row {{number}}: expected one of {{list(RELEVANT)}}, found {{judgement!r}}")
        no, yes = queries.setdefault(row[{query}], ([], []))
        (yes if RELEVANT[judgement] else no).append(row[{document}])
    for number, (query, (no, yes)) in enumerate(queries.items()):
        yield rerank_row(str(number), query, yes, no)
'''

_TASKS: dict[str, Callable[[Sequence[Roles]], list[Skeleton]]] = {
    "bitext_mining": _each(_bitext),
    "pair_classification": _each(_pair),
    "sts": _each(_sts),
    "classification": _labelled,
    "clustering": _labelled,
    "multilabel_classification": _multi,
    "retrieval": _each(_retrieval),
    "instruction_retrieval": _each(_instructions),
    "reranking": _each(_reranking),
}


def columns_of(files: Sequence[Sniffed]) -> list[str]:
    """All columns of some files, each once.

    Args:
        files: the files.

    Returns:
        Their names.
    """
    return list(dict.fromkeys(column for file in files for column in file.columns))
