"""Where raw files come from: a Hub file, a GitHub file at a commit, a URL, or a local mirror folder.

Downloads go to a temporary name first, are checked against the card's sha256 where it has one, are kept in
one cache folder, and are tried again on network failures.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from seabed_datasets.catalogue import Config, Source, dataset
from seabed_datasets.errors import SourceError

GITHUB = "https://raw.githubusercontent.com"
ATTEMPTS = 3


@dataclass(frozen=True)
class Used:
    """One raw file a config was made from, as the manifest records it."""

    kind: str
    id: str
    revision: str | None
    path: str
    sha256: str
    bytes: int
    truncated: str | None = None


@dataclass(frozen=True)
class Raw:
    """The raw files of one config, by the role its card gives them; and what they are."""

    files: dict[str, list[Path]]
    used: list[Used] = field(default_factory=list)

    def __getitem__(self, role: str) -> Path:
        """The one file of a role."""
        (path,) = self.all(role)
        return path

    def all(self, role: str) -> list[Path]:
        """All files of a role, in the card's order.

        Args:
            role: a key of the card's `files`.

        Returns:
            The paths.

        Raises:
            SourceError: the card has no such role.
        """
        if role not in self.files:
            raise SourceError(f"the card names no file {role!r}; it names {sorted(self.files)}")
        return self.files[role]


@dataclass(frozen=True)
class Need:
    """What one config needs of one source: its card entry, with {lang} and params filled in.

    `folder`: where a mirror keeps the files below the key; repositories per language may share file names.
    """

    source: Source
    id: str
    folder: str
    files: dict[str, list[str]]


def needs(config: Config) -> list[Need]:
    """The upstream files a config is made from.

    Args:
        config: which config.

    Returns:
        One entry per source of its card that serves this config.

    Raises:
        SourceError: the card has no upstream for this config (only the authors' release).
    """
    fields = {"lang": config.lang, **config.params}
    found = []
    for source in dataset(config.key).seabed.upstream:
        if source.configs is None or config.name in source.configs:
            filled = source.id.format_map(fields)
            files = {
                role: [p.format_map(fields) for p in ([given] if isinstance(given, str) else given)]
                for role, given in source.files.items()
            }
            found.append(Need(source, filled, filled if filled != source.id else "", files))
    if not found:
        raise SourceError(
            f"{config.name}: the card names no upstream source; try `seabed build {config.name} --from release`"
        )
    return found


def fetch(config: Config, mirror: Path | None = None) -> Raw:
    """Get every raw file of a config.

    Args:
        config: which config.
        mirror: a folder laid out as `<key>/<upstream path>`; with it nothing is downloaded.

    Returns:
        Paths by role, and what was used.

    Raises:
        SourceError: a file is missing, cannot be downloaded, or is not the one the card describes.
    """
    files: dict[str, list[Path]] = {}
    used: list[Used] = []
    for need in needs(config):
        for role, patterns in need.files.items():
            for path in _expand(config, need, patterns, mirror):
                local, revision, cut = (
                    _from_mirror(config, need, path, mirror) if mirror else _download(config, need, path)
                )
                sha = file_sha256(local)
                expected = need.source.sha256.get(path)
                if expected and sha != expected and not cut:
                    raise SourceError(
                        f"{config.name}: {path} of {need.id} has sha256 {sha}, the card says {expected}; "
                        "upstream changed or the file is damaged"
                    )
                files.setdefault(role, []).append(local)
                size = local.stat().st_size
                used.append(Used(need.source.kind, need.id, revision, path, sha, size, cut))
    return Raw(files, used)


def _expand(config: Config, need: Need, patterns: list[str], mirror: Path | None) -> list[str]:
    """Paths with every `*` replaced by what is there (shard names of Hub repositories vary)."""
    paths = []
    for pattern in patterns:
        if "*" not in pattern:
            paths.append(pattern)
            continue
        if mirror:
            folder = _mirror_folder(config, need, mirror)
            found = sorted(p.relative_to(folder).as_posix() for p in folder.glob(pattern) if p.is_file())
        elif need.source.kind == "manual":
            raise _by_hand(config, need, pattern)
        else:
            found = sorted(fnmatch.filter(hub_list(config.name, need.id, need.source.revision), pattern))
        if not found:
            raise SourceError(f"{config.name}: nothing matches {pattern} in {mirror or need.id}")
        paths += found
    return paths


def _mirror_folder(config: Config, need: Need, mirror: Path) -> Path:
    key: str = _mirror_note(mirror / config.key).get("same_as", config.key)
    return mirror / key / need.folder


def _from_mirror(config: Config, need: Need, path: str, mirror: Path) -> tuple[Path, str | None, str | None]:
    local = _mirror_folder(config, need, mirror) / path
    if not local.is_file():
        raise SourceError(
            f"{config.name}: the mirror has no {local.relative_to(mirror)}; "
            f"`seabed fetch {config.key} --to {mirror}` gets it"
        )
    key = local.relative_to(mirror).parts[0]
    return local, need.source.revision, _mirror_note(mirror / key).get("truncated", {}).get(path)


def _mirror_note(folder: Path) -> dict[str, Any]:
    file = folder / "SOURCE.json"
    note: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return note


def hub_list(name: str, repo: str, revision: str | None) -> list[str]:
    """The files of a dataset repository on the Hub.

    Args:
        name: the config it is for, for the error.
        repo: e.g. "miracl/miracl".
        revision: commit, branch or tag; None is the default branch.

    Returns:
        Paths inside the repository.

    Raises:
        SourceError: it cannot be listed.
    """
    from huggingface_hub import HfApi

    try:
        return HfApi().list_repo_files(repo, repo_type="dataset", revision=revision)
    except Exception as error:
        raise SourceError(f"{name}: cannot list {repo} at {revision or 'main'}: {error}") from None


def cache_dir() -> Path:
    """Where downloads are kept: $SEABED_CACHE, else the user's cache folder.

    Returns:
        The folder (it may not exist yet).
    """
    import platformdirs

    return Path(os.environ.get("SEABED_CACHE") or platformdirs.user_cache_dir("seabed"))


def _by_hand(config: Config, need: Need, path: str) -> SourceError:
    return SourceError(
        f"{config.name}: {need.id} must be obtained by hand: {need.source.access}. "
        f"Put {path} under DIR/{config.key}/ and build with `--mirror DIR`"
    )


def _download(config: Config, need: Need, path: str) -> tuple[Path, str | None, str | None]:
    source = need.source
    if source.kind == "manual":
        raise _by_hand(config, need, path)
    if source.kind == "hf":
        return (*hub_file(config.name, need.id, path, source.revision), None)
    if source.kind == "github":
        url = f"{GITHUB}/{need.id}/{source.revision or 'HEAD'}/{quote(path)}"
    else:
        url = source.addresses.get(path) or f"{need.id.rstrip('/')}/{quote(path)}"
    return _get(config.name, url, path, source.sha256.get(path)), source.revision, None


def hub_file(name: str, repo: str, path: str, revision: str | None) -> tuple[Path, str]:
    """One file of a dataset repository on the Hub.

    Args:
        name: the config it is for, for the error.
        repo: e.g. "miracl/miracl".
        path: inside the repository.
        revision: commit, branch or tag; None is the default branch.

    Returns:
        The local path and the commit it was read at.

    Raises:
        SourceError: it cannot be obtained; gated repositories say so.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import GatedRepoError

    try:
        local = Path(hf_hub_download(repo, path, repo_type="dataset", revision=revision))
    except GatedRepoError:
        raise SourceError(
            f"{name}: {repo} is gated: accept its conditions on the Hub, then `hf auth login` and try again"
        ) from None
    except Exception as error:
        raise SourceError(f"{name}: cannot get {path} of {repo} at {revision or 'main'}: {error}") from None
    parts = local.parts
    return local, parts[parts.index("snapshots") + 1]


def _get(name: str, url: str, path: str, sha256: str | None) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel("ERROR")
    # The whole address, query included, decides which file this is; the name keeps its ending.
    folder = hashlib.blake2b(url.encode(), digest_size=8).hexdigest()
    target = cache_dir() / "raw" / folder / path.rsplit("/", 1)[-1]
    known = f"sha256:{sha256}" if sha256 else None
    keeper = pooch.create(
        path=target.parent,
        base_url="",
        registry={target.name: known},
        urls={target.name: url},
        retry_if_failed=ATTEMPTS - 1,
    )
    try:
        return Path(keeper.fetch(target.name, downloader=pooch.HTTPDownloader(timeout=60)))
    except (requests.RequestException, ValueError, OSError) as error:
        raise SourceError(f"{name}: cannot get {url}: {error}") from None


def file_sha256(path: Path) -> str:
    """The sha256 of a file, read once as long as the file does not change.

    Args:
        path: the file.

    Returns:
        64 hex digits.
    """
    return _hash(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=4096)
def _hash(path: Path, changed: int) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()
