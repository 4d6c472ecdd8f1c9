"""VSoLSCSum: Vietnamese web articles and the sentences readers chose as their summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import elements

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


def load(raw: Raw, config: Config) -> Splits:
    """Sentences of the article and of the summary, each joined by a space; comments are left out."""
    return {
        "test": (
            {"sentence1": _text(post, "document"), "sentence2": _text(post, "summary")}
            for post in elements(raw["posts"], "post")
        )
    }


def _text(post: Element, part: str) -> str:
    return " ".join(found.text or "" for found in post.iterfind(f"{part}/sentences/sentence/content"))
