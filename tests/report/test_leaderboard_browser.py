"""The leaderboard page in headless Chromium: sorting, filters, keyboard, phone, download, accessibility."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seabed_datasets import catalogue
from seabed_datasets.catalogue.vocabulary import TASKS
from seabed_evaluate.report.landscape import landscape
from seabed_evaluate.report.leaderboard import write_leaderboard
from seabed_evaluate.report.tables import tables
from seabed_evaluate.report.units import Origin, Z, all_units, cells, runs_of
from seabed_evaluate.runner.results import result_files
from tests.browser import chromium, missing
from tests.report.test_rank_groups import values_of
from tests.result_maker import make_run, write_run

REASON = missing()
pytestmark = pytest.mark.skipif(REASON is not None, reason=str(REASON))

HOSTILE = 'evil/<img src=x onerror="document.title=1">'


def spread(config: Any) -> float:
    return 0.4 + 0.003 * (sum(config.name.encode()) % 100)


RESULTS = [
    *make_run(spread, model="org/whole"),
    *make_run(0.5, [c for c in catalogue.configs() if c.name != "sts24_mya"], model="org/partial"),
    *make_run(0.3, [catalogue.config("ntrex_tha")], model=HOSTILE, truncated=True),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_leaderboard(RESULTS, tmp_path_factory.mktemp("site")).as_uri()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Any]:
    """Opens the page; at the end nothing may have been asked for and nothing may have gone wrong."""
    problems: list[str] = []
    contexts = []

    def start(where: str = "", **options: Any) -> Any:
        context = browser.new_context(**({"viewport": {"width": 1400, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: problems.append(str(e)))
        page.on(
            "request",
            lambda r: None if r.url.startswith((address, "data:", "blob:")) else problems.append(r.url),
        )
        page.goto(address + where)
        page.wait_for_selector("#board tbody tr, #model h2")
        return page

    yield start
    for context in contexts:
        context.close()
    assert problems == []


def column(page: Any, name: str) -> list[str]:
    """Texts of a column, from the top; "average" is the average."""
    selector = "td.avg" if name == "average" else f'td[data-column="{name}"]'
    found: list[str] = page.locator(f"#board tbody {selector}").all_inner_texts()
    return found


def models(page: Any) -> list[str]:
    found: list[str] = page.locator("#board tbody th a").all_inner_texts()
    return found


def own_cell(page: Any, name: str) -> str:
    text: str = page.locator(f'tr[data-model^="org-whole"] td[data-column="{name}"]').inner_text()
    return text


# ---- what it shows ----


def test_numbers_are_those_of_the_report(open_page: Any) -> None:
    page = open_page()
    for view, table in zip(("tasks", "languages"), tables(RESULTS), strict=True):
        page.check(f"[name=view][value={view}]", force=True)
        ranked = [r for r in table.rows if r.average is not None]
        assert models(page)[: len(ranked)] == [r.model.rsplit("/", 1)[-1] for r in ranked]
        shown = page.locator("#board tbody tr").all()
        for line, row in zip(shown, ranked, strict=False):
            texts = line.locator("td").all_inner_texts()
            assert texts[0] == str(row.rank)
            expected = [row.average, *(row.cells[c].score for c in table.columns)]
            assert numbers(texts[2:]) == pytest.approx([100 * (s or 0) for s in expected], abs=0.0051)


def test_partial_models_have_no_average_and_are_marked(open_page: Any) -> None:
    page = open_page()
    row = page.locator('tr[data-model^="org-partial"]')
    assert row.locator("td.avg").inner_text() == "–"
    assert row.locator('td[data-column="sts"]').inner_text() == "50.00§"
    assert row.locator('td[data-column="retrieval"]').inner_text() == "50.00"
    assert "1 cut files" in page.locator('tr[data-model^="evil"] th').inner_text()
    assert "CUT FILES" in page.locator("#notes").inner_text()


def test_a_hostile_name_is_text(open_page: Any) -> None:
    page = open_page()
    assert page.title() == "SEA-BED leaderboard"
    assert page.locator("#board img").count() == 0


def test_scripts_of_the_region_are_drawn_with_their_fonts(open_page: Any) -> None:
    page = open_page()
    for script, tag in (("thai", "th"), ("myanmar", "my"), ("khmer", "km"), ("lao", "lo"), ("tamil", "ta")):
        text = page.locator(f'#tongues b[lang="{tag}"]').inner_text()
        drawn = """async ([script, text]) => {
            await document.fonts.load(`20px "SEA ${script}"`, text);
            const pen = document.createElement("canvas").getContext("2d");
            const width = (font) => { pen.font = font; return pen.measureText(text).width; };
            return [document.fonts.check(`20px "SEA ${script}"`, text), width(`20px "SEA ${script}"`)];
        }"""
        loaded, width = page.evaluate(drawn, [script, text])
        assert loaded
        assert width > 10


HOSTILE_NAMES = [
    HOSTILE,
    "</script><script>document.title = 1</script>",
    "<svg onload=document.title=1>",
    "x' onmouseover='document.title=1' y=\"",
    "<style>*{display:none}</style>",
    "javascript:document.title=1",
    "=HYPERLINK(1)",
    "-1+1",
    "a\x1b[31mb",
    "${document.title=1}{{DATA}}",
]


def test_hostile_names_are_text_everywhere_and_the_policy_stops_what_is_not(
    browser: Any, tmp_path: Path
) -> None:
    config = catalogue.config("ntrex_tha")
    results = [r for n in HOSTILE_NAMES for r in make_run(0.5, [config], model=n, truncated=True)]
    where = write_leaderboard(results, tmp_path, notes=[f"LEFT OUT: {HOSTILE}"]).as_uri()
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.set_default_timeout(10_000)
    problems: list[str] = []
    page.on("console", lambda m: problems.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.on(
        "request", lambda r: None if r.url.startswith((where, "data:", "blob:")) else problems.append(r.url)
    )
    page.goto(where)
    page.wait_for_selector("#board tbody tr")
    assert HOSTILE in page.locator("#notes").inner_text()
    with page.expect_download() as download:
        page.click("#csv")
    download.value.save_as(tmp_path / "x.csv")
    lines = list(csv.DictReader((tmp_path / "x.csv").open(encoding="utf-8-sig", newline="")))
    assert {"'=HYPERLINK(1)", "'-1+1", "a [31mb"} <= {line["model"] for line in lines}
    assert not [v for line in lines for v in line.values() if v[:1] in "=+-@\t\r" and v]
    ids = [row.get_attribute("data-model") for row in page.locator("#board tbody tr.own").all()]
    assert len(set(ids)) == len(HOSTILE_NAMES)
    names = set()
    for row in ids:
        page.goto(f"{where}#model={row}")
        page.wait_for_selector("#model h2")
        names.add(page.locator("#model h2").text_content())
        assert page.locator("#model img, #model script, #model svg[onload], #model style").count() == 0
    assert names == set(HOSTILE_NAMES)
    assert page.evaluate("document.title").endswith("SEA-BED leaderboard")
    assert problems == []
    # Were a name ever taken for HTML, the policy would still let nothing of it run or load.
    page.evaluate(
        """document.body.append(...["onerror", "x"].map((w) => {
            const e = document.createElement(w === "x" ? "script" : "img");
            if (w === "x") e.textContent = "document.title = 'run'";
            else { e.setAttribute("onerror", "document.title = 'run'"); e.src = "https://x.invalid/p.png"; }
            return e;
        }))"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("document.title") != "run"
    for what in ("inline script", "inline event handler", "the image 'https://x.invalid/p.png'"):
        assert any(what in p and "Content Security Policy" in p for p in problems), what
    context.close()


def test_groups_of_ranks_and_cut_texts(browser: Any, tmp_path: Path) -> None:
    """Two equal models, one better, one that cut texts: groups stand in the whole table only."""
    for model, skill in (("org/one", 0.0), ("org/other", 0.0), ("org/better", 0.2)):
        made = make_run(0.0, model=model)
        for r in made:
            r["score"] = r["scores"][r["main_score"]] = float(np.float32(values_of(skill)(r)).mean())
            if model == "org/other":
                r["cut"] = {
                    "query": {"texts": 100, "cut": 40 if r["task"] == "sts" else 0, "tokens_lost": 0.1}
                }
        write_run(made, tmp_path / "r", values_of(skill))
    files = result_files([tmp_path / "r"])
    page = browser.new_page()
    page.goto(write_leaderboard([r for _, r in files], tmp_path / "site", files=files, paper=False).as_uri())
    page.wait_for_selector("#board tbody tr")

    def ranks() -> dict[str, str]:
        lines = page.locator("#board tbody tr").all()
        return {
            line.get_attribute("data-model")[:8]: " ".join(line.locator("td.rank").inner_text().split())
            for line in lines
        }

    assert ranks()["org-bett"] == "1 1"
    assert sorted(v for k, v in ranks().items() if k != "org-bett") == ["2 2-3", "3 2-3"]
    assert "% of texts cut" in page.locator('tr[data-model^="org-other"] th').inner_text()
    page.hover('tr[data-model^="org-other"] td[data-column="sts"]')
    assert "40.0 % of its texts were longer" in page.locator("#tip").inner_text()
    assert "cannot be told apart" in page.locator("#notes").inner_text()
    page.select_option("#origin", "human")
    assert sorted(ranks().values()) == ["1", "2", "3"]
    page.close()


# ---- sorting ----


def numbers(texts: list[str]) -> list[float]:
    return [float(t.strip("§")) if t != "–" else -1.0 for t in texts]


def sort_by(page: Any, name: str, direction: str, how: str = "click") -> None:
    """Activate a column's head; the table is sorted a moment later, and says so in `aria-sort`."""
    from playwright.sync_api import expect

    head = page.locator("#board thead th", has_text=name)
    if how == "click":
        head.click()
    else:
        head.locator("[tabindex='0']").first.focus()
        page.keyboard.press(how)
    expect(head).to_have_attribute("aria-sort", direction)


@pytest.mark.parametrize("how", ["click", "Enter"])
def test_sorting(how: str, open_page: Any) -> None:
    page = open_page()
    for direction in ("descending", "ascending"):
        sort_by(page, "Clustering", direction, how)
        values = numbers(column(page, "clustering"))
        assert values == sorted(values, reverse=direction == "descending")


def test_sorting_by_name_and_size(open_page: Any) -> None:
    page = open_page()
    sort_by(page, "Model", "ascending")
    names = [name.lower() for name in models(page)]
    assert names == sorted(names)
    sort_by(page, "Size", "ascending")
    sort_by(page, "Size", "descending")
    assert models(page)[0] == "bge-multilingual-gemma2"


# ---- filters ----


def pick(page: Any, kind: str, keep: list[str]) -> None:
    page.click(f"#pick-{kind} summary")
    for box in page.locator(f"#pick-{kind} input").all():
        if box.input_value() not in keep:
            box.uncheck()
    page.keyboard.press("Escape")


def test_filter_by_task(open_page: Any) -> None:
    page = open_page()
    pick(page, "task", ["sts", "retrieval"])
    assert page.locator("#board thead th").all_inner_texts()[3].startswith("Mean of 2")
    by_task = tables(RESULTS)[0]
    row = next(r for r in by_task.rows if r.model == "org/whole")
    mean = sum(row.cells[t].score or 0 for t in ("sts", "retrieval")) / 2
    assert page.locator('tr[data-model^="org-whole"] td.avg').inner_text() == f"{100 * mean:.2f}"
    page.check("[name=view][value=languages]", force=True)
    scores = [
        u.score
        for u in runs_of(RESULTS)[0].units
        if u.facts.language == "tha" and u.facts.task in ("sts", "retrieval")
    ]
    assert own_cell(page, "tha") == f"{100 * sum(scores) / len(scores):.2f}"
    assert page.locator('tr[data-model="bge-m3"] td[data-column="tha"]').inner_text() == "–"
    assert "prints no such breakdown for 17 models" in page.locator("#status").inner_text()


def test_filter_by_language(open_page: Any) -> None:
    page = open_page()
    pick(page, "language", ["mya"])
    assert "of 314 configs" in page.locator("#status").inner_text()
    scores = [
        u.score for u in runs_of(RESULTS)[0].units if u.facts.language == "mya" and u.facts.task == "sts"
    ]
    assert own_cell(page, "sts") == f"{100 * sum(scores) / len(scores):.2f}"
    assert page.locator('tr[data-model="bge-m3"] td[data-column="sts"]').inner_text() == "–"
    # Burmese has no instruction retrieval: the column is empty and does not spoil the mean.
    assert own_cell(page, "instruction_retrieval") == "–"
    assert page.locator('tr[data-model^="org-whole"] td.avg').inner_text() != "–"


@pytest.mark.parametrize(("origin", "printed"), [("human", "81.28"), ("machine", "69.14")])
def test_filter_by_origin(origin: Any, printed: str, open_page: Any) -> None:
    page = open_page("#view=languages")
    page.select_option("#origin", origin)
    assert page.locator('tr[data-model="bge-m3"] td[data-column="ind"]').inner_text() == printed
    assert page.locator('tr[data-model="LaBSE"] td[data-column="ind"]').inner_text() == "–"
    expected = cells(runs_of(RESULTS)[0], "language", Origin(origin))["ind"].score
    assert own_cell(page, "ind") == f"{100 * (expected or 0):.2f}"


def test_filter_by_size_access_and_name(open_page: Any) -> None:
    page = open_page()
    page.select_option("#size", "0-3e8")
    assert models(page) == ["multilingual-mpnet-base", "multilingual-MiniLM-L12"]
    page.select_option("#size", "")
    page.select_option("#access", "api")
    assert sorted(models(page)) == [
        "embed-multilingual-v3.0",
        "jina-embeddings-v3",
        "text-embedding-3-small",
        "voyage-3",
    ]
    page.select_option("#access", "")
    page.fill("#search", "E5")
    assert len(models(page)) == 3
    page.fill("#search", "nothing like this")
    assert "No model fits" in page.locator("#board").inner_text()
    page.click("#reset")
    assert len(models(page)) == 20


def test_a_view_can_be_shared_by_its_address(open_page: Any) -> None:
    page = open_page("#view=languages&task=sts&lang=tha,mya&access=open")
    heads = page.locator("#board thead th").all_inner_texts()
    assert [h.strip() for h in heads[4:]] == ["Thai", "Burmese"]
    assert page.locator("#pick-task b").inner_text() == "1 of 9"
    page.click("#reset")
    assert page.evaluate("location.hash") in ("", "#")
    page = open_page("#view=nonsense&task=nonsense&model=nonsense")
    assert len(models(page)) == 20


# ---- keyboard, tip, phone, download ----


def test_cells_explain_themselves_to_the_keyboard(open_page: Any) -> None:
    page = open_page()
    page.locator('tr[data-model^="org-whole"] td.avg').focus()
    page.keyboard.press("ArrowRight")
    tip = page.locator("#tip").inner_text()
    cell = cells(runs_of(RESULTS)[0], "task")["bitext_mining"]
    assert cell.score is not None
    assert cell.se is not None
    low, high = (100 * (cell.score + side * Z * cell.se) for side in (-1, 1))
    assert "Bitext mining" in tip
    assert f"{100 * cell.score:.2f}, 95 % interval {low:.2f} to {high:.2f}" in tip
    assert "114 of 114 configs" in tip
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tip"
    page.keyboard.press("ArrowDown")
    assert "printed without interval" in page.locator("#tip").inner_text()
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.column") == "sts"
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()


def test_one_tab_stop_for_all_cells(open_page: Any) -> None:
    page = open_page()
    assert page.locator("#board td[tabindex='0']").count() == 1
    page.locator("#board td[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#board td[tabindex='0']").count() == 1


def test_hover_shows_the_tip(open_page: Any) -> None:
    page = open_page()
    page.hover('tr[data-model^="org-partial"] td[data-column="sts"]')
    assert "26 of 27 configs: partial, not ranked" in page.locator("#tip").inner_text()


def test_everything_can_be_reached_and_used_by_keyboard_alone(open_page: Any) -> None:
    page = open_page()
    seen = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.className || ''"))
    assert {"theme", "search", "origin", "size", "access", "reset", "csv", "board"} <= seen
    page.focus("#pick-task summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("#pick-task b").inner_text() == "8 of 9"


def test_phone(open_page: Any) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    board = page.locator("#board")
    assert board.evaluate("e => e.scrollWidth > e.clientWidth")
    assert page.locator("#origin").is_hidden()
    page.click("#filters > summary")
    assert page.locator("#origin").is_visible()
    # The name stays in view while the scores scroll.
    board.evaluate("e => { e.scrollLeft = 400; }")
    left = page.locator("#board tbody th").first.evaluate("e => e.getBoundingClientRect().left")
    assert left == pytest.approx(board.evaluate("e => e.getBoundingClientRect().left"), abs=2)
    page.goto(page.url.split("#")[0] + "#model=bge-m3")
    page.wait_for_selector("#model h2")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_csv_is_what_is_shown(open_page: Any, tmp_path: Path) -> None:
    page = open_page()
    page.select_option("#access", "open")
    sort_by(page, "Clustering", "descending")
    with page.expect_download() as download:
        page.click("#csv")
    path = tmp_path / "scores.csv"
    download.value.save_as(path)
    assert download.value.suggested_filename == "sea-bed-tasks.csv"
    lines = list(csv.DictReader(path.open(encoding="utf-8-sig", newline="")))
    assert [line["model"].rsplit("/", 1)[-1] for line in lines] == models(page)
    assert [line["clustering"] for line in lines] == [t.strip("§") for t in column(page, "clustering")]


def test_csv_of_a_partial_model_says_so(open_page: Any, tmp_path: Path) -> None:
    page = open_page()
    with page.expect_download() as download:
        page.click("#csv")
    download.value.save_as(tmp_path / "x.csv")
    lines = {r["model"]: r for r in csv.DictReader((tmp_path / "x.csv").open(encoding="utf-8-sig"))}
    assert (lines["org/partial"]["average"], lines["org/partial"]["sts configs"]) == ("", "26 of 27")
    assert lines["bge-m3"]["bitext_mining"] == "86.18"
    assert lines[HOSTILE]["source"].startswith("run ")


# ---- a model's page ----


def test_a_models_page_and_the_way_back(open_page: Any) -> None:
    page = open_page("#view=languages&access=unknown")
    page.click('tr[data-model^="org-whole"] th a')
    page.wait_for_selector("#model:not([hidden])")
    assert page.locator("#model h2").inner_text() == "org/whole"
    assert page.locator("#m-units tbody tr").count() == len(all_units())
    link = page.locator("#m-units tbody a").first.get_attribute("href")
    assert link.startswith("https://")
    assert link.endswith(".md")
    assert "rank" in page.locator("#m-tasks svg").get_attribute("aria-label")
    page.go_back()
    page.wait_for_selector("#overview:not([hidden])")
    assert page.locator("[name=view][value=languages]").is_checked()
    page.goto(page.url.split("#")[0] + "#model=bge-m3")
    page.wait_for_selector("#model:not([hidden])")
    assert "prints no scores by dataset" in page.locator("#model").inner_text()


# ---- look and accessibility ----


def test_theme_can_be_chosen(open_page: Any) -> None:
    page = open_page(color_scheme="light")
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(colour)
    page.click("#theme")
    page.click("#theme")
    assert page.locator("#theme").get_attribute("aria-label") == "Colour theme: dark"
    assert page.evaluate(colour) != light


@pytest.mark.parametrize(
    ("where", "width", "scheme"),
    [
        ("", 1400, "light"),
        ("", 390, "dark"),
        ("#view=languages", 1400, "dark"),
        ("#view=languages", 390, "light"),
        ("#model=bge-m3", 1400, "light"),
        ("#model=evil", 1400, "dark"),
        ("#model=evil", 390, "light"),
    ],
)
def test_accessibility(where: str, width: int, scheme: str, open_page: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    if where == "#model=evil":
        where = "#model=" + page.locator('tr[data-model^="evil"]').get_attribute("data-model")
    if where:
        page.goto(page.url.split("#")[0] + where)
        page.wait_for_timeout(50)
    elif width < 640:
        page.click("#filters > summary")
    found = Axe().run(page).response["violations"]
    serious = [v for v in found if v["impact"] in ("serious", "critical")]
    assert [(v["id"], v["nodes"][0]["html"]) for v in serious] == []


def test_languages_and_tasks_show_the_best_model_of_each_cell(open_page: Any) -> None:
    page = open_page()
    found = landscape(RESULTS)
    assert page.locator("#land tbody tr").count() == 10
    row = page.locator("#land tbody tr", has_text="Burmese").first
    texts = row.locator("td").all_inner_texts()
    for task, text in zip(TASKS, texts, strict=True):
        best = found.best(("mya", task))
        if best is None:
            assert text in ("–", f"({found.of.get(('mya', task))})")
        else:
            assert text.startswith(f"{best[1] * 100:.2f} ({found.of['mya', task]})")
            assert best[0].split(" [")[0].rsplit("/", 1)[-1] in text
