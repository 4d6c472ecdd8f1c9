"""What others wrote is inert where it is shown; places that cannot be written are one line; identity by whole id."""

from __future__ import annotations

import csv
import errno
import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seabed_datasets import catalogue
from seabed_datasets.errors import SeabedError
from seabed_datasets.terminal import run as run_app
from seabed_evaluate.cli import app
from seabed_evaluate.report import formats, inert
from seabed_evaluate.report.leaderboard import page, page_data, write_leaderboard
from seabed_evaluate.report.mteb_export import write_mteb_results
from seabed_evaluate.report.ranks import scores_of
from seabed_evaluate.report.tables import tables
from seabed_evaluate.runner.results import write_result
from tests.result_maker import make_result, make_run, write_run

CONFIG = catalogue.config("sts24_mya")
NAMES = [
    "x\n\n# heading\n\n<script>alert(1)</script>",
    "![t](http://tracker.example/p.png)",
    "[ok](javascript:alert(1))",
    "[ok]: http://x.example",
    "a`b`c``",
    "a|b\\|c\\\\|d",
    "@somebody/x",
    "me@x.example",
    "owner/repo#1",
    "GH-12",
    "http://x.example",
    "www.x.example",
    "**bold** __bold__ ~~x~~",
    "\\input{/etc/passwd}",
    "\\\\[1cm]",
    "^^5cinput{x}",
    "a & b % c $ d # e _ f { g } h ~ i ^ j < k > l",
    "=HYPERLINK(1)",
    "+1+1",
    "-1+1",
    "\t=1",
    "\r=1",
    " =1",
    "＝1",
    "\x1b]0;owned\x07\x1b[31mred",
    "\x9b31m",
    "a\u202eb",
    "a\u2028# b",
    "&lt;b&gt;&#33;",
    "</script><script>alert(1)</script>",
    "<!--",
    "--><img src=x onerror=alert(1)>",
    "{{DATA}}",
]
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def shown(name: str) -> list[Any]:
    return tables([make_result(CONFIG, 0.5, model=name)], ("task", "dataset"), paper=False)


def only_text(markdown: str) -> None:
    """No line and no character of a Markdown text can do anything."""
    code = re.sub(r"<code>[^<>`\n]*</code>", "CODE", markdown)
    assert not re.search(r"[<>`@\\!]|\]\(|\]:|://|www\.|GH-\d|#\d", code), code
    assert not CONTROL.search(markdown)


@pytest.mark.parametrize("name", NAMES)
def test_markdown(name: str) -> None:
    text = formats.markdown(shown(name))
    for line in text.splitlines():
        assert not line or line.startswith(("### Scores by", "| ", "|---", "- ")), line
        only_text(line.removeprefix("### Scores by"))
    for part in text.split("###")[1:]:
        widths = {line.count("|") for line in part.splitlines() if line.startswith("|")}
        assert len(widths) == 1
    # Readers see the name itself.
    if not CONTROL.search(name) and "\n" not in name:
        assert name.strip().rsplit("\\", 1)[-1].rsplit("/", 1)[-1] in unescape(text)


@given(st.text(max_size=30) | st.text(alphabet="ab_*[]()!<>&`|\\@#:/. \n-+=1~", max_size=20))
@settings(max_examples=500, deadline=None)
def test_markdown_of_any_text(text: str) -> None:
    made = inert.markdown(text)
    only_text(made)
    assert "|" not in made
    assert "\n" not in made


def test_plain_names_stay_plain() -> None:
    for name in (
        "intfloat/multilingual-e5-small [0123abcd]",
        "91.20 ±0.31 (3/94)",
        "-",
        "#",
        "LaBSE (paper)",
    ):
        assert inert.markdown(name) == name
    note = "A cell such as 91.20 (3/94) covers 3 of 94 units; a row that misses units has no average."
    assert inert.markdown(note) == note


OWN = re.compile(
    r"\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textquotedbl)\{\}"
    r"|\\[&%$#_{}]|\$\\pm\$|\{[\[\]*]\}"
)


@given(st.text(max_size=30) | st.text(alphabet='ab\\{}[]^~%&$#_*<>|"±', max_size=20) | st.sampled_from(NAMES))
@settings(max_examples=500, deadline=None)
def test_latex(text: str) -> None:
    assert not re.search(r"[\\&%$#_{}^~<>|\"\[\]*]", OWN.sub("", inert.latex(text)))


def test_a_latex_table_holds_its_own_commands_only() -> None:
    for name in NAMES:
        text = OWN.sub("", formats.latex(shown(name)))
        found = set(re.findall(r"\\[A-Za-z]+", text))
        allowed = ["begin", "end", "centering", "toprule", "midrule", "bottomrule", "textbf", "caption"]
        assert found <= {f"\\{w}" for w in allowed}, name


FORMULA = re.compile(r"\s*[=+\-@＝＋－＠\t\r]")


@pytest.mark.parametrize("name", NAMES)
def test_csv(name: str) -> None:
    rows = list(csv.DictReader(io.StringIO(formats.csv_text(shown(name)))))
    assert rows
    for row in rows:
        assert not FORMULA.match(row["model"])
        assert not CONTROL.search(row["model"])
        assert float(row["score"]) == 50.0


@given(st.text(max_size=20) | st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.none())
@settings(max_examples=300, deadline=None)
def test_csv_cells(value: Any) -> None:
    made = inert.csv_cell(value)
    if isinstance(value, str):
        assert not FORMULA.match(made) or re.fullmatch(r"[+-]?[0-9]+(\.[0-9]+)?", made)
    else:
        assert made is value


def test_numbers_as_text_stay_numbers() -> None:
    assert [inert.csv_cell(v) for v in ("-1", "+1", "-0.25", "0")] == ["-1", "+1", "-0.25", "0"]


@pytest.mark.parametrize("name", NAMES)
def test_json_is_json_and_shows_no_control_characters(name: str) -> None:
    text = formats.json_text(shown(name))
    assert not CONTROL.search(text)
    found = json.loads(text, parse_constant=pytest.fail)
    assert found[0]["rows"][0]["scores"]["sts"]["score"] == 50.0


def test_nan_has_no_place_in_a_table() -> None:
    for score in (float("nan"), float("inf")):
        with pytest.raises(SeabedError, match="which has no place in a table"):
            tables([make_result(CONFIG, 0.5) | {"score": score}])


@pytest.mark.parametrize("score", ["nan", "inf", "x", ""])
def test_nan_in_a_list_of_scores_has_no_rank(score: str, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(f"model,score\na,1\nb,{score}\n")
    with pytest.raises(SeabedError, match="line 3: score is"):
        scores_of(str(path))


# ---- the terminal and the notes ----


def command(
    *args: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[int, str, str]:
    """A command as a user runs it: exit code, stdout, stderr."""
    monkeypatch.setattr("sys.argv", ["seabed", *map(str, args)])
    with pytest.raises(SystemExit) as caught:
        run_app(app)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    return int(caught.value.code or 0), out, err


def test_a_report_names_what_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_run([make_result(CONFIG, 0.5)], tmp_path)
    (folder / "ev\x1b[31mil.json").write_text('{"score": NaN}')
    for form in ("table", "md", "csv", "json", "latex"):
        code, out, err = command("report", folder, "--format", form, capsys=capsys, monkeypatch=monkeypatch)
        assert code == 0
        assert "NaN is no number" in err
        assert "il.json" in err
        assert "\x1b" not in out + err
        assert ("LEFT OUT" in out) == (form != "csv")
    code, _, err = command(
        "leaderboard", folder, "--out", tmp_path / "s", capsys=capsys, monkeypatch=monkeypatch
    )
    assert code == 0
    assert "LEFT OUT" in (tmp_path / "s" / "index.html").read_text(encoding="utf-8")
    code, out, err = command("compare", folder, folder, capsys=capsys, monkeypatch=monkeypatch)
    assert code == 1
    assert "items.npz is missing" in err


@pytest.mark.parametrize("name", NAMES)
def test_names_reach_no_terminal_as_commands(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_result(tmp_path / "x.json", make_result(CONFIG, 0.5, model=name))
    _, out, err = command("report", tmp_path, "--by-config", capsys=capsys, monkeypatch=monkeypatch)
    assert not CONTROL.search(out + err)


# ---- places ----


def blocked(tmp_path: Path, kind: str) -> Path:
    if kind == "a file":
        (tmp_path / "file").write_text("kept")
        return tmp_path / "file"
    if kind == "below a file":
        (tmp_path / "file").write_text("kept")
        return tmp_path / "file" / "below"
    return Path("/proc/nowhere")


@pytest.mark.parametrize("kind", ["a file", "below a file", "a place where nothing can be made"])
@pytest.mark.parametrize("what", ["leaderboard", "plot", "export"])
def test_a_place_that_cannot_be_written_is_one_line(
    what: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind.startswith("a place") and not Path("/proc").is_dir():
        pytest.skip("no /proc here")
    folder = write_run(make_run(0.5, list(catalogue.configs())[::4]), tmp_path / "r")
    out = blocked(tmp_path, kind)
    code, _, err = command(what, folder, "--out", out, capsys=capsys, monkeypatch=monkeypatch)
    assert code == 1
    (line,) = err.strip().splitlines()
    assert line.startswith("error: cannot write ")
    assert str(out) in line
    if "file" in kind:
        assert (tmp_path / "file").read_text() == "kept"


def test_folders_where_files_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_run([make_result(CONFIG, 0.5)], tmp_path / "r")
    (tmp_path / "site" / "index.html").mkdir(parents=True)
    code, _, err = command(
        "leaderboard", folder, "--out", tmp_path / "site", capsys=capsys, monkeypatch=monkeypatch
    )
    assert (code, "a folder is there" in err) == (1, True)
    (tmp_path / "x.svg").mkdir()
    code, _, err = command(
        "ranks", "table5", "table5:sts", "--plot", tmp_path / "x.svg", capsys=capsys, monkeypatch=monkeypatch
    )
    assert (code, "a folder is there" in err) == (1, True)


@pytest.mark.parametrize("report", ["file/report.json", "folder"])
def test_a_build_says_before_it_begins_that_its_report_cannot_be_written(
    report: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("kept")
    (tmp_path / "folder").mkdir()
    code, _, err = command(
        *("build", "sample_sts_mya", "--out", tmp_path / "b", "--report", tmp_path / report),
        capsys=capsys,
        monkeypatch=monkeypatch,
    )
    assert (code, err.startswith("error: cannot write ")) == (1, True)
    assert not (tmp_path / "b").exists()
    assert (tmp_path / "file").read_text() == "kept"


def test_a_full_disk_leaves_the_old_page_and_no_scraps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_leaderboard([], tmp_path)
    before = path.read_bytes()

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("seabed_datasets.files.os.replace", full)
    with pytest.raises(SeabedError, match=r"cannot write .*: No space left on device"):
        write_leaderboard([make_result(CONFIG, 0.5)], tmp_path)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["README.md", "index.html"]


# ---- exports ----

ODD = [
    "..",
    ".",
    "/",
    "../../up",
    "/abs/secret/m",
    r"C:\secret\m",
    "NUL",
    "a\nb",
    "x" * 900,
    "a/../../b",
    "~",
    "",
]


@pytest.mark.parametrize("revision", ["..", "../../up", "/abs/secret", "x" * 900, "CON", None])
def test_an_export_stays_in_its_folder(revision: str | None, tmp_path: Path) -> None:
    for number, model in enumerate([*ODD, *NAMES]):
        made = make_result(CONFIG, 0.5, model=model)
        made["model"]["revision"] = revision
        top = tmp_path / str(number)
        out = top / "a" / "b" / "c" / "out"
        (written,) = write_mteb_results([made], out)
        files = [p for p in top.rglob("*") if p.is_file()]
        assert len(files) == 2
        assert written in files
        assert all(len(p.relative_to(out).parts) == 3 for p in files)


def test_an_export_holds_no_path_of_the_authors_machine(tmp_path: Path) -> None:
    made = make_result(CONFIG, 0.5, model="/home/me/secret/model")
    made["model"]["modules"] = {"0": "/home/me/secret/model/0"}
    write_mteb_results([made], tmp_path)
    for path in tmp_path.rglob("*.json"):
        assert "secret" not in path.read_text(encoding="utf-8")
        assert "secret" not in str(path.relative_to(tmp_path))
    for write in (formats.markdown, formats.latex, formats.csv_text, formats.json_text):
        assert "secret" not in write(tables([made]))
    assert "secret" not in page(page_data([made], paper=False))


def test_two_models_of_one_folder_name_are_not_mixed(tmp_path: Path) -> None:
    one, other = (make_result(CONFIG, 0.5, model=m) for m in ("a b", "a?b"))
    with pytest.raises(SeabedError, match="two runs of"):
        write_mteb_results([one, other | {"run": one["run"]}], tmp_path)


# ---- identity ----


def facts(**model: Any) -> dict[str, Any]:
    made = make_result(CONFIG, 0.5)
    made["model"] |= model
    (found,) = page_data([made], paper=False)["models"]
    return {k: found[k] for k in ("size", "access", "license", "hub")}


UNKNOWN = {"size": None, "access": "unknown", "license": None, "hub": None}


def test_a_model_is_known_by_its_whole_id() -> None:
    own = facts(model="intfloat/multilingual-e5-small", revision="0" * 40)
    assert (own["hub"], own["access"]) == ("intfloat/multilingual-e5-small", "open")
    assert (
        facts(model="openai:text-embedding-3-small", encoder="api", base_url="https://api.openai.com/v1")[
            "access"
        ]
        == "api"
    )


@pytest.mark.parametrize(
    "model",
    [
        {"model": "evil/multilingual-e5-small"},
        {"model": "multilingual-e5-small"},
        {"model": "GritLM-7B"},
        {"model": "x/GritLM-7B", "revision": "sha256:00"},
        {"model": "/models/intfloat/multilingual-e5-small", "revision": "sha256:00"},
        {"model": "intfloat/multilingual-e5-small", "revision": "sha256:00"},
        {"model": "intfloat/multilingual-e5-small/"},
        {"model": "INTFLOAT/multilingual-e5-small"},
        {"model": "module:multilingual-e5-small", "encoder": "user"},
        {"model": "openai:text-embedding-3-small", "encoder": "api", "base_url": "http://localhost:1/v1"},
        {"model": "text-embedding-3-small"},
    ],
)
def test_a_name_like_a_known_models_gives_no_identity(model: dict[str, Any]) -> None:
    assert facts(**model) == UNKNOWN


def test_a_strangers_model_does_not_take_a_papers_row_in_ranks(tmp_path: Path) -> None:
    write_run(make_run(0.5, model="evil/bge-m3"), tmp_path)
    assert "bge-m3" not in scores_of(str(tmp_path))
    write_run(make_run(0.5, model="BAAI/bge-m3"), tmp_path / "own")
    assert "bge-m3" in scores_of(str(tmp_path / "own"))


def test_a_file_that_claims_anothers_run_is_a_row_of_its_own() -> None:
    one, other = make_result(CONFIG, 0.5, model="a"), make_result(CONFIG, 0.9, model="b")
    (table,) = tables([one, other | {"run": one["run"]}], ("task",), paper=False)
    assert sorted((r.model, r.cells["sts"].score) for r in table.rows) == [("a", 0.5), ("b", 0.9)]


# ---- the page as a file ----


def test_the_policy_allows_the_pages_own_scripts_and_styles_only() -> None:
    import base64
    import hashlib

    html = page(page_data([make_result(CONFIG, 0.5, model=NAMES[0])], paper=True))
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', html)
    rules = {r.split()[0]: r.split()[1:] for r in policy.split("; ")}
    assert rules["default-src"] == ["'none'"]
    assert not [v for values in rules.values() for v in values if "unsafe" in v or "http" in v]
    for kind, tag in (("script-src", "script"), ("style-src", "style")):
        texts = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digests = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts]
        assert rules[kind] == [f"'sha256-{d}'" for d in digests]
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_page_js_makes_no_html_of_text() -> None:
    from seabed_evaluate.report import leaderboard

    source = (Path(leaderboard.__file__).parent / "page.js").read_text(encoding="utf-8")
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", source)


def test_names_that_differ_in_signs_only_have_pages_of_their_own() -> None:
    results = [make_result(CONFIG, 0.5, model=m) | {"run": "0" * 16} for m in ("a b", "a?b")]
    ids = [m["id"] for m in page_data(results, paper=False)["models"]]
    assert len(set(ids)) == 2
