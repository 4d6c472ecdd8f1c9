"""Usual names of columns, as people give them."""

from __future__ import annotations

# Role -> names, most telling first; written as `headers.bare` writes a name.
NAMES: dict[str, tuple[str, ...]] = {
    "sentence1": ("sentence1", "premise", "source", "src", "text1", "texta", "question1"),
    "sentence2": ("sentence2", "hypothesis", "target", "tgt", "text2", "textb", "question2"),
    "text": ("text", "texts", "sentence", "content", "review", "tweet", "comment", "body", "document"),
    "label": ("label", "labels", "goldlabel", "category", "class", "sentiment", "topic", "intent", "target"),
    "labels": ("labels", "label", "categories", "topics", "aspects", "tags"),
    "score": ("score", "similarity", "relatedness", "similarityscore", "gold", "label"),
    "question": ("question", "query", "questions", "q"),
    "passage": ("context", "passage", "document", "paragraph", "answer", "text", "positive"),
    "instruction": ("instruction", "instructions", "prompt", "question"),
    "input": ("input", "inputs", "context"),
    "output": ("output", "response", "answer", "completion"),
    "query": ("query", "question"),
    "positive": ("positive", "positives", "pos", "relevant"),
    "negative": ("negative", "negatives", "neg", "irrelevant"),
    "document": ("document", "passage", "text", "candidate"),
    "relevance": ("relevance", "label", "relevant", "score", "judgement"),
}
KNOWN = frozenset(name for names in NAMES.values() for name in names)
