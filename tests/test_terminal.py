"""What others wrote is shown on a terminal and never obeyed by it."""

from __future__ import annotations

import json
import unicodedata

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.cli import show
from seabed_datasets.terminal import app, json_text, plain, print_table, run

ESCAPES = "\x1b]0;title\x07 \x1b[31mred\x1b[0m \x9b2J \r over \x08 \u202egpj.exe\u2066 \u2028 \ud83d"


def obeyed(text: str) -> list[str]:
    """Characters that a terminal acts upon, line breaks apart."""
    bidi = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    return [
        c
        for c in text
        if (unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c != "\n")
        or unicodedata.bidirectional(c) in bidi
    ]


@given(st.text(st.characters(codec=None)))
def test_plain_text_holds_nothing_a_terminal_obeys(text: str) -> None:
    assert not obeyed(plain(text))
    assert "\n" not in plain(text)
    assert plain(text, lines=True).count("\n") == text.count("\n")


def test_the_characters_of_the_region_stay() -> None:
    text = "ສະບາຍດີ\u200bຊາວໂລກ สวัสดี မင်္ဂလာပါ\u200c வணக்கம்\u200d 👩\u200d🔬 [/x] :key:"
    assert plain(text) == text


@given(
    st.recursive(st.text(st.characters(codec=None)), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_json_is_the_same_value_and_inert(value: object) -> None:
    assert json.loads(json_text(value)) == value
    assert not obeyed(json_text(value))


def test_a_table_shows_markup_and_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"[bold]name": f"[/x] [red]a[/red] :key: [link=http://x]b[/link] {ESCAPES}", "more": "1\n2"}]
    print_table(rows, f"[/x] {ESCAPES}")
    shown = capsys.readouterr().out
    assert not obeyed(shown)
    for text in ("[bold]name", "[/x] [red]a[/red] :key: [link=http://x]b[/link]", "\\x1b[31mred", "\\ud83d"):
        assert text in shown


def test_a_card_shows_markup_and_control_characters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = catalogue.dataset("emot")
    seabed = dataset.seabed.model_copy(update={"errata": [f"Texts hold [/x] and [red]. {ESCAPES}"]})
    body = f"# [/y]\n\n{ESCAPES} [here](https://elsewhere.example)\n"
    changed = dataset.model_copy(update={"seabed": seabed, "body": body, "pretty_name": "[link=x]Emot"})
    ask = catalogue.dataset
    monkeypatch.setattr(catalogue, "dataset", lambda key: changed if key == "emot" else ask(key))
    show("emot_ind")
    shown = capsys.readouterr().out
    assert not obeyed(shown)
    for text in ("[/x] and [red].", "[/y]", "[link=x]Emot", "https://elsewhere.example", "\\x1b[31mred"):
        assert text in shown


def test_what_cannot_be_read_or_written_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = typer.Typer()
    monkeypatch.setattr("sys.argv", ["seabed"])

    @small.command()
    def fail() -> None:
        raise IsADirectoryError(21, "Is a directory", f"report{ESCAPES}")

    with pytest.raises(SystemExit, match="1"):
        run(small)
    told = capsys.readouterr().err
    assert told.startswith("error: cannot read or write report")
    assert told.endswith("Is a directory\n")
    assert not obeyed(told)


def test_tracebacks_show_no_local_variables() -> None:
    assert app.pretty_exceptions_show_locals is False
