"""Result files of others: what is refused, that a bad one is named and never stops the others, and fuzzing."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_evaluate.runner.result_schema import check_result
from seabed_evaluate.runner.results import (
    file_name,
    find_results,
    public_name,
    public_settings,
    read_result,
    read_results,
    result_path,
    shown_name,
    write_result,
)
from seabed_evaluate.runner.strict_json import MAX_BYTES, MAX_DEPTH, parse_json
from tests.result_maker import make_result, make_run, write_run

CONFIG = catalogue.config("sts24_mya")
RETRIEVAL = catalogue.config("xquad_vie")


def good(**changes: Any) -> dict[str, Any]:
    """A valid result; `model__revision` replaces the revision of `model`, `...` as value takes a key out."""
    made = json.loads(json.dumps(make_result(CONFIG, 0.5)))
    for key, value in changes.items():
        *way, last = key.split("__")
        part = made
        for step in way:
            part = part[step]
        if value is ...:
            del part[last]
        else:
            part[last] = value
    return dict(made)


def test_what_a_run_writes_is_valid(tmp_path: Path) -> None:
    for r in make_run(0.0, catalogue.configs()[::9]):
        check_result(json.loads(json.dumps(r)))
    check_result(good(scores__spearman=-1, score=-1, interval=None))
    check_result(good(a_key_of_a_later_version={"x": 1}, main_score="pearson", scores={"pearson": 0.5}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"schema": 2}, "schema is 2"),
        ({"schema": True}, "schema is True"),
        ({"model": {}}, "model.model: Field required"),
        ({"model": []}, "model"),
        ({"score": "0.5"}, r"score: .*valid number \(found '0.5'\)"),
        ({"score": True}, "score: .*valid number"),
        ({"score": None}, "score"),
        ({"score": 5.0}, "score: .*less than or equal to 1"),
        ({"score": 1e308}, "score"),
        ({"score": -0.1, "main_score": "f1", "scores": {"f1": -0.1}}, "scores.f1 is -0.1, outside 0 to 1"),
        ({"score": 0.6}, "score is 0.6, scores.spearman is 0.5"),
        ({"scores": {}}, "main score spearman is not among its scores"),
        ({"scores__spearman": [0.5]}, "main score spearman is not among"),
        ({"scores__f1_macro": 7}, "scores.f1_macro is 7, outside 0 to 1"),
        ({"scores__ndcg_at_10": -1}, "scores.ndcg_at_10 is -1"),
        ({"scores__v_measure_seeds": {"42": 3}}, "scores.v_measure_seeds is 3"),
        ({"scores__kendall": True}, "scores.kendall is True"),
        ({"interval__low": 0.9}, "interval.low 0.9 is above"),
        ({"interval__se": -1}, "interval.se"),
        ({"interval": [0, 1]}, "interval"),
        ({"task": "retrieval"}, "task is 'retrieval', the catalogue says 'sts' of sts24_mya"),
        ({"task": "magic"}, "task"),
        ({"units": ["tha"]}, "units is"),
        ({"units": []}, "units"),
        ({"sample": True}, "sample is True"),
        ({"dataset": "other"}, "dataset is 'other'"),
        ({"config": "sts99_mya"}, "no config 'sts99_mya'"),
        ({"config": "../../x"}, "config"),
        ({"run": "../../x"}, "run"),
        ({"data__splits": {}}, "data.splits"),
        ({"data__truncated": "no"}, "data.truncated"),
        ({"data__rows": {"test": -1}}, "data.rows.test"),
        ({"model__model": "x" * 2000}, "model.model"),
        ({"model__model": ""}, "model.model"),
        ({"protocol": {"name": 3}}, "protocol.name"),
        ({"environment": ...}, "environment: Field required"),
        ({"counts__seconds": "1"}, "counts.seconds"),
    ],
)
def test_a_bad_result_is_named_left_out_and_stops_nothing(
    changes: dict[str, Any], said: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(SeabedError, match=said) as caught:
        check_result(good(**changes))
    assert len(str(caught.value)) < 1000
    assert "\n" not in str(caught.value)
    write_run([make_result(RETRIEVAL, 0.5)], tmp_path)
    bad = tmp_path / "bad.json"
    bad.write_text(json.dumps(good(**changes)), encoding="utf-8")
    assert list(find_results([tmp_path]).left_out) == [bad]
    with caplog.at_level(logging.WARNING):
        assert [r["config"] for r in read_results([tmp_path])] == [RETRIEVAL.name]
    assert "bad.json" in caplog.text
    assert read_result(bad) is None
    with pytest.raises(SeabedError, match=r"no valid result in .*bad\.json"):
        find_results([bad])


VALID = json.dumps(good())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[" * 200_000, "nested"),
        ('{"a":' * 200_000, "nested"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "nested more than"),
        (VALID[:-20], "not JSON"),
        (VALID.replace('"score": 0.5', '"score": NaN'), "NaN is no number"),
        (VALID.replace('"score": 0.5', '"score": -Infinity'), "-Infinity is no number"),
        (VALID.replace('"score": 0.5', '"score": 1e999'), "infinite"),
        (VALID.replace('"score": 0.5', '"score": ' + "9" * 5000), "not JSON"),
        (VALID.replace('"score": 0.5', '"score": 0.5, "score": 0.9'), "key 'score' is there twice"),
        (VALID.replace("org/model", r"org/\ud800"), "surrogate"),
        (VALID.replace('"score"', r'"\udfff": 1, "score"', 1), "surrogate"),
        (VALID.replace("org/model", "x" * 200_000), "200,000 characters"),
        (" " * (MAX_BYTES + 1), "bytes"),
    ],
    ids=lambda v: v[:12] if isinstance(v, str) else None,
)
def test_json_that_is_not_what_it_seems(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    (reason,) = left_out(tmp_path)
    assert said in reason
    assert len(reason) < 300


def left_out(folder: Path) -> list[str]:
    write_run([make_result(RETRIEVAL, 0.5)], folder / "good")
    return list(find_results([folder]).left_out.values())


def test_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"score": "\xff"}')
    assert left_out(tmp_path) == ["it is not UTF-8 (byte 11)"]


def test_what_is_no_file_and_files_of_others_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "config.json").write_text('{"hidden_size": 3}')
    assert left_out(tmp_path) == []


# ---- names ----


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("intfloat/multilingual-e5-small", "intfloat/multilingual-e5-small"),
        ("openai:text-embedding-3-small", "openai:text-embedding-3-small"),
        ("package.module:function", "package.module:function"),
        ("/home/me/secret/model", "model"),
        ("/home/me/secret/..", "secret"),
        ("./model/", "model"),
        ("../up/model", "model"),
        ("~/models/mine", "mine"),
        (r"C:\Users\me\model", "model"),
        ("D:/work/model", "model"),
        (r"\\server\share\model", "model"),
        ("file:///home/me/model", "model"),
        ("openai:/srv/secret/model", "openai:model"),
        ("..", "model"),
        ("/", "model"),
    ],
)
def test_a_published_name_holds_no_path_of_the_authors_machine(model: str, shown: str) -> None:
    assert public_name(model) == shown
    assert public_name(shown) == shown


def test_settings_of_a_folder_are_published_without_its_place() -> None:
    given = {"model": "/a/b/m", "extra": {"deep": ["/a/b/c", "https://x/y", 3, "C:\\a\\b"]}}
    assert public_settings(given) == {"model": "m", "extra": {"deep": ["c", "https://x/y", 3, "b"]}}


def test_a_folder_or_another_server_is_not_called_by_a_known_models_name() -> None:
    folder = {"model": "intfloat/multilingual-e5-small", "revision": "sha256:0123"}
    assert shown_name(folder) == "multilingual-e5-small"
    api = {"encoder": "api", "model": "openai:text-embedding-3-small", "base_url": "http://localhost:1/v1"}
    assert shown_name(api) == "openai:text-embedding-3-small (own server)"


@given(st.text())
@settings(max_examples=300, deadline=None)
def test_every_name_is_one_part_of_a_path(text: str) -> None:
    name = file_name(text)
    assert name == Path(name).name
    assert name.isascii()
    assert 0 < len(name) <= 106
    assert name.strip("-.") == name
    assert name.split(".")[0].lower() not in {"con", "nul", "aux", "prn", "com1", "lpt1"}
    assert result_path(Path("out"), text, "0123456789", "c").parent.parent == Path("out")


def test_long_names_stay_apart() -> None:
    assert len(result_path(Path("out"), "a/" + "x" * 5000, "0123456789", "c").parent.name) < 120
    assert file_name("x" * 300) != file_name("x" * 301)


def test_a_number_json_cannot_hold_is_not_written(tmp_path: Path) -> None:
    for value in (float("nan"), float("inf"), "\ud800"):
        with pytest.raises(SeabedError, match=r"x\.json cannot be written as JSON"):
            write_result(tmp_path / "x.json", {"score": value})
    assert list(tmp_path.iterdir()) == []


# ---- fuzzing: bounded, and nothing but SeabedError ----

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("../../etc/x")
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
)


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(p for key, part in inner for p in places(part, (*way, key)))]


WAYS = places(good())[1:]


def quiet(function: Callable[[Any], Any], value: Any) -> bool:
    said = ""
    try:
        function(value)
    except SeabedError as error:
        said = str(error)
    assert len(said) < 2000
    return not said


@given(way=st.sampled_from(WAYS), value=VALUES, remove=st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_part_may_be_anything(way: tuple[Any, ...], value: Any, remove: bool) -> None:
    from seabed_evaluate.report import formats
    from seabed_evaluate.report.leaderboard import page_data
    from seabed_evaluate.report.tables import tables

    made = good()
    part: Any = made
    for step in way[:-1]:
        part = part[step]
    if remove:
        del part[way[-1]]
    else:
        part[way[-1]] = value
    if quiet(lambda v: check_result(parse_json(json.dumps(v).encode("utf-8", "surrogatepass"))), made):
        # What passes can be shown in every form.
        found = tables([made])
        for write in (formats.markdown, formats.latex, formats.csv_text, formats.json_text):
            write(found)
        json.loads(formats.json_text(found), parse_constant=pytest.fail)
        page_data([made], paper=False)


@given(
    data=st.binary(max_size=200)
    | st.text(alphabet='[]{}":,0123456789.eE+-\\untrfals "', max_size=80).map(str.encode)
)
@settings(max_examples=500, deadline=None)
def test_any_bytes(data: bytes) -> None:
    quiet(parse_json, data)


@given(at=st.integers(0, len(VALID) - 1), junk=st.binary(max_size=6), cut=st.integers(0, 40))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_file(at: int, junk: bytes, cut: int, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(VALID.encode()[:at] + junk + VALID.encode()[at + cut :])
    quiet(lambda p: find_results([p]), path)
    read_result(path)
