"""Every lesson can be read by everybody: its page is checked by axe-core, and by what axe-core does not look at."""

import base64
import io

import browser
import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image

from labkit.course import course_folder
from labkit.lessons import answers, catalogue
from labkit.lessons.answers import CORRECT, NOT_ATTEMPTED, NOT_YET, Outcome
from labkit.lessons.page import page

NOTEBOOKS = sorted(course_folder().glob("notebooks/*.ipynb")) + sorted(course_folder().glob("snapshots/*/*.ipynb"))
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# What axe-core leaves to others: ids that stand twice, tables without headings, a second title, formulas without words.
OURS = """() => {
    const all = selector => [...document.querySelectorAll(selector)];
    const ids = all('[id]').map(each => each.id);
    return [
        ...all('[id]').filter(each => ids.filter(id => id === each.id).length > 1).map(each => ['id-twice', each]),
        ...all('table').filter(each => !each.querySelector('th')).map(each => ['table-without-headings', each]),
        ...all('h1').slice(1).map(each => ['second-title', each]),
        ...all('math').filter(each => !each.getAttribute('alttext')).map(each => ['formula-without-words', each]),
    ].map(([rule, each]) => [rule, each.closest('[id^=cell-]')?.id ?? '', each.outerHTML.slice(0, 120)]);
}"""
PLACE = "(selector) => document.querySelector(selector)?.closest('[id^=cell-]')?.id ?? ''"

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def watched(chromium):
    context = chromium.new_context(viewport={"width": 1000, "height": 900})
    yield context, browser.Watch(context)
    context.close()


@pytest.fixture
def look(watched, tmp_path):
    """Notebook, or HTML text -> what is wrong with its page: (rule, cell, the element), in light and in dark."""
    context, _ = watched
    tab = context.new_page()

    def look(what):
        file = tmp_path / "page.html"
        file.write_text(what if isinstance(what, str) else page(what, "A notebook"), encoding="utf-8")
        found = []
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            tab.goto(file.as_uri())
            only = {"type": "tag", "values": RULES} if scheme == "light" else {"type": "rule", "values": ["color-contrast"]}
            results = Axe().run(tab, options={"runOnly": only, "resultTypes": ["violations", "passes"]}).response
            assert results["passes"], "nothing was looked at"
            for rule in results["violations"]:
                for node in rule["nodes"]:
                    found.append((rule["id"], tab.evaluate(PLACE, node["target"][0]), node["html"][:120]))
        return found + [tuple(each) for each in tab.evaluate(OURS)]

    look.tab = tab
    yield look
    tab.close()


def picture(**about):
    buffer = io.BytesIO()
    Image.new("RGB", (40, 20), "navy").save(buffer, "PNG")
    data = {"image/png": base64.b64encode(buffer.getvalue()).decode(), "text/plain": "<Figure size 640x480 with 1 Axes>"}
    return new_output("display_data", data, metadata={"image/png": about})


def notebook(*cells):
    made = new_notebook()
    made.cells = [new_markdown_cell("# A lesson", id="title"), *cells]
    return made


def code(*outputs, id="looked-at"):
    return new_code_cell("show()", id=id, outputs=list(outputs), execution_count=1)


def shows(text):
    return code(new_output("display_data", {"text/html": text}))


def says(text):
    return new_markdown_cell(text, id="looked-at")


# The lessons


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: f"{file.parent.name}/{file.stem}"[-60:])
def test_a_lesson_can_be_read_by_everybody(look, file):
    lesson = nbformat.read(file, as_version=4)
    assert look(lesson) == []
    assert look.tab.locator("h1").count() == 1 and look.tab.locator("h1").inner_text() == look.tab.title()
    outputs = [output for cell in lesson.cells for output in cell.get("outputs", [])]
    assert look.tab.locator("main img[alt]").count() == sum("image/png" in output.get("data", {}) for output in outputs)
    if file.parent.name == "notebooks":
        look.tab.emulate_media(color_scheme="light")
        look.tab.screenshot(path=browser.screenshot_folder() / f"page-{file.stem[:2]}.png", full_page=True)


def test_no_lesson_is_left_out():
    there = {row.notebook for row in catalogue.lessons()}
    assert there <= {file.name for file in NOTEBOOKS} and len(NOTEBOOKS) > len(there) > 0


# What fails, and what does not

SVG = "<svg xmlns='http://www.w3.org/2000/svg'/>"
GOOD = "A bar chart of five scores, best first."
FAULTS = [
    ("a picture without text", code(picture()), "image-alt"),
    ("a picture with an empty text", code(picture(alt=" ")), "image-alt"),
    ("a picture in markdown without text", says("![](data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=)"), "image-alt"),
    ("a picture in HTML without text", says('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">'), "image-alt"),
    ("a heading level left out", says("### Third"), "heading-order"),
    ("a heading level left out inside a cell", says("## Second\n\n#### Fourth"), "heading-order"),
    ("a second title", says("# Another lesson"), "second-title"),
    ("an empty heading", says("## \n\nText"), "empty-heading"),
    ("pale grey on white", shows('<p style="color: #aaaaaa; background: #ffffff">pale</p>'), "color-contrast"),
    ("grey that only dark mode hides", shows('<p style="color: #555555">hidden in the dark</p>'), "color-contrast"),
    ("a table without headings", shows("<table><tr><td>a</td><td>1</td></tr></table>"), "table-without-headings"),
    ("a link without text", says("[](https://example.org)"), "link-name"),
    ("an id that stands twice", shows('<p id="x">a</p><p id="x">b</p>'), "id-twice"),
    ("a list item without a list", shows("<li>alone</li>"), "listitem"),
    ("a folded part without a name", says("<details>\n\nAn answer\n\n<summary></summary></details>"), "summary-name"),
]


@pytest.mark.parametrize("kind, cell, rule", FAULTS, ids=[row[0] for row in FAULTS])
def test_a_fault_is_found_and_its_cell_named(look, kind, cell, rule):
    found = look(notebook(cell))
    assert (rule, "cell-looked-at") in {(name, place) for name, place, _ in found}, found


RIGHT = [
    ("a picture with text", code(picture(alt=GOOD, width=400, height=200))),
    ("a picture with text of the whole output", code(new_output("display_data", {"image/svg+xml": SVG}, metadata={"alt": GOOD}))),
    ("a picture in markdown with text", says(f"![{GOOD}](data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=)")),
    ("the same heading twice", says("## Notes\n\n## Notes\n\n### Notes")),
    ("a wide text, which scrolls", code(new_output("stream", name="stdout", text="a wide line " * 40))),
    ("a formula", says("$$\\text{rarity} = \\ln \\frac{N - n + 0.5}{n + 0.5}$$ and $k_1$")),
    ("a folded answer", says("<details><summary>Answer</summary>\n\nYes.\n\n</details>")),
    ("a table", says("| a | b |\n| --- | --- |\n| 1 | 2 |")),
    ("an error", code(new_output("error", ename="NameError", evalue="no n", traceback=["\x1b[31mNameError\x1b[0m: no n"]))),
    ("a warning", code(new_output("stream", name="stderr", text="careful"))),
    ("a cell that was doubled", new_code_cell("1", id="title")),
]


@pytest.mark.parametrize("kind, cell", RIGHT, ids=[row[0] for row in RIGHT])
def test_what_is_right_passes(look, kind, cell):
    assert look(notebook(cell)) == []


def test_a_notebook_without_a_title_gets_its_name(look):
    assert look(new_notebook(cells=[new_markdown_cell("## Part", id="part")])) == []
    assert look.tab.title() == "A notebook" == look.tab.locator("h1").inner_text()


# Answers, hints, predictions

ANSWERS = [
    answers.bundle(Outcome(CORRECT, "rarity(8, 2) = `0.9555`, and *four* other cases agree."), "03", "rarity", "Rare?", "x"),
    answers.bundle(Outcome(NOT_YET, "It stops: see below.", "raised", code="def f(n):\n    return n / 0"), "03", "gain", "Gain", "x"),
    answers.bundle(Outcome(NOT_ATTEMPTED, "Put your own code in place of `...`."), "03", "score", "Score", "x"),
    answers.message("A hint", "Which is larger: `n` or `N - n`?", "math.log(…)"),
]


@pytest.mark.parametrize("answer", ANSWERS, ids=["correct", "not-yet", "not-attempted", "hint"])
def test_an_answer_can_be_read_on_light_and_dark(look, answer):
    assert look(notebook(code(new_output("display_data", answer)))) == []
    shown = look.tab.locator(".labkit-answer").inner_text()
    assert [*shown.split()] == [*answer["text/plain"].replace("`", "").replace("*", "").split()]


# The page by itself


def test_a_page_asks_for_nothing_and_runs_nothing(look, watched):
    _, watch = watched
    asked, failed = len(watch.asked), len(watch.failed)
    text = '<img src="https://example.org/a.png" alt="A picture from elsewhere."><script>document.title = "ran"</script>'
    assert look(notebook(shows(text), says(f"{text}\n\n![A second one.](https://example.org/b.png)"))) == []
    assert look.tab.title() == "A lesson"
    outside = [address for address in watch.asked[asked:] if not address.startswith("file:")]
    refused = [said for said in watch.failed[failed:] if said.endswith("csp")]  # by the page's own policy, before any network
    assert len(outside) == len(refused) > 0


def test_by_keyboard_the_skip_link_comes_first_and_leads_past_the_contents(look):
    assert look(notebook(says("## A part\n\n[a link](#A-part)"))) == []
    look.tab.keyboard.press("Tab")
    assert look.tab.evaluate("document.activeElement.className") == "skip"
    assert look.tab.locator(".skip").bounding_box()["x"] >= 0
    look.tab.keyboard.press("Enter")
    look.tab.keyboard.press("Tab")
    assert look.tab.evaluate("document.activeElement.textContent") == "a link"


def test_a_narrow_window_needs_no_scrolling_sideways(look):
    look.tab.set_viewport_size({"width": 320, "height": 600})
    wide = code(new_output("stream", name="stdout", text="a wide line " * 40))
    assert look(notebook(says("## A part\n\n" + "word " * 60 + "`" + "x" * 80 + "`"), wide, shows("<p>" + "y" * 90 + "</p>"))) == []
    assert look.tab.evaluate("document.documentElement.scrollWidth") <= 320


def test_on_paper_the_answers_are_unfolded(look):
    look(notebook(says("<details><summary>Answer</summary>\n\nForty-one.\n\n</details>")))
    assert not look.tab.get_by_text("Forty-one.").is_visible()
    look.tab.emulate_media(media="print")
    assert look.tab.get_by_text("Forty-one.").bounding_box()["height"] > 5
