"""Clients of a loopback Hub in processes of their own: they read HF_ENDPOINT when they are imported."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def environment(url: str, home: Path, *, token: str = "", **more: str) -> dict[str, str]:
    """Settings of a client whose Hub is at `url`, whose caches are all under `home`, and that knows no other."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "SEABED_", "HUGGING"))}
    return inherited | {
        "HF_ENDPOINT": url,
        "HF_HOME": str(home / "hf"),
        "SEABED_CACHE": str(home / "seabed"),
        "HF_TOKEN": token,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "TQDM_DISABLE": "1",
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
        **more,
    }


def start(command: list[str], env: dict[str, str], cwd: Path = ROOT) -> subprocess.Popen[str]:
    """Start `python ...` and do not wait."""
    return subprocess.Popen(
        [sys.executable, *command],
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def run(
    command: list[str], env: dict[str, str], cwd: Path = ROOT, code: int = 0, timeout: float = 900
) -> tuple[str, str]:
    """Run `python ...` and return what it wrote to stdout and stderr; it must end with exit code `code`."""
    process = start(command, env, cwd)
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == code, (
        f"{command[:3]} ended with {process.returncode}\n{out[-3000:]}\n{err[-5000:]}"
    )
    assert "Traceback" not in err, err[-5000:]
    return out, err


def ask(script: str, env: dict[str, str], cwd: Path = ROOT, given: Any = None) -> Any:
    """Run a script that prints one line of JSON, and return it; `given` reaches it as sys.argv[1]."""
    out, _ = run(["-c", script, json.dumps(given)], env, cwd)
    return json.loads(out.splitlines()[-1])
