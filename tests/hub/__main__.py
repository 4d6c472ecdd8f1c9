"""Serve a loopback Hub in a process of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.hub.server import Hub

parser = argparse.ArgumentParser()
parser.add_argument(
    "--spaces",
    type=Path,
    help="serve each folder here, of `python -m upload metrics --out`, as the Space seabed/NAME",
)
args = parser.parse_args()
hub = Hub()
for folder in sorted(args.spaces.iterdir()) if args.spaces else []:
    if (folder / "README.md").is_file():
        files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        hub.store.put("space", f"seabed/{folder.name}", files)
print(hub.url, flush=True)
hub.serve()
