"""The named rules. Data only: what each finds, why it matters, what to do, and when it fails a check."""

from __future__ import annotations

from dataclasses import dataclass

from seabed_datasets.errors import unknown


@dataclass(frozen=True)
class Rule:
    """One rule.

    `limit`: the share of the rows (of a split) from which on a finding is an error; below it, and where it
    is None, a finding is a warning.
    """

    id: str
    title: str
    limit: float | None
    reason: str
    fix: str


ALWAYS, NEVER = 0.0, None

_ALL = (
    # Card
    Rule(
        "SB101",
        "card cannot be read",
        ALWAYS,
        "Every command reads the cards; fields and vocabularies are closed so that filters can be trusted.",
        "Correct the field the message names; `cards/ntrex.md` is an example.",
    ),
    Rule(
        "SB102",
        "TODO left",
        ALWAYS,
        "What nobody filled in must not look like a fact.",
        "Replace the TODO; if nobody can know it, use null and say so under `unverified`.",
    ),
    Rule(
        "SB103",
        "licence neither known nor justified",
        ALWAYS,
        "Users must know what they may do with the data.",
        "Use a licence id of the Hub. For `other` give license_name; for `unknown` say under '## Licence' "
        "where you looked.",
    ),
    Rule(
        "SB104",
        "redistribution contradicts the licence",
        ALWAYS,
        "`redistribution` decides what is published.",
        "noncommercial for NC licences, no-derivatives for ND, unknown or forbidden without a licence.",
    ),
    Rule(
        "SB105",
        "citation does not parse",
        ALWAYS,
        "Authors of data are owed a citation that works when it is pasted.",
        "Give a ```bibtex block that says who (or where), what and when, braces balanced; if there is nothing "
        "to cite, say so in words under '## Citation'.",
    ),
    Rule(
        "SB106",
        "languages differ from the configs",
        ALWAYS,
        "The Hub finds datasets by the card's `language`.",
        "`language` lists exactly the codes of the configs.",
    ),
    Rule(
        "SB107",
        "section of the card missing or empty",
        ALWAYS,
        "A card is the only documentation a dataset has.",
        "Write '## How it was made', '## Example...', '## Splits', '## Licence' and '## Citation'.",
    ),
    Rule(
        "SB108",
        "not a word of the Hub's vocabulary",
        ALWAYS,
        "The Hub refuses or hides cards with unknown words.",
        "Use the values the message lists.",
    ),
    Rule(
        "SB109",
        "source is not pinned",
        NEVER,
        "A repository without a commit may change under the benchmark.",
        "Give the 40-digit commit as `revision`; for a URL give `sha256`.",
    ),
    Rule(
        "SB110",
        "no loader, or no source",
        ALWAYS,
        "Data nobody can build is no dataset.",
        "Write seabed_datasets/loaders/<task>/<key>.py with load(raw, config), and give `upstream`.",
    ),
    Rule(
        "SB111",
        "exception is wrong",
        ALWAYS,
        "An exception that names nothing hides nothing, or too much.",
        "Name a rule, configs of this card, a reason and a date that is not in the future; list the fault under "
        "`errata`.",
    ),
    Rule(
        "SB112",
        "exception is not needed",
        NEVER,
        "Exceptions that outlive their cause hide the next fault.",
        "Remove it from the card.",
    ),
    Rule(
        "SB113",
        "version without an entry in changes",
        ALWAYS,
        "Scores of two versions of the data must not be compared unawares.",
        "Add `changes: {<version>: what was corrected}`.",
    ),
    Rule(
        "SB114",
        "set made for SEA-BED without its size or its makers",
        ALWAYS,
        "These sets exist nowhere else: what the paper says of them is all a reader can hold them to.",
        "Give Table 2's rows as `paper: rows` (a set without a row there: `sizes`), and say under '## How it was "
        "made' who translated and how, with its place (paper 3.4).",
    ),
    Rule(
        "SB115",
        "citation of the paper without its title",
        ALWAYS,
        "A name and a year cannot be looked up.",
        "Give the work as ```bibtex under '## Citation'; the paper's References print the title.",
    ),
    Rule(
        "SB116",
        "card does not name its twin",
        ALWAYS,
        "A mean over two sets of the same rows counts them twice, and a model trained on one has seen the other.",
        "Name the other key under `errata`, and say how the rows relate.",
    ),
    Rule(
        "SB117",
        "labels nobody has seen, without a source",
        ALWAYS,
        "A label set that somebody guessed looks like one that somebody read.",
        "Say in `labels_source` where the names come from, or that none were found and where you looked.",
    ),
    Rule(
        "SB118",
        "licence without its source",
        ALWAYS,
        "The maker's word, the paper's and another catalogue's are not worth the same.",
        "license_source: maker, paper or secondary; null where `license` is unknown.",
    ),
    Rule(
        "SB119",
        "domain that the paper prints is missing",
        ALWAYS,
        "Table 4a counts the printed domains, and a filter must find what the paper counts.",
        "Keep the printed domain in `domains`; where it does not fit the texts, say so under `errata`.",
    ),
    Rule(
        "SB120",
        "loader uses what loaders may not",
        ALWAYS,
        "A loader is code that runs on the machines of everybody who checks or builds the dataset. It is not run "
        "here before this is mended, and no card can excuse it.",
        "Read files with `seabed_datasets.sources.readers` and import nothing but what other loaders import; if a "
        "new format needs more, add a reader.",
    ),
    # Rows
    Rule(
        "SB201",
        "empty text",
        ALWAYS,
        "A text of blanks and invisible characters has a vector, and it means nothing.",
        "Build the config again: building leaves such rows out.",
    ),
    Rule(
        "SB202",
        "rows left out because they are empty",
        0.05,
        "Upstream's rows without a text are not scored; many of them point at a wrong column.",
        "Check the loader's columns; if upstream is like that, list it under `errata`.",
    ),
    Rule(
        "SB203",
        "exact duplicates",
        0.10,
        "Repeated rows count twice in every score.",
        "List them under `errata`; do not remove rows that the paper scored.",
    ),
    Rule(
        "SB204",
        "test text stands in train",
        0.01,
        "A classifier that saw the answer is not tested.",
        "Check that the splits are upstream's; if they are, list the leak under `errata`.",
    ),
    Rule(
        "SB205",
        "same text, different labels",
        0.02,
        "No model can be right on both.",
        "Check that the label is not read from another column; else list it under `errata`.",
    ),
    Rule(
        "SB206",
        "label names of a file differ from the card",
        ALWAYS,
        "`datasets` reads every split with the first one's names, so labels change silently.",
        "Build the config again.",
    ),
    Rule(
        "SB207",
        "label that the card does not have",
        ALWAYS,
        "`datasets` accepts a label number out of range without a word.",
        "Add the name to `labels` in upstream's order, or map upstream's value in the loader.",
    ),
    Rule(
        "SB208",
        "score outside the card's range",
        ALWAYS,
        "A score on another scale, or a missing one, is not what people judged.",
        "Correct `score_range`, or the column the loader reads.",
    ),
    Rule(
        "SB209",
        "only one class",
        ALWAYS,
        "With one label, or one score, every model is perfect or undefined.",
        "Check the label column and how the splits were cut.",
    ),
    Rule(
        "SB210",
        "id used twice",
        ALWAYS,
        "Relevance judgements and resumed runs address rows by id.",
        "Use upstream's id only where it is unique; without `id` the row's position is used.",
    ),
    Rule(
        "SB211",
        "relevant document is not in the corpus",
        ALWAYS,
        "Nobody can find it, so every score is too low.",
        "Build the corpus from the same file, or leave the judgement out.",
    ),
    Rule(
        "SB212",
        "query without a relevant document",
        ALWAYS,
        "It scores 0 for every model.",
        "Leave such queries out in the loader and say so in the card.",
    ),
    Rule(
        "SB213",
        "document that nobody can retrieve",
        ALWAYS,
        "An empty document has no meaning to match.",
        "Leave it out in the loader.",
    ),
    Rule(
        "SB214",
        "text without letters",
        0.10,
        "Numbers, symbols or emoji alone say little; many of them point at a wrong column.",
        "Check the loader's columns.",
    ),
    Rule(
        "SB215",
        "very long text",
        NEVER,
        "Models read the first few hundred tokens only.",
        "Nothing to do if upstream's texts are that long.",
    ),
    Rule(
        "SB216",
        "row does not fit the schema",
        ALWAYS,
        "A config has the same columns and types in every row.",
        "Return the columns of the task; the message names them.",
    ),
    Rule(
        "SB217",
        "labels seem swapped between splits",
        ALWAYS,
        "What is learned from train predicts test only after the labels trade places.",
        "Compare upstream's label names of both splits; map by name, never by number.",
    ),
    Rule(
        "SB218",
        "relevance seems shuffled",
        ALWAYS,
        "Queries share no more with their documents than with others.",
        "Check how the loader joins queries and documents.",
    ),
    Rule(
        "SB219",
        "sentence pairs seem misaligned",
        ALWAYS,
        "Long sentences do not meet long translations.",
        "Check that both files have the same line order and no lost lines.",
    ),
    Rule(
        "SB220",
        "both sentences are the same",
        0.10,
        "An untranslated pair tests nothing.",
        "Check that the loader reads two different columns; else list it under `errata`.",
    ),
    Rule(
        "SB221",
        "every document is relevant",
        0.10,
        "A ranking of relevant documents only is always perfect.",
        "Check the negatives the loader reads.",
    ),
    Rule(
        "SB222",
        "labels that differ in blanks, case or invisible characters only",
        ALWAYS,
        "To a scorer they are different classes, to their authors most likely one.",
        "Map them to one name in the loader and say so in the card; if they do differ, list it under `errata`.",
    ),
    Rule(
        "SB223",
        "split without rows",
        ALWAYS,
        "Nothing can be learned from it, or scored.",
        "Check which rows the loader keeps; building refuses such a config.",
    ),
    # Script and encoding
    Rule(
        "SB301",
        "text is not NFC",
        ALWAYS,
        "The same word in two spellings has two vectors.",
        "Build the config again: building normalises.",
    ),
    Rule(
        "SB302",
        "mojibake",
        0.01,
        "Bytes were read in a wrong encoding, or lost.",
        "Give the reader the right `encoding`; if upstream is broken, list it under `errata`.",
    ),
    Rule(
        "SB303",
        "Burmese in Zawgyi",
        0.01,
        "Zawgyi looks like Unicode and means nothing to a model.",
        "Do not convert; list it under `errata`.",
    ),
    Rule(
        "SB304",
        "text is not in its language's script",
        0.10,
        "A text in another script is another language, or the wrong column.",
        "Check `languages` and the columns; else list it under `errata`.",
    ),
    Rule(
        "SB305",
        "text is in another language",
        0.10,
        "Its function words are those of another language.",
        "Check `languages` and the columns; else list it under `errata`.",
    ),
    Rule(
        "SB306",
        "zero-width characters",
        NEVER,
        "Tokenisers see them, readers do not. Some languages mark word ends so.",
        "Nothing to do: texts stay as upstream wrote them.",
    ),
    Rule(
        "SB307",
        "remains of HTML",
        0.20,
        "Markup is noise to a model.",
        "Nothing to remove if upstream publishes it so; list it under `errata`.",
    ),
    Rule(
        "SB308",
        "letters of another script of the region",
        0.05,
        "Thai letters inside Burmese come from a translation machine or a wrong alignment.",
        "List it under `errata`; do not remove the letters.",
    ),
    Rule(
        "SB309",
        "control or private-use characters",
        0.05,
        "They come from broken exports and old fonts.",
        "Give the reader the right `encoding`; if upstream is broken, list it under `errata`.",
    ),
    Rule(
        "SB310",
        "letters of a script from elsewhere",
        NEVER,
        "Greek, Arabic or Chinese are natural in names and quotations, and a sign of a wrong column in bulk.",
        "Nothing to do if they belong there.",
    ),
    # Size and balance
    Rule(
        "SB401",
        "rows differ from the card's sizes",
        ALWAYS,
        "The size is the first thing a second reader can verify.",
        "Correct `sizes`, or find the rows that were lost or added.",
    ),
    Rule(
        "SB402",
        "few rows",
        NEVER,
        "Under 100 rows the interval of a score is wider than most differences between models.",
        "Use all rows there are.",
    ),
    Rule(
        "SB403",
        "label without rows",
        NEVER,
        "A label that only one split has cannot be learned, or is never asked.",
        "Check the split; if upstream is like that, nothing to do.",
    ),
    Rule(
        "SB404",
        "one label has nearly all rows",
        NEVER,
        "A constant answer scores well.",
        "Compare models by macro F1 too.",
    ),
    Rule(
        "SB405",
        "size category differs",
        NEVER,
        "The Hub filters by it.",
        "Name the category of every config's number of rows in `size_categories`.",
    ),
    Rule(
        "SB406",
        "file is not the one the manifest describes",
        ALWAYS,
        "A bundle changed by hand cannot be traced to its sources.",
        "Build the config again.",
    ),
    Rule(
        "SB407",
        "raw file is not the one the card describes",
        ALWAYS,
        "Its sha256 differs: upstream changed it, or a download was cut. Rows of another file have other scores.",
        "Get the file again; if upstream changed it, read what changed, and correct `sha256`, `version` and "
        "`changes` of the card.",
    ),
)

RULES: dict[str, Rule] = {r.id: r for r in _ALL}


def rule(name: str) -> Rule:
    """One rule by its name.

    Args:
        name: e.g. "SB204".

    Returns:
        The rule.

    Raises:
        UnknownName: there is no such rule.
    """
    if name not in RULES:
        raise unknown("rule", name, RULES, "`seabed check --rules` lists them.")
    return RULES[name]
