"""What cards have to say: the facts of `statements.yaml`, each of which a card once had wrong or lacked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from seabed_datasets import catalogue

STATEMENTS = yaml.safe_load((Path(__file__).parent / "statements.yaml").read_text(encoding="utf-8"))
LISTS = ("errata", "unverified", "exceptions")


def value(text: str, at: str) -> Any:
    """A field of a card, or the text of a section, of a list or of all of it."""
    head, body = text[4:].split("\n---\n", 1)
    fields = yaml.safe_load(head)
    if at == "card":
        return text
    if at in LISTS:
        return fields["seabed"].get(at) or []
    if at[0].isupper():
        parts = re.split(r"(?m)^## +(.+)$", body)
        return next(b for title, b in zip(parts[1::2], parts[2::2], strict=True) if title.startswith(at))
    for name in at.split("."):
        fields = (fields or {}).get(name)
    return fields


def faults(text: str, statement: dict[str, Any]) -> list[str]:
    """What a card gets wrong of one statement."""
    found, wrong = value(text, statement["at"]), []
    words = " ".join((found if isinstance(found, str) else str(found)).split())
    if "is" in statement and found != statement["is"]:
        wrong.append(f"is {found!r}, not {statement['is']!r}")
    if "says" in statement and statement["says"] not in words:
        wrong.append(f"does not say {statement['says']!r}")
    if "not" in statement and statement["not"] in words:
        wrong.append(f"still says {statement['not']!r}")
    return wrong


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: f"{s['key']}: {s['at']}")
def test_the_card_says_so(statement: dict[str, Any]) -> None:
    assert {"is", "says", "not"} & statement.keys()
    text = (catalogue.cards_dir() / f"{statement['key']}.md").read_text(encoding="utf-8")
    assert faults(text, statement) == [], statement["source"]


def test_a_loader_that_strips_says_so_on_the_card() -> None:
    """Texts are stored as upstream has them but for NFC; a loader that takes blanks off is an exception."""
    folder = Path(catalogue.__file__).parents[1] / "loaders"
    strips = re.compile(
        r'"text": [\w.\[\]"]*\.strip\(\)|strip=True|text\.strip\(\)|line\.strip\(\)|\)\.strip\(\) for line'
    )
    found = [p for p in sorted(folder.glob("*/*.py")) if strips.search(p.read_text(encoding="utf-8"))]
    assert len(found) >= 10
    for path in found:
        text = (catalogue.cards_dir() / f"{path.stem}.md").read_text(encoding="utf-8")
        assert re.search(r"Blanks around a (text|line) are taken off", text), path.stem
