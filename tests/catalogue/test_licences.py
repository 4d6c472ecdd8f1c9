"""The licence rule: whose word counts, what is published, and what is said of the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.catalogue import licences
from seabed_datasets.catalogue.cards import Dataset
from seabed_evaluate.cli import app  # type: ignore[attr-defined]

OWN = {
    *("sts17", "sts22", "sts24", "biosses", "burmesexnli", "burmeseprachathai67k"),
    *("sts17crosslingual", "sts22crosslingual", "sts24crosslingual", "biossescrosslingual"),
}
# Nine datasets, 19 configs, whose licence stands with their makers or in the paper.
FOUND = [
    *("biosses", "biossescrosslingual", "stsbenchmark", "uitvihsd", "news_clustering_ind"),
    *("idkmrcnli", "tydiqanli", "squadnli", "dengue"),
]


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def with_fields(key: str, **seabed: Any) -> Dataset:
    card = catalogue.dataset(key)
    return card.model_copy(update={"seabed": card.seabed.model_copy(update=seabed)})


@pytest.mark.parametrize("source", ["maker", "paper", "secondary", None])
@pytest.mark.parametrize(
    "copies", ["allowed", "noncommercial", "no-derivatives", "forbidden", "ask-first", "unknown"]
)
def test_the_rule_follows_from_two_fields(source: str | None, copies: str) -> None:
    held = licences.held_back(with_fields("ntrex", license_source=source, redistribution=copies))
    published = source in ("maker", "paper") and copies in ("allowed", "noncommercial")
    assert (held is None) == published
    if held:
        assert held.why
        assert held.change


def test_sets_made_for_seabed_are_published_with_a_notice() -> None:
    assert {d.key for d in catalogue.datasets() if licences.made_for_seabed(d)} == OWN
    for key in OWN:
        assert licences.held_back(catalogue.dataset(key)) is None
        said = licences.notice(catalogue.dataset(key)) or ""
        named = catalogue.dataset(key).seabed.license_paper
        assert f"licence of the source sentences is {named or 'not stated'}" in said
    assert "Noncommercial" in (licences.notice(catalogue.dataset("burmesexnli")) or "")
    # Neither a takedown in all but name nor a later refusal is overruled by who made the set.
    assert licences.held_back(with_fields("sts17", redistribution="forbidden"))


def test_what_was_found_follows_the_rule() -> None:
    configs = [name for key in FOUND for name in catalogue.dataset(key).seabed.configs]
    assert len(configs) == 19
    assert all(licences.held_back(catalogue.dataset(key)) is None for key in FOUND)


def test_the_same_rows_are_treated_alike() -> None:
    pair = [catalogue.dataset(k) for k in ("hatespeech_classification_fil", "tiktokhatespeech")]
    assert [licences.held_back(d) for d in pair] == [licences.held_back(pair[0])] * 2


def test_one_catalogues_word_never_publishes() -> None:
    for d in catalogue.datasets():
        if d.seabed.license_source in ("secondary", None) and not licences.made_for_seabed(d):
            assert licences.held_back(d), d.key


def test_every_dataset_stands_in_the_table_once() -> None:
    rows = licences.rows()
    assert [r["dataset"] for r in rows] == [d.key for d in catalogue.datasets()]
    assert sum(int(r["configs"]) for r in rows) == 314
    for row in rows:
        assert (row["published"] == "no") == bool(row["what would change it"])
        assert row["why"] or row["published"] == "yes"


def test_one_command_prints_the_published_and_the_others_with_reasons() -> None:
    rows = licences.rows()
    counted = {
        word: (
            sum(int(r["configs"]) for r in rows if r["published"] == word),
            sum(r["published"] == word for r in rows),
        )
        for word in ("yes", "no")
    }
    out = printed("list", "--published")
    line = "published: {} configs of {} datasets; held back: {} configs of {} datasets"
    assert line.format(*counted["yes"], *counted["no"]) in out
    held = json.loads(printed("list", "--held-back", "--format", "json"))
    assert held == [r for r in rows if r["published"] == "no"]
    everything = json.loads(printed("list", "--published", "--format", "json"))
    assert everything == rows
    some = json.loads(printed("list", "--held-back", "--task", "sts", "--format", "json"))
    assert [r["dataset"] for r in some] == ["semrel2024"]
    assert "on the Hub" in printed("show", "semrel2024")


def test_list_filters_by_either_origin() -> None:
    def listed(*options: str) -> list[dict[str, str]]:
        rows: list[dict[str, str]] = json.loads(printed("list", "--format", "json", *options))
        return rows

    ours, paper = listed("--origin", "human"), listed("--origin", "human", "--origin-by", "paper")
    assert {r["origin"] for r in ours} == {r["origin_paper"] for r in paper} == {"human"}
    assert "stsbenchmark_mya" in [r["config"] for r in ours]
    assert "stsbenchmark_mya" not in [r["config"] for r in paper]
    assert {r["aspect"] for r in listed("--task", "sts")} == {"text understanding"}
