"""Headless Chromium for tests of the leaderboard page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


def missing() -> str | None:
    """Why no browser test can run here, or None."""
    for package in ("playwright", "axe_playwright_python"):
        if find_spec(package) is None:
            return f'{package} is not installed (pip install "seabed[browser]")'
    if not any(map(shutil.which, NAMES)):
        return "no Chromium on this machine (Debian: apt-get install chromium)"
    return None


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser with an empty profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        path = next(filter(None, map(shutil.which, NAMES)))
        browser = p.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
