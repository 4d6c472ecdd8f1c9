"""Exchange with mteb (extra `mteb`): results in its format, and configs as its task objects.

mteb scores bitext mining, pair classification, STS, retrieval and reranking as SEA-BED's protocols do, but for two
things: its ties go to the higher document id, ours to the lower; and its map_at_k divides by all relevant documents,
ours by no more than k of them, so ours is left out of the export. Classification and multi-label classification follow mteb's own
few-shot protocol there, so their scores differ; so may clustering, whose k-means is seeded in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.bundle.reading import HUB_BUNDLE
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError
from seabed_datasets.files import inside
from seabed_evaluate.report.units import SCRIPTS
from seabed_evaluate.runner.bundles import Bundle, fetch_configs, open_bundle, read_splits
from seabed_evaluate.runner.results import (
    Result,
    file_name,
    public_settings,
    settings_hash,
    shown_name,
    write_result,
)

Columns = dict[str, list[Any]]

# mteb writes a language as code and ISO 15924 script; English, Javanese and Batak are written in Latin.
_ISO_SCRIPTS = {"Burmese": "Mymr", "Tamil": "Taml", "Khmer": "Khmr", "Lao": "Laoo", "Thai": "Thai"}
_SCRIPT = {lang: _ISO_SCRIPTS[s] for s, langs in SCRIPTS.items() if s in _ISO_SCRIPTS for lang in langs}

_TYPES = {
    "bitext_mining": ("BitextMining", "f1"),
    "classification": ("Classification", "f1_weighted"),
    "clustering": ("Clustering", "v_measure"),
    "instruction_retrieval": ("InstructionRetrieval", "ndcg_at_5"),
    "multilabel_classification": ("MultilabelClassification", "f1"),
    "pair_classification": ("PairClassification", "cosine_ap"),
    "reranking": ("Reranking", "map_at_1000"),
    "retrieval": ("Retrieval", "ndcg_at_10"),
    "sts": ("STS", "cosine_spearman"),
}

# Our name of a score -> mteb's, where they differ.
_NAMES = {
    "sts": {"spearman": "cosine_spearman", "pearson": "cosine_pearson"},
    "pair_classification": {"ap": "cosine_ap"},
    "multilabel_classification": {"f1_macro": "f1"},
    "classification": {"f1_macro": "f1"},
}


def task_name(config: str, *, cut: bool = False) -> str:
    """The name of a config among mteb's tasks.

    Args:
        config: name of the config.
        cut: it was built from a cut raw file, so it is not the benchmark's.

    Returns:
        The name.

    >>> task_name("ntrex_tha")
    'SEABED_ntrex_tha'
    """
    return f"SEABED_{config}" + (".cut" if cut else "")


def languages(config: Config) -> list[str]:
    """A config's languages as mteb writes them.

    Args:
        config: the config.

    Returns:
        E.g. ["eng-Latn", "tha-Thai"].
    """
    return [f"{lang}-{_SCRIPT.get(lang, 'Latn')}" for lang in config.languages]


def write_mteb_results(results: Iterable[Result], out: str | Path) -> list[Path]:
    """Write results as mteb's results folder: `<model>/<revision>/<task>.json`; needs no mteb.

    Args:
        results: of runs of different models.
        out: the folder; `mteb.load_results(out)` reads it.

    Returns:
        The files of scores.

    Raises:
        SeabedError: two runs are of the same model, or of different protocols, which mteb's folders cannot tell
            apart; or the place cannot be written.
    """
    given, home = list(results), Path(out)
    protocols = {settings_hash(r["protocol"]): r["protocol"]["name"] for r in given}
    if len(protocols) > 1:
        raise SeabedError(
            f"runs of {len(protocols)} protocols ({', '.join(sorted(protocols.values()))}): mteb would average them "
            "together, so export the results of one protocol at a time"
        )
    runs: dict[Path, tuple[str, str]] = {}
    for r in given:
        folder = _folder(r)
        run = r["run"], shown_name(r["model"])
        if runs.setdefault(folder, run) != run:
            raise SeabedError(
                f"two runs of {shown_name(r['model'])} with different settings: mteb keeps one per model and "
                "revision, so export the folder of one run at a time"
            )
    written = []
    for r in given:
        file = f"{task_name(r['config'], cut=r['data']['truncated'])}.json"
        path = inside(home, (_folder(r) / file).as_posix())
        write_result(path, _task_result(r))
        written.append(path)
    for folder in runs:
        first = next(r for r in given if _folder(r) == folder)
        _write_meta(inside(home, (folder / "model_meta.json").as_posix()), first)
    return written


def _folder(result: Result) -> Path:
    return Path(_part(shown_name(result["model"]).replace("/", "__")), _revision(result))


def _revision(result: Result) -> str:
    return _part(str(result["model"].get("revision") or "no_revision_available"))


def _part(text: str) -> str:
    return file_name(text, r"A-Za-z0-9_.+-")


def _write_meta(path: Path, result: Result) -> None:
    name = shown_name(result["model"])
    meta = {
        "name": name,
        "revision": _revision(result),
        "seabed": public_settings(result["model"]) | {"model": name},
        "protocol": public_settings(result["protocol"]),
    }
    write_result(path, meta)


def _task_result(result: Result) -> dict[str, Any]:
    names = _NAMES.get(result["task"], {})
    scores = {
        names.get(k, k): v
        for k, v in result["scores"].items()
        # Under the name of mteb's map_at_k ours would pass for it; see above.
        if isinstance(v, int | float) and not k.startswith("map_at_")
    }
    return {
        "dataset_revision": str(result["data"]["revision"] or next(iter(result["data"]["splits"].values()))),
        "task_name": task_name(result["config"], cut=result["data"]["truncated"]),
        "mteb_version": None,
        "scores": {
            "test": [
                scores
                | {
                    "main_score": result["score"],
                    "hf_subset": "default",
                    "languages": languages(catalogue.config(result["config"])),
                }
            ]
        },
        "evaluation_time": result["counts"]["seconds"],
        "kg_co2_emissions": None,
    }


def mteb_task(
    config: str, data: str | Path = HUB_BUNDLE, *, revision: str | None = None, offline: bool = False
) -> Any:
    """A config as an mteb task, to be scored with `mteb.evaluate(model, [task])`.

    Args:
        config: name of the config.
        data: a bundle folder or a Hub repository.
        revision: of the repository.
        offline: use what an earlier run fetched.

    Returns:
        An instance of the task class mteb has for this kind of task; its rows are read when it is evaluated.

    Raises:
        UnknownName: no card has this config.
        SeabedError: mteb is not installed, or the data cannot be had.
    """
    known = catalogue.config(config)
    try:
        import mteb  # noqa: F401
    except ModuleNotFoundError:
        raise SeabedError('task objects need mteb: pip install "seabed[mteb]"') from None
    bundle = open_bundle(data, revision=revision, offline=offline)
    if config not in bundle.manifest:
        raise SeabedError(f"{config} is not in {bundle.name}; `seabed build {config} --out DIR` makes it")

    def rows() -> dict[str, Columns]:
        fetch_configs(bundle, [config], offline=offline)
        return read_splits(bundle, known)

    return _task_class(known, bundle, rows)()


def _task_class(config: Config, bundle: Bundle, rows: Callable[[], dict[str, Columns]]) -> Any:
    from mteb.abstasks.task_metadata import TaskMetadata

    base, attributes = _base(config.task)
    kind, main = _TYPES[config.task]
    entry = bundle.manifest[config.name]
    cut = any("truncated" in s for s in entry["sources"])
    card = catalogue.dataset(config.key)

    def load_data(self: Any, num_proc: int | None = None, **_: Any) -> None:
        if not self.data_loaded:
            self.dataset = _CONVERT[config.task](rows())
            self.data_loaded = True

    metadata = TaskMetadata(
        name=task_name(config.name, cut=cut),
        dataset={"path": bundle.name, "revision": bundle.revision or entry["splits"]["test"]["sha256"]},
        description=f"{card.pretty_name}, a dataset of SEA-BED (config {config.name}).",
        type=kind,
        category="t2c" if "classification" in config.task and config.task[0] != "p" else "t2t",
        eval_splits=["test"],
        eval_langs=languages(config),
        main_score=main,
        domains=[{"Encyclopedic": "Encyclopaedic"}.get(d, d) for d in card.seabed.domains],
        bibtex_citation="",
    )
    if config.score_range is not None:
        attributes |= {"min_score": config.score_range[0], "max_score": config.score_range[1]}
    return type(metadata.name, (base,), {"metadata": metadata, "load_data": load_data, **attributes})


def _base(task: str) -> tuple[type, dict[str, Any]]:
    """mteb's class of a task and the attributes that name our columns."""
    from mteb.abstasks.classification import AbsTaskClassification
    from mteb.abstasks.clustering_legacy import AbsTaskClusteringLegacy
    from mteb.abstasks.multilabel_classification import AbsTaskMultilabelClassification
    from mteb.abstasks.pair_classification import AbsTaskPairClassification
    from mteb.abstasks.retrieval import AbsTaskRetrieval
    from mteb.abstasks.sts import AbsTaskSTS
    from mteb.abstasks.text.bitext_mining import AbsTaskBitextMining

    classes: dict[str, tuple[type, dict[str, Any]]] = {
        "bitext_mining": (AbsTaskBitextMining, {}),
        "classification": (AbsTaskClassification, {}),
        "clustering": (AbsTaskClusteringLegacy, {}),
        "instruction_retrieval": (AbsTaskRetrieval, {}),
        "multilabel_classification": (AbsTaskMultilabelClassification, {"label_column_name": "labels"}),
        "pair_classification": (AbsTaskPairClassification, {"label_column_name": "label"}),
        "reranking": (AbsTaskRetrieval, {}),
        "retrieval": (AbsTaskRetrieval, {}),
        "sts": (AbsTaskSTS, {"column_names": ("sentence1", "sentence2")}),
    }
    return classes[task]


def _plain(splits: dict[str, Columns]) -> Any:
    from datasets import Dataset, DatasetDict

    return DatasetDict({name: Dataset.from_dict(columns) for name, columns in splits.items()})


def _one_set(splits: dict[str, Columns]) -> Any:
    """mteb's clustering takes one row per set to be clustered."""
    test = splits["test"]
    return _plain({"test": {"sentences": [test["text"]], "labels": [test["label"]]}})


def _retrieval(splits: dict[str, Columns]) -> Any:
    """Titles are left out, as in SEA-BED's protocols: mteb would put them before the text."""
    from datasets import Dataset

    test, corpus = splits["test"], splits["corpus"]
    queries = {"id": test["id"], "text": test["text"]}
    if any(test["instruction"]):
        queries["instruction"] = [i or "" for i in test["instruction"]]
    relevant = zip(test["id"], test["relevant"], strict=True)
    return {
        "default": {
            "test": {
                "corpus": Dataset.from_dict({"id": corpus["id"], "text": corpus["text"]}),
                "queries": Dataset.from_dict(queries),
                "relevant_docs": {q: {r["id"]: int(r["score"]) for r in judged} for q, judged in relevant},
                "top_ranked": None,
            }
        }
    }


def _reranking(splits: dict[str, Columns]) -> Any:
    from datasets import Dataset

    test = splits["test"]
    ids = [
        [f"{q}-{i:06d}" for i in range(len(docs))]
        for q, docs in zip(test["id"], test["documents"], strict=True)
    ]
    corpus = {
        "id": [i for row in ids for i in row],
        "text": [d for docs in test["documents"] for d in docs],
    }
    judged = zip(test["id"], ids, test["relevance"], strict=True)
    return {
        "default": {
            "test": {
                "corpus": Dataset.from_dict(corpus),
                "queries": Dataset.from_dict({"id": test["id"], "text": test["query"]}),
                "relevant_docs": {
                    q: {i: int(grade) for i, grade in zip(row, grades, strict=True)}
                    for q, row, grades in judged
                },
                "top_ranked": dict(zip(test["id"], ids, strict=True)),
            }
        }
    }


_CONVERT: dict[str, Callable[[dict[str, Columns]], Any]] = {
    "bitext_mining": _plain,
    "classification": _plain,
    "clustering": _one_set,
    "instruction_retrieval": _retrieval,
    "multilabel_classification": _plain,
    "pair_classification": _plain,
    "reranking": _reranking,
    "retrieval": _retrieval,
    "sts": _plain,
}
