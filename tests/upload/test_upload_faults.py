"""Publishing when things go wrong: nothing partial is ever visible, the message helps, a rerun finishes.

Every request of a publication is failed in turn, in several ways. `pytest -s` prints how many faults were tried.
"""

from __future__ import annotations

import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from threading import Thread

import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError
from tests.hub import Cut, Drop, Hub, Request, Status, storm
from tests.hub.clients import ROOT, environment, start
from tests.hub.publishing import NEW, OLD, REPO, broken, content, copy
from tests.hub.server import Decide, Fault
from tests.hub.store import Repo, Store
from upload import dataset as publishing
from upload import spaces
from upload.dataset import publish_bundle
from upload.takedown import take_down

HELPFUL = re.compile(r"run the same command again|hf auth login|--pr|free space")
tried: list[str] = []


@dataclass
class Case:
    """A publication that can be repeated from the same beginning."""

    store: Callable[[], Store]
    publish: Callable[[HfApi], object]
    kind: str
    repo: str
    requests: int = 0
    result: dict[str, bytes] = field(default_factory=dict)


@pytest.fixture(scope="module", autouse=True)
def _count() -> Iterator[None]:
    disable_progress_bars()
    yield
    print(f"\nfaults injected: {len(tried)}")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("bundles")
    for name, configs in (("old", OLD), ("new", NEW)):
        assert not build(configs, folder / name).failed
    return folder / "old", folder / "new"


@pytest.fixture(scope="module")
def cases(bundles: tuple[Path, Path]) -> dict[str, Case]:
    """The old bundle is on the Hub; the new one adds two configs, keeps one and takes one away."""
    old, new = bundles
    with pytest.MonkeyPatch.context() as patch, Hub() as hub:
        patch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        patch.setattr(constants, "HF_HUB_CACHE", str(old.parent / "cache"))
        publish_bundle(HfApi(hub.url, "hf_writer"), old, REPO, version="1", samples=True, say=lambda _: None)
        before = hub.store.repo("dataset", REPO)
        made = {
            "first": Case(Store, lambda api: _publish(api, old, "1"), "dataset", REPO),
            "update": Case(lambda: copy(before), lambda api: _publish(api, new, "2"), "dataset", REPO),
            "takedown": Case(lambda: copy(before), _take_down, "dataset", REPO),
            "space": Case(Store, _space, "space", "seabed/sts"),
        }
        for name, case in made.items():
            patch.setattr(constants, "HF_HUB_CACHE", str(old.parent / name))
            with Hub(case.store()) as clean:
                case.publish(HfApi(clean.url, "hf_writer"))
                case.requests = len(clean.log)
                case.result = content(clean.store.repo(case.kind, case.repo))
    return made


def _publish(api: HfApi, bundle: Path, version: str) -> object:
    return publish_bundle(api, bundle, REPO, version=version, samples=True, prune=True, say=lambda _: None)


def _take_down(api: HfApi) -> object:
    day = date(2026, 1, 2)
    return take_down(api, "sample_sts", REPO, reason="asked", version="2", today=day, say=lambda _: None)


def _space(api: HfApi) -> object:
    return spaces.publish_metrics(api, "seabed", version="release-1", only=["sts"], say=lambda _: None)


@pytest.fixture(autouse=True)
def _checked_once(bundles: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """The bundles are checked before anything is sent; here once, not again for each fault."""
    from seabed_datasets.bundle.manifest import read_manifest

    monkeypatch.setattr(publishing, "check_bundle", read_manifest)
    monkeypatch.setattr(publishing, "findings", lambda *_: [])


def attempt(what: str, case: Case, fault: Decide) -> str | None:
    """Publish with a fault, check that nothing partial is visible, and finish with a rerun."""
    hits: list[Request] = []

    def noted(request: Request) -> Fault | None:
        found = fault(request)
        if found:
            hits.append(request)
        return found

    with Hub(case.store()) as hub:
        hub.fault = noted
        started = len(_history(hub, case))
        error = None
        try:
            case.publish(HfApi(hub.url, "hf_writer"))
        except SeabedError as failure:
            error = str(failure)
            assert HELPFUL.search(error), error
        _nothing_partial(hub, case)
        hub.clear()
        case.publish(HfApi(hub.url, "hf_writer"))
        _nothing_partial(hub, case)
        repo = hub.store.repo(case.kind, case.repo)
        assert content(repo) == case.result
        assert len(repo.history()) == max(started, 1) + 1, "one commit, never two"
        assert repo.refs["refs/heads/main"] in [
            oid for ref, oid in repo.refs.items() if ref.startswith("refs/tags/")
        ]
        # And nothing more to do.
        hub.clear()
        case.publish(HfApi(hub.url, False))
        assert not [r for r in hub.log if r.method != "GET" and r.method != "HEAD"]
    if hits:
        tried.append(f"{case.repo}: {what}, {hits[0].method} {hits[0].path}")
    # How many requests read back in parallel varies by one or two.
    return error if hits else "not reached"


def _history(hub: Hub, case: Case) -> list[object]:
    repo = hub.store.repos.get((case.kind, case.repo))
    return list(repo.history()) if repo else []


def _nothing_partial(hub: Hub, case: Case) -> None:
    repo: Repo | None = hub.store.repos.get((case.kind, case.repo))
    for commit in repo.history() if repo else []:
        assert case.kind == "space" or not broken(commit.tree)
    for ref, oid in (repo.refs if repo else {}).items():
        if ref.startswith("refs/tags/") and ref != "refs/tags/1":
            assert content(repo, oid) == case.result, "a tag is set only on what is complete"  # type: ignore[arg-type]


def once(index: int, fault: Fault) -> Decide:
    return lambda request: fault if request.index == index else None


ONCE: dict[str, Fault] = {
    "dropped before": Drop(),
    "dropped after it took effect": Drop(after=True),
    "500": Status(500),
    "503 in HTML": Status(503, text="<html>Service Unavailable</html>"),
    "429": Status(429, {"Retry-After": "1"}),
    "answer cut in the middle": Cut(),
}
FOR_GOOD = {"dropped": 0, "500": 500, "429": 429, "502": 502}


# Every way of failing on an update; on the others, which go through the same code, dropped connections.
EACH_ONCE = [("update", f) for f in ONCE] + [
    (name, f) for name in ("first", "takedown", "space") for f in list(ONCE)[:2]
]
EACH_FOR_GOOD = [("update", f) for f in FOR_GOOD] + [
    (name, "dropped") for name in ("first", "takedown", "space")
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), EACH_ONCE)
def test_one_request_fails(name: str, fault: str, cases: dict[str, Case]) -> None:
    case = cases[name]
    assert case.requests > 15
    for index in range(case.requests):
        attempt(f"{fault} once", case, once(index, ONCE[fault]))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), EACH_FOR_GOOD)
def test_everything_fails_from_a_request_on(name: str, fault: str, cases: dict[str, Case]) -> None:
    case = cases[name]
    for index in range(case.requests):
        error = attempt(f"{fault} from here on", case, storm(FOR_GOOD[fault], index, None, Retry_After="2"))
        assert error, f"request {index}"


@pytest.mark.parametrize("length", [3, 12])
def test_a_storm_that_passes_is_waited_out(length: int, cases: dict[str, Case]) -> None:
    for index in range(0, cases["update"].requests, 3):
        attempt(f"429 for {length} requests", cases["update"], storm(429, index, length, Retry_After="1"))


def test_a_long_wait_is_not_waited_but_said(cases: dict[str, Case]) -> None:
    error = attempt("429 for an hour", cases["update"], storm(429, 0, None, Retry_After="3600"))
    assert error is not None
    assert "wait 3600 s" in error


@pytest.mark.parametrize(
    ("token", "says"),
    [
        ("hf_reader", "only reads"),
        ("hf_fine", "no write access"),
        ("hf_wrong", "does not accept the token"),
        (None, "no Hub token"),
    ],
)
def test_a_token_that_may_not_write(
    token: str | None, says: str, cases: dict[str, Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.hf_api.get_token", lambda: None)
    tried.append(f"token {token}")
    with Hub(cases["update"].store()) as hub:
        before = content(hub.store.repo("dataset", REPO))
        with pytest.raises(SeabedError, match=says) as failure:
            cases["update"].publish(HfApi(hub.url, token))
        assert HELPFUL.search(str(failure.value))
        assert content(hub.store.repo("dataset", REPO)) == before
        assert not [r for r in hub.log if "/commit/" in r.path]
        cases["update"].publish(HfApi(hub.url, "hf_writer"))
        assert content(hub.store.repo("dataset", REPO)) == cases["update"].result


def test_somebody_else_publishes_in_between(cases: dict[str, Case]) -> None:
    case = cases["update"]
    tried.append("another commit before ours")
    with Hub(case.store()) as hub:
        api = HfApi(hub.url, "hf_writer")
        hub.before_commit = lambda: print(hub.store.put("dataset", REPO, {"NOTES.md": b"by hand"}).oid)
        with pytest.raises(SeabedError, match=r"somebody else changed .* run the same command again"):
            case.publish(api)
        _nothing_partial(hub, case)
        case.publish(api)
        assert content(hub.store.repo("dataset", REPO)) == {**case.result, "NOTES.md": b"by hand"}


def test_somebody_else_publishes_the_same(cases: dict[str, Case]) -> None:
    case = cases["update"]
    tried.append("the same commit before ours")
    with Hub(case.store()) as hub:
        hub.before_commit = lambda: print(case.publish(HfApi(hub.url, "hf_writer")))
        case.publish(HfApi(hub.url, "hf_writer"))
        assert content(hub.store.repo("dataset", REPO)) == case.result
        assert len(hub.store.repo("dataset", REPO).history()) == 3


@pytest.mark.parametrize("repeat", range(3))
def test_two_publishers_at_once(repeat: int, cases: dict[str, Case], bundles: tuple[Path, Path]) -> None:
    """Each has configs of its own and reruns until it is done: in the end the Hub holds all."""
    tried.append("two at once")
    old, new = bundles
    errors: list[str] = []
    with Hub() as hub:
        first = HfApi(hub.url, "hf_writer")
        publish_bundle(first, old, REPO, version="0", samples=True, say=lambda _: None)

        def publisher(bundle: Path, version: str) -> None:
            for _ in range(5):
                try:
                    publish_bundle(
                        HfApi(hub.url, "hf_writer"),
                        bundle,
                        REPO,
                        version=version,
                        samples=True,
                        say=lambda _: None,
                    )
                    return
                except SeabedError as error:
                    errors.append(str(error))

        half = new.parent / f"half{repeat}"
        build(["sample_retrieval_tha"], half)
        threads = [Thread(target=publisher, args=(b, v)) for b, v in ((new, "a"), (half, "b"))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        repo = hub.store.repo("dataset", REPO)
        assert all(not broken(commit.tree) for commit in repo.history())
        assert all("somebody else" in e for e in errors), errors
        there = {path.split("/")[1] for path in content(repo) if path.startswith("data/")}
        assert there == {*OLD, *NEW, "sample_retrieval_tha"}
        assert {"refs/tags/0", "refs/tags/a", "refs/tags/b"} <= set(repo.refs)


def test_a_file_that_reads_back_wrong_is_not_tagged(cases: dict[str, Case]) -> None:
    tried.append("other bytes come back")
    case = cases["update"]

    def other(request: Request) -> Status | None:
        if request.method == "GET" and request.path.endswith("/README.md"):
            return Status(
                200, {"X-Repo-Commit": request.path.split("/")[5]}, "x" * len(case.result["README.md"])
            )
        return None

    with Hub(case.store()) as hub:
        hub.fault = other
        with pytest.raises(SeabedError, match=r"README.md reads back as .* not tagged"):
            case.publish(HfApi(hub.url, "hf_writer"))
        assert "refs/tags/2" not in hub.store.repo("dataset", REPO).refs


@pytest.mark.parametrize("limit", [500, 2500, 4000])
def test_a_full_disk(limit: int, cases: dict[str, Case], bundles: tuple[Path, Path], tmp_path: Path) -> None:
    """A limit on the size of written files stands for a disk that is full."""
    tried.append(f"no file may have more than {limit} bytes")
    case = cases["update"]
    command = [
        "-m",
        "upload",
        "dataset",
        "--bundle",
        str(bundles[1]),
        "--repo",
        REPO,
        "--version",
        "2",
        "--prune",
        "--include-samples",
    ]
    with Hub(case.store()) as hub:
        env = environment(hub.url, tmp_path, token="hf_writer")
        done = subprocess.run(
            [sys.executable, *command],
            env=env,
            cwd=ROOT,
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        assert done.returncode == 1, done.stdout + done.stderr
        assert "free space" in done.stderr
        assert "Traceback" not in done.stderr
        _nothing_partial(hub, case)
        again = subprocess.run([sys.executable, *command], env=env, cwd=ROOT, capture_output=True, text=True)
        assert again.returncode == 0, again.stderr
        assert content(hub.store.repo("dataset", REPO)) == case.result
        assert "refs/tags/2" in hub.store.repo("dataset", REPO).refs


# The command's way of sending is Xet; "/upload/" is the plain one.
MOMENTS = [
    "/preupload/",
    "/xet-write-token/",
    "/v1/xorbs/",
    "/v1/shards",
    "/upload/",
    "/commit/",
    "/resolve/",
    "/tag/",
]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("after", [False, True])
def test_a_publisher_that_is_killed(
    moment: str, after: bool, cases: dict[str, Case], bundles: tuple[Path, Path], tmp_path: Path
) -> None:
    tried.append(f"killed {'after' if after else 'at'} {moment}")
    case = cases["first"]
    command = ["-m", "upload", "dataset", "--bundle", str(bundles[0]), "--repo", REPO, "--version", "1"]
    command += ["--include-samples"]
    with Hub(case.store()) as hub:
        plain = {"HF_HUB_DISABLE_XET": "1"} if moment == "/upload/" else {}
        env = environment(hub.url, tmp_path, token="hf_writer", **plain)
        process = start(command, env)

        def kill(request: Request) -> Drop | None:
            if moment not in request.path:
                return None
            process.send_signal(signal.SIGKILL)
            return Drop(after=after)

        hub.fault = kill
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        _nothing_partial(hub, case)
        hub.clear()
        again = subprocess.run([sys.executable, *command], env=env, cwd=ROOT, capture_output=True, text=True)
        assert again.returncode == 0, again.stderr
        repo = hub.store.repo("dataset", REPO)
        assert content(repo) == case.result
        assert len(repo.history()) == 2
        assert "refs/tags/1" in repo.refs
