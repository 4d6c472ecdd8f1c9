"""The bundle folder as a whole: manifest.json, README.md, cards, and swapping a finished config in."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import yaml

from seabed_datasets import catalogue
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError
from seabed_datasets.files import replace_text

MANIFEST = "manifest.json"
Entry = dict[str, Any]


def read_manifest(bundle: str | Path) -> dict[str, Entry]:
    """What a bundle folder holds.

    Args:
        bundle: the folder.

    Returns:
        Config name -> key, task, sources; per split rows, bytes and sha256; stats, with `checks`: rule of
        `seabed check` -> rows that broke it when the config was built.

    Raises:
        SeabedError: the folder is not a bundle.
    """
    path = Path(bundle) / MANIFEST
    try:
        manifest: dict[str, Entry] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SeabedError(
            f"{bundle} is not a bundle (no {MANIFEST}); `seabed build CONFIG --out {bundle}` makes one"
        ) from None
    except json.JSONDecodeError as error:
        raise SeabedError(f"{path} is damaged: {error}; build again") from None
    return manifest


def publish(out: Path, config: Config, entry: Entry, staged: Path) -> None:
    """Swap a finished config in, then rewrite card, manifest and README, each by one rename.

    Args:
        out: the bundle folder.
        config: which config.
        entry: its manifest entry.
        staged: the folder of its Parquet files, on the same file system; it is moved. Temporary files go
            beside it.
    """
    scratch = staged.parent
    final = out / "data" / config.name
    final.parent.mkdir(exist_ok=True)
    staged.chmod(0o755)
    if final.exists():
        old = Path(tempfile.mkdtemp(prefix=f"{config.name}-old-", dir=scratch))
        os.replace(final, old / "data")
        os.replace(staged, final)
        shutil.rmtree(old)
    else:
        os.replace(staged, final)
    before = read_manifest(out) if (out / MANIFEST).exists() else {}
    manifest = dict(sorted({**before, config.name: entry}.items()))
    refresh_card(out, config.key, scratch)
    replace_text(out / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", scratch)
    replace_text(out / "README.md", readme(manifest), scratch)


def refresh_card(out: Path, key: str, scratch: Path) -> None:
    """Write a dataset's card into the bundle where it is not there as it is now.

    Args:
        out: the bundle folder.
        key: of the dataset.
        scratch: a folder for the temporary file.
    """
    path, text = out / "cards" / f"{key}.md", card_text(key)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        replace_text(path, text, scratch)


def card_text(key: str) -> str:
    """The card of a dataset as it is written.

    Args:
        key: of the dataset.

    Returns:
        Front matter and prose.
    """
    sample_set = catalogue.dataset(key).seabed.sample
    folder = catalogue.SAMPLE_DIR if sample_set else catalogue.cards_dir()
    return (folder / f"{key}.md").read_text(encoding="utf-8")


def readme(manifest: dict[str, Entry]) -> str:
    """The bundle's README.md: YAML with `configs` only, and a short text.

    The smallest config comes first: `datasets` infers the file type of all configs from the first one's
    folder, so it must be one that is certainly there.

    Args:
        manifest: what the bundle holds.

    Returns:
        The text. Features are in the Parquet files, which keeps this file small and loads fast.
    """

    def size(name: str) -> int:
        return sum(s["bytes"] for s in manifest[name]["splits"].values())

    first = min(manifest, key=size)
    names = [first, *(n for n in manifest if n != first)]
    front = {
        "pretty_name": "SEA-BED",
        "license": "other",
        "license_name": "per-dataset",
        "tags": ["sea-bed", "embeddings", "southeast-asia"],
        "configs": [
            {
                "config_name": name,
                "data_files": [
                    {"split": split, "path": f"data/{name}/{split}.parquet"}
                    for split in manifest[name]["splits"]
                ],
            }
            for name in names
        ],
    }
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    head = yaml.dump(front, Dumper=dumper, sort_keys=False, allow_unicode=True, width=1000)
    keys = sorted({m["key"] for m in manifest.values()})
    return (
        f"---\n{head}---\n# SEA-BED: Southeast Asia Embedding Benchmark\n\n"
        f"{len(manifest)} configs of {len(keys)} datasets. Each dataset keeps its own licence: "
        "see its card in `cards/`. What every file was made from, with checksums, is in `manifest.json`.\n\n"
        "```python\nfrom datasets import load_dataset\n\n"
        f'load_dataset("seabed/SEA-BED", "{names[-1]}")\n```\n'
    )
