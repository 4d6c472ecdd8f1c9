"""What a publication changes: files wanted against files there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seabed_datasets.files import file_sha256

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoFile

Content = bytes | Path


@dataclass(frozen=True)
class Plan:
    """Paths by what happens to them; `wanted` holds what is to be there in the end (beside what is kept)."""

    wanted: Mapping[str, Content]
    new: list[str]
    changed: list[str]
    unchanged: list[str]
    removed: list[str]

    @property
    def sent(self) -> list[str]:
        """The paths whose content goes to the Hub."""
        return [*self.new, *self.changed]

    @property
    def empty(self) -> bool:
        """Whether everything is as it should be already."""
        return not (self.new or self.changed or self.removed)

    @property
    def size(self) -> int:
        """Bytes to send."""
        return sum(content_size(self.wanted[path]) for path in self.sent)

    def __str__(self) -> str:
        return (
            f"files: {len(self.new)} new, {len(self.changed)} changed, {len(self.unchanged)} unchanged, "
            f"{len(self.removed)} removed; {self.size:,} bytes to send"
        )


def compare(wanted: Mapping[str, Content], there: Mapping[str, RepoFile], owned: tuple[str, ...]) -> Plan:
    """Compare files with those of a repository, by hash and without downloading.

    Args:
        wanted: path -> content or local file.
        there: the repository's files, less those to be left alone.
        owned: paths and folders ("data/") of which what is not wanted goes.

    Returns:
        The plan.
    """
    new = [path for path in wanted if path not in there]
    both = [path for path in wanted if path in there]
    changed = [path for path in both if not is_same(wanted[path], there[path])]
    removed = [
        path
        for path in there
        if path not in wanted and any(path == o or (o.endswith("/") and path.startswith(o)) for o in owned)
    ]
    return Plan(wanted, sorted(new), sorted(changed), sorted(set(both) - set(changed)), sorted(removed))


def is_same(content: Content, file: RepoFile) -> bool:
    """Whether the Hub holds this content.

    Args:
        content: bytes or a local file.
        file: the Hub's entry: sha256 for large files, git's blob id for others.

    Returns:
        True when it does.
    """
    size = content_size(content)
    if size != file.size:
        return False
    if file.lfs is not None:
        return bool(file.lfs.sha256 == sha256(content))
    data = content if isinstance(content, bytes) else content.read_bytes()
    return bool(file.blob_id == hashlib.sha1(b"blob %d\0" % size + data).hexdigest())


def content_size(content: Content) -> int:
    """Bytes of a content.

    Args:
        content: bytes or a local file.

    Returns:
        Their number.
    """
    return len(content) if isinstance(content, bytes) else content.stat().st_size


def sha256(content: Content) -> str:
    """The hash of a content.

    Args:
        content: bytes or a local file.

    Returns:
        64 hex digits.
    """
    return hashlib.sha256(content).hexdigest() if isinstance(content, bytes) else file_sha256(content)
