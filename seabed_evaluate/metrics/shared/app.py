"""The page of a metric's Space: a form that loads the module beside it and scores what is typed in.

`example.json`, which fills the form, lies beside this file in a Space.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import evaluate
import gradio as gr

HERE = Path(__file__).parent
MOST_RESAMPLES = 10_000
MOST_DRAWS = 50_000_000  # resamples x items: some seconds


def example() -> dict[str, Any]:
    """Read what the form is filled with.

    Returns:
        ``task``, and the text of the boxes: ``predictions``, ``references``, ``options``.
    """
    found = json.loads((HERE / "example.json").read_text(encoding="utf-8"))
    return {name: value if name == "task" else _text(value) for name, value in found.items()}


def _text(value: Any) -> str:
    """JSON with one item of a list per line."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n]"


def score(predictions: str, references: str, options: str) -> dict[str, Any]:
    """Score one filled-in form.

    Args:
        predictions: JSON, as the README describes the input of this name.
        references: JSON, as the README describes the input of this name.
        options: JSON object of the other arguments; may be empty.

    Returns:
        The scores by name.

    Raises:
        gradio.Error: a box is not JSON, the metric refuses the input, or the work is too much for a public
            page; the message says why.
    """
    inputs = {
        name: _parsed(text, name)
        for name, text in (
            ("predictions", predictions),
            ("references", references),
            ("options", (options or "").strip() or "{}"),
        )
    }
    extra = inputs.pop("options")
    if not isinstance(extra, dict) or extra.keys() & inputs.keys():
        raise gr.Error('options must be a JSON object of the other arguments, such as {"n_bootstrap": 1000}')
    _check_work(extra.get("n_bootstrap", 0), inputs["references"])
    try:
        # A module whose computation failed keeps its rows, so every form gets a module of its own.
        metric = evaluate.load(str(HERE / f"{example()['task']}.py"), keep_in_memory=True)
        scores: dict[str, Any] = metric.compute(**inputs, **extra)
    except Exception as error:  # whatever was typed, the page says what is wrong with it
        raise gr.Error(str(error) or type(error).__name__) from error
    return scores


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text or "")
    except (ValueError, RecursionError) as error:
        raise gr.Error(f"{name} is not JSON: {error}") from error


def _check_work(n_bootstrap: Any, references: Any) -> None:
    if not isinstance(n_bootstrap, int | float) or not isinstance(references, list):
        return  # the metric says what is wrong with it
    if n_bootstrap > MOST_RESAMPLES:
        raise gr.Error(f"n_bootstrap must be a whole number, at most {MOST_RESAMPLES:,} on this page")
    if n_bootstrap * len(references) > MOST_DRAWS:
        raise gr.Error(
            f"{n_bootstrap} resamples of {len(references):,} items are too many for this page: "
            f"n_bootstrap can be {MOST_DRAWS // len(references):,} here"
        )


def build() -> gr.Blocks:
    """Lay out the form, filled in with an example.

    Returns:
        The page, ready for ``launch()``.
    """
    filled = example()
    page: gr.Blocks = gr.Blocks(title=f"seabed/{filled['task']}")
    with page:
        gr.Markdown(
            f"# seabed/{filled['task']}\nChange the example and press Score. README.md describes every field."
        )
        with gr.Row():
            boxes = [
                gr.Code(filled[name], language="json", label=name) for name in ("predictions", "references")
            ]
        boxes.append(gr.Code(filled["options"], language="json", label="options"))
        button = gr.Button("Score", variant="primary")
        result = gr.JSON(label="scores")
        button.click(score, boxes, result, api_name="score")
    return page


if __name__ == "__main__":
    build().launch()
