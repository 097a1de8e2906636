"""The explorer of lesson 07 in JupyterLab, in a real browser: turned by keyboard alone, read by everybody, in both themes."""

import browser
import lab
import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from labkit.collection import load_inventory
from labkit.parsing.reading import parse
from labkit.show.cuttings import cut
from labkit.show.explorer import explore
from labkit.show.explorer_view import summary
from labkit.show.wording import say

NAME = "explorer.ipynb"
BEGIN = """import labkit
from labkit.show.explorer import explore

documents = {document.doc_id: document for document in labkit.load_inventory()}"""
LONG = """from labkit.parsing.markdown import read_markdown

lines = [f"## Part {n}\\n\\n" + " ".join(f"w{n}x{i}" for i in range(97)) + "." for n in range(320)]
explore(read_markdown("# Sixty pages\\n\\n" + "\\n\\n".join(lines), doc_id="long"))"""
ONE, TWO = "explorer", "explorer-long"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# What JupyterLab's own frame has and a widget cannot mend: a page without a main part, and the like.
WHOLE_PAGE = {"region", "landmark-one-main", "page-has-heading-one", "bypass"}

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def warranty():
    return parse(next(each for each in load_inventory() if each.doc_id == "warranty-policy"))


@pytest.fixture(scope="module")
def watch(chromium):
    context = chromium.new_context(viewport={"width": 1400, "height": 1000}, color_scheme="light")
    watch = browser.Watch(context)
    watch.context = context
    yield watch
    context.close()


@pytest.fixture(scope="module")
def learner(watch, tmp_path_factory):
    cells = [
        new_markdown_cell("# Chunking\n\n## On Larkfield", id="title"),
        new_code_cell(BEGIN, id="begin"),
        new_code_cell('explore(labkit.parse(documents["warranty-policy"]))', id=ONE),
        new_code_cell(LONG, id=TWO),
    ]
    with lab.serving(tmp_path_factory.mktemp("lab")) as server:
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}  # else JupyterLab asks
        nbformat.write(new_notebook(cells=cells, metadata=kernel), server.work / NAME)
        learner = lab.Learner(watch.context.new_page(), server, NAME)
        learner.side_bar(False)
        learner.run_all()
        yield learner
        learner.page.close()


class Shown:
    """The explorer under a cell, as somebody at a keyboard has it."""

    def __init__(self, learner, cell):
        self.learner, self.page = learner, learner.page
        learner.show(cell)
        self.cell = learner.cell(cell)
        self.method = self.cell.get_by_label(say("explorer.method"), exact=True)
        self.size = self.cell.get_by_label(say("explorer.size"), exact=True)
        self.part = self.cell.get_by_label(say("explorer.part"), exact=True)
        self.method.wait_for()

    def press(self, *keys):
        """Keys, and until the kernel has answered and the page shows it."""
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(150)
        self.learner.wait(lab.AT_REST)
        self.page.evaluate(lab.PAINTED)

    def focused(self):
        return self.page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.innerText")

    def chosen(self, choice):
        return choice.evaluate("it => it.selectedOptions[0].innerText").replace("\xa0", " ")  # ipywidgets' blanks

    def says(self):
        return " ".join(self.cell.get_by_role("status").inner_text().split())

    def marks(self):
        return self.cell.locator(".labkit-explorer .document .begins:not(.inside)").count()


@pytest.fixture
def shown(learner):
    return Shown(learner, ONE)


def wait_until(shown, text):
    shown.learner.wait(
        "([cell, text]) => [...document.querySelectorAll('.labkit-explorer [role=status]')].some(it => it.innerText.includes(text))",
        [ONE, text],
    )


def test_method_and_size_are_turned_by_keyboard_and_the_readings_follow(shown, warranty):
    assert (shown.chosen(shown.method), shown.chosen(shown.size)) == ("fixed", "100 words")
    assert shown.says() == summary(cut(warranty, "fixed", 100)) and shown.marks() == len(cut(warranty, "fixed", 100).chunks)
    shown.page.screenshot(path=browser.screenshot_folder() / "explorer-fixed.png")

    shown.method.focus()
    assert shown.focused() == "Method"
    assert shown.cell.locator("[aria-live=polite] [role=status]").count() == 1  # the outer one stays when the text is new
    shown.press("ArrowDown")
    assert shown.chosen(shown.method) == "overlapping"
    wait_until(shown, "25 of them repeated")
    assert shown.says() == summary(cut(warranty, "overlapping", 100)) and shown.marks() == len(cut(warranty, "overlapping", 100).chunks)
    assert shown.cell.locator(".document .twice").count() > 0
    assert shown.focused() == "Method"  # the page is new, the place is kept
    shown.page.screenshot(path=browser.screenshot_folder() / "explorer-overlapping.png")

    shown.press("Tab")
    assert shown.focused() == "Size"
    shown.press("ArrowUp")
    wait_until(shown, "windows of 50 words, 12 of them")
    assert shown.says() == summary(cut(warranty, "overlapping", 50))

    shown.press("Shift+Tab", "ArrowDown")
    wait_until(shown, "Structure-aware")
    assert (shown.chosen(shown.method), shown.chosen(shown.size)) == ("structure-aware", "at most 200 words")
    assert shown.says() == summary(cut(warranty, "by_structure", 200)) and "Its table: whole." in shown.says()
    assert shown.cell.locator(".document .none").count() == 1
    shown.page.screenshot(path=browser.screenshot_folder() / "explorer-structure.png")


def test_the_document_and_the_tables_are_reached_and_moved_by_keyboard(shown):
    shown.size.focus()
    shown.press("Tab")
    assert shown.focused() == say("explorer.document")
    document = shown.cell.locator(".document")
    assert document.evaluate("it => it.scrollHeight > it.clientHeight")
    shown.press("End")
    shown.learner.wait("() => document.activeElement.scrollTop > 50")
    shown.press("Tab")
    assert shown.focused() == say("explorer.table")
    shown.press("Tab")
    assert shown.focused() == say("explorer.readings")


def test_keys_typed_at_a_choice_are_no_commands_to_the_notebook(shown):
    before = [(cell["id"], cell["cell_type"]) for cell in shown.learner.model()["cells"]]
    shown.method.focus()
    shown.press("d", "d", "x", "a", "b", "m")
    assert [(cell["id"], cell["cell_type"]) for cell in shown.learner.model()["cells"]] == before
    shown.press("s")  # a browser's own: the choice that begins with this letter
    assert shown.chosen(shown.method) == "structure-aware"
    shown.cell.locator(".document").focus()
    shown.press("d", "d", "x", "a", "b", "m")
    assert [(cell["id"], cell["cell_type"]) for cell in shown.learner.model()["cells"]] == before


def test_the_still_picture_and_its_twin_stand_below(shown, warranty):
    picture = shown.cell.locator(".jp-OutputArea-output img")
    assert picture.count() == 1 and picture.evaluate("it => it.complete && it.naturalWidth > 600")
    tables = shown.cell.locator(".jp-OutputArea-output table").filter(has_text="words of each chunk")
    assert tables.count() == 1
    below = "it => it.getBoundingClientRect().top"
    assert shown.method.evaluate(below) < picture.evaluate(below) < tables.evaluate(below)
    picture.scroll_into_view_if_needed()
    shown.page.evaluate(lab.PAINTED)
    shown.page.screenshot(path=browser.screenshot_folder() / "explorer-still.png")


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_everybody_can_read_it_in_both_themes(shown, theme):
    shown.learner.theme(theme)
    try:
        shown.learner.show(ONE)
        shown.page.screenshot(path=browser.screenshot_folder() / f"explorer-{theme.split()[-1].lower()}.png")
        shown.cell.locator(".widget-vbox, .jupyter-widgets").first.evaluate("it => it.setAttribute('data-looked-at', '')")
        # JupyterLab's body has no height of its own, and axe-core takes what overflows it for hidden
        shown.page.add_style_tag(content="body { height: 100vh; overflow: visible !important; }")
        only = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations", "passes"]}
        found = Axe().run(shown.page, context="[data-looked-at]", options=only).response
    finally:
        shown.learner.theme("JupyterLab Light")
    passed = {rule["id"] for rule in found["passes"]}
    assert {"color-contrast", "select-name", "scrollable-region-focusable"} <= passed  # the choices and the page were looked at
    wrong = [(rule["id"], node["html"][:200]) for rule in found["violations"] if rule["id"] not in WHOLE_PAGE for node in rule["nodes"]]
    assert wrong == []


@pytest.mark.parametrize("setting", [("fixed", 100), ("overlapping", 50), ("by_structure", 100)])
def test_the_page_by_itself_keeps_the_rules(chromium, warranty, setting):
    explorer = explore(warranty)
    explorer.turn(*setting)
    title = "<!doctype html><html lang=en><meta charset=utf-8><title>Explorer</title><main><h1>Chunking</h1><h2>On Larkfield</h2>"
    tab = chromium.new_page(viewport={"width": 1000, "height": 900})
    tab.set_content(title + "".join(explorer.page()) + "</main>")
    found = Axe().run(tab, options={"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations", "passes"]}).response
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}
    assert [(rule["id"], node["html"][:200]) for rule in found["violations"] for node in rule["nodes"]] == []
    tab.emulate_media(forced_colors="active")
    assert tab.locator(".begins").first.evaluate("it => getComputedStyle(it).borderLeftWidth") == "4px"  # without any colour of ours
    tab.set_viewport_size({"width": 360, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    last = tab.locator("table").last.evaluate("it => it.getBoundingClientRect().bottom + scrollY")
    assert tab.evaluate("document.documentElement.scrollHeight") < last + 60  # nothing hidden makes the page longer than it looks
    tab.screenshot(path=browser.screenshot_folder() / f"explorer-narrow-{setting[0]}.png", full_page=True)
    tab.close()


def test_a_document_of_sixty_pages_is_turned_without_a_wait(learner):
    shown = Shown(learner, TWO)
    assert shown.part.locator("option").count() > 15
    shown.part.focus()
    shown.press("ArrowDown", "ArrowDown")
    assert "w29x" in shown.cell.locator(".document").inner_text()
    seconds = shown.page.evaluate(
        """async method => {
            const began = performance.now();
            const cell = method.closest('.jp-Cell');
            method.selectedIndex = 2;
            method.dispatchEvent(new Event('change', { bubbles: true }));
            while (!cell.querySelector('[role=status]').innerText.startsWith('Structure-aware'))
                await new Promise(done => requestAnimationFrame(done));
            return (performance.now() - began) / 1000;
        }""",
        shown.method.element_handle(),
    )
    assert seconds < 5
    assert shown.chosen(shown.part).startswith("3 of ") and "w29x" in shown.cell.locator(".document").inner_text()
    assert shown.cell.locator(".labkit-explorer").last.evaluate("it => it.innerHTML.length") < 100_000
    shown.page.screenshot(path=browser.screenshot_folder() / "explorer-long.png")


def test_nothing_failed_and_nothing_left_this_machine(learner, watch):
    assert learner.page.title() and len(watch.asked) > 20
    assert watch.outside() == []
    assert watch.errors == []
    assert watch.failed == []
