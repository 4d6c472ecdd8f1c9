"""MASSIVE: what users ask a voice assistant for, localised; here with the intent as label."""

from __future__ import annotations

from collections.abc import Iterator

from seabed_datasets.catalogue import Config
from seabed_datasets.schemas import Row, Splits
from seabed_datasets.sources.raw_files import Raw
from seabed_datasets.sources.readers import json_rows


def load(raw: Raw, config: Config) -> Splits:
    """The 60 intents."""
    return labelled(raw, config, "intent")


def labelled(raw: Raw, config: Config, field: str) -> Splits:
    """MASSIVE's utterances with one of its two labels.

    Args:
        raw: the archive.
        config: its `locale` param names the member.
        field: "intent" or "scenario".

    Returns:
        `train` and `test`; one file holds all partitions, `dev` is not used.
    """
    member = f"1.1/data/{config.params['locale']}.jsonl"

    def rows(partition: str) -> Iterator[Row]:
        for row in json_rows(raw["archive"], member, columns=["id", "partition", "utt", field]):
            if row["partition"] == partition:
                yield {"id": row["id"], "text": row["utt"], "label": row[field]}

    return {split: rows(split) for split in ("train", "test")}
