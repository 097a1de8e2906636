"""A report's page in a real browser: axe-core, sorting by keyboard, a phone, paper, no script, no network."""

import browser
import pytest
from axe_playwright_python.sync_playwright import Axe
from own_folders import ASKED, SHOP, asked, documents, inventory, questions

from labkit.own.report_page import page_of
from labkit.own.reporting import make_report
from labkit.own.verdict import verdict_of

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
EVIL = "<script>document.title = 'ran'</script>"
OPEN_ALL = "document.querySelectorAll('details').forEach(each => each.open = true)"
SCORES = "Scores at equal budgets"

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A shop with everything that a report can have: unreadable files, misses of several stages, an earlier report, a hostile question."""
    folder = tmp_path_factory.mktemp("own") / "The corner shop"
    table = "| goods | period |\n| --- | --- |\n" + "".join(f"| thing number{n} | {n} years of cover |\n" for n in range(60))
    these = SHOP | {"documents/cover.md": f"# Cover\n\n## Table\n\n{table}", "documents/torn.pdf": b"%PDF-1.7 nothing"}
    rows = [("cover", "Table", f"| thing number{n} | {n} years of cover |") for n in range(30)]
    asked_ = [asked(*each) for each in ASKED]
    asked_ += [asked(f"C{n:02}", f"How long is number{n} covered?", row) for n, row in enumerate(rows)]
    asked_.append(asked("X1", f"Zebra? {EVIL}", ("returns", "Window", "thirty days")))
    asked_.append(asked("X2", "dry", ("hours", "Help desk", "nine to five")))
    folder.mkdir()
    documents(folder, these)
    inventory(folder, these)
    questions(folder, asked_)
    return folder


@pytest.fixture(scope="module")
def made(folder):
    before = make_report(folder)
    found = make_report(folder, against=(f"before {EVIL}.json", before))
    return found | {"verdict": verdict_of(found)}


@pytest.fixture(scope="module")
def file(made, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(page_of(made), encoding="utf-8")
    return file


@pytest.fixture
def opened(chromium, file):
    """Options of a context -> the page, opened in it, and what went wrong."""
    contexts = []

    def opened(**options):
        contexts.append(chromium.new_context(**({"viewport": {"width": 1200, "height": 900}} | options)))
        watch = browser.Watch(contexts[-1])
        tab = contexts[-1].new_page()
        tab.goto(file.as_uri())
        return tab, watch

    yield opened
    for context in contexts:
        context.close()


def wrong(tab, only):
    results = Axe().run(tab, options={"runOnly": only, "resultTypes": ["violations", "passes"]}).response
    assert results["passes"], "nothing was looked at"
    return [(rule["id"], node["html"][:120]) for rule in results["violations"] for node in rule["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_everybody_can_read_it(opened, scheme, width):
    tab, watch = opened(color_scheme=scheme, viewport={"width": width, "height": 900})
    assert wrong(tab, {"type": "tag", "values": RULES}) == []
    tab.evaluate(OPEN_ALL)
    assert wrong(tab, {"type": "tag", "values": RULES}) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert watch.errors == watch.failed == [] and watch.asked == [tab.url]
    tab.screenshot(path=browser.screenshot_folder() / f"report-{scheme}-{width}.png", full_page=True)


def test_a_hostile_question_stays_text(opened):
    tab, watch = opened()
    assert tab.title() == "Report on The corner shop" and tab.evaluate("document.scripts.length") == 1
    assert EVIL in tab.locator("main").text_content() and not watch.errors


def test_axe_sees_a_fault_here(opened):
    tab, _ = opened()
    tab.evaluate("document.querySelector('figure img').removeAttribute('alt')")
    assert "image-alt" in [rule for rule, _ in wrong(tab, {"type": "tag", "values": RULES})]


def column(tab, place):
    rows = tab.locator("table", has_text=SCORES).first.locator("tbody tr")
    return [rows.nth(number).locator("th, td").nth(place).inner_text() for number in range(rows.count())]


def test_a_table_sorts_by_keyboard_and_says_so(opened):
    tab, _ = opened()
    table = tab.locator("table", has_text=SCORES).first
    before = column(tab, 0)
    button = table.get_by_role("button", name="hit", exact=True)
    button.focus()
    for key, order in (("Enter", "descending"), ("Space", "ascending"), ("Enter", "descending")):
        tab.keyboard.press(key)
        values = [float(each.split()[0]) for each in column(tab, 2)]
        assert values == sorted(values, reverse=order == "descending")
        assert table.locator("th[aria-sort]").count() == 1 and button.locator("..").get_attribute("aria-sort") == order
        assert f"sorted by hit, {order}" in tab.get_by_role("status").text_content()
        assert tab.evaluate("document.activeElement.textContent") == "hit"
    table.get_by_role("button", name="method", exact=True).click()
    assert column(tab, 0) == sorted(before) and table.locator("th[aria-sort]").count() == 1


def test_what_has_no_number_comes_last(opened):
    tab, _ = opened()
    tab.evaluate(OPEN_ALL)
    table = tab.locator("table", has=tab.locator("caption", has_text="Every question"))
    for order in ("ascending", "descending"):
        table.get_by_role("button", name="structure").click()
        cells = table.locator("tbody tr td:nth-child(4)").all_inner_texts()
        ranks = [int(each.split(",")[0]) for each in cells if each[0].isdigit()]
        assert ranks == sorted(ranks, reverse=order == "descending") and len(ranks) < len(cells)
        assert not any(each[0].isdigit() for each in cells[len(ranks) :])


def test_a_long_table_can_be_searched(opened):
    tab, _ = opened()
    tab.evaluate(OPEN_ALL)
    table = tab.locator("table", has=tab.locator("caption", has_text="Every question"))
    field = tab.locator("details", has=table).get_by_label("Show only rows with")
    field.fill("C07")
    assert table.locator("tbody tr:visible").count() == 1 and "1 of 39 rows" in tab.get_by_role("status").text_content()
    field.fill("")
    assert table.locator("tbody tr:visible").count() == 39


def test_only_what_scrolls_stops_the_tab_key(opened):
    stops = "each.hasAttribute('tabindex') !== each.scrollWidth > each.clientWidth"
    script = f"[...document.querySelectorAll('.wide')].filter(each => each.clientWidth && {stops}).length"
    for width in (360, 1200):
        tab, _ = opened(viewport={"width": width, "height": 900})
        tab.evaluate(OPEN_ALL)
        tab.wait_for_timeout(200)
        assert tab.evaluate(script) == 0 and (width > 360 or tab.locator(".wide[tabindex]").count())


def test_without_a_script_the_tables_are_whole(opened, made):
    tab, watch = opened(java_script_enabled=False)
    assert tab.locator("th button").count() == 0 and not watch.errors
    assert tab.locator("table", has_text=SCORES).first.locator("tbody tr").count() == len(made["methods"]) * 3
    assert tab.locator(".answer").inner_text() == made["verdict"][0]


def test_on_paper_what_is_folded_is_shown(opened):
    tab, _ = opened()
    inside = tab.locator("details:not(.long) table").first
    assert not inside.is_visible()
    tab.emulate_media(media="print")
    assert inside.bounding_box()["height"] > 5 and not tab.locator("nav").is_visible() and not tab.locator(".search").first.is_visible()


def test_the_skip_link_comes_first_and_leads_to_the_verdict(opened):
    tab, _ = opened()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "report"
