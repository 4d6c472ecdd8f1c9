"""Every app.py starts on loopback, answers over HTTP, and scores its own filled-in example."""

import importlib.util
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2] / "seabed_evaluate" / "metrics"
TASKS = sorted(path.parent.name for path in ROOT.glob("*/app.py"))


@pytest.fixture(scope="module")
def gradio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    # Imported here and not above, since every test process collects this file and gradio takes seconds.
    library = pytest.importorskip("gradio", reason="gradio is not installed")
    import evaluate

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_ANALYTICS_ENABLED", "False")
        patch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path_factory.mktemp("modules")))
        yield library


def load(task: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"app_{task}", ROOT / task / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("task", TASKS)
def test_app_starts_and_scores_its_example(gradio: Any, task: str) -> None:
    app = load(task)
    page = app.build()
    assert isinstance(page, gradio.Blocks)
    _, address, _ = page.launch(prevent_thread_lock=True, quiet=True, server_name="127.0.0.1")
    try:
        with urllib.request.urlopen(address) as answer:
            assert answer.status == 200
    finally:
        page.close(verbose=False)
    scores = app.score(app.PREDICTIONS, app.REFERENCES, app.OPTIONS)
    assert any(name.endswith("_low") for name in scores)


@pytest.mark.parametrize("task", TASKS)
def test_app_shows_what_is_wrong(gradio: Any, task: str) -> None:
    app = load(task)
    with pytest.raises(gradio.Error, match="references is not JSON"):
        app.score(app.PREDICTIONS, "[1, ", "")
    with pytest.raises(gradio.Error, match="n_bootstrap must be"):
        app.score(app.PREDICTIONS, app.REFERENCES, '{"n_bootstrap": -1}')
    # A refused form does not spoil the next one.
    assert app.score(app.PREDICTIONS, app.REFERENCES, "")
