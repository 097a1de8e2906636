"""A learner's first hour with lesson 03, in JupyterLab, in a real browser."""

import browser
import lab
import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

from labkit.course import course_folder
from labkit.lessons.answers import ANSWER_MIME, CORRECT, NOT_YET, digest
from labkit.lessons.content.lesson_03 import RARITY
from labkit.lessons.texts import lesson_texts

LESSON = "03-bm25-by-hand.ipynb"
CELL = "exercise-rarity"
NOTE = "Ma réponse : *kettle* est rare — là où il se trouve, il dit beaucoup."
TEXTS = lesson_texts("03")["exercises"]["rarity"]
MISTAKE = next(each for each in RARITY.mistakes if each.key == "base-10").cell(RARITY.solution)

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def watch(chromium):
    context = chromium.new_context(viewport={"width": 1400, "height": 900}, color_scheme="light")
    watch = browser.Watch(context)
    watch.context = context
    yield watch
    context.close()


@pytest.fixture(scope="module")
def learner(watch, tmp_path_factory):
    with lab.serving(tmp_path_factory.mktemp("lab")) as server:
        learner = lab.Learner(watch.context.new_page(), server, LESSON)
        learner.run_all()
        yield learner
        learner.page.close()


def code_cells(learner):
    return [cell for cell in learner.model()["cells"] if cell["cell_type"] == "code"]


def readable(text: str) -> str:
    """A message as it stands on the page: marks of code gone, blanks as one."""
    return " ".join(text.replace("`", "").split())


def test_the_lesson_runs_to_its_end_without_an_error(learner):
    cells = code_cells(learner)
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    assert [cell["id"] for cell in cells for output in cell["outputs"] if output["output_type"] == "error"] == []
    assert [cell["id"] for cell in cells for output in cell["outputs"] if output.get("name") == "stderr"] == []
    assert learner.answer(CELL).startswith("Not attempted")
    learner.photograph(browser.screenshot_folder(), "03-unsolved")


def test_every_picture_arrives_and_its_text_follows(learner):
    pictures = learner.page.locator(".jp-Notebook .jp-OutputArea-output img")
    with_pictures = [cell for cell in code_cells(learner) if any("image/png" in each.get("data", {}) for each in cell["outputs"])]
    assert pictures.count() == len(with_pictures) > 2
    assert pictures.evaluate_all("all => all.filter(it => !(it.complete && it.naturalWidth > 300))") == []
    for cell in with_pictures:
        assert learner.cell(cell["id"]).locator("img ~ *, table").count(), f"nothing stands for the picture of {cell['id']}"


def test_a_typical_mistake_is_told_then_the_right_answer_is(learner):
    learner.page.set_viewport_size({"width": 1400, "height": 900})
    wrong = RARITY.check(RARITY.evaluate(MISTAKE), TEXTS, MISTAKE)
    right = RARITY.check(RARITY.evaluate(RARITY.solution), TEXTS, RARITY.solution)
    assert (wrong.status, wrong.mistake, right.status) == (NOT_YET, "base-10", CORRECT)

    learner.fill(CELL, MISTAKE)
    said = learner.answer(CELL)
    learner.page.screenshot(path=browser.screenshot_folder() / "03-not-yet.png")
    assert said.startswith("Not yet") and readable(wrong.text) in readable(said)

    learner.fill(CELL, RARITY.solution)
    said = learner.answer(CELL)
    learner.page.screenshot(path=browser.screenshot_folder() / "03-correct.png")
    assert said.startswith("Correct") and readable(right.text) in readable(said)


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_answers_can_be_read_in_both_themes(learner, theme):
    learner.theme(theme)
    try:
        learner.cell(CELL).locator(".labkit-answer").scroll_into_view_if_needed()
        learner.page.evaluate(lab.PAINTED)
        learner.page.screenshot(path=browser.screenshot_folder() / f"03-{theme.split()[-1].lower()}.png")
        # JupyterLab's body has no height of its own, and axe-core takes what overflows it for hidden
        learner.page.add_style_tag(content="body { height: 100vh; overflow: visible !important; }")
        found = Axe().run(learner.page, context=".labkit-answer", options={"resultTypes": ["violations", "passes"]}).response
    finally:
        learner.theme("JupyterLab Light")
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}  # the answers were looked at
    assert [(rule["id"], node["html"]) for rule in found["violations"] for node in rule["nodes"]] == []


def test_the_file_holds_what_the_learner_typed_and_what_the_check_said(learner):
    learner.fill("predict-twice", 'lesson.predict("twice", 1.5)')
    learner.fill(CELL, RARITY.solution)
    learner.note_below(CELL, NOTE)
    learner.save()
    saved = nbformat.read(learner.file, as_version=4)
    cells = {cell.id: cell for cell in saved.cells}
    assert cells[CELL].source == RARITY.solution
    (answer,) = [output.data[ANSWER_MIME] for output in cells[CELL].outputs]
    assert (answer["exercise"], answer["status"], answer["digest"]) == ("rarity", CORRECT, digest(RARITY.solution))
    assert "1.5" in cells["predict-twice"].source and "1.50" in str(cells["predict-twice"].outputs)
    places = [cell.id for cell in saved.cells]
    assert saved.cells[places.index(CELL) + 1].source == NOTE


def test_nothing_failed_and_nothing_left_this_machine(learner, watch):
    assert learner.page.title()  # the page is still there
    assert len(watch.asked) > 20, "the requests were not seen"
    assert any(address.startswith("ws://127.0.0.1") for address in watch.asked), "the kernel's own line was not seen"
    assert watch.outside() == []
    assert watch.errors == []
    assert watch.failed == []


# What the tests above stand on


def test_a_request_to_elsewhere_an_error_and_a_missing_file_are_seen(chromium, tmp_path):
    context = chromium.new_context()
    watch = browser.Watch(context)
    page = context.new_page()
    page.goto("data:text/html,<title>A page</title>")
    asking = "<img src='http://192.0.2.1/a.png'><script src='http://nowhere.example/x.js'></script>"
    page.set_content(asking + "<script>console.error('ours'); f()</script>")
    page.evaluate("() => fetch('http://nowhere.example/y').catch(() => 0)")
    context.close()
    assert {"http://192.0.2.1/a.png", "http://nowhere.example/x.js", "http://nowhere.example/y"} <= {*watch.outside()}
    assert any(said.startswith("ours") for said in watch.errors) and any("f is not defined" in said for said in watch.errors)
    assert len(watch.failed) >= 2


@pytest.mark.parametrize(
    ("address", "outside"),
    [
        ("http://127.0.0.1:8888/lab", False),
        ("ws://localhost:1/x", False),
        ("data:image/png;base64,xx", False),
        ("blob:http://127.0.0.1/1", False),
        ("http://127.0.0.1.example.org/", True),
        ("https://example.org/127.0.0.1", True),
        ("wss://example.org", True),
        ("http://10.0.0.1/", True),
    ],
)
def test_what_counts_as_outside(address, outside):
    watch = browser.Watch.__new__(browser.Watch)
    watch.asked = [address]
    assert watch.outside() == [address] * outside


def test_without_a_browser_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(browser, "MAC", ())
    with pytest.raises(browser.NoChromium, match="apt-get install chromium"):
        browser.find_chromium({"PATH": str(tmp_path)})
    with pytest.raises(browser.NoChromium, match="LABKIT_CHROMIUM is mine, which cannot be started"):
        browser.find_chromium({"PATH": str(tmp_path), "LABKIT_CHROMIUM": "mine"})
    for name in (*browser.NAMES, "mine"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert browser.find_chromium({"PATH": str(tmp_path)}) == str(tmp_path / "chromium")
    assert browser.find_chromium({"PATH": str(tmp_path), "LABKIT_CHROMIUM": "mine"}) == str(tmp_path / "mine")


def test_a_new_machine_looks_for_the_same_browsers_before_it_installs_one():
    check = (course_folder() / ".ci" / "run").read_text("utf-8")
    assert " ".join(browser.NAMES) in check and browser.VARIABLE in check


def test_the_readme_s_picture_is_small_and_of_the_size_that_its_maker_takes():
    import readme_picture
    from PIL import Image

    assert readme_picture.TARGET.stat().st_size < 300_000
    with Image.open(readme_picture.TARGET) as picture:
        assert picture.size == (readme_picture.SIZE["width"], readme_picture.SIZE["height"])
