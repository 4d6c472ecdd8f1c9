"""Talking to the Hub: what is there, trying again, and errors that say what to do."""

from __future__ import annotations

import errno
import json
import logging
import re
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
_AGAIN = "run the same command again, it goes on where this one stopped"
_FULL = re.compile(
    r"(storage|quota).{0,40}\b(limit|reached|exceed|full)|(exceed|reach)\w*.{0,40}(storage|quota)", re.I
)
_MANY = re.compile(
    r"too many (files|operations|entries)|\d+ files\b|"
    r"(maximum|limit|more than|at most|exceed\w*)[^.]{0,60}\b(files|operations|entries)\b",
    re.I,
)
_XET = re.compile(r"HTTP status (?:client|server) error \((\d{3})\b")
_LEFT = re.compile(r"\br\s*=\s*0\s*;\s*t\s*=\s*(\d+)")


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
        SeabedError: it cannot be listed, or has another name now.
    """
    from huggingface_hub.errors import RepositoryNotFoundError
    from huggingface_hub.hf_api import RepoFile

    _check_letters(api)

    def listing() -> Remote:
        try:
            info = api.repo_info(repo, repo_type=kind, revision=revision)
        except RepositoryNotFoundError:
            return Remote(kind, repo, None, {}, {})
        if info.id.lower() != repo.lower():
            # The Hub would follow the old name silently, and others could take that name.
            raise SeabedError(
                f"{repo} was renamed and is now {info.id}: give that name (--repo, --namespace)"
            )
        head = info.sha
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
    where = f"{path} of {remote.repo} at {(remote.head or '')[:10]}"

    def get() -> bytes:
        local = api.hf_hub_download(remote.repo, path, repo_type=remote.kind, revision=remote.head)
        with open(local, "rb") as file:
            return file.read()

    try:
        content = json.loads(patient(get, f"read {where}", remote.repo))
        found = type(content).__name__
    except (ValueError, RecursionError) as error:
        content, found = None, " ".join(str(error).split())[:100]
    if not isinstance(content, dict):
        raise SeabedError(
            f"{where} is damaged: not a JSON object ({found}); put an earlier version of it back on the Hub "
            f"(the repository's history has it), then run the same command again"
        )
    return content


def _check_letters(api: HfApi) -> None:
    """A token with a letter that no header can carry fails in each request, in words about an ASCII codec."""
    from huggingface_hub import get_token

    token = api.token if isinstance(api.token, str) else None if api.token is False else get_token()
    if token and not token.isascii():
        raise SeabedError(
            "the Hub token holds letters that no token has (not ASCII), so it was copied wrongly: set HF_TOKEN "
            "again, or `hf auth login`; hf.co/settings/tokens makes a new one"
        )


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
    root = _root(error)
    if isinstance(root, SeabedError):
        return root
    shown = " ".join(str(root).split())[:300] or type(root).__name__
    return SeabedError(f"cannot {doing}: {_hint(root, repo)} ({shown})")


def _hint(root: BaseException, repo: str) -> str:
    """What a failure means, and what to do; "again" only where that can help."""
    from huggingface_hub.errors import GatedRepoError, LocalTokenNotFoundError

    status, text, owner = _status(root), _words(root), repo.split("/", maxsplit=1)[0]
    if isinstance(root, LocalTokenNotFoundError):
        return "no Hub token: `hf auth login` with a token that has write access, or set HF_TOKEN"
    if status is None and isinstance(root, OSError) and (local := _local(root)):
        return local
    if (status in (402, 403, 413, 507, 400) and _FULL.search(text)) or status == 507:
        return (
            f"the storage of {owner} on the Hub is full: free some there (old versions of large files count), "
            f"have the limit of {owner} raised, or publish under another owner; sending again does not help before"
        )
    if status == 402:
        return f"the Hub asks for payment: the plan of {owner} does not cover this; its owners can change the plan"
    if status in (400, 413, 422) and _MANY.search(text):
        return (
            "the Hub does not take so many files at once: put the configs into several bundle folders and publish "
            "one after the other (what is on the Hub and not in the folder stays)"
        )
    if status == 401:
        return (
            "the Hub does not accept the token, or the repository is not yours to see: `hf auth login` with a "
            "token that is valid (HF_TOKEN, where it is set, comes first)"
        )
    if status == 403 and (isinstance(root, GatedRepoError) or "gated" in text.lower()):
        return f"{repo} is gated: ask for access on its page, with the account of the token"
    if status == 403 and "disabled" in text.lower():
        return f"the Hub has disabled {repo}: its page says why; sending again does not help"
    if status == 403 and _XET.search(str(root)):
        return (
            f"the token has no write access to {repo} (ask its owners, or propose the change with --pr), or the "
            f"storage of {owner} is full; with HF_HUB_DISABLE_XET=1 the Hub's own words are shown"
        )
    if status == 403:
        return f"the token has no write access to {repo}: ask its owners, or propose the change with --pr"
    if status == 404:
        return f"{repo} does not exist, or the token cannot see it: compare the name, and `hf auth whoami`"
    if status in (409, 412):
        return f"somebody else changed {repo} meanwhile; run the same command again to plan against the new state"
    if status == 413:
        return "the Hub finds the request too large (README.md?): publish fewer configs in it"
    if isinstance(root, json.JSONDecodeError):
        return f"the Hub answered, but not in JSON: {_AGAIN}; if it stays, README.md may be too large for it"
    if status == 429:
        asked = _retry_after(root)
        return (
            f"the Hub limits requests: wait {f'{asked:.0f} s' if asked else 'a few minutes'}, then {_AGAIN}"
        )
    if status == 451:
        return f"the Hub withholds {repo} for legal reasons: its page says more; sending again does not help"
    if status in _PASSING or (status is None and _is_transport(root)):
        return f"the Hub does not answer as it should: {_AGAIN}"
    if status is not None and 400 <= status < 500:
        return "the Hub refuses this, and will again: correct what its answer names"
    return _AGAIN


def _local(error: OSError) -> str | None:
    """What a failure of this machine's own disk means; None for any other."""
    where = f" {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"the disk is full: free space, or point TMPDIR and HF_HOME to a larger disk; then {_AGAIN}"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.ENOENT):
        return f"cannot write{where}: point TMPDIR and HF_HOME to folders of your own; then {_AGAIN}"
    return None


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
    if status is None and (found := _XET.search(str(error))):
        # Xet's own client, in Rust, tells the status in words only.
        return int(found[1])
    return status


def _words(error: BaseException) -> str:
    """All that the Hub said: what stands in the answer is not always in the error's text."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    said = [str(error), getattr(error, "server_message", None), headers.get("X-Error-Message")]
    return " ".join(part for part in said if part)


def _retry_after(error: BaseException) -> float | None:
    response = getattr(error, "response", None)
    if response is None:
        return None
    value = response.headers.get("Retry-After", "")
    if value.isdigit():
        return float(value)
    left = _LEFT.search(response.headers.get("RateLimit", ""))
    return float(left[1]) if left else None
