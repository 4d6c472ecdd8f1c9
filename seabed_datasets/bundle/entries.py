"""The shape of manifest.json, checked once when it is read: whoever asks for an entry afterwards may rely on it.

Keys that are not named here are left alone, so that an older installation reads what a newer one published.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError, model_validator

from seabed_datasets.catalogue.vocabulary import Task
from seabed_datasets.errors import SeabedError
from seabed_datasets.schemas import SPLITS

Entry = dict[str, Any]
# Values of a manifest lie five levels deep; what is deeper was not written by a build.
_MAX_DEPTH = 12
_MAX_PROBLEMS = 3

_Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,100}$")]
_Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0, le=2**53)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Split(_Part):
    rows: _Count
    bytes: _Count
    sha256: _Sha256
    dropped: dict[str, _Count] = Field(default_factory=dict)


class _Source(_Part):
    kind: str
    id: str
    path: str
    sha256: _Sha256
    bytes: _Count
    revision: str | None = None
    truncated: str | None = None


class _Distribution(_Part):
    min: float
    mean: float
    p50: float
    p95: float
    max: float


class _SplitStats(_Part):
    rows: _Count
    unique: _Count
    duplicates: _Count
    empty: _Count
    dropped: _Count
    characters: dict[str, _Distribution | dict[str, _Count]]
    scripts: dict[str, float]
    labels: dict[str, _Count] = Field(default_factory=dict)
    score: _Distribution | None = None


class _Leakage(_Part):
    rows: _Count
    share: float


class _Stats(_Part):
    splits: dict[str, _SplitStats]
    leakage: _Leakage | None = None
    checks: dict[str, _Count]


class _Entry(_Part):
    key: _Name
    task: Task
    languages: list[str]
    origin: str = Field(alias="from")
    version: _Count
    made_by: dict[str, str]
    sources: list[_Source]
    splits: dict[_Name, _Split]
    stats: _Stats

    @model_validator(mode="after")
    def _has_its_splits(self) -> _Entry:
        wanted = SPLITS[self.task]
        for part, found in (("splits", self.splits), ("stats.splits", self.stats.splits)):
            if set(found) != set(wanted):
                raise ValueError(f"{part} are {sorted(found)}, {self.task} has {sorted(wanted)}")
        return self


class _Manifest(RootModel[dict[_Name, _Entry]]):
    """Config name -> entry."""


def checked_entries(value: Any, where: str) -> dict[str, Entry]:
    """What a manifest says, once it is known to be one.

    Args:
        value: its parsed JSON.
        where: the file, for the message.

    Returns:
        The same value.

    Raises:
        SeabedError: it is no dict of entries; a name, size, hash or count is none; a split is not one of the
            task's, or is missing. The message names the first few faults.
    """
    if not isinstance(value, dict):
        raise SeabedError(
            f"{where} is not a manifest: expected configs by name, found {type(value).__name__}"
        )
    if _depth(value) > _MAX_DEPTH:
        raise SeabedError(f"{where} is not a manifest: nested more than {_MAX_DEPTH} levels deep")
    try:
        _Manifest.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
        said = "; ".join(
            f"{'.'.join(map(str, f['loc'])) or 'manifest'}: {f['msg']}" for f in faults[:_MAX_PROBLEMS]
        )
        more = f"; and {len(faults) - _MAX_PROBLEMS} more" if len(faults) > _MAX_PROBLEMS else ""
        raise SeabedError(f"{where} is not a manifest of this project: {said}{more}") from None
    return value


def _depth(value: Any) -> int:
    """How deep lists and dicts lie in each other, without recursion."""
    deepest, waiting = 0, [(value, 1)]
    while waiting and deepest <= _MAX_DEPTH:
        part, depth = waiting.pop()
        inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in inner if isinstance(child, dict | list)]
    return deepest
