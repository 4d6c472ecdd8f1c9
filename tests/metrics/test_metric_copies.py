"""Files that evaluate's flat-folder rule forces into several Spaces are equal to the byte.

Edit the master copy, then run this file as a script to copy it over the others.
"""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "seabed_evaluate" / "metrics"
TASKS = [
    "bitext_mining",
    "classification",
    "clustering",
    "instruction_retrieval",
    "multilabel_classification",
    "pair_classification",
    "reranking",
    "retrieval",
    "sts",
]
# Master copy -> the other folders that need it.
COPIES = {
    "retrieval/inputs.py": [task for task in TASKS if task != "retrieval"],
    "retrieval/bootstrap.py": [task for task in TASKS if task != "retrieval"],
    "retrieval/ranking.py": ["instruction_retrieval", "reranking"],
    "classification/confusion.py": ["bitext_mining"],
}
PAIRS = [(master, f"{task}/{Path(master).name}") for master, tasks in COPIES.items() for task in tasks]


@pytest.mark.parametrize(("master", "copy"), PAIRS)
def test_copy_equals_master(master: str, copy: str) -> None:
    assert (ROOT / copy).read_bytes() == (ROOT / master).read_bytes()


def test_no_copy_is_unlisted() -> None:
    listed = {*COPIES, *(copy for _, copy in PAIRS)}
    names = {Path(master).name for master in COPIES}
    found = {f"{task}/{name}" for task in TASKS for name in names if (ROOT / task / name).exists()}
    assert found == listed


if __name__ == "__main__":
    for source, target in PAIRS:
        (ROOT / target).write_bytes((ROOT / source).read_bytes())
