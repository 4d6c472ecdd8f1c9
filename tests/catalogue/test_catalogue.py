"""Cards: closed vocabularies, helpful errors, filters."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import ASPECTS, TASKS
from seabed_datasets.errors import CardError, UnknownName

NTREX = (catalogue.cards_dir() / "ntrex.md").read_text(encoding="utf-8")


def card(tmp_path: Path, old: str, new: str) -> Path:
    assert old in NTREX
    path = tmp_path / "ntrex.md"
    path.write_text(NTREX.replace(old, new), encoding="utf-8")
    return path


def test_a_card_becomes_configs() -> None:
    c = catalogue.config("ntrex_tha")
    assert (c.key, c.task, c.lang, c.languages) == ("ntrex", "bitext_mining", "tha", ["eng", "tha"])


def test_unknown_names_get_the_closest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'ntrex_tha'"):
        catalogue.config("ntrex_tah")
    with pytest.raises(UnknownName, match="Did you mean 'ntrex'"):
        catalogue.dataset("ntrx")
    with pytest.raises(UnknownName, match="Did you mean 'retrieval'"):
        catalogue.configs(tasks=["retreival"])
    with pytest.raises(UnknownName, match=r"language 'thai'.*Did you mean 'tha'"):
        catalogue.configs(languages=["thai"])


def test_filters() -> None:
    found = catalogue.configs(tasks=["bitext_mining"], languages=["tha"])
    assert "ntrex_tha" in [c.name for c in found]
    assert {c.task for c in found} == {"bitext_mining"}
    assert all("tha" in c.units for c in found)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("task: bitext_mining", "task: bitext", "seabed.task"),
        ("domains: [News, Written]", "domains: [Newspapers]", "seabed.domains.0"),
        ("subtask: Cross-lingual pairing", "subtask: Pairs", "subtask 'Pairs'"),
        ("origin: human", "origin: people", "seabed.origin"),
        ("origin_paper: human", "origin_paper: machine", "origin_paper is not 'human'"),
        (
            "ntrex_tha: {languages: [eng, tha]}",
            "ntrex_tha: {languages: [eng, tha], origin: machine}",
            "needs a note",
        ),
        ("redistribution: allowed", "redistributon: allowed", "redistributon"),
        ("ntrex_tha: {languages: [eng, tha]}", "ntrex_thai: {languages: [eng, tha]}", "'thai' is not one of"),
        ("---\npretty_name", "pretty_name", "no YAML front matter"),
        ("pretty_name: NTREX", "pretty_name: [NTREX", "not YAML"),
    ],
)
def test_a_wrong_card_says_what_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(CardError, match=message) as caught:
        catalogue.read_card(card(tmp_path, old, new))
    assert str(caught.value).startswith("ntrex.md: ")


def test_origin_by_the_paper_is_a_second_column() -> None:
    # Section 1 of the paper: 120 of 169. Its Tables 12 and 13 have 168 rows, none for ALTDialect.
    by_paper = {d.key: d.seabed.origin_paper for d in catalogue.paper_datasets()}
    assert Counter(by_paper.values()) == {"human": 120, "machine": 48, "not printed": 1}
    assert by_paper["altdialect"] == "not printed"
    for origin in ("human", "machine", "not printed"):
        found = catalogue.configs(origin=origin, origin_by="paper")
        assert {c.key for c in found} == {key for key, o in by_paper.items() if o == origin}
    with pytest.raises(UnknownName, match="origin 'not printed'"):
        catalogue.configs(origin="not printed")
    with pytest.raises(UnknownName, match="Did you mean 'paper'"):
        catalogue.configs(origin="human", origin_by="papers")


def test_a_config_may_have_an_origin_of_its_own(tmp_path: Path) -> None:
    own = "ntrex_tha: {languages: [eng, tha], origin: machine, note: translated by a system}"
    record = catalogue.read_card(card(tmp_path, "ntrex_tha: {languages: [eng, tha]}", own))
    assert (record.config("ntrex_tha").origin, record.config("ntrex_ind").origin) == ("machine", "human")


def test_every_task_shows_one_of_four_aspects() -> None:
    assert set(ASPECTS) == set(TASKS)
    assert set(ASPECTS.values()) == {
        "cross-lingual",
        "transfer learning",
        "text understanding",
        "information retrieval",
    }
    assert catalogue.config("ntrex_tha").aspect == catalogue.dataset("ntrex").aspect == "cross-lingual"


def test_every_task_has_a_sample_config() -> None:
    assert sorted(c.task for c in catalogue.configs(sample=True)) == sorted(TASKS)
    assert not any(c.name.startswith("sample_") for c in catalogue.configs())
