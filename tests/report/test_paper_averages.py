"""The paper's averages are over configs: its Tables 5, 6, 8 and 9 against each other and against the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_evaluate.report.paper_results import paper_table
from seabed_evaluate.report.units import all_units
from seabed_evaluate.runner.protocols import PROTOCOLS

MODELS = list(paper_table(8).rows)
# The Indonesian figures fit no whole counts.
NINE = [lang for lang in LANGUAGES if lang != "ind"]


def terms(language: str) -> int:
    """Configs of a language; the paper's Lao mean lacks one ALTDialect pair."""
    return sum(u.language == language for u in all_units().values()) - (language == "lao")


def residuals(language: str, human: int) -> dict[str, float]:
    """By model: Table 6 against Tables 8 and 9, when so many of the configs are made by people."""
    six, eight, nine = (paper_table(n).rows for n in (6, 8, 9))
    n = terms(language)
    return {
        m: abs(
            (six[m][language] or 0)
            - (human * (eight[m][language] or 0) + (n - human) * (nine[m][language] or 0)) / n
        )
        for m in MODELS
    }


def test_45_equations_hold_but_for_one_misprint() -> None:
    """n T6 = h T8 + m T9 for five models and nine languages, with h whole and the same for all models."""
    found: dict[tuple[str, str], float] = {}
    counts = {}
    for language in NINE:
        # The best h leaves out its worst model, so that one misprint cannot choose it.
        human = min(
            range(terms(language) + 1), key=lambda h: sum(sorted(residuals(language, h).values())[:4])
        )
        counts[language] = (human, terms(language) - human)
        found |= {(m, language): r for m, r in residuals(language, human).items()}
    assert len(found) == 45
    wrong = [cell for cell, r in found.items() if r > 0.01]
    assert wrong == [("bge-m3", "zsm")]
    assert counts == {
        "tha": (47, 8),
        "vie": (36, 5),
        "mya": (32, 3),
        "fil": (28, 3),
        "tam": (17, 1),
        "khm": (18, 4),
        "zsm": (15, 4),
        "lao": (16, 3),
        "tet": (2, 2),
    }


@pytest.mark.parametrize("number", [6, 8, 9])
def test_the_misprint_is_marked_beside_each_table_with_what_the_others_give(number: int) -> None:
    (marked,) = [m for m in paper_table(number).misprints if m.column == "zsm"]
    human, machine = 15, 4
    of: dict[int, float] = {n: paper_table(n).rows["bge-m3"]["zsm"] or 0 for n in (6, 8, 9)}
    expected = {
        6: (human * of[8] + machine * of[9]) / 19,
        8: (19 * of[6] - machine * of[9]) / human,
        9: (19 * of[6] - human * of[8]) / machine,
    }[number]
    assert marked.row == "bge-m3"
    assert marked.printed == of[number]
    assert marked.computed == pytest.approx(expected, abs=0.005)


def fitted(average: Any) -> dict[str, float]:
    """How many terms of each task make Table 5's columns add up to Table 6's, least squares over 17 models."""
    units = all_units(average=average).values()
    per_language = {lang: sum(u.language == lang for u in units) for lang in LANGUAGES}
    if average == "configs":
        per_language["lao"] -= 1
    five, six = paper_table(5).rows, paper_table(6).rows
    columns = np.array([[five[m][t] or 0 for t in TASKS] for m in five])
    sums = [sum(per_language[lang] * (six[m][lang] or 0) for lang in LANGUAGES) for m in five]
    return dict(zip(TASKS, np.linalg.lstsq(columns, np.array(sums), rcond=None)[0].tolist(), strict=True))


def test_table_5_fits_table_6_by_configs() -> None:
    """The columns differ enough between models to tell the number of bitext configs: 114, not 94 units."""
    found = fitted("configs")
    bitext = sum(u.task == "bitext_mining" for u in all_units().values())
    assert bitext == 114
    assert found["bitext_mining"] == pytest.approx(bitext, abs=1)
    assert sum(found.values()) == pytest.approx(313, abs=1)


def test_the_printed_multilabel_column_is_no_weighted_f1() -> None:
    """All 17 models lie within six points: label-weighted accuracy, which the default protocol reports."""
    printed = [r["multilabel_classification"] or 0 for r in paper_table(5).rows.values()]
    assert max(printed) - min(printed) < 6.1
    assert PROTOCOLS["published"].main["multilabel_classification"] == "label_weighted_accuracy"
