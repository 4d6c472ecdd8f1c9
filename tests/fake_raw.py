"""Fake raw files: `tests/raw/<key>/` is a mirror folder kept as text, so that a reviewer can read it.

`materialise` turns it into a real mirror:
  x.parquet.jsonl   -> x.parquet; a first line {"#labels": {"column": ["name", ...]}} makes ClassLabel columns,
                       or lists of them
  x.zip/ , x.tar.gz/ -> an archive of the folder's files
  x.gz.txt          -> x.gz
  x.xlsx/Sheet.csv  -> a workbook with one sheet per CSV file
  x.bin.hex         -> x.bin, from hex digits (blanks ignored)
  anything else     -> copied byte for byte
  SOURCE.json {"same_as": other key} -> that dataset's files are used (a shared upstream)
`EXPECTED.json` beside them holds config -> split -> rows (label names, ids) the loader must make.

    python -m tests.fake_raw KEY      prints what the loader makes of the fake files, to be checked by eye
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from seabed_datasets import catalogue
from seabed_datasets.bundle.staging import rows_of
from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import unify, with_labels

RAW = Path(__file__).parent / "raw"
EXPECTED = "EXPECTED.json"


def materialise(key: str, mirror: Path) -> None:
    """Write the fake raw files of one dataset as real ones under `mirror/key`."""
    source, target = RAW / key, mirror / key
    note = source / "SOURCE.json"
    if note.is_file() and (other := json.loads(note.read_text(encoding="utf-8")).get("same_as")):
        materialise(other, mirror)
    archives = [p for p in source.rglob("*") if p.is_dir() and p.name.endswith((".zip", ".tar.gz", ".xlsx"))]
    for folder in archives:
        out = target / folder.relative_to(source)
        out.parent.mkdir(parents=True, exist_ok=True)
        _archive(folder, out)
    for file in sorted(p for p in source.rglob("*") if p.is_file() and p.name != EXPECTED):
        if any(a in file.parents for a in archives):
            continue
        out = target / file.relative_to(source)
        out.parent.mkdir(parents=True, exist_ok=True)
        if file.name.endswith(".parquet.jsonl"):
            _parquet(file, out.with_suffix(""))
        elif file.name.endswith(".gz.txt"):
            out.with_suffix("").write_bytes(gzip.compress(file.read_bytes(), mtime=0))
        elif file.suffix == ".hex":
            out.with_suffix("").write_bytes(bytes.fromhex(file.read_text(encoding="ascii")))
        else:
            out.write_bytes(file.read_bytes())


def _archive(folder: Path, out: Path) -> None:
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    if folder.suffix == ".zip":
        with zipfile.ZipFile(out, "w") as archive:
            for file in files:
                archive.writestr(file.relative_to(folder).as_posix(), file.read_bytes())
    elif folder.suffix == ".xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        book.remove(book.active)
        for file in files:
            sheet = book.create_sheet(file.stem)
            with file.open(encoding="utf-8", newline="") as text:
                for row in csv.reader(text):
                    sheet.append(row)
        book.save(out)
    else:
        with tarfile.open(out, "w:gz") as tar:
            for file in files:
                info = tarfile.TarInfo(file.relative_to(folder).as_posix())
                data = file.read_bytes()
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))


def _parquet(file: Path, out: Path) -> None:
    from datasets import ClassLabel, Dataset, List

    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    labels: dict[str, list[str]] = rows.pop(0)["#labels"] if "#labels" in rows[0] else {}
    ds = Dataset.from_list(rows)
    for column, names in labels.items():
        label = ClassLabel(names=names)
        ds = ds.cast_column(column, List(label) if isinstance(rows[0][column], list) else label)
    ds.to_parquet(str(out))


def parquet_bytes(rows: list[dict[str, Any]]) -> bytes:
    """A Parquet file of rows, as a Hub repository holds it."""
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


def made(config: Config, mirror: Path) -> dict[str, Any]:
    """What the upstream loader makes of a mirror: split -> rows with label names; dropped rows counted."""
    splits, _ = rows_of(config, "upstream", mirror)
    config, splits = with_labels(config, splits)
    result: dict[str, Any] = {}
    for split, rows in splits.items():
        dropped: dict[str, int] = {}
        result[split] = [named(config, row) for row in unify(config, split, rows, dropped)]
        if dropped:
            result[f"{split} dropped"] = dropped
    return result


def named(config: Config, row: dict[str, Any]) -> dict[str, Any]:
    """A unified row with label names instead of integers."""
    labels = config.labels or []
    if "label" in row:
        return row | {"label": labels[row["label"]]}
    if "labels" in row:
        return row | {"labels": [labels[i] for i in row["labels"]]}
    return row


def main(key: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        materialise(key, Path(folder))
        ds = catalogue.dataset(key)
        print(
            json.dumps(
                {n: made(ds.config(n), Path(folder)) for n in ds.seabed.configs}, ensure_ascii=False, indent=1
            )
        )


if __name__ == "__main__":
    main(sys.argv[1])
