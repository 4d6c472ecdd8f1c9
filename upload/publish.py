"""Carrying out a plan: one commit, then reading back, then the tag that says it is complete."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from seabed_datasets.errors import SeabedError
from seabed_datasets.files import file_sha256
from upload.hub import TRIES, Remote, explain, log, look, patient, pause
from upload.plan import Content, Plan, compare, sha256

if TYPE_CHECKING:
    from huggingface_hub import HfApi


@dataclass(frozen=True)
class Published:
    """The outcome. `commit` holds the content; `made` says whether this run made it."""

    commit: str
    made: bool
    tag: str | None
    pull_request: str | None = None


def publish(
    api: HfApi,
    remote: Remote,
    plan: Plan,
    *,
    message: str,
    version: str,
    description: str = "",
    pr: bool = False,
    keep: frozenset[str] = frozenset(),
    owned: tuple[str, ...] = (),
) -> Published:
    """Carry out a plan. Readers see the old state or the new one, never something between.

    The tag is set last, after every byte was read back: where it is missing, a rerun does what is left.

    Args:
        api: the client.
        remote: the repository the plan was made against.
        plan: what to do.
        message: of the commit.
        version: the name of the tag; a pull request gets none.
        description: what the commit says below its message.
        pr: open a pull request instead.
        keep: files to leave alone.
        owned: see `compare`.

    Returns:
        What was done.

    Raises:
        SeabedError: it could not be done; the message says what to do.
    """
    if pr and remote.head is None:
        raise SeabedError(f"{remote.repo} does not exist, so it takes no pull request; publish without --pr")
    if not plan.empty and not pr:
        check_version(remote, version)
    if not plan.empty:
        if remote.head is None:
            remote = _create(api, remote)
        commit, url = _commit(api, remote, plan, message, description, pr, keep, owned)
        read_back(api, remote, commit, {path: plan.wanted[path] for path in plan.sent})
    else:
        assert remote.head is not None
        commit, url = remote.head, None
        if version not in remote.tags and not pr:
            read_back(api, remote, commit, dict(plan.wanted))
    if pr or (plan.empty and version in remote.tags):
        return Published(commit, not plan.empty, None, url)
    patient(
        lambda: api.create_tag(
            remote.repo, tag=version, revision=commit, repo_type=remote.kind, exist_ok=True
        ),
        f"tag {remote.repo}",
        remote.repo,
    )
    return Published(commit, not plan.empty, version, url)


def check_version(remote: Remote, version: str) -> None:
    """Refuse a version whose tag exists: a tag never moves.

    Args:
        remote: the repository.
        version: the tag.

    Raises:
        SeabedError: it exists.
    """
    if version in remote.tags:
        raise SeabedError(
            f"{remote.repo} has a tag {version} already, on {remote.tags[version][:10]}, and the content differs; "
            "give this one a higher --version"
        )


def _create(api: HfApi, remote: Remote) -> Remote:
    sdk = "gradio" if remote.kind == "space" else None
    patient(
        lambda: api.create_repo(remote.repo, repo_type=remote.kind, space_sdk=sdk, exist_ok=True),
        f"create {remote.repo}",
        remote.repo,
    )
    made = look(api, remote.kind, remote.repo)
    if made.head is None:
        raise SeabedError(
            f"{remote.repo} is there, but this token cannot see it: if it is private, ask its owners for access; "
            "if it was made just now, run the same command again"
        )
    return made


def _commit(
    api: HfApi,
    remote: Remote,
    plan: Plan,
    message: str,
    description: str,
    pr: bool,
    keep: frozenset[str],
    owned: tuple[str, ...],
) -> tuple[str, str | None]:
    """Make the one commit. A lost answer is told from a lost request by looking, never by sending twice."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    done: tuple[str, str | None] | None = _proposed(api, remote, plan, keep, owned) if pr else None
    if done:
        return done
    operations: list[CommitOperationAdd | CommitOperationDelete] = [
        *(CommitOperationAdd(path, _given(plan.wanted[path])) for path in plan.sent),
        *(CommitOperationDelete(path) for path in plan.removed),
    ]
    for attempt in range(TRIES):
        try:
            made = api.create_commit(
                remote.repo,
                operations,
                commit_message=message,
                commit_description=description,
                repo_type=remote.kind,
                parent_commit=remote.head,
                create_pr=pr,
            )
            return made.oid, made.pr_url
        except Exception as error:
            if pr:
                done = _proposed(api, remote, plan, keep, owned)
            else:
                now = look(api, remote.kind, remote.repo)
                assert now.head is not None
                holds = now.head != remote.head and _compare(plan, now, keep, owned).empty
                done = (now.head, None) if holds else None
            if done:
                return done
            wait = pause(error, attempt)
            if wait is None:
                raise explain(error, f"publish to {remote.repo}", remote.repo) from None
            log.warning("the commit did not go through; trying again in %d s", wait)
            time.sleep(wait)
    raise AssertionError("the last attempt returns or raises")


def _given(content: Content) -> bytes | str:
    return content if isinstance(content, bytes) else str(content)


def _compare(plan: Plan, now: Remote, keep: frozenset[str], owned: tuple[str, ...]) -> Plan:
    return compare(plan.wanted, {p: f for p, f in now.files.items() if p not in keep}, owned)


def _proposed(
    api: HfApi, remote: Remote, plan: Plan, keep: frozenset[str], owned: tuple[str, ...]
) -> tuple[str, str | None] | None:
    """An open pull request with exactly this content."""
    found = patient(
        lambda: [
            d
            for d in api.get_repo_discussions(
                remote.repo, repo_type=remote.kind, discussion_type="pull_request", discussion_status="open"
            )
            if d.status == "open"
        ],
        f"list the pull requests of {remote.repo}",
        remote.repo,
    )
    for one in found:
        there = look(api, remote.kind, remote.repo, f"refs/pr/{one.num}")
        if there.head and _compare(plan, there, keep, owned).empty:
            return there.head, f"{api.endpoint}/{remote.kind}s/{remote.repo}/discussions/{one.num}"
    return None


def read_back(api: HfApi, remote: Remote, commit: str, sent: dict[str, Content]) -> None:
    """Download what was sent and compare every sha256.

    Args:
        api: the client.
        remote: the repository.
        commit: where to read.
        sent: path -> content.

    Raises:
        SeabedError: a file is missing or is another one.
    """
    if not sent:
        return

    def get() -> None:
        with tempfile.TemporaryDirectory(prefix="seabed-read-back-") as folder:
            api.snapshot_download(
                remote.repo,
                repo_type=remote.kind,
                revision=commit,
                allow_patterns=list(sent),
                local_dir=folder,
            )
            for path, content in sent.items():
                local = Path(folder, path)
                found = file_sha256(local) if local.is_file() else "no file"
                if found != sha256(content):
                    raise SeabedError(
                        f"{remote.repo} at {commit[:10]}: {path} reads back as {found}, sent was {sha256(content)}; "
                        "it is not tagged. Run the same command again, and tell the Hub if this stays"
                    )

    patient(get, f"read back {remote.repo}", remote.repo)
