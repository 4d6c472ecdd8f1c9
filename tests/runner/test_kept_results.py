"""What may have changed keeps no results: functions, servers, APIs; --force keeps none at all."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets.bundle.build import build
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.runner.options import split
from seabed_evaluate.runner.run import Outcome, run_all
from tests.toy_encoder import ToyEncoder

CONFIG = "sample_sts_mya"
FIRST = "from tests import toy\ndef encode(texts):\n    return toy.encode(texts)\n"
SECOND = "from tests import toy\ndef encode(texts):\n    return toy.encode(texts)[:, :5]\n"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build([CONFIG], out)
    return out


def once(model: Any, bundle: Path, out: Path, **more: Any) -> Outcome:
    what, _ = split("", {"data": bundle, "configs": [CONFIG], "out": out, **more})
    return run_all(what, ModelOptions(model) if isinstance(model, str) else model)


def test_a_function_s_results_hang_on_its_source(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "rewritten_in_a_test"
    file = tmp_path / f"{name}.py"
    scores = []
    for source, reused in ((FIRST, 0), (FIRST, 1), (SECOND, 0), (FIRST, 1)):
        sys.modules.pop(name, None)
        sys.path_importer_cache.clear()
        file.write_text(source)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        caplog.clear()
        with caplog.at_level(logging.WARNING, "seabed_evaluate"):
            done = once(f"{name}:encode", bundle, tmp_path / "out")
        assert len(done.reused) == reused
        if reused:
            assert "1 results are kept, its source file is the same" in caplog.text
            assert "--force" in caplog.text
        elif scores:
            assert "may have changed since the results in" in caplog.text
        scores.append(done.results[0]["score"])
    assert scores[0] == scores[1] == scores[3] != scores[2]
    assert not once(f"{name}:encode", bundle, tmp_path / "out", force=True).reused


def test_a_server_s_results_are_scored_again(
    bundle: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for reused in (0, 0):
        encoder = ToyEncoder(encoder="api", model="openai:m", revision=None, base_url="http://localhost:1/v1")
        with caplog.at_level(logging.WARNING, "seabed_evaluate"):
            assert len(once(encoder, bundle, tmp_path).reused) == reused
        assert encoder.seen
    assert "openai:m may have changed behind its name: its 1 results are scored again" in caplog.text


def test_an_exact_model_is_kept_unless_forced(bundle: Path, tmp_path: Path) -> None:
    assert not once(ToyEncoder(), bundle, tmp_path).reused
    assert once(ToyEncoder(), bundle, tmp_path).reused == [CONFIG]
    forced = once(ToyEncoder(), bundle, tmp_path, force=True)
    assert not forced.reused
    assert len(forced.results) == 1
