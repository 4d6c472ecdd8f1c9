"""Write the libraries and fonts of the leaderboard page: `python upload/vendor_leaderboard.py` (npm, fonttools).

From the versions pinned in seabed_evaluate/report/leaderboard/vendor/package.json: DataTables as it is, the used part
of Observable Plot as one script, and per script a font of just the letters in languages.toml.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
VENDOR = ROOT / "seabed_evaluate" / "report" / "leaderboard" / "vendor"
PLOT = (
    "import {plot, dot, text, link, ruleX, ruleY, tickX, tip, pointer} from '@observablehq/plot';\n"
    "window.Plot = {plot, dot, text, link, ruleX, ruleY, tickX, tip, pointer};\n"
)
FONTS = {"thai": "tha", "myanmar": "mya", "khmer": "khm", "lao": "lao", "tamil": "tam"}
LICENCES = {
    "DataTables": "datatables.net/License.txt",
    "Observable Plot": "@observablehq/plot/LICENSE",
    "D3 (inside plot.js; its modules share this licence)": "d3/LICENSE",
    "Noto Sans Thai": "@fontsource/noto-sans-thai/LICENSE",
    "Noto Sans Myanmar": "@fontsource/noto-sans-myanmar/LICENSE",
    "Noto Sans Khmer": "@fontsource/noto-sans-khmer/LICENSE",
    "Noto Sans Lao": "@fontsource/noto-sans-lao/LICENSE",
    "Noto Sans Tamil": "@fontsource/noto-sans-tamil/LICENSE",
}


def main() -> None:
    """Install into a temporary folder, bundle, subset, copy."""
    from seabed_evaluate.encoders.prompts import read_toml

    languages = read_toml(VENDOR.parent / "languages.toml")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(VENDOR / "package.json", folder)
        subprocess.run(["npm", "install", "--silent"], cwd=folder, check=True)
        modules = folder / "node_modules"
        shutil.copy(modules / "datatables.net/js/dataTables.min.js", VENDOR / "datatables.js")
        (folder / "plot.mjs").write_text(PLOT, encoding="utf-8")
        bundle = ["npx", "esbuild", "plot.mjs", "--bundle", "--minify", "--format=iife"]
        bundle += ["--legal-comments=none", f"--outfile={VENDOR / 'plot.js'}"]
        subprocess.run(bundle, cwd=folder, check=True)
        for script, language in FONTS.items():
            package = modules / f"@fontsource/noto-sans-{script}/files"
            letters = languages[language]["native"] + languages[language]["greeting"]
            subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "fontTools.subset",
                    str(package / f"noto-sans-{script}-{script}-400-normal.woff2"),
                    f"--text={letters}",
                    "--flavor=woff2",
                    "--layout-features=*",
                    f"--output-file={VENDOR / f'{script}.woff2'}",
                ],
                check=True,
            )
        parts = [f"# {name}\n\n{(modules / path).read_text().strip()}\n" for name, path in LICENCES.items()]
        (VENDOR / "LICENSES.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
