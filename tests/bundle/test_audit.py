"""`seabed audit`: both ways to make a config, the release from a Hub on loopback, and where they differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets import catalogue
from seabed_datasets.errors import UnknownName
from tests.fake_raw import EXPECTED, RAW, parquet_bytes
from tests.hub import Hub
from tests.hub.clients import environment, run

Rows = list[dict[str, Any]]


def expected(name: str) -> dict[str, Rows]:
    """What the upstream loader makes of the fake raw files."""
    known: dict[str, Any] = json.loads(
        (RAW / catalogue.config(name).key / EXPECTED).read_text(encoding="utf-8")
    )
    rows: dict[str, Rows] = known[name]
    return rows


def copy(**splits: Rows) -> dict[str, bytes]:
    return {f"data/{split}-00000-of-00001.parquet": parquet_bytes(rows) for split, rows in splits.items()}


def pairs_copy() -> dict[str, bytes]:
    """The upstream pairs without the last, and one that upstream does not have."""
    rows = [{"source": r["sentence1"], "target": r["sentence2"]} for r in expected("ntrex_tha")["test"]]
    return copy(test=[*rows[:-1], {"source": "Not upstream.", "target": "Wala roon."}])


def labelled_copy() -> dict[str, bytes]:
    """Labels as numbers; of the test texts the first has another label, and one text was moved from train."""
    names = catalogue.config("emot_ind").labels or []
    splits = {
        split: [{"texts": r["text"], "labels": names.index(r["label"])} for r in rows]
        for split, rows in expected("emot_ind").items()
    }
    splits["test"][0]["labels"] = (splits["test"][0]["labels"] + 1) % len(names)
    splits["test"].append(splits["train"].pop(1))
    return copy(**splits)


def retrieval_copy() -> dict[str, bytes]:
    """The upstream questions; the last one stands with the passage of the first."""
    splits = expected("xquad_tha")
    texts = {d["id"]: d["text"] for d in splits["corpus"]}
    rows = [{"question": q["text"], "context": texts[q["relevant"][0]["id"]]} for q in splits["test"]]
    rows[-1]["context"] = rows[0]["context"]
    return copy(validation=rows)


@pytest.fixture(scope="module")
def audits(
    fake_mirror: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, Any]]:
    for key in ("ntrex", "emot", "xquad"):
        mirror = fake_mirror(key)
    names = ["ntrex_tha", "emot_ind", "xquad_tha"]
    with Hub() as hub:
        commit = hub.store.put("dataset", "kornwtp/ntrex-tha-bitextmining", pairs_copy()).oid
        hub.store.put("dataset", "kornwtp/emot-ind-classification", labelled_copy())
        hub.store.put("dataset", "kornwtp/xquad-tha-qaretrieval", retrieval_copy())
        env = environment(hub.url, tmp_path_factory.mktemp("home"))
        command = ["-m", "seabed_evaluate", "audit", *names, "--mirror", str(mirror)]
        out, _ = run([*command, "--format", "json"], env)
        found = {a["config"]: a for a in json.loads(out)}
        found["table"] = {"text": run(command, env)[0], "commit": commit}
    return found


def split(audit: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [s for s in audit["splits"] if s["split"] == name]
    return dict(found)


def test_rows_and_overlap_of_pairs(audits: dict[str, Any]) -> None:
    rows = len(expected("ntrex_tha")["test"])
    assert rows > 1
    test = split(audits["ntrex_tha"], "test")
    assert (test["rows_upstream"], test["rows_release"], test["both"]) == (rows, rows, rows - 1)
    assert (test["differing"], test["changes"]) == (0, {})
    assert audits["ntrex_tha"]["release"] == "kornwtp/ntrex-tha-bitextmining"
    assert audits["ntrex_tha"]["commit"] == audits["table"]["commit"]


def test_labels_that_differ_are_counted_by_name(audits: dict[str, Any]) -> None:
    upstream = expected("emot_ind")["test"][0]["label"]
    names = catalogue.config("emot_ind").labels or []
    release = names[(names.index(upstream) + 1) % len(names)]
    test = split(audits["emot_ind"], "test")
    assert test["differing"] == 1
    assert test["changes"] == {f"upstream {upstream!r}, release {release!r}": 1}
    assert test["rows_release"] == test["rows_upstream"] + 1
    assert test["elsewhere"] == 1  # the text that the copy has in test is in upstream's train


def test_relevant_documents_are_compared_by_text(audits: dict[str, Any]) -> None:
    test, corpus = (split(audits["xquad_tha"], s) for s in ("test", "corpus"))
    assert test["both"] == test["texts_upstream"] == test["texts_release"]
    assert test["differing"] == 1
    assert corpus["both"] == corpus["texts_release"] < corpus["texts_upstream"]
    assert corpus["differing"] == 0


def test_the_table_says_the_same(audits: dict[str, Any]) -> None:
    text = audits["table"]["text"]
    for said in ("rows upstream", "only release", "label differs", "kornwtp/emot-ind-classification @ "):
        assert said in text


def test_a_copy_that_is_not_there_is_one_line(fake_mirror: Callable[[str], Path], tmp_path: Path) -> None:
    with Hub() as hub:
        command = ["-m", "seabed_evaluate", "audit", "casa_ind", "--mirror", str(fake_mirror("casa"))]
        _, err = run(command, environment(hub.url, tmp_path), code=1)
    assert "error: casa_ind: cannot list kornwtp/" in err


def test_unknown_names() -> None:
    from seabed_datasets.bundle.audit import audit

    with pytest.raises(UnknownName, match="Did you mean 'ntrex_tha'"):
        audit("ntrex_tah")
