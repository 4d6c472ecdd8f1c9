"""What tests of metrics share."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def evaluate_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """evaluate, with a folder of its own for the modules it copies: one per process, for it imports from the first."""
    import evaluate

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate.config, "HF_MODULES_CACHE", str(tmp_path_factory.mktemp("modules")))
        yield evaluate
