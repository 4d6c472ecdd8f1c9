"""ThaiGov: news of the Thai government, each with its headline, one text file per item."""

from __future__ import annotations

import re
from pathlib import Path

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import lines


def load(raw: Raw, config: Config) -> Splits:
    """The article and its headline, in the order of the file names."""
    return {"test": (_item(path) for path in raw.all("items"))}


def _item(path: Path) -> Row:
    title, *rest = [line.strip() for line in lines(path)] or [""]
    body, counted = "", False
    for line in rest:
        # The counter of page views ends the item; what follows it is the page's menu.
        if re.fullmatch(r"[\d,]+", line):
            counted = True
        elif line and not counted and line != "พิมพ์" and not line.startswith("ที่มา : http"):
            body += line.replace("\xa0", "") + "\n"
    return {"id": "/".join(path.with_suffix("").parts[-4:]), "sentence1": body, "sentence2": title}
