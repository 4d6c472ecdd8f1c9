"""The bundle folder as a whole: manifest.json, README.md, cards, and swapping a finished config in."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import yaml

from seabed_datasets import catalogue
from seabed_datasets.bundle.entries import Entry, checked_entries
from seabed_datasets.catalogue import Config
from seabed_datasets.errors import SeabedError
from seabed_datasets.files import inside, replace_text
from seabed_datasets.sources import strict_json

__all__ = [
    "MANIFEST",
    "Entry",
    "card_text",
    "data_file",
    "publish",
    "read_manifest",
    "readme",
    "refresh_card",
    "refresh_page",
]

MANIFEST = "manifest.json"
PAGE = "README.md"


class DamagedManifest(SeabedError):
    """A manifest.json that is there and cannot be relied on."""


def read_manifest(bundle: str | Path) -> dict[str, Entry]:
    """What a bundle folder holds.

    Args:
        bundle: the folder.

    Returns:
        Config name -> key, task, sources; per split rows, bytes and sha256; stats, with `checks`: rule of
        `seabed check` -> rows that broke it when the config was built. Its shape is checked, so that a caller
        may rely on these keys.

    Raises:
        SeabedError: the folder is not a bundle, or its manifest is damaged; with the command that helps.
    """
    path = Path(bundle) / MANIFEST
    try:
        text = path.read_text(encoding="utf-8")
        return checked_entries(strict_json.parse(text, str(path), SeabedError), str(path))
    except FileNotFoundError:
        raise SeabedError(
            f"{bundle} is not a bundle (no {MANIFEST}); `seabed build CONFIG --out {bundle}` makes one"
        ) from None
    except UnicodeDecodeError as error:
        raise DamagedManifest(f"{path} is not UTF-8: {error}; {_repair(path.parent)}") from None
    except OSError as error:
        raise SeabedError(f"cannot read {path}: {error}") from None
    except SeabedError as error:
        raise DamagedManifest(f"{error}; {_repair(path.parent)}") from None


def _repair(bundle: Path) -> str:
    """What to run where the manifest is damaged: the data folders say what it held."""
    names = sorted(p.name for p in (bundle / "data").glob("*") if p.is_dir())
    held = " ".join(names) if 0 < len(names) <= 10 else "CONFIG ..."
    return f"it is damaged: `seabed build {held} --out {bundle}` writes it anew"


def data_file(bundle: str | Path, config: str, split: str) -> Path:
    """Where the rows of a split lie in a bundle.

    Args:
        bundle: the folder.
        config: name of the config.
        split: name of the split.

    Returns:
        The path; a name out of a manifest that leads out of the bundle is refused.

    Raises:
        SeabedError: a name leads out of the bundle.
    """
    return inside(bundle, f"data/{config}/{split}.parquet", f"{MANIFEST}: data file")


def publish(
    out: Path, config: Config, entry: Entry, staged: Path, known: dict[str, Entry]
) -> dict[str, Entry]:
    """Swap a finished config in, then card, manifest and README, each by one rename.

    All that needs room on the disk is written before the first rename: a full disk leaves the bundle as it was.

    Args:
        out: the bundle folder.
        config: which config.
        entry: its manifest entry.
        staged: the folder of its Parquet files, on the same file system; it is moved. Temporary files go
            beside it.
        known: what the bundle holds so far.

    Returns:
        What it holds now.
    """
    scratch = staged.parent
    manifest = dict(sorted({**known, config.name: entry}.items()))
    refresh_card(out, config.key, scratch)
    texts = {MANIFEST: json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", PAGE: readme(manifest)}
    for name, text in texts.items():
        (scratch / name).write_text(text, encoding="utf-8", newline="\n")
    final = out / "data" / config.name
    final.parent.mkdir(exist_ok=True)
    old = Path(tempfile.mkdtemp(prefix=f"{config.name}-old-", dir=scratch)) / "data"
    staged.chmod(0o755)
    if final.exists():
        os.replace(final, old)
    try:
        os.replace(staged, final)
    except OSError:
        if old.exists():
            os.replace(old, final)
        raise
    for name in texts:
        os.replace(scratch / name, out / name)
    shutil.rmtree(old.parent, ignore_errors=True)
    return manifest


def refresh_page(out: Path, known: dict[str, Entry], scratch: Path) -> None:
    """Write the README where it is not the manifest's: a build may have ended between the two.

    Args:
        out: the bundle folder.
        known: what the bundle holds.
        scratch: a folder for the temporary file.
    """
    if known and _differs(out / PAGE, text := readme(known)):
        replace_text(out / PAGE, text, scratch)


def _differs(path: Path, text: str) -> bool:
    return not path.is_file() or path.read_bytes() != text.encode()


def refresh_card(out: Path, key: str, scratch: Path) -> None:
    """Write a dataset's card into the bundle where it is not there as it is now.

    Args:
        out: the bundle folder.
        key: of the dataset.
        scratch: a folder for the temporary file.
    """
    path, text = out / "cards" / f"{key}.md", card_text(key)
    if _differs(path, text):
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
    folder, so it must be one that is certainly there. Each config has a description that changes with its
    data: `datasets` names its cache by the folder's last name and these YAML lines, and never looks at the
    files, so without it `load_dataset` gives the rows of an earlier build, or of another folder of this name.

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
                "description": _fingerprint(manifest[name]),
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
        "With `datasets` 4.0 or later:\n\n"
        "```python\nfrom datasets import load_dataset\n\n"
        f'load_dataset("seabed/SEA-BED", "{names[-1]}")\n```\n'
    )


def _fingerprint(entry: Entry) -> str:
    """A few words that change when the rows of a config do; never a number to any reader of YAML."""
    hashes = "".join(split["sha256"] for split in entry["splits"].values())
    return f"sha256 {hashlib.sha256(hashes.encode()).hexdigest()[:12]}"
