"""Publishing a bundle folder as the dataset repository."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from seabed_datasets import catalogue
from seabed_datasets.bundle.manifest import MANIFEST
from seabed_datasets.errors import SeabedError, UnknownName
from upload.hub import Remote, check_token, look, read_json
from upload.licence import Record
from upload.page import RECORD, texts
from upload.plan import Content, compare
from upload.publish import Published, check_version, publish
from upload.validate import check_bundle, check_manifest, explained, findings

if TYPE_CHECKING:
    from huggingface_hub import HfApi

OWNED = ("README.md", MANIFEST, RECORD, "cards/", "data/")
Manifest = dict[str, dict[str, Any]]


def publish_bundle(
    api: HfApi,
    bundle: Path,
    repo: str,
    *,
    version: str,
    include: Mapping[str, str] | None = None,
    accept: Iterable[str] = (),
    reason: str = "",
    samples: bool = False,
    prune: bool = False,
    pr: bool = False,
    dry_run: bool = False,
    say: Callable[[str], None] = print,
) -> Published | None:
    """Check a bundle, show what would change, and publish it in one commit.

    Configs that are on the Hub and not in the folder stay, so that a folder may hold only what changed.

    Args:
        api: the client.
        bundle: the folder.
        repo: the dataset repository.
        version: the name of the tag.
        include: key -> reason, for datasets the licence rule would keep back.
        accept: data checks that may fail, e.g. SB401.
        reason: why rows may change under the version of their card; it is kept in the commit.
        samples: publish the sample sets of the demo too; they are machine-written and no part of SEA-BED.
        prune: remove configs that are not in the folder.
        pr: open a pull request.
        dry_run: stop after the plan.
        say: prints the plan.

    Returns:
        What was done; None for a dry run.

    Raises:
        SeabedError: the bundle, the plan or the token is not in order, or the Hub fails.
    """
    manifest = check_bundle(bundle)
    left_out = [] if samples else [n for n in manifest if catalogue.config(n).sample]
    manifest = {n: e for n, e in manifest.items() if n not in left_out}
    if left_out and not manifest:
        raise SeabedError(f"{bundle} holds sample sets only; --include-samples publishes them")
    accepted = findings(bundle, manifest, accept)
    remote = look(api, "dataset", repo)
    there = remote_manifest(api, remote)
    record = read_record(api, remote).include(include or {})
    kept = (
        {}
        if prune
        else {n: e for n, e in there.items() if n not in manifest and _stays(n, e, record, samples)}
    )
    _check_kept(remote, kept)
    mine = {n: e for n, e in manifest.items() if record.blocked(e["key"]) is None}
    merged = {**kept, **mine}
    if not merged:
        raise SeabedError("nothing may be published: the licence rule keeps every config of this bundle back")
    wanted: dict[str, Content] = dict(texts(merged, record))
    for name, entry in mine.items():
        for split in entry["splits"]:
            path = f"data/{name}/{split}.parquet"
            wanted[path] = bundle / path
    keep = frozenset(data_files(kept))
    plan = compare(wanted, {p: f for p, f in remote.files.items() if p not in keep}, OWNED)

    say(f"{repo} {f'at {remote.head[:10]}' if remote.head else '(to be created)'}, version {version}")
    changed = [n for n in mine if n in there and _hashes(there[n]) != _hashes(mine[n])]
    gone = [n for n in there if n not in merged]
    new = [n for n in mine if n not in there]
    say(
        f"configs: {len(new)} new, {len(changed)} changed, {len(merged) - len(new) - len(changed)} unchanged, "
        f"{len(gone)} removed"
    )
    say(str(plan))
    for verb, names in (("new", new), ("changed", changed), ("removed", gone)):
        if names:
            say(f"  {verb}: {', '.join(names)}")
    if left_out:
        say(f"not uploaded: {len(left_out)} sample sets (--include-samples uploads them)")
    _say_licences(manifest, record, say)
    for line in accepted:
        say(f"  accepted: {line}")
    silent = [_difference(n, there[n], mine[n]) for n in changed if _same_version(there[n], mine[n])]
    if silent and not reason.strip():
        raise SeabedError(
            f"the rows of {len(silent)} configs changed and the version of their cards did not, nothing was sent:\n"
            f"  {_shortened(silent)}\n"
            "raise `version` in the card, write a line for it into `changes` and build again; or, where the rows "
            "say the same, give --reason TEXT, which is kept in the commit"
        )
    if not plan.empty and not pr:
        check_version(remote, version)
    if dry_run:
        return None
    if not plan.empty or version not in remote.tags:
        check_token(api, repo, pr=pr)
    description = (
        f"Changed under the same version: {reason.strip()}\n\n" + "\n".join(silent) if silent else ""
    )
    message = f"SEA-BED {version}: {len(new)} configs new, {len(changed)} changed, {len(gone)} removed"
    return publish(
        api,
        remote,
        plan,
        message=message,
        version=version,
        description=description,
        pr=pr,
        keep=keep,
        owned=OWNED,
    )


def _hashes(entry: dict[str, Any]) -> dict[str, str]:
    return {split: said["sha256"] for split, said in entry["splits"].items()}


def _shortened(lines: list[str]) -> str:
    return "\n  ".join(lines[:20]) + (f"\n  and {len(lines) - 20} more" if len(lines) > 20 else "")


def _same_version(before: dict[str, Any], now: dict[str, Any]) -> bool:
    old, new = before.get("version"), now["version"]
    return not isinstance(old, int) or new <= old


def _difference(name: str, before: dict[str, Any], now: dict[str, Any]) -> str:
    old, new = before["splits"], now["splits"]
    parts = [
        f"{split} {old[split]['rows'] if split in old else 0:,} -> {new[split]['rows'] if split in new else 0:,} rows"
        for split in {**old, **new}
        if old.get(split, {}).get("sha256") != new.get(split, {}).get("sha256")
    ]
    return f"{name} (version {now['version']}): {', '.join(parts)}"


def remote_manifest(api: HfApi, remote: Remote) -> Manifest:
    """What a repository says it holds.

    Args:
        api: the client.
        remote: the repository.

    Returns:
        Its manifest; empty for a new repository.

    Raises:
        SeabedError: it holds data but no manifest, so it is something else; or its manifest is damaged.
    """
    if MANIFEST not in remote.files and any(path.startswith("data/") for path in remote.files):
        raise SeabedError(f"{remote.repo} holds data but no {MANIFEST}: it is not a SEA-BED bundle")
    manifest = read_json(api, remote, MANIFEST)
    check_manifest(manifest, f"{MANIFEST} of {remote.repo}")
    return manifest


class _TakenDown(BaseModel):
    reason: str
    date: str
    configs: list[str]


class _Publication(BaseModel):
    """publication.json as this version writes it; see `Record`."""

    model_config = ConfigDict(extra="forbid")

    included: dict[str, str] = Field(default_factory=dict)
    taken_down: dict[str, _TakenDown] = Field(default_factory=dict)


def read_record(api: HfApi, remote: Remote) -> Record:
    """What was decided about datasets of a repository.

    Args:
        api: the client.
        remote: the repository.

    Returns:
        The record; empty for a new repository.

    Raises:
        SeabedError: it is damaged, or of a later version of this program.
    """
    found = read_json(api, remote, RECORD)
    if later := sorted(set(found) - set(_Publication.model_fields)):
        raise SeabedError(
            f"{RECORD} of {remote.repo} was written by a later version of this program (it has "
            f"{', '.join(map(repr, later[:5]))}): update the checkout, so that no decision in it is lost"
        )
    try:
        _Publication.model_validate(found, strict=True)
    except ValidationError as error:
        raise SeabedError(
            f"{RECORD} of {remote.repo} is damaged: {explained(error)}; put an earlier version of it back on the "
            "Hub (the repository's history has it), then run the same command again"
        ) from None
    return Record(**found)


def data_files(manifest: Manifest) -> list[str]:
    """The data files a manifest lists.

    Args:
        manifest: of a bundle.

    Returns:
        Their paths.
    """
    return [f"data/{name}/{split}.parquet" for name, entry in manifest.items() for split in entry["splits"]]


def _stays(name: str, entry: dict[str, Any], record: Record, samples: bool) -> bool:
    try:
        if catalogue.config(name).sample and not samples:
            return False
    except UnknownName:
        return False
    return record.blocked(entry["key"]) is None


def _check_kept(remote: Remote, kept: Manifest) -> None:
    """What stays as it is must be what the manifest there says, else the new README would lie."""
    for name, entry in kept.items():
        for split, said in entry["splits"].items():
            path = f"data/{name}/{split}.parquet"
            file = remote.files.get(path)
            found = "missing" if file is None else file.lfs.sha256 if file.lfs else None
            if found is not None and found != said["sha256"]:
                raise SeabedError(
                    f"{remote.repo}: {path} is not the file its {MANIFEST} describes ({found}); "
                    f"add {name} to the bundle, so that it is sent again"
                )


def _say_licences(manifest: Manifest, record: Record, say: Callable[[str], None]) -> None:
    by_key: dict[str, list[str]] = {}
    for name, entry in manifest.items():
        by_key.setdefault(entry["key"], []).append(name)
    back = {key: why for key in by_key if (why := record.blocked(key))}
    if back:
        count = sum(len(by_key[key]) for key in back)
        say(
            f"not uploaded: {count} configs of {len(back)} datasets (--include KEY --reason '...' uploads one)"
        )
        for key, why in back.items():
            say(f"  {key}: {why} ({', '.join(by_key[key])})")
    for key, reason in record.included.items():
        if key in by_key:
            say(f"  included {key}: {reason}")
