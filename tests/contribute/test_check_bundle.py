"""Checks of a bundle: faults planted in its files, exceptions of cards, and how findings are shown."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import read_manifest
from seabed_datasets.catalogue import Exemption
from seabed_datasets.checks.findings import Finding
from seabed_datasets.contribute import render
from seabed_datasets.contribute.check import Checked, check, check_rows
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_datasets.schemas import features
from seabed_evaluate.cli import app
from tests.check_cases import ZAWGYI, by_rule, clean

SAMPLES = [c.name for c in catalogue.configs(sample=True)]
Row = dict[str, Any]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "bundle"
    build(SAMPLES, out)
    return out


@pytest.fixture
def bundle(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "bundle"))


def rewrite(
    bundle: Path,
    name: str,
    split: str,
    change: Callable[[list[Row]], list[Row]],
    labels: list[str] | None = None,
) -> None:
    """Change the rows of a file, keeping schema and manifest true to it; `labels`: other label names."""
    from seabed_datasets.files import file_sha256

    file = bundle / "data" / name / f"{split}.parquet"
    config = catalogue.config(name).model_copy(update={"labels": labels} if labels else {})
    rows = change(pyarrow.parquet.read_table(file).to_pylist())
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=features(config).arrow_schema), file)
    manifest = read_manifest(bundle)
    manifest[name]["splits"][split] |= {"rows": len(rows), "sha256": file_sha256(file)}
    (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def rules_of(bundle: Path, name: str) -> set[str]:
    return {f.rule for f in check([name], bundle=bundle).findings}


def set_text(column: str, *values: str) -> Callable[[list[Row]], list[Row]]:
    def change(rows: list[Row]) -> list[Row]:
        for row, value in zip(rows, values, strict=False):
            row[column] = value
        return rows

    return change


def leak_five_percent(bundle: Path) -> Callable[[list[Row]], list[Row]]:
    train = pyarrow.parquet.read_table(bundle / "data/sample_classification_ind/train.parquet").to_pylist()

    def change(rows: list[Row]) -> list[Row]:
        for i in range(max(1, round(len(rows) * 0.05))):
            rows[i] |= {"text": train[i]["text"], "label": train[i]["label"]}
        return rows

    return change


def shuffle_qrels(rows: list[Row]) -> list[Row]:
    given = [r["relevant"] for r in rows]
    random.Random(3).shuffle(given)
    return [r | {"relevant": g} for r, g in zip(rows, given, strict=True)]


def same_ids(rows: list[Row]) -> list[Row]:
    return [r | {"id": rows[0]["id"]} if i < 3 else r for i, r in enumerate(rows)]


CLASSES = "sample_classification_ind"


def test_nothing_is_found_in_the_clean_bundle(built: Path) -> None:
    done = check(SAMPLES, bundle=built)
    assert done.findings == []
    assert sorted(done.stats) == sorted(SAMPLES)


def test_planted_label_order_swapped_in_one_split(bundle: Path) -> None:
    names = catalogue.config(CLASSES).labels or []
    rewrite(bundle, CLASSES, "test", lambda rows: rows, labels=names[::-1])
    (finding,) = check([CLASSES], bundle=bundle).errors
    assert (finding.rule, finding.split) == ("SB206", "test")


def test_planted_leakage(bundle: Path) -> None:
    rewrite(bundle, CLASSES, "test", leak_five_percent(bundle))
    assert rules_of(bundle, CLASSES) == {"SB204"}


def test_planted_empty_rows(bundle: Path) -> None:
    rewrite(bundle, CLASSES, "test", set_text("text", "\u200b", "\u200b\u200b", " \u200b"))
    found = by_rule(check([CLASSES], bundle=bundle).findings)
    assert found["SB201"][0].count == 3
    assert found["SB201"][0].severity == "error"
    assert set(found) <= {"SB201", "SB203", "SB205", "SB306"}  # three empty texts are duplicates, too


def test_planted_zawgyi(bundle: Path) -> None:
    rewrite(bundle, "sample_sts_mya", "test", set_text("sentence2", *ZAWGYI))
    (finding,) = check(["sample_sts_mya"], bundle=bundle).errors
    assert (finding.rule, finding.count) == ("SB303", len(ZAWGYI))


def test_planted_duplicate_ids(bundle: Path) -> None:
    rewrite(bundle, CLASSES, "train", same_ids)
    (finding,) = check([CLASSES], bundle=bundle).errors
    assert (finding.rule, finding.count) == ("SB210", 2)


def test_planted_wrong_language(bundle: Path) -> None:
    other = pyarrow.parquet.read_table(bundle / "data/sample_clustering_vie/test.parquet").to_pylist()
    rewrite(bundle, CLASSES, "test", set_text("text", *(r["text"] for r in other)))
    assert "SB305" in rules_of(bundle, CLASSES)
    rewrite(bundle, "sample_retrieval_tha", "corpus", set_text("text", *(r["text"] for r in other)))
    assert "SB304" in rules_of(bundle, "sample_retrieval_tha")


@pytest.mark.parametrize("name", ["sample_retrieval_tha", "sample_instruction_retrieval_vie"])
def test_planted_shuffled_qrels(bundle: Path, name: str) -> None:
    rewrite(bundle, name, "test", shuffle_qrels)
    assert rules_of(bundle, name) == {"SB218"}


def test_faults_that_only_a_bundle_can_have(bundle: Path) -> None:
    rewrite(
        bundle,
        "sample_sts_mya",
        "test",
        set_text("sentence1", "ကလေးက ပန်းသီး စားပါတယ်။".replace("့်", "့်"), "Cafe\u0301 မှာ စားပါတယ်။"),
    )
    assert rules_of(bundle, "sample_sts_mya") == {"SB301"}
    file = bundle / "data/sample_sts_mya/test.parquet"
    file.write_bytes((bundle / "data/sample_bitext_mining_tha/test.parquet").read_bytes())
    assert [f.rule for f in check(["sample_sts_mya"], bundle=bundle).errors] == ["SB216"]
    file.unlink()
    (finding,) = check(["sample_sts_mya"], bundle=bundle).errors
    assert "is missing" in finding.examples[0]


def test_a_file_changed_behind_the_manifest(bundle: Path) -> None:
    before = (bundle / "manifest.json").read_bytes()
    rewrite(bundle, CLASSES, "test", lambda rows: rows[:-1])
    (bundle / "manifest.json").write_bytes(before)
    assert {f.rule for f in check([CLASSES], bundle=bundle).errors} == {"SB406"}


def test_a_split_or_a_loader_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    config, rows = clean("classification")
    with pytest.raises(SeabedError, match="expected \\['test', 'train'\\]"):
        check_rows(config, {"test": rows["test"]})
    from seabed_datasets.contribute import check as module

    monkeypatch.setattr(
        module, "rows_of", lambda *_: ({"train": (x["no"] for x in rows["train"]), "test": []}, [])
    )
    (finding,) = check([CLASSES]).errors
    assert finding.rule == "SB216"
    assert "the loader failed: KeyError: 'no'" in finding.examples[0]


# Exceptions


def with_exceptions(monkeypatch: pytest.MonkeyPatch, *exceptions: Exemption) -> None:
    dataset = catalogue.dataset("sample_classification")
    seabed = dataset.seabed.model_copy(update={"exceptions": list(exceptions), "errata": ["one is planted"]})
    changed = dataset.model_copy(update={"seabed": seabed})
    ask = catalogue.dataset
    monkeypatch.setattr(catalogue, "dataset", lambda key: changed if key == changed.key else ask(key))


def test_an_exception_excuses_its_rule_and_nothing_else(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite(bundle, CLASSES, "test", leak_five_percent(bundle))
    rewrite(bundle, CLASSES, "train", same_ids)
    excuse = Exemption(rule="SB204", reason="upstream cut it so", date=date(2025, 1, 2))
    with_exceptions(monkeypatch, excuse)
    found = by_rule(check([CLASSES], bundle=bundle).findings)
    assert (found["SB204"][0].severity, found["SB204"][0].excuse) == (
        "excepted",
        "upstream cut it so (2025-01-02)",
    )
    assert found["SB210"][0].severity == "error"


def test_an_exception_of_another_config_excuses_nothing(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewrite(bundle, CLASSES, "test", leak_five_percent(bundle))
    with_exceptions(
        monkeypatch,
        Exemption(rule="SB204", configs=["sample_classification_tha"], reason="a b c", date=date(2025, 1, 2)),
    )
    assert by_rule(check([CLASSES], bundle=bundle).findings)["SB204"][0].severity == "error"


def test_an_exception_that_nothing_needs_is_sb112(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_exceptions(monkeypatch, Exemption(rule="SB204", reason="upstream cut it so", date=date(2025, 1, 2)))
    assert rules_of(bundle, CLASSES) == {"SB112"}
    # Nobody can say so without the rows.
    assert check([CLASSES], cards_only=True).findings == []
    rewrite(bundle, CLASSES, "test", leak_five_percent(bundle))
    assert rules_of(bundle, CLASSES) == {"SB204"}


# Commands and output


def invoke(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return done.exit_code, done.output


def test_the_check_command(bundle: Path) -> None:
    code, output = invoke("check", *SAMPLES, "--bundle", str(bundle), "-q")
    assert (code, "0 errors, 0 excepted, 0 warnings" in output) == (0, True)
    rewrite(bundle, CLASSES, "test", leak_five_percent(bundle))
    code, output = invoke("check", CLASSES, "--bundle", str(bundle), "-q")
    assert code == 1
    assert "SB204" in output
    assert "A classifier that saw the answer is not tested." in output
    code, output = invoke("check", CLASSES, "--bundle", str(bundle), "-q", "--format", "json")
    assert (code, json.loads(output)["passed"]) == (1, False)
    code, output = invoke("check", CLASSES, "--bundle", str(bundle), "-q", "--format", "markdown")
    assert "### `seabed check` failed" in output
    assert "| SB204 | `sample_classification_ind test` |" in output


def test_rules_can_be_listed() -> None:
    code, output = invoke("check", "--rules")
    assert code == 0
    assert "SB303" in output


def test_rows_that_are_not_there_are_said(built: Path, tmp_path: Path) -> None:
    code, output = invoke("check", "ntrex_tha", "--bundle", str(built), "-q")
    assert code == 1  # nothing was checked, so nothing passed
    assert "`seabed build ntrex_tha --out" in output
    assert "no rows checked: 1 cards, rows of 0 configs" in output
    assert "rows of 1 configs were not checked" in output
    code, output = invoke("check", "ntrex_tha", CLASSES, "--bundle", str(built), "-q")
    assert (code, "passed: 2 cards, rows of 1 configs" in output) == (0, True)


def test_table_json_markdown_and_exit_code_agree(built: Path, bundle: Path, tmp_path: Path) -> None:
    rewrite(bundle, CLASSES, "test", leak_five_percent(bundle))
    for names, place, verdict in (
        ((CLASSES,), built, "passed"),
        ((CLASSES,), bundle, "failed"),
        (("ntrex_tha",), built, "no rows checked"),
        (("ntrex_tha", "--cards-only"), built, "passed"),
    ):
        command = ("check", *names, "--bundle", str(place), "-q", "--format")
        codes, outputs = zip(*(invoke(*command, form) for form in ("table", "json", "markdown")), strict=True)
        assert set(codes) == {verdict != "passed"}
        assert f"\n{verdict}: " in f"\n{outputs[0]}"
        assert json.loads(outputs[1])["verdict"] == verdict
        assert json.loads(outputs[1])["passed"] == (verdict == "passed")
        assert ("`seabed check` passed" in outputs[2]) == (verdict == "passed")
    assert (
        "`seabed check` passed for 1 of 2 configs"
        in invoke("check", CLASSES, "ntrex_tha", "--bundle", str(built), "-q", "--format", "markdown")[1]
    )


def test_a_bundle_without_names_is_checked_whole(built: Path, bundle: Path) -> None:
    done = check([], bundle=built)
    assert sorted(done.stats) == sorted(SAMPLES)
    assert (done.passed, done.skipped) == (True, {})
    rewrite(bundle, CLASSES, "test", leak_five_percent(bundle))
    code, output = invoke("check", "--bundle", str(bundle), "-q")
    assert (code, "SB204" in output) == (1, True)
    code, output = invoke("check")
    assert (code, "--bundle" in output) == (2, True)


def test_a_damaged_file_of_a_bundle_is_one_finding(bundle: Path) -> None:
    file = bundle / "data" / CLASSES / "train.parquet"
    file.write_bytes(file.read_bytes()[:200])
    done = check([CLASSES], bundle=bundle)
    (finding,) = done.errors
    assert finding.where == CLASSES
    assert "seabed build" in finding.examples[0]


def test_a_raw_file_with_another_sha256_is_an_error(tmp_path: Path) -> None:
    for file in catalogue.dataset("emot").seabed.upstream[0].sha256:
        raw = tmp_path / "emot" / file
        raw.parent.mkdir(parents=True, exist_ok=True)
        raw.write_text("text,label\nini bukan berkas yang benar,happy\n", encoding="utf-8")
    done = check(["emot"], mirror=tmp_path)
    assert [(f.rule, f.where) for f in done.errors] == [("SB407", "emot_ind")]
    assert not done.passed


def test_wrong_names_and_choices(built: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'ntrex'"):
        check(["ntrx"])
    with pytest.raises(SeabedError, match="give one"):
        check(["ntrex"], bundle=built, mirror=built)
    with pytest.raises(SeabedError, match="is not a bundle"):
        check(["ntrex"], bundle=tmp_path)
    with pytest.raises(SeabedError, match="does not exist"):
        check(["ntrex"], mirror=tmp_path / "nowhere")


NASTY = (
    "![x](http://a.example/t.png)",
    "@maintainer #1 GH-1",
    "[a](javascript:alert(1)) <https://a.example> https://a.example www.a.example",
    "<b>a</b> <script>x</script> <!-- </details> &lt;",
    "a|b \\| c \\\\| d",
    "``` `a` ``b`` ```",
    "`",
    "# heading\n\n# heading\r\n- list\n\n| a |\n|---|",
    "\x1b[31m \u202e \u2028 \x00 \ud83d",
    "**a** _b_ ~~c~~ $x$ :smile: [^1]",
    "ends in \\",
    "",
    " ",
    "ข้อความ \u200b ကလေး",
)


@pytest.mark.parametrize("text", NASTY)
def test_markdown_of_rows_is_inert(text: str) -> None:
    finding = Finding("SB307", "error", "x_tha", "test", 1, 2, [f"1: {text}", text])
    excused = Finding("SB204", "excepted", "x_tha", "test", 1, 2, [text], excuse=text)
    shown = render.as_markdown(
        Checked(findings=[finding, excused], cards=["x"], skipped={"y": text}, stats={"x_tha": {}})
    )
    lines = shown.split("\n")
    rows = [line for line in lines if line.startswith(("| SB307", "| SB204"))]
    assert len(rows) == 2
    for row in rows:
        assert row.count("|") == 6
    # What is left once code spans are gone is the template's own.
    for line in (*rows, *(line for line in lines if line.startswith("- `"))):
        left = re.sub(r"(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)", "", line)
        assert not set("`@#[!") & set(left), left
        assert set(re.findall("<[^>]*>", left)) <= {"<br>"}
    assert not [c for c in shown if c != "\n" and not c.isprintable() and c != "\u200b"]
