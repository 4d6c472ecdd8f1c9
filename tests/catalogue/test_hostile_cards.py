"""Cards of others: no aliases, each key once, bounded in depth and in messages, names by one pattern."""

from __future__ import annotations

import datetime
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.catalogue.cards import read_card
from seabed_datasets.catalogue.front_matter import MAX_CHARACTERS, parse
from seabed_datasets.errors import CardError

CARD = (catalogue.cards_dir() / "emot.md").read_text(encoding="utf-8")
BOMB = "x0: &x0 [lol, lol]\n" + "".join(
    f"x{i}: &x{i} [{', '.join([f'*x{i - 1}'] * 10)}]\n" for i in range(1, 11)
)


def refused(text: str, folder: Path, name: str = "emot.md") -> str:
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    begun = time.perf_counter()
    with pytest.raises(CardError) as caught:
        read_card(path)
    assert time.perf_counter() - begun < 5
    assert len(str(caught.value)) < 3000
    assert name in str(caught.value)
    return str(caught.value)


def with_front(extra: str) -> str:
    return CARD.replace("\nseabed:\n", f"\n{extra}\nseabed:\n", 1)


def test_every_card_is_what_pyyaml_reads() -> None:
    for path in sorted(catalogue.cards_dir().glob("*.md")):
        head = path.read_text(encoding="utf-8")[4:].split("\n---\n", 1)[0]
        assert parse(head) == yaml.load(head, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (BOMB, "alias"),
        ("a: &a x\nb: *a", "alias"),
        ("a: &a [*a]", "alias"),
        ("license: mit", r"the key 'license' stands twice"),
        ("x: {a: 1, a: 2}", "the key 'a' stands twice"),
        ("x: {1: a, 1: b}", "the key '1' stands twice"),
        ("<<: {license: mit}", "not allowed"),
        ("x: !!python/object/apply:os.system [true]", "not allowed"),
        ("x: !!binary aGk=", "not allowed"),
        ("x: !!set {a, b}", "not allowed"),
        ("? [a, b]\n: c", "a key is a list"),
        ("x: " + "[" * 50 + "]" * 50, "deep"),
        ("x: " + "[" * 100_000, "not YAML|deep"),
        ("x: " + "{a: " * 3000, "not YAML|deep"),
        ("x: 2024-99-99", "is no value"),
        ("x: " + "9" * 5000, "is no value"),
        ("x: [", "not YAML"),
        ("x: \x07", "not YAML"),
        ("key: other", "no field 'key'"),
        ("1: a", "no field 1"),
        ("tags: x", "tags"),
        ("# " + "x" * MAX_CHARACTERS, "characters of YAML"),
    ],
    ids=lambda v: v[:24] if isinstance(v, str) else None,
)
def test_hostile_yaml_is_one_line(extra: str, said: str, tmp_path: Path) -> None:
    message = refused(with_front(extra), tmp_path)
    assert any(part in message for part in said.split("|")), message
    assert "\n" not in message


def test_a_value_of_the_wrong_type_is_shown_in_part(tmp_path: Path) -> None:
    message = refused(
        CARD.replace("\npretty_name: ", "\npretty_name: [" + "x, " * 5_000 + "y] # ", 1), tmp_path
    )
    assert "pretty_name" in message
    assert len(message) < 500


@pytest.mark.parametrize(
    "name",
    ["emot_a\nb_ind", "emot_ind --out x", "emot_../../x_ind", "emot_Ind", "emot_ก_ind", "emot_" + "x" * 100],
)
def test_names_of_configs_keep_to_one_pattern(name: str, tmp_path: Path) -> None:
    front = yaml.safe_load(CARD[4:].split("\n---\n", 1)[0])
    front["seabed"]["configs"] = {name: {"languages": ["ind"], "units": ["ind"]}}
    message = refused(f"---\n{yaml.safe_dump(front)}\n---\nbody", tmp_path)
    assert "is no name" in message


def test_a_key_keeps_to_the_pattern_too(tmp_path: Path) -> None:
    assert "'Emot' is no name" in refused(CARD, tmp_path, "Emot.md")


def test_what_is_no_card(tmp_path: Path) -> None:
    assert "not UTF-8" in refused("---\nx: \ud800\n---\n", tmp_path)
    assert "no YAML front matter" in refused("text", tmp_path)
    assert "no mapping" in refused("---\n- a\n---\n", tmp_path)
    assert "no mapping" in refused("---\n\n---\n", tmp_path)


def test_values() -> None:
    assert parse('a: 1\nb: 2.5\nc: [yes, ~, "1"]\nd: 2024-01-02') == {
        "a": 1,
        "b": 2.5,
        "c": [True, None, "1"],
        "d": datetime.date(2024, 1, 2),
    }


YAML = st.text(alphabet="ab01 \n:-[]{}&*!<?|>#'\"%@`,~.\t", max_size=60)


@given(YAML)
@settings(max_examples=400, deadline=None)
def test_any_text_is_values_or_one_line(text: str) -> None:
    said = ""
    try:
        parse(text)
    except ValueError as error:
        said = str(error)
    assert "\n" not in said
    assert len(said) < 600


@given(at=st.integers(0, 2500), junk=YAML, cut=st.integers(0, 20))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_card_is_read_or_refused(at: int, junk: str, cut: int, tmp_path: Path) -> None:
    path = tmp_path / "emot.md"
    path.write_text(CARD[:at] + junk + CARD[at + cut :], encoding="utf-8")
    said = ""
    try:
        read_card(path)
    except CardError as error:
        said = str(error)
    assert len(said) < 3000
