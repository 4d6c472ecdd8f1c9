"""Templates, instructions and what of a final text is prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_datasets.errors import SeabedError
from seabed_evaluate import run
from seabed_evaluate.encoders.loading import known_models
from seabed_evaluate.encoders.prompts import (
    ASYMMETRIC,
    Prompted,
    Prompts,
    as_prompted,
    as_template,
    fill,
    instruction,
    read_toml,
)

TEMPLATES = sorted(
    {m[k] for m in known_models().values() for k in ("query", "document", "symmetric") if k in m}
)


@given(text=st.text(), general=st.text(), own=st.none() | st.text(), template=st.sampled_from(TEMPLATES))
def test_the_prompt_ends_where_the_text_begins(
    text: str, general: str, own: str | None, template: str
) -> None:
    made = fill(template, text, general, own)
    assert made.text[made.prompt_end :] == text
    used = general if own is None else own
    if "{instruction}" in template or own is not None:
        assert used in made.text[: made.prompt_end]


@given(text=st.text(), prefix=st.text())
def test_a_typed_prefix_is_kept_letter_by_letter(text: str, prefix: str) -> None:
    if "{text}" not in prefix:
        assert fill(as_template(prefix), text).text == prefix + text


def test_text_after_the_placeholder_is_not_prompt() -> None:
    assert fill("<{text}> {{x}}", "a") == Prompted("<a> {x}", 1)


@pytest.mark.parametrize(
    ("template", "own", "expected"),
    [
        # The authors' templates, with the instruction where each puts it.
        ("Instruct: {instruction}\nQuery: {text}", None, "Instruct: do\nQuery: t"),
        ("<instruct>{instruction}\n<query> {text}", None, "<instruct>do\n<query> t"),
        ("<|user|>\n{instruction}\n<|embed|>\n{text}", None, "<|user|>\ndo\n<|embed|>\nt"),
        ("<|user|>\n{instruction}\n<|embed|>\n{text}", "mine", "<|user|>\nmine\n<|embed|>\nt"),
        ("query: {text}", "mine", "query: mine\nt"),
        ("{text}", "mine", "mine\nt"),
        ("{text}", None, "t"),
    ],
)
def test_where_an_instruction_goes(template: str, own: str | None, expected: str) -> None:
    assert fill(template, "t", "do", own).text == expected


@pytest.mark.parametrize(
    "template", ["query: ", "{text} {text}", "{txt}: {text}", "{instruction}", "{text", "}{text}"]
)
def test_a_bad_template_is_refused(template: str) -> None:
    with pytest.raises(SeabedError, match="prompt template"):
        Prompts(query=template)


def test_sides_of_tasks() -> None:
    prompts = Prompts("q {text}", "d {text}", "s {text}", {"query": "Q", "document": "D", "sts": "T"})
    for task in TASKS:
        sides = [prompts.template(task, side)[0] for side in ("query", "document")]
        assert sides == (["q", "d"] if task in ASYMMETRIC else ["s", "s"])
    assert prompts.input_type("retrieval", "query") == "Q"
    assert prompts.input_type("retrieval", "document") == "D"
    assert prompts.input_type("sts", "query") == "T"
    assert prompts.input_type("clustering", "query") is None


def test_plain_strings_are_texts_without_a_prompt() -> None:
    assert as_prompted(["a", Prompted("b: c", 3)]) == [Prompted("a", 0, None), Prompted("b: c", 3, None)]


def test_instructions_are_those_of_known_datasets_and_tasks() -> None:
    table = read_toml(Path("seabed_evaluate/encoders/instructions.toml").resolve())
    keys = {c.key: c.task for c in catalogue.configs()}
    assert set(table) == {*TASKS, "datasets"}
    assert set(table["datasets"]) <= set(keys)
    for key, task in keys.items():
        assert instruction(task, key).strip() == instruction(task, key) != ""
        # An override that repeats its task's would hide a change of the task's.
        assert (
            key not in table["datasets"]
            or key == "emotes3k_clustering"
            or table["datasets"][key] != table[task]
        )


def test_instructions_named_in_the_protocol() -> None:
    assert instruction("sts", "sts24") == "Retrieve semantically similar text."
    assert instruction("bitext_mining", "ntrex") == "Retrieve parallel sentences."
    assert instruction("retrieval", "xquad").startswith("Given a query and a passage")
    assert instruction("retrieval", "mldr").startswith("Given a query and a long documents")
    assert instruction("classification", "massiveintent").endswith("find the user intents")
    assert instruction("clustering", "sib200_clustering").endswith("news articles")
    assert instruction("classification", "sib200_classification").endswith("appropriate topic")


class Recorder:
    """An encoder that keeps what it was given."""

    settings: dict[str, Any] = {"encoder": "recorder", "model": "recorder", "revision": None}  # noqa: RUF012

    def __init__(self, prompts: Prompts) -> None:
        self.prompts, self.seen = prompts, list[list[Prompted]]()

    def encode(self, texts: Any, tick: Any = None) -> Any:
        from tests import toy

        self.seen.append(list(texts))
        return toy.encode([t.text for t in texts])


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("bundle")
    build([c.name for c in catalogue.configs(sample=True)], out)
    return out


def test_the_runner_says_where_prompts_end_and_records_the_strings(bundle: Path) -> None:
    model = known_models()["GritLM-7B"]
    encoder = Recorder(Prompts(model["query"], model["document"], model["symmetric"]))
    config = "sample_instruction_retrieval_vie"
    (result,) = run(encoder, data=bundle, configs=[config], out=None, protocol_name="paper-text")
    queries, documents = encoder.seen
    assert {t.text[: t.prompt_end] for t in documents} == {"<|embed|>\n"}
    assert len({t.text[: t.prompt_end] for t in queries}) > 1
    assert all(t.text[: t.prompt_end].startswith("<|user|>\n") for t in queries)
    assert result["prompts"]["query"] == model["query"]
    assert result["prompts"]["document"] == model["document"]


def test_input_types_reach_the_encoder_and_the_result(bundle: Path) -> None:
    types = known_models()["jina-embeddings-v3"]["input_types"]
    for config, expected in [
        ("sample_retrieval_tha", {"query": "retrieval.query", "document": "retrieval.passage"}),
        ("sample_sts_mya", {"query": "text-matching"}),
        ("sample_reranking_ind", {"query": "separation", "document": "separation"}),
    ]:
        for protocol in ("published", "paper-text"):
            encoder = Recorder(Prompts(input_types=types))
            (result,) = run(encoder, data=bundle, configs=[config], out=None, protocol_name=protocol)
            assert result["prompts"]["input_types"] == expected
            assert {t.input_type for call in encoder.seen for t in call} == set(expected.values())
