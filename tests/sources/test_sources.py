"""Getting raw files over real HTTP: once, whole, tried again, checked; from the Hub; and from a mirror."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from seabed_datasets.catalogue import Config, Dataset, read_card
from seabed_datasets.errors import SourceError
from seabed_datasets.sources import raw_files as sources
from tests.hub import Cut, Hub, Request, Status
from tests.loopback import Loopback, make
from tests.toy_card import write_card

BODY = "id,text\n1,สวัสดีค่ะ ยินดีต้อนรับ\n".encode()
SHA = hashlib.sha256(BODY).hexdigest()
PATH = "/some/repo/abc123/data/แฟ้ม 1.csv"
GITHUB: dict[str, Any] = {
    "kind": "github",
    "id": "some/repo",
    "revision": "abc123",
    "files": {"all": "data/แฟ้ม 1.csv"},
}
ById = Callable[..., Config]


@pytest.fixture
def web() -> Iterator[Loopback]:
    with Loopback() as server:
        yield server


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder; waits between attempts are skipped, requests are real."""
    monkeypatch.setenv("SEABED_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    return tmp_path / "cache"


@pytest.fixture
def toy(tmp_path: Path, web: Loopback, monkeypatch: pytest.MonkeyPatch) -> ById:
    """Makes a card `toy` of the given sources the only one, the server GitHub; gives its first config."""

    def make_card(*upstream: dict[str, Any], **seabed: Any) -> Config:
        path = write_card(tmp_path, "toy", upstream=list(upstream), **seabed)
        card: Dataset = read_card(path)
        monkeypatch.setattr(sources, "dataset", {"toy": card}.__getitem__)
        monkeypatch.setattr(sources, "GITHUB", web.url)
        return card.config(next(iter(card.seabed.configs)))

    return make_card


def files_under(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


# downloads


def test_a_github_file_is_downloaded_once(web: Loopback, cache: Path, toy: ById) -> None:
    web.files[PATH] = BODY
    config = toy(GITHUB)
    raw = sources.fetch(config)
    assert raw["all"].read_bytes() == BODY
    assert files_under(cache) == [raw["all"]]
    assert raw.used == [sources.Used("github", "some/repo", "abc123", "data/แฟ้ม 1.csv", SHA, len(BODY))]
    assert sources.fetch(config) == raw
    assert web.asked == [f"GET {PATH}"]


def test_without_a_revision_the_default_branch_is_read(web: Loopback, cache: Path, toy: ById) -> None:
    web.files[PATH.replace("abc123", "HEAD")] = BODY
    raw = sources.fetch(toy(GITHUB | {"revision": None}))
    assert (raw["all"].read_bytes(), raw.used[0].revision) == (BODY, None)


def test_a_file_below_an_address(web: Loopback, cache: Path, toy: ById) -> None:
    web.files |= {"/old/set/train.csv": b"one", "/old/set/tha/test.csv": BODY}
    files = {"train": "train.csv", "test": ["{lang}/test.csv"]}
    config = toy({"kind": "url", "id": f"{web.url}/old/set/", "files": files})
    raw = sources.fetch(config)
    assert (raw["train"].read_bytes(), raw["test"].read_bytes()) == (b"one", BODY)
    assert [(u.kind, u.path) for u in raw.used] == [("url", "train.csv"), ("url", "tha/test.csv")]
    assert sources.fetch(config).files == raw.files
    assert web.asked == ["GET /old/set/train.csv", "GET /old/set/tha/test.csv"]


def test_files_that_differ_in_the_query_only_are_two_files(web: Loopback, cache: Path, toy: ById) -> None:
    web.files["/export"] = BODY
    addresses = {f"{n}.csv": f"{web.url}/export?format=csv&sheet={n}" for n in "12"}
    source = {"kind": "url", "id": f"{web.url}/export", "files": {"all": ["1.csv", "2.csv"]}}
    one, two = sources.fetch(toy(source | {"addresses": addresses})).all("all")
    assert one != two
    assert (one.name, two.name) == ("1.csv", "2.csv")
    assert web.asked == [f"GET /export?format=csv&sheet={n}" for n in "12"]


def test_two_failures_are_tried_again(web: Loopback, cache: Path, toy: ById) -> None:
    web.files[PATH] = BODY
    web.faults[PATH] = [500, 500]
    assert sources.fetch(toy(GITHUB))["all"].read_bytes() == BODY
    assert web.asked == [f"GET {PATH}"] * 3


@pytest.mark.parametrize("faults", [[500, 503, 500], ["cut", "cut", "cut"], [500, "cut", 500]])
def test_three_failures_name_config_and_address(
    web: Loopback, cache: Path, toy: ById, faults: list[Any]
) -> None:
    web.files[PATH] = BODY
    web.faults[PATH] = faults
    config = toy(GITHUB)
    with pytest.raises(SourceError) as caught:
        sources.fetch(config)
    assert str(caught.value).startswith(f"toy_tha: cannot get {web.url}/some/repo/abc123/data/")
    assert len(web.asked) == 3
    assert files_under(cache) == []
    # The server is well again: nothing that was kept from before stands in the way.
    assert sources.fetch(config)["all"].read_bytes() == BODY


def test_a_server_that_is_not_there(web: Loopback, cache: Path, toy: ById) -> None:
    with Loopback() as other:
        gone = other.url
    with pytest.raises(SourceError, match=rf"toy_tha: cannot get {gone}/a.csv"):
        sources.fetch(toy({"kind": "url", "id": gone, "files": {"all": "a.csv"}}))


def test_a_cut_connection_leaves_no_half_file(web: Loopback, cache: Path, toy: ById) -> None:
    web.files[PATH] = BODY
    web.faults[PATH] = ["cut"]
    raw = sources.fetch(toy(GITHUB))
    assert raw["all"].read_bytes() == BODY
    assert files_under(cache) == [raw["all"]]


def test_a_file_that_is_not_the_cards_is_refused_and_not_kept(web: Loopback, cache: Path, toy: ById) -> None:
    web.files[PATH] = BODY
    web.faults[PATH] = [b"another version"] * 3
    config = toy(GITHUB | {"sha256": {"data/แฟ้ม 1.csv": SHA}})
    with pytest.raises(SourceError, match=rf"(?s)toy_tha: cannot get http://127.*{SHA}"):
        sources.fetch(config)
    assert files_under(cache) == []
    raw = sources.fetch(config)
    assert raw.used[0].sha256 == SHA
    # A copy that is damaged on disk is fetched anew.
    raw["all"].write_bytes(b"damaged")
    assert sources.fetch(config)["all"].read_bytes() == BODY


@pytest.mark.parametrize("path", ["corpus.zip", "data/*/*.json"])
def test_what_a_person_must_obtain_says_how(web: Loopback, cache: Path, toy: ById, path: str) -> None:
    config = toy({"kind": "manual", "id": "The Corpus", "files": {"all": path}, "access": "ask its authors"})
    with pytest.raises(SourceError) as caught:
        sources.fetch(config)
    said = str(caught.value)
    assert said.startswith("toy_tha: The Corpus must be obtained by hand: ask its authors.")
    assert path in said
    assert "DIR/toy/" in said
    assert "--mirror DIR" in said
    assert web.asked == []


# which files


def test_a_config_needs_its_own_sources_only(tmp_path: Path, toy: ById) -> None:
    only = {"kind": "github", "id": "for/vie", "files": {"all": "a"}, "configs": ["toy_vie"]}
    both = {"kind": "hf", "id": "for/{code}", "files": {"all": ["{code}/{lang}.csv", "b"]}}
    configs = {f"toy_{c}": {"languages": [c], "params": {"code": c[:2]}} for c in ("tha", "vie")}
    config = toy(only, both, configs=configs)
    assert [(n.id, n.folder, n.files) for n in sources.needs(config)] == [
        ("for/th", "for/th", {"all": ["th/tha.csv", "b"]})
    ]
    vie = read_card(tmp_path / "toy.md").config("toy_vie")
    assert [(n.id, n.folder) for n in sources.needs(vie)] == [("for/vie", ""), ("for/vi", "for/vi")]


def test_a_card_without_upstream_says_what_to_try(toy: ById) -> None:
    with pytest.raises(SourceError, match="no upstream source; try `seabed build toy_tha --from release`"):
        sources.fetch(toy())


def test_a_role_that_the_card_lacks(tmp_path: Path) -> None:
    raw = sources.Raw({"train": [tmp_path]})
    assert raw["train"] == tmp_path
    with pytest.raises(SourceError, match=r"no file 'test'; it names \['train'\]"):
        raw["test"]


# a mirror


def put(mirror: Path, path: str, text: str = "text") -> Path:
    file = mirror / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_a_mirror_holds_files_by_key_and_path(tmp_path: Path, web: Loopback, toy: ById) -> None:
    file = put(tmp_path / "m", "toy/data/แฟ้ม 1.csv")
    raw = sources.fetch(toy(GITHUB), tmp_path / "m")
    assert raw["all"] == file
    assert (raw.used[0].revision, raw.used[0].truncated) == ("abc123", None)
    assert web.asked == []


def test_a_mirror_shares_the_files_of_another_key(tmp_path: Path, toy: ById) -> None:
    put(tmp_path, "toy/SOURCE.json", json.dumps({"same_as": "other"}))
    put(tmp_path, "other/SOURCE.json", json.dumps({"truncated": {"a.csv": "first 10 rows"}}))
    files = [put(tmp_path, "other/a.csv"), put(tmp_path, "other/b.csv")]
    raw = sources.fetch(toy({"kind": "hf", "id": "a/b", "files": {"all": "*.csv"}}), tmp_path)
    assert raw.all("all") == files
    assert [u.truncated for u in raw.used] == ["first 10 rows", None]


def test_repositories_per_language_lie_apart_in_a_mirror(tmp_path: Path, toy: ById) -> None:
    for lang in ("tha", "mya"):
        for shard in (1, 0):
            put(tmp_path, f"toy/org/set-{lang}/data/test-{shard}.parquet", lang)
    put(tmp_path, "toy/org/set-tha/data/train-0.parquet", "another split")
    note = {"truncated": {"org/set-tha/data/test-0.parquet": "100 rows"}}
    put(tmp_path, "toy/SOURCE.json", json.dumps(note))
    source = {"kind": "hf", "id": "org/set-{lang}", "files": {"test": "data/test-*.parquet"}}
    one, two = toy(source, langs="tha mya"), read_card(tmp_path / "toy.md").config("toy_mya")
    tha, mya = sources.fetch(one, tmp_path), sources.fetch(two, tmp_path)
    for lang, raw in (("tha", tha), ("mya", mya)):
        assert [p.name for p in raw.all("test")] == ["test-0.parquet", "test-1.parquet"]
        assert {p.read_text("utf-8") for p in raw.all("test")} == {lang}
        assert {u.id for u in raw.used} == {f"org/set-{lang}"}
    assert [u.truncated for u in (*tha.used, *mya.used)] == ["100 rows", None, None, None]


@pytest.mark.parametrize(("path", "said"), [("a.csv", "no"), ("*.csv", "nothing that matches")])
def test_a_file_that_the_mirror_lacks_is_named(tmp_path: Path, toy: ById, path: str, said: str) -> None:
    config = toy({"kind": "hf", "id": "org/{lang}", "files": {"all": path}})
    with pytest.raises(SourceError) as caught:
        sources.fetch(config, tmp_path)
    assert str(caught.value).startswith(f"toy_tha: the mirror has {said} {Path('toy/org/tha') / path};")
    assert f"`seabed fetch toy --to {tmp_path}`" in str(caught.value)


def test_a_mirrors_file_must_be_the_cards_unless_it_is_cut(tmp_path: Path, toy: ById) -> None:
    config = toy({"kind": "hf", "id": "a/b", "files": {"all": "a.csv"}, "sha256": {"a.csv": SHA}})
    put(tmp_path, "toy/a.csv", BODY.decode())
    assert sources.fetch(config, tmp_path).used[0].sha256 == SHA
    put(tmp_path, "toy/a.csv", "something else")
    with pytest.raises(SourceError, match=rf"toy_tha: a.csv of a/b has sha256 \w+, the card says {SHA}"):
        sources.fetch(config, tmp_path)
    put(tmp_path, "toy/SOURCE.json", json.dumps({"truncated": {"a.csv": "1 row"}}))
    assert sources.fetch(config, tmp_path).used[0].truncated == "1 row"


# the Hub


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hub, dict[str, Any], dict[str, str]]]:
    """A Hub with a few repositories, and what `fetch` makes of the cards that name them."""
    # The Hub's own cache also has a folder of this name, above each commit.
    folder = tmp_path_factory.mktemp("hub") / "snapshots"
    folder.mkdir()
    shards = {f"data/train-0000{i}-of-00002.parquet": b"shard %d" % i for i in (1, 0)}
    others = {"data/test-00000-of-00001.parquet": b"-", "b.csv": b"b", "old/b.csv": b"-", "old/c.csv": b"c"}
    going_wrong: list[Any] = [Status(503), None, Cut()]

    def fault(request: Request) -> Any:
        if "/org/gated/resolve/" in request.path:
            return Status(403, {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access is restricted"})
        return going_wrong.pop(0) if "/org/cut/resolve/" in request.path and going_wrong else None

    with Hub() as server:
        server.fault = fault
        old = server.store.put("dataset", "org/pinned", {"data/a.csv": b"old"}).oid
        server.store.put("dataset", "org/pinned", {"data/a.csv": b"new"})
        commits = {"old": old, "shards": server.store.put("dataset", "org/shards", shards | others).oid}
        server.store.put("dataset", "org/cut", {"a.csv": BODY * 100})
        server.store.put("dataset", "org/gated", {"a.csv": b"secret"})
        digest = hashlib.sha256(b"what the card says").hexdigest()
        cases: dict[str, tuple[str, str, dict[str, Any]]] = {
            "pinned": ("org/pinned", "data/a.csv", {"revision": old}),
            "newest": ("org/pinned", "data/a.csv", {}),
            "again": ("org/pinned", "data/a.csv", {"revision": old}),
            "shards": ("org/shards", "data/train-*.parquet", {}),
            "top": ("org/shards", "*.csv", {}),
            "deep": ("org/shards", "**/*.csv", {}),
            "cut": ("org/cut", "a.csv", {}),
            "gated": ("org/gated", "a.csv", {}),
            "nofile": ("org/pinned", "data/b.csv", {}),
            "nomatch": ("org/shards", "data/dev-*.parquet", {}),
            "norepo": ("org/none", "a.csv", {}),
            "norepolist": ("org/none", "*.csv", {}),
            "other": ("org/pinned", "data/a.csv", {"revision": old, "sha256": {"data/a.csv": digest}}),
        }
        cards = [
            write_card(folder, key, upstream=[{"kind": "hf", "id": repo, "files": {"all": path}, **more}])
            for key, (repo, path, more) in cases.items()
        ]
        yield server, make(server.url, folder, "fetch", cards), commits


def test_a_pinned_revision_of_a_hub_file(hub: Any) -> None:
    _, made, commits = hub
    assert made["pinned_tha"]["files"] == {"all": ["old"]}
    used = made["pinned_tha"]["used"][0]
    assert (used["kind"], used["id"], used["path"]) == ("hf", "org/pinned", "data/a.csv")
    assert (used["revision"], used["bytes"]) == (commits["old"], 3)
    assert made["newest_tha"]["files"] == {"all": ["new"]}
    assert made["newest_tha"]["used"][0]["revision"] not in (commits["old"], "main", None)


def test_a_pinned_hub_file_is_asked_for_once(hub: Any) -> None:
    server, made, commits = hub
    assert made["again_tha"] == made["pinned_tha"]
    path = f"/datasets/org/pinned/resolve/{commits['old']}/data/a.csv"
    assert [r.method for r in server.log if r.path == path] == ["HEAD", "GET"]


def test_shards_of_a_hub_repository_by_their_pattern(hub: Any) -> None:
    _, made, commits = hub
    assert made["shards_tha"]["files"] == {"all": ["shard 0", "shard 1"]}
    assert {u["revision"] for u in made["shards_tha"]["used"]} == {commits["shards"]}
    # The same files as the same pattern finds in a mirror folder.
    assert made["top_tha"]["files"] == {"all": ["b"]}
    assert [u["path"] for u in made["deep_tha"]["used"]] == ["b.csv", "old/b.csv", "old/c.csv"]


def test_a_hub_download_that_breaks_off_is_tried_again(hub: Any) -> None:
    server, made, _ = hub
    assert made["cut_tha"]["files"] == {"all": [(BODY * 100).decode()]}
    asked = [r.method for r in server.log if "/org/cut/resolve/" in r.path]
    assert asked == ["HEAD", "HEAD", "GET", "GET"]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("gated", "org/gated is gated: accept its conditions on the Hub, then `hf auth login` and try again"),
        ("nofile", "cannot get data/b.csv of org/pinned at main: "),
        ("nomatch", "nothing matches data/dev-*.parquet in org/shards"),
        ("norepo", "cannot get a.csv of org/none at main: "),
        ("norepolist", "cannot list org/none at main: "),
        ("other", "data/a.csv of org/pinned has sha256 "),
    ],
)
def test_a_hub_file_that_cannot_be_had_says_why(hub: Any, case: str, said: str) -> None:
    _, made, _ = hub
    assert made[f"{case}_tha"]["error"] == "SourceError"
    assert made[f"{case}_tha"]["message"].startswith(f"{case}_tha: {said}")
