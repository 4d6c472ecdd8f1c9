"""Real raw files, where they lie beside this checkout: all that can be built is built, the rest says why."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import Report, build
from seabed_datasets.bundle.manifest import read_manifest

pytestmark = pytest.mark.slow

# Folders that hold real files of the upstream, but not those that a config is made from.
OTHER_FILES = {
    "alt": "nine lines of two text files of the corpus; the loader reads the Parquet file of its test part",
    "altdialect": "the files of alt",
    "flores": "the dev part of FLORES-200; the benchmark takes devtest",
    "indonlg_bitext": "another pair of languages of the same benchmark, as a twin of the format",
    "limesoda": "the validation part; train and test are too large for the folder",
    "news_classification_tam": "the scrape itself as lines; the loader reads the tables that were made of it",
    "news_clustering_tam": "the files of news_classification_tam",
    "stsbenchmark": "English, Indonesian and Thai; the other languages exist as the authors' copy only",
    "tatoeba": "LASER's form of Tatoeba; the benchmark takes the zip files of OPUS",
    "tydiqa": "eleven records of the primary task; the loader reads the gold-passage form",
}
SOME_BUILT = {"stsbenchmark"}


@pytest.fixture(scope="module")
def report(real_mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Path]:
    """Every config from the folder, in this process, where any use of the network fails."""
    out = tmp_path_factory.mktemp("real") / "bundle"

    def refused(*args: object, **kwargs: object) -> None:
        raise AssertionError("a build from a mirror asked the network")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", refused)
        patch.setattr(socket, "getaddrinfo", refused)
        return build([c.name for c in catalogue.configs()], out, mirror=real_mirror), out


def test_every_config_has_a_state_and_a_reason(report: tuple[Report, Path]) -> None:
    states = report[0].states()
    assert len(states) == len(catalogue.configs()) >= 314
    assert {state for state, _ in states.values()} <= {"built", "skipped"}
    for name, (state, reason) in states.items():
        assert (state == "built") == (reason == "")
        if reason:
            assert reason.startswith(f"{name}: the mirror has "), reason
            assert report[0].why[name] == "not in the mirror"


def test_every_folder_builds_its_configs_or_the_reason_is_known(
    report: tuple[Report, Path], real_mirror: Path
) -> None:
    built = set(report[0].built)
    keys = {p.name for p in real_mirror.iterdir() if p.is_dir()}
    assert len(keys) > 60
    for key in sorted(keys):
        configs = set(catalogue.dataset(key).seabed.configs)
        if key in OTHER_FILES:
            assert configs - built, f"{key} builds: take it out of OTHER_FILES ({OTHER_FILES[key]})"
            assert bool(configs & built) == (key in SOME_BUILT), key
        else:
            assert configs <= built, {n: report[0].states()[n] for n in configs - built}


def test_nothing_is_built_without_a_folder(report: tuple[Report, Path], real_mirror: Path) -> None:
    keys = {p.name for p in real_mirror.iterdir() if p.is_dir()}
    assert {catalogue.config(n).key for n in report[0].built} <= keys


def test_cut_files_are_named_as_such(report: tuple[Report, Path]) -> None:
    manifest = read_manifest(report[1])
    cut = {n for n, entry in manifest.items() if any("truncated" in s for s in entry["sources"])}
    assert "ntrex_tha" in cut
    assert "casa_ind" not in cut


def test_files_that_show_a_fault_of_upstreams_build_too(faulty_mirror: Path, tmp_path: Path) -> None:
    keys = [p.name for p in faulty_mirror.iterdir() if p.is_dir()]
    names = [name for key in sorted(keys) for name in catalogue.dataset(key).seabed.configs]
    made = build(names, tmp_path / "bundle", mirror=faulty_mirror)
    assert (made.built, made.skipped, made.failed) == (names, {}, {})
    whole = read_manifest(tmp_path / "bundle")["truevoiceintent_tha"]["splits"]
    # Counted in the archive's two members (records, headers apart).
    assert {split: part["rows"] for split, part in whole.items()} == {"train": 10_303, "test": 2_607}
