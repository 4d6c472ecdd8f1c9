"""Closed vocabularies of the cards: tasks, languages, domains, subtasks, origins."""

from __future__ import annotations

from typing import Literal, get_args

Task = Literal[
    "bitext_mining",
    "classification",
    "clustering",
    "instruction_retrieval",
    "multilabel_classification",
    "pair_classification",
    "reranking",
    "retrieval",
    "sts",
]
TASKS: tuple[str, ...] = get_args(Task)

# Tasks whose rows carry class names.
LABELLED: tuple[str, ...] = (
    "classification",
    "multilabel_classification",
    "clustering",
    "pair_classification",
)

# ISO 639-3, in the order of the paper's Table 6.
LANGUAGES: dict[str, str] = {
    "ind": "Indonesian",
    "tha": "Thai",
    "vie": "Vietnamese",
    "mya": "Burmese",
    "fil": "Filipino",
    "tam": "Tamil",
    "khm": "Khmer",
    "zsm": "Malay",
    "lao": "Lao",
    "tet": "Tetum",
}

# The 17 domains of the paper's appendix A.3.
Domain = Literal[
    "Academic",
    "Blog",
    "Constructed",
    "Encyclopedic",
    "Fiction",
    "Government",
    "Legal",
    "Medical",
    "News",
    "Non-fiction",
    "Religious",
    "Reviews",
    "Social",
    "Spoken",
    "Subtitles",
    "Web",
    "Written",
]
DOMAINS: tuple[str, ...] = get_args(Domain)

# The paper's other spellings of them in Tables 12 and 13. Its further words (Education, STEM, ...) are none of
# the 17.
PRINTED_DOMAINS: dict[str, Domain] = {
    "Conversation": "Spoken",
    "Encyclopaedic": "Encyclopedic",
    "Healthcare": "Medical",
    "Religion": "Religious",
    "Review": "Reviews",
    "Writen": "Written",
}

# The rows of the paper's Table 4b, by task.
SUBTASKS: dict[str, tuple[str, ...]] = {
    "bitext_mining": ("Cross-lingual pairing", "Dialect pairing", "Written-forms pairing"),
    "classification": (
        "Language Identification",
        "Sentiment",
        "Topic Classification",
        "Toxic Language Detection",
    ),
    "clustering": ("Topic Clustering",),
    "instruction_retrieval": ("Instruction QA",),
    "multilabel_classification": ("Sentiment", "Topic Classification", "Toxic Language Detection"),
    "pair_classification": ("Textual Entailment",),
    "reranking": ("Article Reranking",),
    "retrieval": ("Article Retrieval", "Long Document Retrieval", "Question Answering"),
    "sts": ("Multilingual STS", "Cross-lingual STS"),
}

# The four aspects of the paper's section 3.2. It names them; which task shows which is our reading of its
# description of the tasks.
ASPECTS: dict[str, str] = {
    "bitext_mining": "cross-lingual",
    "classification": "transfer learning",
    "clustering": "text understanding",
    "instruction_retrieval": "information retrieval",
    "multilabel_classification": "transfer learning",
    "pair_classification": "text understanding",
    "reranking": "information retrieval",
    "retrieval": "information retrieval",
    "sts": "text understanding",
}

Origin = Literal["human", "machine"]
# Of the paper's annotation column (Tables 12 and 13); ALTDialect and later datasets have no row there.
OriginPaper = Literal["human", "machine", "not printed"]
# Its words for what a machine did; every other word, and a blank cell, names people: 120 of 168 rows, the
# paper's "120 of 169".
MACHINE_ANNOTATION = ("derived", "LM-generated", "machine-translated and reviewed")
# `ask-first`: the makers ask to be written to before their data goes into a benchmark or catalogue.
Redistribution = Literal["allowed", "noncommercial", "no-derivatives", "forbidden", "ask-first", "unknown"]
# Who names the licence: the data's makers, the paper's Tables 12 and 13, or another catalogue.
LicenseSource = Literal["maker", "paper", "secondary"]
Status = Literal["seen", "documented", "guessed"]
