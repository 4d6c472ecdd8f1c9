"""How a model is loaded: one record for the command, the Python call, the result file and other processes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from seabed_datasets.terminal import MODEL, SPEED, Names

# Where a model lies is this machine's business: a result never tells it.
_PRIVATE = ("model", "base_url")


def _line_breaks(text: str | None) -> str | None:
    """A shell hands \\n over as two characters."""
    return None if text is None else text.replace("\\n", "\n")


@dataclass(frozen=True)
class ModelOptions:
    """Each field is an option of `seabed run` and a keyword argument of `run` and `load_encoder`.

    None means: what the model's own files say, or `seabed models` of a model known there.
    """

    model: Annotated[
        str,
        typer.Option(
            help="Hub id, model folder, a name of `seabed models`, module:function, or an API's model: "
            "openai:NAME, cohere:NAME, voyage:NAME, jina:NAME, gemini:NAME (key from the environment)."
        ),
    ]
    like: Annotated[
        str | None,
        typer.Option(help="Use the settings of this model of `seabed models`.", rich_help_panel=MODEL),
    ] = None
    model_revision: Annotated[
        str | None, typer.Option(help="Commit, branch or tag of the model on the Hub.", rich_help_panel=MODEL)
    ] = None
    query_prompt: Annotated[
        str | None,
        typer.Option(
            help='Prefix or template for queries, e.g. "query: "; \\n is a line break.',
            rich_help_panel=MODEL,
            callback=_line_breaks,
        ),
    ] = None
    document_prompt: Annotated[
        str | None,
        typer.Option(help="The same for documents.", rich_help_panel=MODEL, callback=_line_breaks),
    ] = None
    prompt: Annotated[
        str | None,
        typer.Option(
            help="The same for tasks without queries and documents.",
            rich_help_panel=MODEL,
            callback=_line_breaks,
        ),
    ] = None
    pooling: Annotated[
        str | None,
        typer.Option(
            help="mean, cls, lasttoken, max, weightedmean or mean_sqrt_len_tokens; default: the model's own.",
            rich_help_panel=MODEL,
        ),
    ] = None
    normalize: Annotated[
        bool | None,
        typer.Option(help="Scale vectors to unit length; default: the model's own.", rich_help_panel=MODEL),
    ] = None
    max_length: Annotated[
        int | None, typer.Option(min=1, help="Tokens kept of a text.", rich_help_panel=MODEL)
    ] = None
    truncate_dim: Annotated[
        Names,
        typer.Option(
            help="Score the first 64,128,... values of each vector: a run for each number, encoded once.",
            rich_help_panel=MODEL,
        ),
    ] = None
    precision: Annotated[
        Names,
        typer.Option(
            help="Score vectors as float32,int8,binary: a run for each, encoded once.", rich_help_panel=MODEL
        ),
    ] = None
    trust_remote_code: Annotated[
        bool,
        typer.Option(
            "--trust-remote-code",
            help="Run the model's own Python code on this machine; from the Hub only with --model-revision.",
            rich_help_panel=MODEL,
        ),
    ] = False
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Another server with the API of --model, e.g. http://localhost:8000/v1; its key, if it "
            "needs one, comes from SEABED_API_KEY.",
            rich_help_panel=MODEL,
        ),
    ] = None
    price: Annotated[
        float | None,
        typer.Option(
            help="Of an API, in USD per million tokens: the plan then shows the cost.", rich_help_panel=MODEL
        ),
    ] = None
    api_tokenizer: Annotated[
        str | None,
        typer.Option(
            help="Tokenizer of an API's model, a folder or Hub id, to count and cut texts with.",
            rich_help_panel=MODEL,
        ),
    ] = None
    api_batch: Annotated[
        int | None,
        typer.Option(min=1, help="Texts of an API's request; default: its limit.", rich_help_panel=SPEED),
    ] = None
    dtype: Annotated[
        str | None,
        typer.Option(
            help="fp32, bf16, fp16 or auto; default: fp32 on a CPU, on a GPU as `seabed models` says.",
            rich_help_panel=SPEED,
        ),
    ] = None
    device: Annotated[
        str | None,
        typer.Option(help='E.g. "cpu" or "cuda:1"; default: a GPU if any.', rich_help_panel=SPEED),
    ] = None
    batch_tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Padded tokens of a batch; default: by the device. Halved when memory runs out.",
            rich_help_panel=SPEED,
        ),
    ] = None
    compile: Annotated[
        bool,
        typer.Option("--compile", help="Compile the model with torch.compile.", rich_help_panel=SPEED),
    ] = False

    def given(self) -> dict[str, Any]:
        """What differs from the defaults, as a result file keeps it.

        Returns:
            Field -> value, without the model's name and address.
        """
        return {
            f.name: value
            for f in fields(self)
            if f.name not in _PRIVATE and (value := getattr(self, f.name)) != f.default
        }
