"""Every Space is complete: examples run, the README names every input and output, the card has front matter."""

import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from seabed_evaluate.metrics.shared.bootstrap import Resampling

ROOT = Path(__file__).resolve().parents[2] / "seabed_evaluate" / "metrics"
TASKS = sorted(path.parent.name for path in ROOT.glob("*/scores.py"))
HELPERS = [
    "shared.bootstrap",
    "shared.groups",
    "shared.inputs",
    "shared.ranking",
    *(f"{task}.scores" for task in TASKS),
]


def test_all_nine_are_here() -> None:
    assert len(TASKS) == 9
    for task in TASKS:
        for name in (f"{task}.py", "scores.py", "README.md", "example.json", "__init__.py"):
            assert (ROOT / task / name).is_file(), f"{task}/{name}"


@pytest.mark.parametrize("name", HELPERS)
def test_examples_run(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(f"seabed_evaluate.metrics.{name}"))
    assert outcome.attempted
    assert not outcome.failed


def test_functions_do_not_need_evaluate() -> None:
    script = "import sys\nsys.modules['evaluate'] = sys.modules['datasets'] = None\n"
    script += "\n".join(f"import seabed_evaluate.metrics.{task}.scores" for task in TASKS)
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT.parents[1])


@pytest.mark.parametrize("task", TASKS)
def test_readme_names_every_input_and_output(task: str) -> None:
    text = (ROOT / task / "README.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    card = yaml.safe_load(front)
    assert (card["sdk"], card["app_file"]) == ("gradio", "app.py")
    assert {"evaluate", "metric"} <= set(card["tags"])
    assert 0 < len(card["short_description"]) <= 60  # what the Hub shows of it
    scores = importlib.import_module(f"seabed_evaluate.metrics.{task}.scores")
    own = inspect.signature(getattr(scores, f"{task}_scores")).parameters
    # draws is of the plain function only: the module returns scores, not resamples
    for name in (own.keys() | Resampling.__annotations__.keys()) - {"resampling", "draws"}:
        assert f"`{name}`" in body, name
    assert f"`{scores.MAIN_SCORE}`" in body or "`ndcg_at_k`" in body
    for heading in ("How to use", "Inputs", "Outputs", "Edge rules", "Limits", "Citation"):
        assert f"## {heading}\n" in body, heading


@pytest.mark.parametrize("task", TASKS)
def test_readme_example_runs(task: str) -> None:
    """The first code block, with the plain function in place of evaluate, gives the numbers written behind it."""
    body = (ROOT / task / "README.md").read_text(encoding="utf-8")
    block = body.split("```python\n", 1)[1].split("```", 1)[0]
    function = getattr(importlib.import_module(f"seabed_evaluate.metrics.{task}.scores"), f"{task}_scores")

    class Metric:
        compute = staticmethod(function)

    class Evaluate:
        @staticmethod
        def load(name: str) -> Metric:
            assert name == f"seabed/{task}"
            return Metric()

    names = {"evaluate": Evaluate}
    example = doctest.DocTestParser().get_doctest(
        block.replace("import evaluate\n", "evaluate\n").replace(">>> evaluate\n", ""), names, task, None, 0
    )
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.summarize().attempted
    assert not runner.summarize().failed
