"""The loader of a new dataset as source text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from seabed_datasets.contribute.literals import Quote, verified
from seabed_datasets.contribute.skeletons import TODO, Skeleton
from seabed_datasets.contribute.sniffing import Sniffed

_READERS = {
    "table": "table",
    "jsonl": "jsonl",
    "json": "json_list",
    "squad": "json_value",
    "parquet": "parquet",
}


@dataclass(frozen=True)
class Part:
    """One raw file of a new dataset: its role in the card, its upstream path, what it shows, how it is read."""

    role: str
    path: str
    sniffed: Sniffed
    shape: Skeleton

    @property
    def reader(self) -> str:
        """The function of `sources.readers` that reads it."""
        return _READERS[self.sniffed.format]


def loader_text(key: str, parts: Sequence[Part], path: Path) -> str:
    """Write the loader of a new dataset.

    Args:
        key: the dataset's key.
        parts: its raw files: one, or train and test.
        path: where the loader is to be.

    Returns:
        Source text in which nothing but literals comes from the raw files.

    Raises:
        SeabedError: the names in a raw file would change the code.
    """
    return verified(lambda q: _written(key, parts, q), path)


def _written(key: str, parts: Sequence[Part], q: Quote) -> str:
    first = parts[0]
    helpers = {name for part in parts for name in part.shape.helpers}
    if len(parts) == 2:
        made = [part.shape.make(_call(part, role)(q), q) for part, role in zip(parts, _SPLITS, strict=True)]
        same = first.shape.make(_call(first, "split")(q), q) == parts[1].shape.make(
            _call(parts[1], "split")(q), q
        )
        if same:
            body = ["    return {", f"        split: {first.shape.make(_call(first, 'split')(q), q)}"]
            body += ['        for split in ("train", "test")', "    }"]
        else:
            body = [
                "    return {",
                *(f"        {role}: {rows}," for role, rows in zip(_SPLITS, made, strict=True)),
                "    }",
            ]
    elif first.role in ("train", "data"):
        helpers.add("train_test")
        body = [f"    return train_test({first.shape.make(_call(first, q(first.role))(q), q)})"]
    else:
        rows = f"    rows = {_call(first, q(first.role))(q)}"
        shaped = first.shape.make("rows", q)
        body = [rows, f"    return {shaped}" if first.shape.whole else f'    return {{"test": {shaped}}}']
    after = first.shape.after(q)
    imports = [
        *first.shape.imports,
        "from seabed_datasets.catalogue import Config",
        f"from seabed_datasets.schemas import {'Row, ' if after else ''}Splits",
        "from seabed_datasets.sources.raw_files import Raw",
        f"from seabed_datasets.sources.readers import {', '.join(sorted({p.reader for p in parts}))}",
    ]
    if helpers:
        imports.append(f"from seabed_datasets.loaders.shapes import {', '.join(sorted(helpers))}")
    standard = sorted(line for line in imports if "seabed_datasets" not in line)
    own = sorted(line for line in imports if "seabed_datasets" in line)
    lines = [f'"""{key}: TODO what it is, in one line."""', "", "from __future__ import annotations", ""]
    lines += [*standard, ""] if standard else []
    lines += [*own, ""]
    if before := first.shape.before(q):
        lines += [before.rstrip(), ""]
    lines += ["", "def load(raw: Raw, config: Config) -> Splits:"]
    lines.append('    """TODO which of upstream\'s parts are used, and what a reader would not expect."""')
    return "\n".join([*lines, *body]) + "\n" + after


_SPLITS = ('"train"', '"test"')


def _call(part: Part, role: str) -> Callable[[Quote], str]:
    """Source text that reads a file; `role` is source text itself."""
    s = part.sniffed
    if s.format == "squad":
        return lambda q: f"json_value(raw[{role}]{_encoding(s, q)})"
    used = [c or TODO for c in part.shape.columns.values()]
    columns = list(dict.fromkeys(used)) if s.header else s.columns

    def write(q: Quote) -> str:
        options = f"columns=[{', '.join(map(q, columns))}]"
        if s.format == "table":
            options += "" if s.header else ", header=False"
            options += "" if s.delimiter == "," else f", delimiter={q(s.delimiter)}"
            options += "" if s.quoting else ", quoting=False"
        options += _encoding(s, q)
        if "*" in part.path:
            return f"(r for path in raw.all({role}) for r in {part.reader}(path, {options}))"
        return f"{part.reader}(raw[{role}], {options})"

    return write


def _encoding(s: Sniffed, q: Quote) -> str:
    return "" if s.format == "parquet" or s.encoding == "utf-8-sig" else f", encoding={q(s.encoding)}"
