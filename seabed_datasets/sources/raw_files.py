"""Where raw files come from: a Hub file, a GitHub file at a commit, a URL, or a local mirror folder.

Downloads go to a temporary name first, are checked against the card's sha256 where it has one, are kept in
one cache folder, and are tried again on network failures.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from seabed_datasets.catalogue import Config, Source, dataset
from seabed_datasets.errors import SourceError
from seabed_datasets.files import file_sha256, inside
from seabed_datasets.sources import strict_json

GITHUB = "https://raw.githubusercontent.com"
ATTEMPTS = 3
SOURCE_NOTE = "SOURCE.json"


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
            f"{config.name}: the card names no upstream source; try `seabed build {config.name} --from release`",
            "no source",
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
    for need, role, path in wanted(config, mirror):
        local, record = obtain(config, need, path, mirror)
        files.setdefault(role, []).append(local)
        used.append(record)
    return Raw(files, used)


def wanted(config: Config, mirror: Path | None = None) -> Iterator[tuple[Need, str, str]]:
    """Every raw file of a config, before any is there.

    Args:
        config: which config.
        mirror: a folder to look up patterns in; None asks the Hub.

    Returns:
        (source, role, path), every `*` replaced by what there is.

    Raises:
        SourceError: the card has no upstream for this config, or nothing matches a pattern.
    """
    for need in needs(config):
        for role, patterns in need.files.items():
            for path in _expand(config, need, patterns, mirror):
                yield need, role, path


def obtain(config: Config, need: Need, path: str, mirror: Path | None = None) -> tuple[Path, Used]:
    """Get one raw file and check it against the card.

    Args:
        config: the config it is for.
        need: its source.
        path: inside the source.
        mirror: a folder that holds it; None downloads.

    Returns:
        Where it lies, and what it is.

    Raises:
        SourceError: it is missing, cannot be downloaded, or is not the one the card describes.
    """
    local, revision, cut = (
        _from_mirror(config, need, path, mirror) if mirror else _download(config, need, path)
    )
    sha = file_sha256(local)
    expected = need.source.sha256.get(path)
    if expected and sha != expected and not cut:
        raise SourceError(
            f"{config.name}: {path} of {need.id} has sha256 {sha}, the card says {expected}; "
            "upstream changed or the file is damaged",
            "changed",
        )
    return local, Used(need.source.kind, need.id, revision, path, sha, local.stat().st_size, cut)


def _expand(config: Config, need: Need, patterns: list[str], mirror: Path | None) -> list[str]:
    """Paths with every `*` replaced by what is there (shard names of Hub repositories vary)."""
    paths = []
    for pattern in patterns:
        if "*" not in pattern:
            paths.append(pattern)
            continue
        if mirror:
            folder = mirror_folder(config, need, mirror)
            inside(folder, pattern, f"{config.name}: file", SourceError)
            found = sorted(p.relative_to(folder).as_posix() for p in folder.glob(pattern) if p.is_file())
        elif need.source.kind == "manual":
            raise _by_hand(config, need, pattern)
        else:
            # As Path.glob: * stops at a slash, **/ is any number of folders.
            wanted = re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
            listed = hub_list(config.name, need.id, need.source.revision)
            found = sorted(path for path in listed if re.fullmatch(wanted, path))
        if not found and mirror:
            raise _not_there(config, mirror, folder / pattern, "nothing that matches")
        if not found:
            raise SourceError(f"{config.name}: nothing matches {pattern} in {need.id}", "gone")
        paths += found
    return paths


def mirror_folder(config: Config, need: Need, mirror: Path) -> Path:
    """Where a mirror keeps the files of a source.

    Args:
        config: the config they are for.
        need: the source.
        mirror: the folder.

    Returns:
        The folder that `path` of a file is relative to.

    Raises:
        SourceError: the card or the mirror's note leads out of the mirror.
    """
    key: str = mirror_note(mirror / config.key).get("same_as", config.key)
    home = inside(mirror, key, f"{SOURCE_NOTE} of {config.key}: same_as", SourceError, links=True)
    return inside(home, need.folder, f"{config.name}: source", SourceError) if need.folder else home


def mirror_file(config: Config, need: Need, path: str, mirror: Path) -> Path:
    """Where a file of a source lies in a mirror.

    Args:
        config: the config it is for.
        need: the source.
        path: inside the source, as the card has it.
        mirror: the folder.

    Returns:
        Its place, whether or not it is there.

    Raises:
        SourceError: the path leads out of the source's folder.
    """
    return inside(mirror_folder(config, need, mirror), path, f"{config.name}: file", SourceError)


def _from_mirror(config: Config, need: Need, path: str, mirror: Path) -> tuple[Path, str | None, str | None]:
    local = mirror_file(config, need, path, mirror)
    if not local.is_file():
        raise _not_there(config, mirror, local, "no")
    key, *below = local.relative_to(mirror).parts
    note, name = mirror_note(mirror / key), "/".join(below)
    revision = note.get("fetched", {}).get(name, {}).get("revision", need.source.revision)
    return local, revision, note.get("truncated", {}).get(name)


def _not_there(config: Config, mirror: Path, file: Path, what: str) -> SourceError:
    return SourceError(
        f"{config.name}: the mirror has {what} {file.relative_to(mirror)}; "
        f"`seabed fetch {config.key} --to {mirror}` gets it",
        "not in the mirror",
    )


def mirror_note(folder: Path) -> dict[str, Any]:
    """What is noted of the raw files of a dataset in a mirror.

    Args:
        folder: the dataset's.

    Returns:
        The content of its SOURCE.json, {} without one: `fetched` (path -> what `seabed fetch` got),
        `truncated` (path -> how a file is cut), `same_as` (the dataset whose files serve this one too).

    Raises:
        SourceError: the note is damaged.
    """
    file = folder / SOURCE_NOTE
    advice = "delete it and `seabed fetch` again"

    def refuse(message: str) -> SourceError:
        return SourceError(f"{file} is damaged: {message}; {advice}", "changed")

    try:
        text = file.read_text(encoding="utf-8") if file.is_file() else "{}"
    except UnicodeDecodeError as error:
        raise refuse(str(error)) from None
    note = strict_json.parse(text, SOURCE_NOTE, refuse)
    kinds: dict[str, type] = {"fetched": dict, "truncated": dict, "same_as": str}
    if not isinstance(note, dict):
        raise refuse(f"expected an object, found {type(note).__name__}")
    if wrong := [key for key, kind in kinds.items() if key in note and not isinstance(note[key], kind)]:
        raise refuse(f"{wrong[0]} is {type(note[wrong[0]]).__name__}, expected {kinds[wrong[0]].__name__}")
    for path, record in note.get("fetched", {}).items():
        if not isinstance(record, dict) or not isinstance(record.get("sha256"), str):
            raise refuse(f"fetched {path!r} has no sha256")
    found: dict[str, Any] = note
    return found


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
        raise SourceError(
            f"{name}: cannot list {repo} at {revision or 'main'}: {error}", why(error)
        ) from None


def why(error: Exception) -> str:
    """Sort a failed download into the words of a summary.

    Args:
        error: what the client raised.

    Returns:
        "gated", "forbidden or needs login", "gone", "changed" or "unreachable".
    """
    from huggingface_hub.errors import GatedRepoError

    if isinstance(error, GatedRepoError):
        return "gated"
    if isinstance(error, ValueError) and "hash" in str(error):
        return "changed"
    status = getattr(getattr(error, "response", None), "status_code", None)
    if status in (401, 403):
        return "forbidden or needs login"
    return "gone" if status in (404, 410) else "unreachable"


def cache_dir() -> Path:
    """Where downloads are kept: $SEABED_CACHE, else the user's cache folder.

    Returns:
        The folder (it may not exist yet).
    """
    import platformdirs

    return Path(os.environ.get("SEABED_CACHE") or platformdirs.user_cache_dir("seabed"))


@contextmanager
def alone(what: str) -> Iterator[None]:
    """Keep other processes of this user out for a while; a killed one lets go by itself.

    Args:
        what: what only one of them may touch, e.g. an address or a folder.

    Yields:
        Nothing; the others wait as long as the block runs.

    Raises:
        SourceError: the folder of the locks cannot be written to.
    """
    from filelock import FileLock

    # Not in the cache folder, which holds raw files only; the system clears this one.
    user = os.getuid() if hasattr(os, "getuid") else 0
    place = Path(tempfile.gettempdir(), f"seabed-locks-{user}")
    try:
        place.mkdir(mode=0o700, exist_ok=True)
        if place.is_symlink() or place.stat().st_uid not in (user, 0):
            raise PermissionError("it belongs to somebody else")
        held = FileLock(place / hashlib.blake2b(what.encode(), digest_size=8).hexdigest())
        held.acquire()
    except OSError as error:
        raise SourceError(f"cannot write to {place}: {error}; set TMPDIR to another folder") from None
    try:
        yield
    finally:
        held.release()


def _by_hand(config: Config, need: Need, path: str) -> SourceError:
    return SourceError(
        f"{config.name}: {need.id} must be obtained by hand: {need.source.access}. "
        f"Put {path} under DIR/{config.key}/ and build with `--mirror DIR`",
        "by hand",
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
            f"{name}: {repo} is gated: accept its conditions on the Hub, then `hf auth login` and try again",
            "gated",
        ) from None
    except Exception as error:
        raise SourceError(
            f"{name}: cannot get {path} of {repo} at {revision or 'main'}: {error}", why(error)
        ) from None
    return local, local.parents[len(Path(path).parts) - 1].name


def _get(name: str, url: str, path: str, sha256: str | None) -> Path:
    import pooch
    import requests

    pooch.get_logger().setLevel("ERROR")
    # The whole address, query included, decides which file this is; the name keeps its ending.
    folder = hashlib.blake2b(url.encode(), digest_size=8).hexdigest()
    target = inside(cache_dir() / "raw" / folder, path.rsplit("/", 1)[-1], f"{name}: file", SourceError)
    known = f"sha256:{sha256}" if sha256 else None
    keeper = pooch.create(
        path=target.parent,
        base_url="",
        registry={target.name: known},
        urls={target.name: url},
        retry_if_failed=ATTEMPTS - 1,
    )
    try:
        with alone(url):
            for left in target.parent.iterdir() if target.parent.is_dir() else ():
                if left != target:  # what a killed download left: only one process is here at a time
                    left.unlink()
            return Path(keeper.fetch(target.name, downloader=pooch.HTTPDownloader(timeout=60)))
    except (requests.RequestException, ValueError, OSError) as error:
        raise SourceError(f"{name}: cannot get {url}: {error}", why(error)) from None
