"""mteb's results format, and mteb itself scoring exported tasks."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError, UnknownName
from seabed_evaluate import run
from seabed_evaluate.report.mteb_export import languages, mteb_task, task_name, write_mteb_results
from tests import toy

SAMPLES = {c.task: c.name for c in catalogue.configs(sample=True)}
needs_mteb = pytest.mark.skipif(
    importlib.util.find_spec("mteb") is None, reason='mteb is not installed (pip install "seabed[mteb]")'
)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build(list(SAMPLES.values()), out)
    return out


@pytest.fixture(scope="module")
def results(bundle: Path) -> list[dict[str, Any]]:
    return run("tests.toy:dense", data=bundle, out=None)


def test_results_are_in_mtebs_folders(results: list[dict[str, Any]], tmp_path: Path) -> None:
    written = write_mteb_results(results, tmp_path)
    assert len(written) == len(SAMPLES)
    assert {len(p.relative_to(tmp_path).parts) for p in written} == {3}
    found = json.loads((written[0].parent / f"{task_name(SAMPLES['sts'])}.json").read_text(encoding="utf-8"))
    (scores,) = found["scores"]["test"]
    assert scores["main_score"] == scores["cosine_spearman"]
    assert scores["languages"] == ["mya-Mymr"]
    assert (written[0].parent / "model_meta.json").is_file()


@pytest.mark.parametrize("task", ["retrieval", "instruction_retrieval"])
def test_what_mteb_defines_otherwise_is_not_exported(
    task: str, results: list[dict[str, Any]], tmp_path: Path
) -> None:
    (ours,) = [r for r in results if r["task"] == task]
    assert "map_at_10" in ours["scores"]
    (path,) = write_mteb_results([ours], tmp_path)
    (exported,) = json.loads(path.read_text(encoding="utf-8"))["scores"]["test"]
    assert {"ndcg_at_10", "recall_at_10", "mrr_at_10"} <= set(exported)
    assert not [name for name in exported if name.startswith("map_at_")]


def test_cut_files_and_samples_are_named_so(results: list[dict[str, Any]], tmp_path: Path) -> None:
    cut = results[0] | {"data": results[0]["data"] | {"truncated": True}}
    (path,) = write_mteb_results([cut], tmp_path)
    assert path.name == f"SEABED_{cut['config']}.cut.json"
    assert "sample" in path.name


def test_two_runs_of_one_model_are_not_mixed(results: list[dict[str, Any]], tmp_path: Path) -> None:
    with pytest.raises(SeabedError, match="two runs of"):
        write_mteb_results([results[0], results[1] | {"run": "other"}], tmp_path)


def test_every_config_has_languages_mteb_could_know() -> None:
    found = {lang for c in catalogue.configs() for lang in languages(c)}
    assert {"eng-Latn", "tha-Thai", "mya-Mymr", "khm-Khmr", "lao-Laoo", "tam-Taml", "ind-Latn"} <= found


@needs_mteb
def test_mteb_reads_the_results(results: list[dict[str, Any]], tmp_path: Path) -> None:
    from mteb.results import TaskResult

    for path in write_mteb_results(results, tmp_path):
        read = TaskResult.from_disk(path)
        config = path.stem.removeprefix("SEABED_")
        (score,) = [r["score"] for r in results if r["config"] == config]
        assert read.get_score() == pytest.approx(score)


@needs_mteb
@pytest.mark.parametrize("task", ["sts", "retrieval", "bitext_mining", "pair_classification", "reranking"])
def test_mteb_gives_the_same_score(
    task: str, results: list[dict[str, Any]], bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    ours = next(r["score"] for r in results if r["task"] == task)
    assert mteb_score(mteb_task(SAMPLES[task], bundle)) == pytest.approx(ours, abs=1e-4)


@needs_mteb
@pytest.mark.parametrize(
    "task", ["classification", "clustering", "instruction_retrieval", "multilabel_classification"]
)
def test_mteb_scores_the_others_by_its_own_protocol(task: str, bundle: Path) -> None:
    assert 0 <= mteb_score(mteb_task(SAMPLES[task], bundle)) <= 1


@needs_mteb
def test_every_kind_of_metadata_is_valid(bundle: Path) -> None:
    for config in SAMPLES.values():
        metadata = mteb_task(config, bundle).metadata
        assert metadata.name == task_name(config)


@needs_mteb
def test_unknown_configs(bundle: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'sample_sts_mya'"):
        mteb_task("sample_sts_may", bundle)
    with pytest.raises(SeabedError, match="seabed build ntrex_tha"):
        mteb_task("ntrex_tha", bundle)


def mteb_score(task: Any) -> float:
    import mteb
    from mteb.models.abs_encoder import AbsEncoder
    from mteb.models.model_meta import ModelMeta

    class Toy(AbsEncoder):
        """The toy encoder as an mteb model."""

        mteb_model_meta = ModelMeta.create_empty({"name": "seabed/toy", "revision": "1"})

        def __init__(self) -> None:
            pass

        def encode(self, inputs: Any, **_: Any) -> Any:
            texts = [text for batch in inputs for text in batch["text"]]
            return np.asarray(toy.dense(texts))

    (found,) = mteb.evaluate(
        Toy(), [task], cache=None, show_progress_bar=False, co2_tracker=False
    ).task_results
    return float(found.get_score())
