"""How well a tokenizer knows the languages (the paper, section 5.5, Table 10 and Figure 4), and what it costs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from seabed_datasets.errors import DataError
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.sheets import Row, Sheet
from seabed_evaluate.studies.tokenizers import TokenizerFiles, token_texts

# The blocks of the five languages with a script of their own, and letters that of the ten only Vietnamese has.
LETTERS = {
    "tha": "\u0e00-\u0e7f",
    "mya": "\u1000-\u109f",
    "tam": "\u0b80-\u0bff",
    "khm": "\u1780-\u17ff",
    "lao": "\u0e80-\u0eff",
    "vie": "\u1ea0-\u1ef9đĐăĂơƠưƯ",
}
OWN_SCRIPT = ("tha", "mya", "tam", "khm", "lao")
SHORT_LIMIT = 128


def vocabulary_counts(files: TokenizerFiles) -> dict[str, int]:
    """How many distinct token texts hold a letter of each language.

    Args:
        files: the tokenizer.

    Returns:
        Language -> count, for the languages of `LETTERS`.

    Source:
        the paper, Table 10, which does not state its rule: this one gives its five own-script columns on the
        vocabularies of XLM-R and Qwen, and of Gemma but for one misprint.
    """
    texts = [t for t in set(token_texts(files)) if not t.isascii()]
    patterns = {lang: re.compile(f"[{letters}]") for lang, letters in LETTERS.items()}
    return {lang: sum(bool(own.search(t)) for t in texts) for lang, own in patterns.items()}


@dataclass(frozen=True)
class Cost:
    """What a language costs: over all sentences, special tokens not counted but in the shares of cut texts.

    `premium`: tokens / English tokens of the same sentences; `unknown`, `bytes`: shares of the tokens that are
    the unknown token, or pieces of a character; `cut_128`, `cut_limit`: shares of texts with more tokens.
    """

    language: str
    sentences: int
    per_sentence: float
    premium: float | None
    distinct: int
    unknown: float
    bytes: float
    cut_128: float
    cut_limit: float | None


def token_costs(files: TokenizerFiles, texts: Mapping[str, Sequence[str]]) -> list[Cost]:
    """Tokens of parallel sentences.

    Args:
        files: the tokenizer.
        texts: language -> sentences, row i being translations of each other; English gives the premium.

    Returns:
        One entry per language.

    Raises:
        DataError: a language has no sentences, or another number of them.
    """
    if len({len(own) for own in texts.values()}) != 1 or not next(iter(texts.values())):
        raise DataError(f"not the same sentences: { {lang: len(own) for lang, own in texts.items()} }")
    tokenizer = files.tokenizer
    special = tokenizer.num_special_tokens_to_add(False)
    unknown_id = _unknown_id(tokenizer)
    pieces: dict[int, bool] = {}
    found: list[Cost] = []
    totals: dict[str, int] = {}
    for lang, own in texts.items():
        ids = [e.ids for e in tokenizer.encode_batch(list(own), add_special_tokens=False)]
        flat = np.array([i for line in ids for i in line], dtype=np.int64)
        if not len(flat):
            raise DataError(f"{lang}: {files.name} gives no token for any sentence")
        used = np.unique(flat)
        for i in used.tolist():
            if i not in pieces:
                pieces[i] = _is_part_of_a_character(tokenizer, i)
        parts = np.array([i for i in used.tolist() if pieces[i]], dtype=np.int64)
        lengths = np.array([len(line) + special for line in ids])
        totals[lang] = len(flat)
        found.append(
            Cost(
                lang,
                len(own),
                len(flat) / len(own),
                None,
                len(used),
                0.0 if unknown_id is None else float((flat == unknown_id).mean()),
                float(np.isin(flat, parts).mean()),
                float((lengths > SHORT_LIMIT).mean()),
                None if files.limit is None else float((lengths > files.limit).mean()),
            )
        )
    english = totals.get("eng")
    return [
        c if english is None else Cost(**{**c.__dict__, "premium": totals[c.language] / english})
        for c in found
    ]


def _unknown_id(tokenizer: Any) -> int | None:
    for text in ("<unk>", "[UNK]"):
        found = tokenizer.token_to_id(text)
        if found is not None:
            return int(found)
    return None


def _is_part_of_a_character(tokenizer: Any, token: int) -> bool:
    """A byte-fallback token, or one of byte-level BPE that is no whole character."""
    piece = tokenizer.id_to_token(token) or ""
    return bool(re.fullmatch(r"<0x[0-9A-F]{2}>", piece)) or "\ufffd" in tokenizer.decode([token])


@dataclass(frozen=True)
class Correlation:
    """Scores against a property of the tokenizer, over languages."""

    model: str
    pearson: float
    pearson_p: float
    spearman: float
    spearman_p: float
    n: int


def correlations(
    values: Mapping[str, Mapping[str, float | None]], scores: Mapping[str, Mapping[str, float | None]]
) -> list[Correlation]:
    """Whether languages that a tokenizer knows better score better (Figure 4).

    Args:
        values: model -> language -> share of the vocabulary, or premium.
        scores: model -> language -> score.

    Returns:
        One entry per model in both with at least three languages, and one over all points where there are
        several models.

    Raises:
        DataError: no model is in both with three languages.
    """
    points = {
        model: [
            (x, y) for lang, x in own.items() if x is not None and (y := scores[model].get(lang)) is not None
        ]
        for model, own in values.items()
        if model in scores
    }
    found = [_correlation(model, own) for model, own in points.items() if len(own) >= 3]
    if not found:
        raise DataError("no model has both figures in three languages")
    if len(found) > 1:
        found.append(_correlation(f"all {len(found)} models", [p for own in points.values() for p in own]))
    return found


def _correlation(model: str, points: Sequence[tuple[float, float]]) -> Correlation:
    from scipy.stats import pearsonr, spearmanr

    x, y = zip(*points, strict=True)
    if len(set(x)) < 2 or len(set(y)) < 2:
        raise DataError(f"{model}: {len(points)} languages with one value; a correlation is not defined")
    r, rho = pearsonr(x, y), spearmanr(x, y)
    return Correlation(
        model, float(r.statistic), float(r.pvalue), float(rho.statistic), float(rho.pvalue), len(points)
    )


def vocabulary_sheet(counts: Mapping[str, tuple[int, Mapping[str, int]]]) -> Sheet:
    """Table 10's layout: percent of the vocabulary, the paper's row below a model that it has.

    Args:
        counts: model -> size of the vocabulary, counts of `vocabulary_counts`.

    Returns:
        The sheet; JSON has the counts.
    """
    printed = paper_table(10)
    wrong = {(m.row, m.column): m for m in printed.misprints}
    table: list[Row] = []
    notes = [
        "Percent of the vocabulary whose distinct token texts hold a letter of the language's block "
        "(vie: U+1EA0-1EF9, đ, ă, ơ, ư); the mark of a word's start is not part of a text.",
        "Indonesian, Filipino, Malay and Tetum share their letters and most of their tokens with other "
        "languages: no such share can be counted for them. See the tokens per sentence.",
    ]
    for model, (size, own) in counts.items():
        percent = {lang: 100 * own[lang] / size for lang in LETTERS}
        table.append({"model": model, "vocabulary": size, **percent})
        short = model.rsplit("/", 1)[-1]
        if short in printed.rows:
            row = printed.rows[short]
            table.append(
                {"model": f"{short}, printed", "vocabulary": None, **{la: row[la] for la in OWN_SCRIPT}}
            )
            table[-1]["vie"] = row["vie"]
            for lang in OWN_SCRIPT:
                if (m := wrong.get((short, lang))) is not None:
                    notes.append(f"Printed for {short}, {lang}: {m.printed}; a misprint, {m.why}.")
    return Sheet("Vocabulary by language, percent", table, notes, digits=3)


def cost_sheet(model: str, costs: Sequence[Cost], limit: int | None) -> Sheet:
    """Tokens per language.

    Args:
        model: its name.
        costs: of `token_costs`.
        limit: tokens that the model reads.

    Returns:
        The sheet.
    """
    rows: list[Row] = [
        {
            "language": c.language,
            "tokens per sentence": c.per_sentence,
            "premium": c.premium,
            "distinct tokens": c.distinct,
            "unknown, %": 100 * c.unknown,
            "bytes, %": 100 * c.bytes,
            f"over {SHORT_LIMIT} tokens, %": 100 * c.cut_128,
            **({} if limit is None else {f"over {limit} tokens, %": 100 * (c.cut_limit or 0.0)}),
        }
        for c in costs
    ]
    return Sheet(
        f"Tokens of the same {costs[0].sentences:,} sentences, {model}",
        rows,
        ["Premium: tokens of a language / tokens of English. Texts over the limit lose their ends."],
    )


def correlation_sheet(found: Sequence[Correlation], what: str) -> Sheet:
    """Figure 4 in numbers.

    Args:
        found: of `correlations`.
        what: what the scores are held against.

    Returns:
        The sheet.
    """
    rows: list[Row] = [
        {
            "model": c.model,
            "r": c.pearson,
            "p": c.pearson_p,
            "rho": c.spearman,
            "p (rho)": c.spearman_p,
            "n": c.n,
        }
        for c in found
    ]
    note = "p: of no correlation, two-sided. With nine languages only |r| above 0.67 has p below 0.05."
    return Sheet(f"Scores by language against {what}", rows, [note], digits=3)
