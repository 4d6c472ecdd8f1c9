"""SB120: what a loader may use, on all loaders of the project and on hostile ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import seabed_datasets
from seabed_datasets import catalogue
from seabed_datasets.checks.loader_code import every_loader, faults
from seabed_datasets.contribute import check as checking
from seabed_datasets.contribute.check import LoaderRefused, check, inspect

HOME = Path(seabed_datasets.__file__).parent / "loaders"

HOSTILE = {
    "imports a module": "import os\n",
    "imports a module under another name": "import os as json\n",
    "imports part of one": "from os import system\n",
    "imports a module that an allowed one imported": "from json import codecs\n",
    "imports everything": "from seabed_datasets.loaders.shapes import *\n",
    "imports by dots": "from ..shapes import labelled\n",
    "imports the network": "from huggingface_hub import hf_hub_download\n",
    "imports a part of this project that writes": "from seabed_datasets.files import replace_text\n",
    "imports what a module of this project imported": "from seabed_datasets.sources.readers import gzip\n",
    "imports a helper that fetches": "from seabed_datasets.sources.raw_files import hub_file\n",
    "imports a private name": "from seabed_datasets.sources.readers import _opened\n",
    "reaches through a module": "import re\nre.enum.sys.modules['os'].system('true')\n",
    "gives a module away": "import re\nx = re\n",
    "gives a submodule away": "import pyarrow.parquet\nx = pyarrow.parquet\n",
    "reaches into a package": "import pyarrow.parquet\npyarrow.fs.LocalFileSystem()\n",
    "writes by an allowed package": "import pyarrow.parquet\npyarrow.parquet.write_table(1, 'x')\n",
    "opens a file": "open('x', 'w')\n",
    "runs a text": "exec('1')\n",
    "computes a text": "eval('1')\n",
    "imports by function": "__import__('os')\n",
    "keeps a function for later": "run = eval\n",
    "asks for an attribute": "getattr(str, 'x')\n",
    "reads the globals": "globals()\n",
    "names the builtins": "__builtins__['open']\n",
    "climbs the classes": "().__class__.__base__.__subclasses__()\n",
    "reads a function's globals": "(lambda: 1).__globals__\n",
    "reads a frame": "(x for x in ()).gi_frame.f_back\n",
    "makes a path": "from pathlib import Path\nPath('/etc/passwd')\n",
    "hides a path in a default": "from pathlib import Path\ndef load(raw, config=Path.home()): ...\n",
    "writes beside the raw file": "def load(raw, config):\n    raw['test'].write_text('x')\n",
    "walks away from the raw file": "def load(raw, config):\n    return raw['test'].parent\n",
    "unpickles by pydantic": "def load(raw, config):\n    config.parse_raw(b'', allow_pickle=True)\n",
    "overloads an operator": "class A:\n    def __getattr__(self, x): ...\n",
    "is no Python": "def load(:\n",
    "breaks the parser": "(" * 5000,
    "takes what another loader imported": "from seabed_datasets.loaders.sts.sts17 import table\n",
    "takes it by the module": "from seabed_datasets.loaders.sts import sts17\nsts17.table\n",
}


def home(tmp_path: Path, **files: str) -> Path:
    """A package with the project's shared code and some loaders."""
    place = tmp_path / "seabed_datasets" / "loaders" / "sts"
    place.mkdir(parents=True)
    for file in ("loaders/shapes.py", "sources/readers.py"):
        target = tmp_path / "seabed_datasets" / file
        target.parent.mkdir(exist_ok=True)
        shutil.copy(HOME.parent / file, target)
    shutil.copy(HOME / "sts" / "sts17.py", place)
    for name, text in files.items():
        (place / f"{name}.py").write_text(text, encoding="utf-8")
    return place


@pytest.mark.parametrize("file", [pytest.param(f, id=f.stem) for f in every_loader(HOME)])
def test_every_loader_keeps_it(file: Path) -> None:
    assert faults(file) == []


def test_all_loaders_are_looked_at() -> None:
    assert {d.key for d in catalogue.datasets() if d.seabed.upstream} <= {f.stem for f in every_loader(HOME)}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_loaders_break_it(tmp_path: Path, what: str) -> None:
    text = f"from __future__ import annotations\n{HOSTILE[what]}"
    assert faults(home(tmp_path, evil=text) / "evil.py"), what


def test_a_helper_is_looked_at_with_the_loader(tmp_path: Path) -> None:
    text = "from __future__ import annotations\nfrom seabed_datasets.loaders.sts.helper import load\n__all__ = ['load']\n"
    place = home(tmp_path, evil=text, helper="import os\ndef load(raw, config): ...\n")
    assert [
        f for f in faults(place / "evil.py") if f == "helper.py, line 1: imports os, which loaders may not"
    ]


def test_annotations_are_not_run_only_where_they_are_put_off(tmp_path: Path) -> None:
    place = home(tmp_path, evil="def load(raw: print('x'), config): ...\n")
    assert any("from __future__ import annotations" in f for f in faults(place / "evil.py"))


def test_a_refused_loader_does_not_run_and_no_card_excuses_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (config,) = (c for c in catalogue.configs() if c.name == "ntrex_tha")
    place = home(tmp_path, evil="from __future__ import annotations\nimport os\n")
    monkeypatch.setattr(checking, "loader_path", lambda _: place / "evil.py")
    monkeypatch.setattr(checking, "rows_of", lambda *_: pytest.fail("the loader was run"))
    with pytest.raises(LoaderRefused, match="imports os"):
        inspect(config, tmp_path)
    done = check(["ntrex_tha"], mirror=tmp_path)
    assert [(f.rule, f.severity) for f in done.errors] == [("SB120", "error")]
    assert "imports os" in done.skipped["ntrex_tha"]
    assert not done.passed
