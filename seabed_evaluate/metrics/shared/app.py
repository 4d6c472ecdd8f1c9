"""The Space of this metric: a form that loads the module beside it and scores what is typed in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import evaluate
import gradio as gr

TASK = "sts"
PREDICTIONS = """[0.12, 0.4, 0.35, 0.8, 0.77]"""
REFERENCES = """[0.5, 2.0, 2.5, 4.5, 5.0]"""
OPTIONS = """{"n_bootstrap": 1000}"""


def score(predictions: str, references: str, options: str) -> dict[str, Any]:
    """Score one filled-in form.

    Args:
        predictions: JSON, as the README describes the input of this name.
        references: JSON, as the README describes the input of this name.
        options: JSON object of the other arguments; may be empty.

    Returns:
        The scores by name.

    Raises:
        gradio.Error: a box is not JSON, or the metric refuses the input; the message says why.
    """
    boxes = {"predictions": predictions, "references": references, "options": options or "{}"}
    inputs: dict[str, Any] = {}
    for name, text in boxes.items():
        try:
            inputs[name] = json.loads(text)
        except json.JSONDecodeError as error:
            raise gr.Error(f"{name} is not JSON: {error}") from error
    # A module whose computation failed keeps its lock and its rows, so every form gets a module of its own.
    metric = evaluate.load(str(Path(__file__).with_name(f"{TASK}.py")), keep_in_memory=True)
    try:
        scores: dict[str, Any] = metric.compute(
            predictions=inputs["predictions"], references=inputs["references"], **inputs["options"]
        )
    except (TypeError, ValueError) as error:
        raise gr.Error(str(error)) from error
    return scores


def build() -> gr.Blocks:
    """Lay out the form, filled in with an example.

    Returns:
        The page, ready for ``launch()``.
    """
    page: gr.Blocks = gr.Blocks(title=f"seabed/{TASK}")
    with page:
        gr.Markdown(f"# seabed/{TASK}\nChange the example and press Score. README.md describes every field.")
        with gr.Row():
            predictions = gr.Code(PREDICTIONS, language="json", label="predictions")
            references = gr.Code(REFERENCES, language="json", label="references")
        options = gr.Code(OPTIONS, language="json", label="options")
        button = gr.Button("Score", variant="primary")
        result = gr.JSON(label="scores")
        button.click(score, [predictions, references, options], result, api_name="score")
    return page


if __name__ == "__main__":
    build().launch()
