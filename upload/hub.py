"""Talking to the Hub: what is there, trying again, and errors that say what to do."""

from __future__ import annotations

import errno
import json
import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from seabed_datasets.errors import SeabedError

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

log = logging.getLogger("seabed_upload")
T = TypeVar("T")
TRIES = 4
LONGEST_WAIT = 120
_PASSING = (408, 425, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Remote:
    """A repository as it was when it was looked at; `head` is None when it does not exist."""

    kind: str
    repo: str
    head: str | None
    files: dict[str, RepoFile]
    tags: dict[str, str]


def look(api: HfApi, kind: str, repo: str, revision: str | None = None) -> Remote:
    """List a repository at one commit.

    Args:
        api: the client.
        kind: "dataset" or "space".
        repo: its name.
        revision: branch, tag or commit; None for main.

    Returns:
        Its head, files and tags.

    Raises:
        SeabedError: it cannot be listed.
    """
    from huggingface_hub.errors import RepositoryNotFoundError
    from huggingface_hub.hf_api import RepoFile

    def listing() -> Remote:
        try:
            head = api.repo_info(repo, repo_type=kind, revision=revision).sha
        except RepositoryNotFoundError:
            return Remote(kind, repo, None, {}, {})
        entries = api.list_repo_tree(repo, repo_type=kind, revision=head, recursive=True)
        files = {entry.path: entry for entry in entries if isinstance(entry, RepoFile)}
        tags = api.list_repo_refs(repo, repo_type=kind).tags
        return Remote(kind, repo, head, files, {tag.name: tag.target_commit for tag in tags})

    return patient(listing, f"list {repo}", repo)


def read_json(api: HfApi, remote: Remote, path: str) -> dict[str, Any]:
    """A JSON file of a repository, at the commit that was looked at.

    Args:
        api: the client.
        remote: where.
        path: of the file.

    Returns:
        Its content; empty when there is no such file.

    Raises:
        SeabedError: it cannot be read.
    """
    if path not in remote.files:
        return {}

    def get() -> dict[str, Any]:
        local = api.hf_hub_download(remote.repo, path, repo_type=remote.kind, revision=remote.head)
        with open(local, encoding="utf-8") as file:
            content: dict[str, Any] = json.load(file)
            return content

    return patient(get, f"read {path} of {remote.repo}", remote.repo)


def check_token(api: HfApi, repo: str, *, pr: bool) -> None:
    """Refuse to start without a token that can write, as far as the Hub tells beforehand.

    Args:
        api: the client.
        repo: what is to be written.
        pr: a pull request needs no write access.

    Raises:
        SeabedError: there is no token, it is not valid, or it only reads.
    """
    user = patient(api.whoami, "ask who you are", repo)
    role = user.get("auth", {}).get("accessToken", {}).get("role")
    if role == "read" and not pr:
        raise SeabedError(
            f"the token of {user.get('name')} only reads: make one with write access to {repo} "
            "(hf.co/settings/tokens), then `hf auth login`; or propose the change with --pr"
        )


def patient(call: Callable[[], T], doing: str, repo: str) -> T:
    """Call, and call again after a failure that may pass.

    Args:
        call: what to do; it must be harmless to do twice.
        doing: what it does, for the error.
        repo: the repository, for the error.

    Returns:
        What the call returned.

    Raises:
        SeabedError: it failed for good, or too often.
    """
    for attempt in range(TRIES):
        try:
            return call()
        except Exception as error:
            wait = pause(error, attempt)
            if wait is None:
                raise explain(error, doing, repo) from None
            log.warning("cannot %s (%s); trying again in %d s", doing, _root(error), wait)
            time.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def pause(error: Exception, attempt: int) -> float | None:
    """How long to wait before the next attempt.

    Args:
        error: of this attempt.
        attempt: its number, from 0.

    Returns:
        Seconds, as the Hub asks for or growing; None when trying again is no use.
    """
    root = _root(error)
    status = _status(root)
    passing = status in _PASSING or (status is None and _is_transport(root))
    if not passing or attempt == TRIES - 1:
        return None
    wait = float(2**attempt)
    asked = _retry_after(root)
    if asked is not None and asked > LONGEST_WAIT:
        return None
    return wait if asked is None else asked + 0.1


def explain(error: Exception, doing: str, repo: str) -> SeabedError:
    """Turn a failure into words that say what to do.

    Args:
        error: what happened.
        doing: what was being done.
        repo: the repository.

    Returns:
        The error to raise.
    """
    from huggingface_hub.errors import LocalTokenNotFoundError

    root = _root(error)
    status = _status(root)
    again = "run the same command again, it goes on where this one stopped"
    if isinstance(root, SeabedError):
        return root
    if isinstance(root, LocalTokenNotFoundError):
        hint = "no Hub token: `hf auth login` with a token that has write access, or set HF_TOKEN"
    elif isinstance(root, OSError) and root.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        hint = f"the disk is full: free space, or point TMPDIR and HF_HOME to a larger disk; then {again}"
    elif status == 401:
        hint = "the Hub does not accept the token, or the repository is not yours to see: `hf auth login`"
    elif status == 403:
        hint = f"the token has no write access to {repo}: ask its owners, or propose the change with --pr"
    elif status == 404:
        hint = f"{repo} does not exist, or the token cannot see it"
    elif status in (409, 412):
        hint = f"somebody else changed {repo} meanwhile; run the same command again to plan against the new state"
    elif status == 413 or isinstance(root, json.JSONDecodeError):
        hint = f"the Hub answered that the request is too large (README.md?), or not in JSON; {again}"
    elif status == 429:
        asked = _retry_after(root)
        hint = f"the Hub limits requests: wait {f'{asked:.0f} s' if asked else 'a few minutes'}, then {again}"
    elif status in _PASSING or (status is None and _is_transport(root)):
        hint = f"the Hub does not answer as it should: {again}"
    else:
        hint = again
    shown = " ".join(str(root).split())[:300] or type(root).__name__
    return SeabedError(f"cannot {doing}: {hint} ({shown})")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _root(error: Exception) -> BaseException:
    """The failure below the wrappers of upload threads and of the cache."""
    from huggingface_hub.errors import HfHubHTTPError

    found = list(_chain(error))
    for one in found:
        if isinstance(one, HfHubHTTPError | SeabedError) or (isinstance(one, OSError) and one.errno):
            return one
    return next((one for one in found if _is_transport(one)), error)


def _is_transport(error: BaseException) -> bool:
    """A connection that failed; the name, because huggingface_hub changed its HTTP library between versions."""
    names = {parent.__name__ for parent in type(error).__mro__}
    return bool(
        names
        & {
            "TransportError",
            "ConnectionError",
            "TimeoutError",
            "gaierror",
            "IncompleteRead",
            "JSONDecodeError",
        }
    )


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    status: int | None = getattr(response, "status_code", None)
    return status


def _retry_after(error: BaseException) -> float | None:
    response = getattr(error, "response", None)
    value = response.headers.get("Retry-After", "") if response is not None else ""
    return float(value) if value.isdigit() else None
