"""Taking a dataset off the Hub in one commit, and keeping it off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError, unknown
from upload.dataset import OWNED, data_files, read_record, remote_manifest
from upload.hub import check_token, look
from upload.page import texts
from upload.plan import Content, compare
from upload.publish import Published, check_version, publish

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def take_down(
    api: HfApi,
    key: str,
    repo: str,
    *,
    reason: str,
    version: str,
    today: date | None = None,
    pr: bool = False,
    dry_run: bool = False,
    say: Callable[[str], None] = print,
) -> Published | None:
    """Remove a dataset from the published bundle and record it, so that later publications leave it out.

    Args:
        api: the client.
        key: of the dataset.
        repo: the dataset repository.
        reason: why; it is published.
        version: the name of the tag of what is left.
        today: the date in the record; None for the clock's.
        pr: open a pull request.
        dry_run: stop after the plan.
        say: prints the plan.

    Returns:
        What was done; None for a dry run.

    Raises:
        SeabedError: the dataset does not exist or the Hub fails.
    """
    if not reason.strip():
        raise SeabedError("a takedown needs --reason; it is shown in the README")
    remote = look(api, "dataset", repo)
    if remote.head is None:
        raise SeabedError(f"{repo} does not exist")
    there, record = remote_manifest(api, remote), read_record(api, remote)
    known = {d.key for d in catalogue.datasets()} | {entry["key"] for entry in there.values()}
    known |= set(record.taken_down)
    if key not in known:
        raise unknown("dataset", key, known, "`seabed list` shows all.")
    configs = [name for name, entry in there.items() if entry["key"] == key]
    if key not in record.taken_down:
        entry = {"reason": reason, "date": (today or date.today()).isoformat(), "configs": configs}
        record = replace(
            record,
            included={k: v for k, v in record.included.items() if k != key},
            taken_down={**record.taken_down, key: entry},
        )
    left = {name: entry for name, entry in there.items() if entry["key"] != key}
    if not left:
        raise SeabedError(f"{key} is all that {repo} holds; delete the repository instead")
    wanted: dict[str, Content] = dict(texts(left, record))
    keep = frozenset(data_files(left))
    plan = compare(wanted, {p: f for p, f in remote.files.items() if p not in keep}, OWNED)
    say(f"{repo} at {remote.head[:10]}: {', '.join(configs) or f'no config of {key}'} to be removed\n{plan}")
    old = ", ".join(remote.tags) or "none"
    say(f"older commits and tags ({old}) still hold the files; deleting tags and history is done on the Hub")
    if not plan.empty and not pr:
        check_version(remote, version)
    if dry_run:
        return None
    if not plan.empty or version not in remote.tags:
        check_token(api, repo, pr=pr)
    message = f"Take down {key}: {reason}"
    return publish(api, remote, plan, message=message, version=version, pr=pr, keep=keep, owned=OWNED)
