"""The page of every Space starts on loopback, answers over HTTP, scores its example, and says what is wrong."""

import importlib.util
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from seabed_datasets.catalogue.vocabulary import TASKS
from upload.spaces import write_spaces


@pytest.fixture(scope="module")
def gradio(evaluate_library: Any) -> Iterator[Any]:
    # Imported here and not above, since every test process collects this file and gradio takes seconds.
    library = pytest.importorskip("gradio", reason="gradio is not installed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
        yield library


@pytest.fixture(scope="module")
def spaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spaces")
    write_spaces(folder)
    return folder


def load(spaces: Path, task: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"app_{task}", spaces / task / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("task", TASKS)
def test_app_starts_and_scores_its_example(gradio: Any, spaces: Path, task: str) -> None:
    app = load(spaces, task)
    page = app.build()
    assert isinstance(page, gradio.Blocks)
    _, address, _ = page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        with urllib.request.urlopen(address) as answer:
            assert answer.status == 200
    finally:
        page.close(verbose=False)
    filled = app.example()
    assert filled.pop("task") == task
    scores = app.score(**filled)
    assert any(name.endswith("_low") for name in scores)
    # A refused form does not spoil the next one.
    with pytest.raises(gradio.Error, match="n_bootstrap must be"):
        app.score(**filled | {"options": '{"n_bootstrap": -1}'})
    assert app.score(**filled) == scores


WRONG = [
    ({"references": "[1, "}, "references is not JSON"),
    ({"references": ""}, "references is not JSON"),
    ({"options": None, "predictions": "null"}, "predictions must be a list"),
    ({"predictions": '{"a": 1}'}, "predictions must be a list"),
    ({"predictions": "7"}, "predictions must be a list"),
    ({"predictions": '"text"'}, "predictions must be a list"),
    ({"predictions": "[" * 100_000}, "predictions is not JSON"),
    ({"predictions": f"[{'9' * 5000}]"}, "predictions is not JSON"),  # Python reads no more than 4,300 digits
    ({"options": "[1]"}, "options must be a JSON object"),
    ({"options": '{"predictions": [1]}'}, "options must be a JSON object"),
    ({"options": '{"nonsense": 1}'}, "nonsense"),
    ({"options": '{"n_bootstrap": 1e400}'}, "n_bootstrap must be a whole number, at most 10,000"),
    ({"options": '{"n_bootstrap": 10001}'}, "n_bootstrap must be a whole number, at most 10,000"),
    ({"options": '{"n_bootstrap": NaN}'}, "n_bootstrap must be a whole number"),
    ({"options": '{"n_bootstrap": null}'}, "n_bootstrap must be a whole number"),
    ({"options": '{"n_bootstrap": [1]}'}, "n_bootstrap must be a whole number"),
    ({"options": '{"confidence": "0.9"}'}, "confidence must lie"),
    ({"options": '{"seed": "x"}'}, "seed must be a whole number"),
]
WRONG_NUMBERS = [
    ({"predictions": "[1, 2, 3, 4, null]"}, r"predictions\[4\] is None"),
    ({"predictions": "[1, 2, 3, 4, NaN]"}, r"predictions\[4\] is nan"),
    ({"predictions": f"[1, 2, 3, 4, {'9' * 400}]"}, "predictions"),
    ({"predictions": '["a", "b", "c", "d", "e"]'}, "into numbers first"),
    ({"predictions": "[[1], [2], [3], [4], [5]]"}, "predictions"),
    (
        {
            "predictions": str([1] * 50_000),
            "references": str([1] * 50_000),
            "options": '{"n_bootstrap": 5000}',
        },
        "n_bootstrap can be 1,000 here",
    ),
]


@pytest.mark.parametrize("task", ["sts", "retrieval", "multilabel_classification"])
def test_whatever_a_visitor_types_is_answered(gradio: Any, spaces: Path, task: str) -> None:
    app = load(spaces, task)
    filled = app.example()
    del filled["task"]
    for typed, says in WRONG + (WRONG_NUMBERS if task == "sts" else []):
        with pytest.raises(gradio.Error, match=says):
            app.score(**filled | typed)
    assert app.score(**filled | {"options": ""})
