"""Load, score, demo: what must work on the lowest and the newest versions. `python -m tests.smoke`.

Needs no pytest and no network: the Hub is the one on loopback.
"""

from __future__ import annotations

import json
import tempfile
from importlib.metadata import version
from pathlib import Path

from tests.hub import Hub
from tests.hub.clients import ROOT, ask, environment, run

PACKAGES = (
    "datasets",
    "huggingface-hub",
    "evaluate",
    "transformers",
    "sentence-transformers",
    "scikit-learn",
    "numpy",
    "torch",
)

LOAD = """
import json, sys
from datasets import load_dataset
import seabed_datasets
from seabed_datasets.schemas import features
folder, names = json.loads(sys.argv[1])
rows = {}
for name in names:
    local, hub, ours = load_dataset(folder, name), load_dataset("seabed/SEA-BED", name), seabed_datasets.load(name)
    wanted = features(seabed_datasets.config(name))
    for split in hub:
        assert hub[split].features == local[split].features == ours[split].features == wanted, (name, split)
        assert hub[split][:] == local[split][:] == ours[split][:], (name, split)
    streamed = load_dataset("seabed/SEA-BED", name, split="test", streaming=True)
    assert list(streamed) == list(hub["test"])
    rows[name] = {split: hub[split].num_rows for split in hub}
print(json.dumps(rows))
"""

STALE = """
import json, sys
from datasets import load_dataset
place, name = json.loads(sys.argv[1])
rows = load_dataset(place, name, split="test")
print(json.dumps([rows.num_rows, rows[0]["sentence2"]]))
"""
RAW = "ntrex/NTREX-128/newstest2019-"

METRICS = """
import json
import evaluate
from seabed_datasets.catalogue.vocabulary import TASKS
modules = {task: evaluate.load(f"seabed/{task}") for task in TASKS}
sts = modules["sts"].compute(predictions=[0.1, 0.4, 0.3, 0.8], references=[1, 2, 3, 5])
f1 = modules["classification"].compute(predictions=[0, 1, 1], references=[0, 1, 0])
print(json.dumps([round(sts["spearman"], 4), round(f1["f1_weighted"], 4)]))
"""

NAMES = """
import json
from seabed_datasets import configs
print(json.dumps([c.name for c in configs(sample=True)]))
"""


def check_stale_rows(home: Path, hub: Hub, reader: dict[str, str]) -> None:
    """Rows change three times under the same names; each load must give what is there, with the default cache."""
    mirror, repo = home / "raw", "seabed/rebuilt"
    for project, thai in (("one", "ก ข ค"), ("one", "ง ข ค"), ("two", "จ")):
        place = home / project
        place.mkdir(exist_ok=True)
        for file, lines in (("ref.tha", thai.split()), ("src.eng", [f"line {i}" for i in thai.split()])):
            path = mirror / f"{RAW}{file}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        bundle, expected = place / "bundle", [len(thai.split()), thai[0]]
        command = ["build", "ntrex_tha", "-q", "--mirror", str(mirror), "--out", str(bundle)]
        run(["-m", "seabed_evaluate", *command], reader)
        assert ask(STALE, reader, cwd=place, given=["bundle", "ntrex_tha"]) == expected, project
        files = {p.relative_to(bundle).as_posix(): p.read_bytes() for p in bundle.rglob("*") if p.is_file()}
        hub.store.put("dataset", repo, files)
        assert ask(STALE, reader, cwd=home, given=[repo, "ntrex_tha"]) == expected, repo


def main() -> None:
    """Run everything; the first failure ends it."""
    print(", ".join(f"{name} {version(name)}" for name in PACKAGES))
    with tempfile.TemporaryDirectory() as folder, Hub() as hub:
        home, bundle = Path(folder), Path(folder, "bundle")
        reader, publisher = environment(hub.url, home), environment(hub.url, home, token="hf_writer")
        names = ask(NAMES, reader)
        run(["-m", "seabed_evaluate", "build", *names, "-q", "--out", str(bundle)], reader)
        run(["-m", "upload", "dataset", "--bundle", str(bundle), "--include-samples"], publisher)
        run(["-m", "upload", "metrics"], publisher)
        print("load:", json.dumps(ask(LOAD, reader, given=[str(bundle), names])))
        check_stale_rows(home, hub, reader)
        print(
            "load again: the rows on disk after a rebuild, in another bundle, and at a new commit of the Hub"
        )
        # evaluate looks for ./seabed/<task> first: an empty folder to work in.
        assert ask(METRICS, reader, cwd=home) == [0.8, 0.6667]
        print("metric: all nine loaded from the Hub and computed")
        out, _ = run(["-m", "seabed_evaluate", "demo", "-q", "--out", str(home / "demo")], reader, cwd=home)
        print(f"demo:\n{out}")
    print(f"smoke test passed in {ROOT.name}")


if __name__ == "__main__":
    main()
