"""Pictures of the leaderboard page: `python -m tests.screenshots OUT [RESULTS ...]`.

Without result folders the page shows the paper's models and one run made up for the picture.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from seabed_evaluate.report.leaderboard import write_leaderboard
from seabed_evaluate.runner.results import read_results
from tests.browser import chromium, missing
from tests.result_maker import make_run

VIEWS = {
    "light": (1400, "light", ""),
    "dark": (1400, "dark", "#view=languages"),
    "phone": (390, "light", ""),
    "phone-dark": (390, "dark", "#view=languages"),
    "model": (1400, "light", "#model=bge-m3"),
}


def main(out: Path, places: list[str]) -> None:
    """Write the page to a temporary folder and photograph it."""
    if reason := missing():
        sys.exit(reason)
    out.mkdir(parents=True, exist_ok=True)
    results = read_results(places) if places else make_run(0.7, model="made/up-for-the-picture")
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        page_path = write_leaderboard(results, folder)
        for name, (width, scheme, address) in VIEWS.items():
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            page.goto(page_path.as_uri() + address)
            page.screenshot(path=out / f"{name}.png", full_page=True)
            print(out / f"{name}.png")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
