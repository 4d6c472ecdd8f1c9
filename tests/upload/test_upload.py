"""Publishing a bundle: plan, one commit, the licence rule, lies refused, pull requests, takedown, Spaces."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import readme
from seabed_datasets.catalogue import licences
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.checks.rules import RULES
from seabed_datasets.errors import CardError, SeabedError, UnknownName
from tests.hub import Hub
from tests.hub.clients import environment, run
from tests.hub.publishing import REPO, broken, content
from tests.hub.publishing import files as files_of
from upload import licence
from upload.changed import changed_configs
from upload.dataset import publish_bundle
from upload.page import README_LIMIT, texts
from upload.plan import compare
from upload.publish import Published
from upload.spaces import METRICS, publish_metrics, space, write_spaces
from upload.takedown import take_down

SAMPLES = ["sample_sts_mya", "sample_classification_ind", "sample_retrieval_tha"]
REAL = ["ntrex_tha", "abusive_ind", "semrel2024_ind", "ted2020_lao"]
ACCEPT = ["truncated", *(r for r in RULES if not r.startswith("SB1") and r not in ("SB206", "SB406"))]


@pytest.fixture(scope="module")
def made(fake_mirror: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples, and a dataset of each kind of licence: allowed, noncommercial, unknown, no-derivatives."""
    out = tmp_path_factory.mktemp("made") / "bundle"
    for name in REAL:
        mirror = fake_mirror(catalogue.config(name).key)
    report = build([*SAMPLES, *REAL], out, mirror=mirror)
    assert not report.failed
    assert not report.skipped
    redistribution = [catalogue.dataset(catalogue.config(n).key).seabed.redistribution for n in REAL]
    assert redistribution == ["allowed", "noncommercial", "unknown", "no-derivatives"]
    return out


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    disable_progress_bars()
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    with Hub() as running:
        yield running


def publish(hub: Hub, bundle: Path, version: str = "1", **options: Any) -> tuple[Published | None, str]:
    said: list[str] = []
    done = publish_bundle(
        HfApi(hub.url, options.pop("token", "hf_writer")),
        bundle,
        REPO,
        version=version,
        accept=options.pop("accept", ACCEPT),
        samples=options.pop("samples", True),
        say=said.append,
        **options,
    )
    return done, "\n".join(line for line in said if "accepted:" not in line)


def tree(hub: Hub, revision: str = "main") -> dict[str, bytes]:
    return content(hub.store.repo("dataset", REPO), revision)


def writes(hub: Hub) -> list[str]:
    return [r.path for r in hub.log if r.method not in ("GET", "HEAD")]


def test_a_dry_run_shows_the_plan_and_sends_nothing(hub: Hub, bundle: Path) -> None:
    done, plan = publish(hub, bundle, dry_run=True, token=False)
    assert done is None
    assert "(to be created)" in plan
    assert "configs: 5 new, 0 changed, 0 unchanged, 0 removed" in plan
    assert "bytes to send" in plan
    assert "not uploaded: 2 configs of 2 datasets" in plan
    assert not writes(hub)
    assert not hub.store.repos


def test_one_commit_read_back_and_tagged_and_then_nothing(hub: Hub, bundle: Path) -> None:
    done, _ = publish(hub, bundle)
    repo = hub.store.repo("dataset", REPO)
    assert done is not None
    assert done.made
    assert repo.refs == {"refs/heads/main": done.commit, "refs/tags/1": done.commit}
    assert [len(c.tree) > 5 for c in repo.history()] == [False, True]
    assert not broken(repo.find("main").tree)
    read = [r.path for r in hub.log if r.method == "GET" and f"/resolve/{done.commit}/" in r.path]
    assert len(read) == len(tree(hub)) - 1, "every file but .gitattributes is read back"
    hub.clear()
    again, plan = publish(hub, bundle, token=False)
    assert again == Published(done.commit, False, None)
    assert "0 new, 0 changed" in plan
    assert not writes(hub)


def test_only_what_changed_is_sent_and_the_rest_stays(hub: Hub, bundle: Path, tmp_path: Path) -> None:
    publish(hub, bundle)
    before = tree(hub)
    build(["sample_sts_mya", "sample_clustering_vie"], tmp_path / "part")
    hub.clear()
    done, plan = publish(hub, tmp_path / "part", version="2")
    assert "configs: 1 new, 0 changed, 5 unchanged, 0 removed" in plan
    assert len([p for p in writes(hub) if "/upload/" in p]) == 1
    after = tree(hub)
    assert {p: after[p] for p in before if p.startswith("data/")} == {
        p: before[p] for p in before if p.startswith("data/")
    }
    assert not broken(hub.store.repo("dataset", REPO).find("main").tree)
    assert done is not None
    _, plan = publish(hub, tmp_path / "part", version="3", prune=True)
    assert "4 removed" in plan
    assert not [p for p in tree(hub) if "ntrex" in p]
    assert tree(hub, "1") == before, "an old version stays readable"


def test_a_version_is_never_moved(hub: Hub, bundle: Path, tmp_path: Path) -> None:
    publish(hub, bundle)
    build(["sample_clustering_vie"], tmp_path / "part")
    hub.clear()
    with pytest.raises(SeabedError, match="higher --version"):
        publish(hub, tmp_path / "part")
    assert not writes(hub)


def test_the_licence_rule(hub: Hub, bundle: Path) -> None:
    _, plan = publish(hub, bundle)
    assert "semrel2024: no licence that allows copies is known (semrel2024_ind)" in plan
    assert "ted2020: its licence forbids derived works" in plan
    files = tree(hub)
    assert not [p for p in files if "semrel2024" in p or "ted2020" in p]
    page = files["README.md"].decode()
    own = page.split("## Build it yourself")[1].split("\n## ")[0]
    for key in ("semrel2024", "ted2020"):
        configs = " ".join(catalogue.dataset(key).seabed.configs)
        assert f"`seabed build {configs} --out bundle`" in own
    assert "ntrex" not in own
    assert "- `abusive`: Noncommercial use only" in page
    assert "> **Noncommercial use only." in files["cards/abusive.md"].decode()
    assert "Noncommercial" not in files["cards/ntrex.md"].decode()[:2000]


def test_a_decision_to_publish_is_kept(hub: Hub, bundle: Path) -> None:
    with pytest.raises(SeabedError, match="needs --reason"):
        publish(hub, bundle, include={"semrel2024": " "})
    with pytest.raises(UnknownName, match="Did you mean 'semrel2024'"):
        publish(hub, bundle, include={"semrel24": "why not"})
    publish(hub, bundle, include={"semrel2024": "its authors agreed by letter"})
    assert "data/semrel2024_ind/test.parquet" in tree(hub)
    page = tree(hub)["README.md"].decode()
    assert "- `semrel2024`: its authors agreed by letter" in page
    assert "`semrel2024`" not in page.split("## Build it yourself")[1].split("\n## ")[0]
    hub.clear()
    _, plan = publish(hub, bundle)
    assert "included semrel2024: its authors agreed by letter" in plan
    assert not writes(hub)


def test_takedown_removes_records_and_stays(hub: Hub, bundle: Path) -> None:
    publish(hub, bundle)
    said: list[str] = []
    options: dict[str, Any] = {"version": "2", "today": date(2026, 1, 2), "say": said.append}
    done = take_down(HfApi(hub.url, "hf_writer"), "ntrex", REPO, reason="asked by its authors", **options)
    repo = hub.store.repo("dataset", REPO)
    assert done is not None
    assert repo.commits[done.commit].parent == repo.refs["refs/tags/1"], "one commit"
    assert not [p for p in tree(hub) if "ntrex" in p]
    assert "ntrex" not in json.loads(tree(hub)["manifest.json"])
    assert json.loads(tree(hub)["publication.json"])["taken_down"]["ntrex"] == {
        "reason": "asked by its authors",
        "date": "2026-01-02",
        "configs": ["ntrex_tha"],
    }
    assert "- `ntrex` on 2026-01-02: asked by its authors" in tree(hub)["README.md"].decode()
    assert not broken(repo.find("main").tree)
    assert "older commits and tags (1) still hold the files" in "\n".join(said)
    # A later publication leaves it out, unless it is named again.
    hub.clear()
    _, plan = publish(hub, bundle, version="2")
    assert "ntrex: taken down on 2026-01-02" in plan
    assert not writes(hub)
    publish(hub, bundle, version="3", include={"ntrex": "the authors came back"})
    assert "data/ntrex_tha/test.parquet" in tree(hub)
    with pytest.raises(UnknownName, match="ntrex"):
        take_down(HfApi(hub.url, "hf_writer"), "ntrx", REPO, reason="asked", **options)
    with pytest.raises(SeabedError, match="needs --reason"):
        take_down(HfApi(hub.url, "hf_writer"), "ntrex", REPO, reason="", **options)


def test_a_pull_request_is_opened_once_and_tagged_when_merged(hub: Hub, bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(SeabedError, match="takes no pull request"):
        publish(hub, bundle, pr=True)
    publish(hub, bundle)
    before = tree(hub)
    build(["sample_clustering_vie"], tmp_path / "part")
    # A contributor's token only reads.
    done, _ = publish(hub, tmp_path / "part", version="2", pr=True, token="hf_reader")
    assert done is not None
    assert done.pull_request == f"{hub.url}/datasets/{REPO}/discussions/1"
    assert tree(hub) == before
    again, _ = publish(hub, tmp_path / "part", version="2", pr=True, token="hf_reader")
    assert again is not None
    assert again.pull_request == done.pull_request
    repo = hub.store.repo("dataset", REPO)
    assert len(repo.pulls) == 1
    HfApi(hub.url, "hf_writer").merge_pull_request(REPO, 1, repo_type="dataset")
    hub.clear()
    merged, _ = publish(hub, tmp_path / "part", version="2")
    assert merged == Published(done.commit, False, "2")
    assert [p.rsplit("/", 1)[0] for p in writes(hub)] == [f"/api/datasets/{REPO}/tag"]


def change(bundle: Path, name: str, path: str, alter: Callable[[pyarrow.Table], pyarrow.Table]) -> None:
    """Rewrite a Parquet file and make the manifest and README agree, as somebody who lies well would."""
    file = bundle / "data" / name / path
    pyarrow.parquet.write_table(alter(pyarrow.parquet.read_table(file)), file)
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    data = file.read_bytes()
    said = manifest[name]["splits"][file.stem]
    said |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    said["rows"] = pyarrow.parquet.read_metadata(file).num_rows
    write_manifest(bundle, manifest)


def write_manifest(bundle: Path, manifest: dict[str, Any]) -> None:
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    (bundle / "manifest.json").write_text(text, encoding="utf-8")
    (bundle / "README.md").write_text(readme(manifest), encoding="utf-8")


def set_column(table: pyarrow.Table, name: str, values: list[Any]) -> pyarrow.Table:
    at = table.schema.get_field_index(name)
    changed = table.set_column(at, table.schema.field(at), pyarrow.array(values, table.schema.field(at).type))
    return changed.replace_schema_metadata(table.schema.metadata)


def lie_bytes(bundle: Path) -> None:
    file = bundle / "data" / "sample_sts_mya" / "test.parquet"
    file.write_bytes(file.read_bytes()[:-1] + b"!")


def lie_rows(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    manifest["sample_sts_mya"]["splits"]["test"]["rows"] += 1
    write_manifest(bundle, manifest)


def lie_sha256(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    manifest["sample_sts_mya"]["splits"]["test"]["sha256"] = "0" * 64
    write_manifest(bundle, manifest)


def lie_label_names(bundle: Path) -> None:
    def swap(table: pyarrow.Table) -> pyarrow.Table:
        old = table.schema.metadata[b"huggingface"]
        names = json.loads(old)["info"]["features"]["label"]["names"]
        new = old.replace(json.dumps(names).encode(), json.dumps(names[::-1]).encode())
        assert new != old
        return table.replace_schema_metadata({b"huggingface": new})

    change(bundle, "sample_classification_ind", "test.parquet", swap)


def lie_label_number(bundle: Path) -> None:
    change(
        bundle,
        "sample_classification_ind",
        "test.parquet",
        lambda t: set_column(t, "label", [99] * t.num_rows),
    )


def lie_empty_text(bundle: Path) -> None:
    change(
        bundle,
        "sample_classification_ind",
        "train.parquet",
        lambda t: set_column(t, "text", [" "] * t.num_rows),
    )


def lie_score(bundle: Path) -> None:
    change(bundle, "sample_sts_mya", "test.parquet", lambda t: set_column(t, "score", [7.5] * t.num_rows))


def lie_corpus(bundle: Path) -> None:
    change(bundle, "sample_retrieval_tha", "corpus.parquet", lambda t: t.slice(1))


def lie_columns(bundle: Path) -> None:
    change(
        bundle,
        "sample_sts_mya",
        "test.parquet",
        lambda t: t.rename_columns(["id", "sentence1", "sentence2", "s"]),
    )


def lie_no_rows(bundle: Path) -> None:
    change(bundle, "sample_sts_mya", "test.parquet", lambda t: t.slice(0, 0))


def lie_licence(bundle: Path) -> None:
    card = bundle / "cards" / "semrel2024.md"
    text = card.read_text(encoding="utf-8")
    assert "redistribution: unknown" in text
    card.write_text(text.replace("redistribution: unknown", "redistribution: allowed"), encoding="utf-8")


def lie_version(bundle: Path) -> None:
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    manifest["ntrex_tha"]["version"] = 9
    write_manifest(bundle, manifest)


def lie_readme(bundle: Path) -> None:
    page = bundle / "README.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nBy hand.\n", encoding="utf-8")


def lie_missing(bundle: Path) -> None:
    (bundle / "data" / "ntrex_tha" / "test.parquet").unlink()


def lie_extra(bundle: Path) -> None:
    (bundle / "data" / "ntrex_tha" / "SEA-BED.py").write_text("print()", encoding="utf-8")


LIES: dict[Callable[[Path], None], str] = {
    lie_bytes: "the file was changed",
    lie_rows: r"\d+ rows, manifest.json says \d+",
    lie_sha256: "manifest.json says 0000",
    lie_label_names: "label names stored in the file are not the card's",
    lie_label_number: "label 99 in test.parquet, the card has",
    lie_empty_text: "rows that a build leaves out|not as the schema stores it",
    lie_score: r"score 7.5 is outside the card's range",
    lie_corpus: "is not in the corpus",
    lie_columns: "columns .*expected",
    lie_no_rows: "0 rows, manifest.json says 0",
    lie_licence: r"cards/semrel2024.md is not the card of this checkout",
    lie_version: "manifest.json says version 9, the card 1",
    lie_readme: "README.md is not what manifest.json gives",
    lie_missing: r"data/ntrex_tha/test.parquet is missing",
    lie_extra: r"data/ntrex_tha/SEA-BED.py is not in manifest.json",
}


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.__name__)
def test_a_bundle_that_lies_is_refused_before_anything_is_sent(
    lie: Callable[[Path], None], hub: Hub, bundle: Path
) -> None:
    lie(bundle)
    with pytest.raises(SeabedError, match=LIES[lie]):
        publish(hub, bundle)
    assert not hub.log


def test_a_failing_data_check_is_refused_unless_accepted(hub: Hub, bundle: Path) -> None:
    with pytest.raises(SeabedError, match=r"SB401 ntrex_tha test: .*the card says 1,997"):
        publish(hub, bundle, accept=[r for r in ACCEPT if r != "SB401"])
    with pytest.raises(SeabedError, match="made from a cut copy of"):
        publish(hub, bundle, accept=[r for r in ACCEPT if r != "truncated"])
    assert not hub.log


@pytest.mark.parametrize(
    ("key", "change", "says"),
    [
        ("abusive", {"redistribution": "allowed"}, "write redistribution: noncommercial"),
        ("ted2020", {"redistribution": "allowed"}, "write redistribution: no"),
        ("ted2020", {"redistribution": "noncommercial"}, "write redistribution: no-derivatives"),
    ],
)
def test_a_card_wider_than_its_licence_is_refused(key: str, change: dict[str, Any], says: str) -> None:
    card = catalogue.dataset(key)
    with pytest.raises(CardError, match=says):
        licence.check(card.model_copy(update={"seabed": card.seabed.model_copy(update=change)}))


def test_a_card_without_a_licence_is_refused() -> None:
    card = catalogue.dataset("ntrex")
    bare = card.seabed.model_copy(update={"license_paper": None, "license_upstream": None})
    with pytest.raises(CardError, match="no licence is named"):
        licence.check(card.model_copy(update={"license": "unknown", "seabed": bare}))


def test_the_published_page_of_all_that_may_be_published_is_small_enough() -> None:
    entry = {
        "version": 1,
        "splits": {s: {"bytes": 1, "sha256": "0" * 64} for s in ("train", "test")},
        "sources": [],
    }
    published = {
        name: entry | {"key": d.key}
        for d in catalogue.datasets()
        if licence.Record().blocked(d.key) is None
        for name in d.seabed.configs
    }
    page = texts(published, licence.Record())["README.md"].decode()
    assert len(page.encode()) < README_LIMIT
    for key in ("sts17", "sts22", "sts24", "biosses", "burmesexnli", "burmeseprachathai67k"):
        assert f"- `{key}`: " in page
        assert f"`seabed build {key}_" not in page
    held = [row for row in licences.rows() if row["published"] == "no"]
    for row in held:
        assert f"| `{row['dataset']}` | {row['why']} | {row['what would change it']} |" in page


def test_every_card_obeys_its_licence() -> None:
    for card in catalogue.datasets():
        licence.check(card)


def test_a_readme_too_large_is_refused_before_and_explained_after(hub: Hub, bundle: Path) -> None:
    entry = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))["ntrex_tha"]
    many = {f"ntrex_{'x' * 60}{i}": entry for i in range(500)}
    with pytest.raises(SeabedError, match=f"the Hub may refuse more than {README_LIMIT}"):
        texts(many, licence.Record())
    hub.store.yaml_limit = 1000
    with pytest.raises(SeabedError, match="too large"):
        publish(hub, bundle)
    assert not [p for p in tree(hub) if p.startswith("data/")]


def test_a_repository_of_something_else_is_left_alone(hub: Hub, bundle: Path) -> None:
    hub.store.put("dataset", REPO, {"data/theirs.parquet": b"PAR1", "README.md": b"# theirs\n"})
    hub.clear()
    with pytest.raises(SeabedError, match="it is not a SEA-BED bundle"):
        publish(hub, bundle)
    assert not writes(hub)


def test_what_stays_must_be_what_the_hub_says_it_is(hub: Hub, bundle: Path, tmp_path: Path) -> None:
    publish(hub, bundle)
    hub.store.put("dataset", REPO, {"data/ntrex_tha/test.parquet": b"PAR1 changed by hand"})
    build(["sample_sts_mya"], tmp_path / "part")
    with pytest.raises(SeabedError, match="add ntrex_tha to the bundle"):
        publish(hub, tmp_path / "part", version="2")
    publish(hub, bundle, version="2")
    assert not broken(hub.store.repo("dataset", REPO).find("main").tree)


def test_a_config_whose_licence_changed_is_removed(
    hub: Hub, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(hub, bundle)
    card = catalogue.dataset("ntrex")
    closed = card.model_copy(
        update={"seabed": card.seabed.model_copy(update={"redistribution": "forbidden"})}
    )
    known = catalogue.dataset
    monkeypatch.setattr(catalogue, "dataset", lambda key: closed if key == "ntrex" else known(key))
    build(["sample_sts_mya"], tmp_path / "part")
    _, plan = publish(hub, tmp_path / "part", version="2")
    assert "removed: ntrex_tha" in plan
    assert "data/ntrex_tha/test.parquet" not in tree(hub)


def test_a_long_listing_has_pages(bundle: Path, hub: Hub) -> None:
    publish(hub, bundle)
    hub.page = 3
    hub.clear()
    _, plan = publish(hub, bundle)
    assert "0 new, 0 changed" in plan
    assert len([r for r in hub.log if "/tree/" in r.path]) > 3


def test_spaces_hold_what_they_need_and_nothing_else(hub: Hub) -> None:
    api = HfApi(hub.url, "hf_writer")
    # Left over from an earlier version.
    hub.store.put("space", "seabed/sts", {"old_helper.py": b"", "README.md": b"---\nsdk: gradio\n---\n"})
    done = publish_metrics(api, "seabed", version="release-1", say=lambda _: None)
    assert [d.made for d in done] == [True] * 9
    for task in TASKS:
        repo = hub.store.repo("space", f"seabed/{task}")
        files = content(repo)
        assert files.items() >= space(task).items()
        assert set(files) == {*space(task), ".gitattributes"}
        assert {"README.md", "app.py", "example.json", "requirements.txt", f"{task}.py"} <= set(files)
        assert "__init__.py" not in files
        module, helpers = (
            files[f"{task}.py"].decode(),
            {n[:-3] for n in files if n.endswith(".py")} - {task, "app"},
        )
        # evaluate copies what the module itself names, at the start of a line, and nothing else.
        assert set(re.findall(r"^from \.(\w+) import", module, re.M)) == helpers
        assert "seabed_evaluate" not in "".join(
            files[f"{name}.py"].decode() for name in {*helpers, task, "app"}
        )
        assert files["requirements.txt"].decode().startswith("datasets>=")
        assert ("scipy>=" in files["requirements.txt"].decode()) == any(
            b"scipy" in files[f"{name}.py"] for name in helpers
        )
        assert "refs/tags/release-1" in repo.refs
    hub.clear()
    again = publish_metrics(HfApi(hub.url, False), "seabed", version="release-1", say=lambda _: None)
    assert [d.made for d in again] == [False] * 9
    assert not writes(hub)
    said: list[str] = []
    with pytest.raises(UnknownName, match="Did you mean 'sts'"):
        publish_metrics(api, "seabed", version="release-1", only=["stss"], say=said.append)
    # evaluate 0.4.6 would load this tag instead of main.
    with pytest.raises(SeabedError, match="looks like a version of evaluate itself"):
        publish_metrics(api, "seabed", version="v0.4.6", say=said.append)


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("sts.py", "from . import scores\n", "evaluate takes only"),
        ("sts.py", "from ..similarity import cosine\n", "evaluate takes only"),
        ("scores.py", "    from .inputs import numbers\n", "evaluate takes only"),
        ("scores.py", "from .elsewhere import x\n", "elsewhere.py is missing"),
        ("scores.py", "from seabed_evaluate.runner import tasks\n", "a Space has no seabed_evaluate"),
        ("README.md", "# no front matter, seabed/sts\n", "sdk: gradio"),
        ("README.md", "---\nsdk: [gradio\n---\n", "is not YAML"),
        ("example.json", None, "example.json is missing"),
    ],
)
def test_a_folder_unfit_for_a_space_is_refused(
    file: str, text: str | None, says: str, hub: Hub, tmp_path: Path
) -> None:
    for folder in ("sts", "shared"):
        shutil.copytree(METRICS / folder, tmp_path / folder)
    (tmp_path / "sts" / file).unlink()
    if text is not None:
        (tmp_path / "sts" / file).write_text(text, encoding="utf-8")
    with pytest.raises(SeabedError, match=says):
        publish_metrics(
            HfApi(hub.url, "hf_writer"), "seabed", version="release-1", only=["sts"], metrics=tmp_path
        )
    assert not hub.log


def test_metrics_are_written_to_a_folder(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "upload",
        "metrics",
        "--out",
        str(tmp_path / "out"),
        "--only",
        "sts,retrieval",
    ]
    subprocess.run(command, check=True, cwd=METRICS.parents[1])
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["retrieval", "sts"]
    write_spaces(tmp_path / "again", ["sts", "retrieval"])
    assert files_of(tmp_path / "out") == files_of(tmp_path / "again")


def test_compare_leaves_alone_what_is_not_owned() -> None:
    plan = compare({"README.md": b"x"}, {}, ("data/",))
    assert (plan.new, plan.size, plan.empty) == (["README.md"], 1, False)


def test_the_command_line(hub: Hub, bundle: Path, tmp_path: Path) -> None:
    command = ["-m", "upload", "dataset", "--bundle", str(bundle), "--repo", REPO, "--version", "7"]
    command += ["--include-samples"]
    command += [word for rule in ACCEPT for word in ("--accept", rule)]
    out, _ = run([*command, "--dry-run"], environment(hub.url, tmp_path))
    assert out.endswith("dry run: nothing was sent\n")
    _, err = run(command, environment(hub.url, tmp_path), code=1)
    assert "hf auth login" in err
    _, err = run([*command, "--include", "semrel2024"], environment(hub.url, tmp_path), code=1)
    assert "1 --include but 0 --reason" in err
    out, _ = run(command, environment(hub.url, tmp_path, token="hf_writer"))
    assert "read back and tagged 7" in out
    take = ["-m", "upload", "takedown", "ntrex", "--reason", "asked", "--repo", REPO, "--version", "8"]
    out, _ = run(take, environment(hub.url, tmp_path, token="hf_writer"))
    assert "tagged 8" in out
    _, err = run(
        ["-m", "upload", "takedown", "ntrx", "--reason", "asked"], environment(hub.url, tmp_path), code=2
    )
    assert "Did you mean" in err


def test_what_changed_since_a_commit(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "cards").mkdir()
    (tmp_path / "seabed_datasets" / "loaders" / "sts").mkdir(parents=True)
    card, loader = (
        tmp_path / "cards" / "embassy.md",
        tmp_path / "seabed_datasets" / "loaders" / "sts" / "sts24.py",
    )
    for file in (card, loader, tmp_path / "cards" / "ntrex.md"):
        file.write_text("one\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    card.write_text("two\n", encoding="utf-8")
    loader.write_text("two\n", encoding="utf-8")
    assert changed_configs("HEAD", tmp_path) == [
        "embassy_tha_lao",
        *catalogue.dataset("sts24").seabed.configs,
    ]
    with pytest.raises(SeabedError, match="git cannot compare with 'v9'"):
        changed_configs("v9", tmp_path)
    with pytest.raises(SeabedError, match="git cannot compare with '--output=x'"):
        changed_configs("--output=x", tmp_path)
    with pytest.raises(SeabedError, match="--since is empty"):
        changed_configs("", tmp_path)
    # A new branch: GitHub knows no earlier commit, so all is new.
    assert changed_configs("0" * 40, tmp_path) == [
        name for ds in catalogue.datasets() for name in ds.seabed.configs
    ]


@pytest.mark.parametrize(
    "name", ["embassy\nHF_TOKEN=x", "embassy --out elsewhere", "embassy;ls", "Embassy", "embassy-x", ""]
)
def test_an_odd_name_of_a_config_goes_nowhere(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    card = (catalogue.cards_dir() / "embassy.md").read_text(encoding="utf-8")
    assert "    embassy_tha_lao:" in card
    (tmp_path / "embassy.md").write_text(
        card.replace("    embassy_tha_lao:", f"    {json.dumps('embassy_' + name + '_lao')}:"),
        encoding="utf-8",
    )
    if name:
        with pytest.raises(CardError, match="is no name: only a to z, 0 to 9 and _"):
            catalogue.read_card(tmp_path / "embassy.md")
    # And again where names leave for a shell, whatever the cards let through.
    known = catalogue.dataset("embassy")
    odd = known.model_copy(update={"seabed": known.seabed.model_copy(update={"configs": {name: None}})})
    monkeypatch.setattr(catalogue, "datasets", lambda: [known, odd])
    with pytest.raises(SeabedError, match="no name for a config"):
        changed_configs("0" * 40, tmp_path)
