"""What the Hub, the disk or a file of the repository refuses is said in one line, with what to do about it."""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.bundle.manifest import readme
from seabed_datasets.errors import SeabedError
from tests.hub import Hub, Request, Status
from tests.hub.clients import ask, environment, run
from tests.hub.publishing import REPO, broken, content
from upload.__main__ import _reasons
from upload.dataset import publish_bundle
from upload.hub import TRIES, explain
from upload.publish import Published
from upload.validate import check_bundle, check_manifest

AGAIN = "run the same command again"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "bundle"
    assert not build(["sample_sts_mya", "sample_classification_ind"], out).failed
    return out


@pytest.fixture
def bundle(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    disable_progress_bars()
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    with Hub() as running:
        yield running


def publish(
    hub: Hub, bundle: Path, version: str = "1", token: str = "hf_writer", **options: Any
) -> Published | None:
    options = {"samples": True, "say": lambda _: None} | options
    return publish_bundle(
        HfApi(hub.url, token), bundle, options.pop("repo", REPO), version=version, **options
    )


def refused(hub: Hub, bundle: Path, **options: Any) -> str:
    with pytest.raises(SeabedError) as failure:
        publish(hub, bundle, **options)
    text = str(failure.value)
    assert "Traceback" not in text
    assert not any(token in text for token in hub.store.tokens), "no token is ever shown"
    return text


REFUSALS: list[tuple[int, str, str]] = [
    (401, "Invalid credentials in Authorization header", "does not accept the token"),
    (403, "You don't have the required permissions", "no write access .* --pr"),
    (
        403,
        "Private repository storage limit reached, please upgrade your plan",
        "storage of seabed .* is full",
    ),
    (403, "Storage quota exceeded", "storage of seabed .* is full"),
    (403, "You have exceeded your storage quota", "storage of seabed .* is full"),
    (403, "Access to this resource is disabled.", "has disabled"),
    (404, "Repository not found", "does not exist, or the token cannot see it"),
    (402, "Payment required", "the plan of seabed"),
    (402, "Storage limit exceeded", "storage of seabed .* is full"),
    (451, "Unavailable For Legal Reasons", "for legal reasons"),
    (507, "Insufficient Storage", "storage of seabed .* is full"),
    (413, "Payload too large", "too large"),
    (400, "Your push was rejected: it has more than 25000 files", "several bundle folders"),
    (400, "Too many files in one commit", "several bundle folders"),
    (400, "Invalid path", "refuses this, and will again"),
    (422, "Unprocessable", "refuses this, and will again"),
]


@pytest.mark.parametrize("moment", ["/preupload/", "/commit/", "/objects/batch"])
@pytest.mark.parametrize(("code", "words", "says"), REFUSALS)
def test_a_refusal_says_what_it_means_and_is_not_tried_again(
    moment: str, code: int, words: str, says: str, hub: Hub, bundle: Path
) -> None:
    answer = Status(code, {"X-Error-Message": words}, json.dumps({"error": words}))
    hub.fault = lambda request: answer if moment in request.path else None
    text = refused(hub, bundle)
    assert re_search(says, text), text
    assert AGAIN not in text
    assert words.rstrip(".").lower() in text.lower(), "the Hub's own words stand behind"
    assert len([r for r in hub.log if moment in r.path]) == 1
    assert not [p for p in content(hub.store.repo("dataset", REPO)) if p.startswith("data/")]


def re_search(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.DOTALL) is not None


def test_storage_that_is_full_and_then_is_not(hub: Hub, bundle: Path) -> None:
    hub.store.storage_limit = 1000
    text = refused(hub, bundle)
    assert "storage of seabed on the Hub is full" in text
    assert AGAIN not in text
    hub.store.storage_limit = None
    assert publish(hub, bundle) is not None


def test_too_many_files_for_one_commit_go_in_parts(hub: Hub, bundle: Path, tmp_path: Path) -> None:
    hub.store.operations_limit = 7
    assert "several bundle folders" in refused(hub, bundle)
    for version, name in (("1", "sample_sts_mya"), ("2", "sample_classification_ind")):
        build([name], tmp_path / name)
        publish(hub, tmp_path / name, version)
    assert not broken(hub.store.repo("dataset", REPO).find("main").tree)
    assert len(json.loads(content(hub.store.repo("dataset", REPO))["manifest.json"])) == 2


def test_rights_of_a_token_differ_per_repository(hub: Hub, bundle: Path) -> None:
    hub.store.rights = {"hf_fine": {"seabed/mine": "write", "seabed/theirs": "read"}}
    for name in ("mine", "theirs", "others"):
        hub.store.create("dataset", f"seabed/{name}")
    assert publish(hub, bundle, token="hf_fine", repo="seabed/mine") is not None
    assert "no write access to seabed/theirs" in refused(hub, bundle, token="hf_fine", repo="seabed/theirs")
    assert "no write access to seabed/others" in refused(hub, bundle, token="hf_fine", repo="seabed/others")
    done = publish(hub, bundle, token="hf_fine", repo="seabed/theirs", pr=True)
    assert done is not None
    assert done.pull_request == f"{hub.url}/datasets/seabed/theirs/discussions/1"


def test_a_private_repository_of_others(hub: Hub, bundle: Path) -> None:
    hub.store.create("dataset", REPO).private = True
    text = refused(hub, bundle, token="hf_fine")
    assert re_search("cannot see it|no write access", text), text
    assert publish(hub, bundle) is not None


def test_a_gated_repository(hub: Hub, bundle: Path) -> None:
    publish(hub, bundle)
    hub.store.repo("dataset", REPO).gated = True
    text = refused(hub, bundle, version="2", token="hf_reader")
    assert "is gated: ask for access on its page" in text
    assert AGAIN not in text


def test_a_renamed_repository_is_named(hub: Hub, bundle: Path) -> None:
    publish(hub, bundle)
    moved = hub.store.repos.pop(("dataset", REPO))
    moved.name = "seabed/SEA-BED-2"
    hub.store.repos["dataset", moved.name] = moved
    hub.store.moved["dataset", REPO] = moved.name
    hub.clear()
    assert "is now seabed/SEA-BED-2: give that name" in refused(hub, bundle)
    assert not [r for r in hub.log if r.method == "POST"]
    assert publish(hub, bundle, repo=moved.name) is not None


def test_a_token_with_a_letter_no_token_has(hub: Hub, bundle: Path) -> None:
    hub.store.tokens["hf_wrіter"] = "write"  # its third letter is Cyrillic
    text = refused(hub, bundle, token="hf_wrіter")
    assert "not ASCII" in text
    assert AGAIN not in text
    assert not hub.log


def test_requests_used_up_are_waited_for_as_the_hub_says(hub: Hub, bundle: Path) -> None:
    hub.rate = (0, 290)
    text = refused(hub, bundle)
    assert "wait 290 s" in text
    assert AGAIN in text, "here it does help"
    hub.rate = (1000, 290)
    assert publish(hub, bundle) is not None


SEND = """
import json, sys
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.utils import disable_progress_bars
from upload.hub import explain
disable_progress_bars()
told = {}
for name in json.loads(sys.argv[1]):
    file = CommitOperationAdd("a.parquet", b"PAR1" + name.encode())
    try:
        told[name] = HfApi().create_commit(f"seabed/{name}", [file], commit_message="a", repo_type="dataset").oid
    except Exception as error:
        told[name] = str(explain(error, "publish", f"seabed/{name}"))
print(json.dumps(told))
"""


def test_the_clients_own_way_of_sending_works_and_its_refusals_are_told_apart(tmp_path: Path) -> None:
    """Xet's client says the status in words only. Nobody sets HF_HUB_DISABLE_XET here."""
    expected = {
        "t401": "does not accept the token",
        "t403": "no write access to seabed/t403 .* or the storage of seabed is full",
        "t404": "does not exist, or the token cannot see it",
        "t402": "the plan of seabed",
        "t451": "for legal reasons",
        "blocks": "the plan of seabed",
    }

    def fault(request: Request) -> Status | None:
        if "/xet-write-token/" in request.path and "/seabed/t" in request.path:
            return Status(int(request.path.split("/seabed/t")[1][:3]))
        return Status(402) if "/v1/xorbs/" in request.path else None

    with Hub() as hub:
        for name in expected:
            hub.store.create("dataset", f"seabed/{name}")
        hub.fault = fault
        told = ask(SEND, environment(hub.url, tmp_path, token="hf_writer"), given=list(expected))
        for name, says in expected.items():
            assert re_search(says, told[name]), told[name]
            assert AGAIN not in told[name]
        hub.clear()
        told = ask(SEND, environment(hub.url, tmp_path, token="hf_writer"), given=["blocks"])
        repo = hub.store.repo("dataset", "seabed/blocks")
        assert told == {"blocks": repo.refs["refs/heads/main"]}
        assert repo.file("a.parquet") == b"PAR1blocks"


def test_a_publication_by_the_command_takes_the_clients_own_way(made: Path, tmp_path: Path) -> None:
    command = ["-m", "upload", "dataset", "--bundle", str(made), "--include-samples"]
    with Hub() as hub:
        env = environment(hub.url, tmp_path, token="hf_writer")
        assert "HF_HUB_DISABLE_XET" not in env
        run(command, env)
        asked = "\n".join(r.path for r in hub.log)
        assert "/v1/xorbs/" in asked
        assert "/upload/" not in asked
        files = content(hub.store.repo("dataset", REPO))
        assert not broken(hub.store.repo("dataset", REPO).find("main").tree)
        for path in (p for p in files if p.startswith("data/")):
            assert files[path] == (made / path).read_bytes()


DISK = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk is full",
    errno.EFBIG: "the disk is full",
    errno.EROFS: "cannot write",
    errno.EACCES: "cannot write",
    errno.ENOTDIR: "cannot write",
}


@pytest.mark.parametrize("number", DISK)
def test_a_disk_that_refuses(number: int) -> None:
    text = str(explain(OSError(number, "as the test asked", "/there/file"), "read back", REPO))
    assert DISK[number] in text
    assert "HF_HOME" in text
    assert "/there/file" in text


def test_a_cache_that_is_no_folder_is_one_line(made: Path, tmp_path: Path) -> None:
    (tmp_path / "hf").write_text("a file", encoding="utf-8")
    command = ["-m", "upload", "dataset", "--bundle", str(made), "--include-samples"]
    with Hub() as hub:
        publish_bundle(HfApi(hub.url, "hf_writer"), made, REPO, version="0", samples=True, say=lambda _: None)
        _, err = run(command, environment(hub.url, tmp_path, token="hf_writer"), code=1)
    # huggingface_hub warns of its own; ours is the last line.
    assert err.splitlines()[-1].startswith("error: cannot read manifest.json"), err
    assert "HF_HOME" in err


# -- rows that change


def change_rows(bundle: Path, name: str = "sample_sts_mya", **entry: Any) -> None:
    """Take the last row away, and let manifest and README say so."""
    import hashlib

    import pyarrow.parquet

    file = bundle / "data" / name / "test.parquet"
    table = pyarrow.parquet.read_table(file)
    pyarrow.parquet.write_table(table.slice(0, table.num_rows - 1), file)
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    data = file.read_bytes()
    manifest[name]["splits"]["test"] |= {
        "rows": table.num_rows - 1,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    manifest[name] |= entry
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    (bundle / "manifest.json").write_text(text, encoding="utf-8")
    (bundle / "README.md").write_text(readme(manifest), encoding="utf-8")


def of_version(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    known = catalogue.config
    monkeypatch.setattr(catalogue, "config", lambda name: known(name).model_copy(update={"version": number}))


def test_rows_that_change_need_a_higher_version(
    hub: Hub, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(hub, bundle)
    change_rows(bundle)
    hub.clear()
    for options in ({}, {"dry_run": True}, {"pr": True}, {"reason": "  "}):
        text = refused(hub, bundle, version="2", **options)
        assert re_search(r"sample_sts_mya \(version 1\): test \d+ -> \d+ rows", text)
        assert "raise `version` in the card" in text
        assert "sample_classification_ind" not in text
    assert not [r for r in hub.log if r.method == "POST"]
    of_version(monkeypatch, 2)
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest.values():
        entry["version"] = 2
    (bundle / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    assert publish(hub, bundle, version="2") is not None
    # A version that falls explains nothing.
    of_version(monkeypatch, 1)
    change_rows(bundle, version=1)
    for entry in (manifest := json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))).values():
        entry["version"] = 1
    (bundle / "manifest.json").write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n")
    assert "raise `version`" in refused(hub, bundle, version="3")


def test_rows_that_change_for_a_reason_keep_it_in_the_commit(hub: Hub, bundle: Path) -> None:
    publish(hub, bundle)
    change_rows(bundle)
    publish(hub, bundle, version="2", reason="the same rows, written by a newer Parquet writer")
    commit = hub.store.repo("dataset", REPO).history()[-1]
    assert "the same rows, written by a newer Parquet writer" in commit.description
    assert "sample_sts_mya (version 1)" in commit.description
    # A reason is for the rows that changed then, and for no others.
    change_rows(bundle)
    refused(hub, bundle, version="3")


@pytest.mark.parametrize(
    ("keys", "reasons", "told"),
    [
        ([], [], ({}, "")),
        ([], ["rows"], ({}, "rows")),
        (["a"], ["letter"], ({"a": "letter"}, "")),  # the only reason belongs to --include
        (["a", "b"], ["letter"], ({"a": "letter", "b": "letter"}, "")),
        (["a", "b"], ["one", "two"], ({"a": "one", "b": "two"}, "")),
        (["a"], ["letter", "rows"], ({"a": "letter"}, "rows")),
        (["a", "b"], ["one", "two", "rows"], ({"a": "one", "b": "two"}, "rows")),
    ],
)
def test_the_command_line_tells_reasons_apart(keys: list[str], reasons: list[str], told: Any) -> None:
    assert _reasons(keys, reasons) == told


@pytest.mark.parametrize(("keys", "reasons"), [([], ["one", "two"]), (["a"], []), (["a"], ["1", "2", "3"])])
def test_reasons_that_do_not_add_up(keys: list[str], reasons: list[str]) -> None:
    with pytest.raises(SeabedError, match=f"{len(keys)} --include but {len(reasons)} --reason"):
        _reasons(keys, reasons)


# -- sample sets


def test_sample_sets_are_published_only_when_asked(
    hub: Hub, bundle: Path, fake_mirror: Callable[[str], Path]
) -> None:
    assert "sample sets only; --include-samples" in refused(hub, bundle, samples=False)
    build(["ntrex_tha"], bundle, mirror=fake_mirror("ntrex"))
    accept = ["truncated", "SB401", "SB402"]
    said: list[str] = []
    publish(hub, bundle, samples=False, accept=accept, say=said.append)
    assert "not uploaded: 2 sample sets (--include-samples uploads them)" in said
    files = content(hub.store.repo("dataset", REPO))
    assert not [p for p in files if "sample" in p]
    assert "sample" not in files["manifest.json"].decode()
    # One that is there already goes with the next publication that does not ask for it.
    publish(hub, bundle, version="2", accept=accept)
    assert "data/sample_sts_mya/test.parquet" in content(hub.store.repo("dataset", REPO))
    publish(hub, bundle, version="3", samples=False, accept=accept)
    assert content(hub.store.repo("dataset", REPO)) == files


# -- files of the repository, and names in a manifest


RECORDS: dict[str, str] = {
    '{"included": {}, "taken_down": {}, "embargoed": {}}': "later version .*'embargoed'.*update the checkout",
    '{"included": [], "taken_down": {}}': "damaged: 'included'",
    '{"included": {"sts24": 1}}': "damaged: 'included'.'sts24'",
    '{"taken_down": {"sts24": {}}}': "damaged: 'taken_down'.'sts24'.'reason'",
    '{"taken_down": {"sts24": "asked"}}': "damaged: 'taken_down'.'sts24'",
    "[]": "damaged: not a JSON object",
    '{"included": {"sts': "damaged: not a JSON object",
    "": "damaged: not a JSON object",
    "[" * 100_000: "damaged: not a JSON object",
}


@pytest.mark.parametrize("text", RECORDS, ids=range(len(RECORDS)))
def test_a_record_that_is_damaged_or_of_a_later_version(text: str, hub: Hub, bundle: Path) -> None:
    publish(hub, bundle)
    hub.store.put("dataset", REPO, {"publication.json": text.encode()})
    hub.clear()
    told = refused(hub, bundle, version="2")
    assert re_search(RECORDS[text], told), told
    assert "publication.json of seabed/SEA-BED" in told
    assert len(told) < 600
    assert "\n" not in told
    assert not [r for r in hub.log if r.method == "POST"]
    assert len([r for r in hub.log if r.path.endswith("/publication.json") and r.method == "GET"]) < TRIES


GOOD = {
    "key": "sample_sts",
    "task": "sts",
    "splits": {"test": {"rows": 1, "bytes": 1, "sha256": "0" * 64}},
    "sources": [],
}
MANIFESTS: list[Any] = [
    [],
    {"a": []},
    {"a": {}},
    {"../../secret": GOOD},
    {"/etc": GOOD},
    {"a\n": GOOD},
    {"A": GOOD},
    {"a": GOOD | {"key": "../sts24"}},
    {"a": GOOD | {"splits": {"../../../secret/test": GOOD["splits"]["test"]}}},  # type: ignore[index]
    {"a": GOOD | {"splits": {"/etc/passwd": GOOD["splits"]["test"]}}},  # type: ignore[index]
    {"a": GOOD | {"splits": {"test": {"rows": 1, "bytes": 1}}}},
    {"a": GOOD | {"splits": {"test": {"rows": "1", "bytes": 1, "sha256": "0" * 64}}}},
    {"a": GOOD | {"splits": {"test": {"rows": 1, "bytes": 1, "sha256": "0" * 64 + "\n"}}}},
    {"a": GOOD | {"sources": {}}},
]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=range(len(MANIFESTS)))
def test_names_of_a_manifest_are_checked_before_anything_is_read(
    manifest: Any, hub: Hub, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_manifest({"a": GOOD}, "here")
    with pytest.raises(SeabedError, match="here is no manifest of a bundle") as failure:
        check_manifest(manifest, "here")
    assert "\n" not in str(failure.value)
    publish(hub, bundle)
    hub.store.put("dataset", REPO, {"manifest.json": json.dumps(manifest).encode()})
    assert re_search(r"manifest.json of seabed/SEA-BED", refused(hub, bundle, version="2"))
    (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    opened: list[str] = []
    monkeypatch.setattr("upload.validate.file_sha256", lambda path: opened.append(str(path)))
    with pytest.raises(SeabedError):
        check_bundle(bundle)
    assert not opened
