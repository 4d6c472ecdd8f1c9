"""Dimensions and precisions: one run for each, from vectors that are encoded once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from seabed_datasets.bundle.build import build
from seabed_datasets.errors import DataError, SeabedError, UnknownName
from seabed_evaluate import run
from seabed_evaluate.cli import app
from seabed_evaluate.encoders.options import ModelOptions
from seabed_evaluate.runner.results import read_results
from seabed_evaluate.runner.views import View, views
from tests import toy
from tests.toy_encoder import ToyEncoder

quantization = pytest.importorskip("sentence_transformers.util.quantization")
CONFIGS = ["sample_sts_mya", "sample_retrieval_tha"]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build(CONFIGS, out)
    return out


def vectors(n: int = 200) -> Any:
    return np.random.default_rng(0).standard_normal((n, 64)).astype(np.float32)


def test_a_view_cuts_as_sentence_transformers_does() -> None:
    own = vectors()
    assert np.array_equal(View(ToyEncoder(), 16).cut(own), own[:, :16])
    # An API's own option gives unit vectors.
    cut = View(ToyEncoder(encoder="api"), 16).cut(own)
    assert np.linalg.norm(cut, axis=1) == pytest.approx(1, abs=1e-6)
    with pytest.raises(DataError, match="--truncate-dim 65: the vectors have 64 values"):
        View(ToyEncoder(), 65).cut(own)


def test_int8_is_what_the_library_s_codes_stand_for() -> None:
    own, view = vectors(), View(ToyEncoder(), None, "int8")
    ranges = view.ranges(own)
    codes = quantization.quantize_embeddings(own, "int8").astype(np.float32)
    steps = (own.max(axis=0) - own.min(axis=0)) / 255
    assert np.abs(view.quantised(own, ranges) - (own.min(axis=0) + (codes + 128) * steps)).max() < 1e-5
    assert np.abs(view.quantised(own, ranges) - own).max() <= 1.01 * steps.max()
    with pytest.raises(DataError, match="they are one"):
        view.ranges(own[:1])


def test_the_cosine_of_binary_vectors_is_their_hamming_distance() -> None:
    own = vectors()
    made = View(ToyEncoder(), None, "binary").quantised(own, None)
    packed = quantization.quantize_embeddings(own, "ubinary")
    distance = np.unpackbits(packed[0] ^ packed, axis=1).sum(axis=1)
    assert np.allclose(made @ made[0] / 64, 1 - 2 * distance / 64)


def test_what_is_asked_for() -> None:
    made = views(ToyEncoder(), ModelOptions("m", truncate_dim=("64", "8"), precision=("float32", "binary")))
    assert [(v.dimension, v.precision) for v in made] == [
        (64, "float32"), (64, "binary"), (8, "float32"), (8, "binary"),
    ]  # fmt: skip
    assert len({str(v.settings) for v in made}) == 4
    assert views(ToyEncoder(), None)[0].settings == ToyEncoder().settings
    for given in (8, "8", (8,), "8,8"):
        assert [v.dimension for v in views(ToyEncoder(), ModelOptions("m", truncate_dim=given))] == [8]  # type: ignore[arg-type]
    with pytest.raises(SeabedError, match="whole numbers above 0"):
        views(ToyEncoder(), ModelOptions("m", truncate_dim=("0",)))
    with pytest.raises(UnknownName, match="binary"):
        views(ToyEncoder(), ModelOptions("m", precision=("binry",)))


def test_one_run_for_each_and_every_text_encoded_once(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    own = toy.encode

    def counted(texts: list[str]) -> Any:
        seen.extend(texts)
        return own(texts)

    monkeypatch.setattr(toy, "encode", counted)
    options: dict[str, Any] = {"data": bundle, "configs": CONFIGS, "precision": "float32,int8,binary"}
    results = run("tests.toy:encode", out=tmp_path / "a", truncate_dim="64,16", **options)
    assert len(seen) == len(set(seen))
    assert len(results) == 2 * 2 * 3
    assert len({(r["config"], r["run"]) for r in results}) == 12
    assert {r["model"].get("truncate_dim") for r in results} == {64, 16}
    assert {r["model"].get("precision") for r in results} == {None, "int8", "binary"}
    assert len(read_results([tmp_path / "a"])) == 12
    by = {(r["config"], r["model"]["truncate_dim"], r["model"].get("precision")): r["score"] for r in results}
    whole = run("tests.toy:encode", data=bundle, configs=CONFIGS, out=None)
    cut = run(lambda texts: own(texts)[:, :16], data=bundle, configs=CONFIGS, out=None)
    for r, c in zip(whole, cut, strict=True):
        if own(["a"]).shape[1] == 64:
            assert by[r["config"], 64, None] == pytest.approx(r["score"], abs=1e-9)
        assert by[r["config"], 16, None] == pytest.approx(c["score"], abs=1e-9)
        assert by[r["config"], 16, "int8"] == pytest.approx(c["score"], abs=0.1)
    # A second run keeps all of them.
    seen.clear()
    again = run("tests.toy:encode", out=tmp_path / "a", truncate_dim="64,16", **options)
    assert not seen
    assert [r["score"] for r in again] == [r["score"] for r in results]


def test_scores_do_not_depend_on_the_portion_of_the_corpus(bundle: Path) -> None:
    scores = [
        run("tests.toy:encode", data=bundle, configs=CONFIGS[1:], out=None, precision="int8", corpus_chunk=n)[
            0
        ]["score"]
        for n in (3, 10_000)
    ]
    assert scores[0] == scores[1]


def test_the_command_takes_them(bundle: Path, tmp_path: Path) -> None:
    command = ["run", "--model", "tests.toy:encode", "--data", str(bundle), "--configs", CONFIGS[0], "-q"]
    command += ["--no-cache", "--out", str(tmp_path), "--truncate-dim", "8,16", "--precision", "binary"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert "scored 2, kept 0, failed 0" in done.output
