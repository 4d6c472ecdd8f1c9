"""What a result file must hold: checked once, where it is read, so that nothing after it has to doubt it.

A key that stands here must be there (or has a default) and be of its type; keys that do not stand here are kept.
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import Task
from seabed_datasets.errors import SeabedError, UnknownName

SCHEMA = 1

# Scores between -1 and 1; every other measure of the metric modules is between 0 and 1.
CORRELATIONS = (
    "spearman",
    "pearson",
    "kendall",
    "ari",
    "euclidean_spearman",
    "manhattan_spearman",
)
_FRACTION = re.compile(
    r"(best_|dot_|euclidean_|manhattan_)?(f1|accuracy|label_weighted_accuracy|precision|recall|ap|map|mrr|ndcg|hit_rate"
    r"|v_measure|homogeneity|completeness|nmi)(_weighted|_macro|_micro|_seeds)?(_at_\d+)?"
)
_ROUNDING = 1e-9
# Any of these marks a JSON file that means to be a result; others are somebody else's and passed over.
MARKS = ("settings_hash", "main_score", "score")

Name = Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=100)]
Text = Annotated[str, Field(min_length=1, max_length=1000)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{8,64}$")]
Share = Annotated[float, Field(ge=-1, le=1)]
Count = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    # strict: true is no number, "1" neither.
    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)


class _Interval(_Part):
    low: Share
    high: Share
    se: Annotated[float, Field(ge=0, le=2)]
    items: Count | None = None


class _Cut(_Part):
    texts: Count
    cut: Count | None
    tokens_lost: Annotated[float, Field(ge=0, le=1)] | None


class _Data(_Part):
    revision: Text | None
    splits: Annotated[dict[Text, Text], Field(min_length=1, max_length=20)]
    rows: dict[Text, Count] | None = None
    truncated: bool


class _Model(_Part):
    model: Text
    revision: Text | None = None
    dtype: Text | None = None


class _Protocol(_Part):
    name: Text
    main: dict[Text, Name] | None = None


class _Counts(_Part):
    seconds: Annotated[float, Field(ge=0)]


class _Environment(_Part):
    packages: dict[Text, Text | None]


class _ResultFile(_Part):
    settings_hash: Digest
    run: Digest
    config: Name
    dataset: Name
    task: Task
    units: Annotated[list[Name], Field(min_length=1, max_length=20)]
    sample: bool
    main_score: Name
    score: Share
    interval: _Interval | None = None
    intervals: Annotated[dict[Name, _Interval], Field(max_length=100)] | None = None
    cut: Annotated[dict[Text, _Cut], Field(max_length=20)] | None = None
    scores: Annotated[dict[Text, Any], Field(max_length=1000)]
    data: _Data
    model: _Model
    protocol: _Protocol
    counts: _Counts
    environment: _Environment


def is_measure(name: str) -> bool:
    """Whether a score says how good something is, as counts and thresholds do not.

    Args:
        name: of a score in a result.

    Returns:
        The answer.

    >>> is_measure("ndcg_at_10"), is_measure("euclidean_spearman"), is_measure("iterations")
    (True, True, False)
    """
    return name in CORRELATIONS or _FRACTION.fullmatch(name) is not None


def check_result(value: Any) -> None:
    """Check a result: types, ranges, and that it is of a config of this version's catalogue.

    Args:
        value: a JSON value of `strict_json`.

    Raises:
        SeabedError: what is wrong, in one line that does not name the file.
    """
    if not isinstance(value, dict):
        raise SeabedError(f"it is no result but a {type(value).__name__}")
    version = value.get("schema")
    if type(version) is not int or version != SCHEMA:
        raise SeabedError(
            f"its schema is {reprlib.repr(version)}, this version reads {SCHEMA}: score again, or upgrade"
        )
    try:
        _ResultFile.model_validate(value)
    except ValidationError as error:
        raise SeabedError(_explain(error)) from None
    _check_catalogue(value)
    _check_scores(value)


def _explain(error: ValidationError) -> str:
    found = error.errors(include_url=False)
    parts = [
        f"{'.'.join(str(p)[:40] for p in e['loc'])}: {e['msg']}"
        + ("" if e["type"] == "missing" else f" (found {reprlib.repr(e['input'])})")
        for e in found[:3]
    ]
    return "; ".join(parts) + (f"; {len(found) - 3} more" if len(found) > 3 else "")


def _check_catalogue(value: Mapping[str, Any]) -> None:
    try:
        known = catalogue.config(value["config"])
    except UnknownName:
        raise SeabedError(
            f"this version's catalogue has no config {value['config']!r}; `seabed list` shows what it has"
        ) from None
    given = {"dataset": known.key, "task": known.task, "units": known.units, "sample": known.sample}
    for key, own in given.items():
        if value[key] != own:
            raise SeabedError(
                f"{key} is {reprlib.repr(value[key])}, the catalogue says {own!r} of {known.name}"
            )


def _check_scores(value: Mapping[str, Any]) -> None:
    scores, main = value["scores"], value["main_score"]
    for name, score in scores.items():
        for part in score.values() if isinstance(score, dict) else [score]:
            _check_score(name, part)
    if type(scores.get(main)) not in (int, float):
        raise SeabedError(f"its main score {main} is not among its scores")
    _check_score(main, value["score"])
    if main not in CORRELATIONS and value["score"] < -_ROUNDING:
        raise SeabedError(f"score is {value['score']}, {main} is at least 0")
    if abs(value["score"] - scores[main]) > _ROUNDING:
        raise SeabedError(f"score is {value['score']}, scores.{main} is {scores[main]}")
    for interval in (value.get("interval"), *(value.get("intervals") or {}).values()):
        if interval is not None and interval["low"] > interval["high"]:
            raise SeabedError(f"interval.low {interval['low']} is above interval.high {interval['high']}")
    for side, part in (value.get("cut") or {}).items():
        if part["cut"] is not None and part["cut"] > part["texts"]:
            raise SeabedError(f"cut.{side[:40]} says {part['cut']} of {part['texts']} texts")


def _check_score(name: str, score: Any) -> None:
    if isinstance(score, bool):
        raise SeabedError(f"scores.{name[:40]} is {score}, no number")
    if not isinstance(score, int | float):
        return
    least = -1.0 if name in CORRELATIONS else 0.0
    if (name in CORRELATIONS or _FRACTION.fullmatch(name)) and not (
        least - _ROUNDING <= score <= 1 + _ROUNDING
    ):
        raise SeabedError(f"scores.{name} is {score}, outside {least:g} to 1")
