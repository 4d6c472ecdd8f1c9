"""What tests of metrics share."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def evaluate_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """evaluate, with a folder of its own for the modules it copies: one per process, for it imports from the first."""
    import evaluate

    with pytest.MonkeyPatch.context() as patch:
        # What another test has loaded before from another folder would be looked for there.
        for name in [n for n in sys.modules if n.split(".")[0] == "evaluate_modules"]:
            patch.delitem(sys.modules, name)
        folder = str(tmp_path_factory.mktemp("modules"))
        patch.setattr(evaluate.config, "HF_MODULES_CACHE", folder)
        patch.syspath_prepend(folder)
        yield evaluate
