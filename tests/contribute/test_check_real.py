"""The checks on real raw files: every error is a fault that its card lists and excuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from seabed_datasets import catalogue
from seabed_datasets.contribute.check import check


@pytest.mark.slow
def test_every_error_in_the_real_files_is_excused_by_its_card(real_mirror: Path) -> None:
    done = check([d.key for d in catalogue.datasets()], mirror=real_mirror)
    assert [(f.where, f.split, f.rule, f.count, f.examples[0]) for f in done.errors] == []
    assert len(done.stats) > 50
    # An exception that the files no longer need would hide the next fault.
    assert [f.where for f in done.findings if f.rule == "SB112"] == []
    assert {f.where for f in done.findings if f.severity == "excepted" and f.rule == "SB303"} == {
        "gklmipsentiment_mya",
        "ntrex_mya",
    }
