"""The explorer: the whole document on its page, each mark where the chunks say, and a still picture where nothing runs."""

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from parsed_documents import by_hand, markdowns, parsed_markdown

from labkit.chunking import by_structure, fixed, overlapping, readings, times_held
from labkit.chunking.chunk import body_words
from labkit.collection import load_inventory
from labkit.course import MARKS, course_folder
from labkit.errors import BadArgument
from labkit.lessons import rules
from labkit.parsing.blocks import Page, Problem
from labkit.parsing.reading import parse
from labkit.show.cuttings import ALL, THREE, cut, cut_all, table_of_readings
from labkit.show.explorer import explore, live_here, still
from labkit.show.explorer_view import PART_WORDS, body_html, parts, summary, summary_html
from labkit.show.style import Picture, course_style
from labkit.show.tables import clean

TABLE = "| part | fits |\n| --- | --- |\n| pump kit | PW-2200 |\n| hose | both models |"
POLICY = parsed_markdown(
    f"# Kettle policy\n\nOne two three four. Five six seven eight nine ten.\n\n## Parts\n\nFind yours.\n\n{TABLE}\n\n"
    "## Notes\n\n- the first item of three words more\n- another\n\n---\n\nThe end of it all.\n"
)
NOTHING = by_hand(pages=[Page(1, "1", 0, 0)], problems=[Problem(1, "no text, only a picture", "have it read")])


def page(parsed, method, size):
    """The document's part of the page, all parts one after another, as soup."""
    made = cut(parsed, method, size)
    each = [BeautifulSoup(body_html(made, [made], part), "html.parser").find(class_="document") for part in parts(parsed)]
    return made, each


def words_of(each):
    """The words of the document alone: no mark, no kind, no page; a cell's border is a blank again."""
    found = []
    for soup in each:
        soup = BeautifulSoup(str(soup), "html.parser")
        for mark in soup.select(".begins, .ends, .context, .small, .page, .kind"):
            mark.decompose()
        for border in soup.select(".cell"):
            border.replace_with(" ")
        found += [word for block in soup.select(".words") for word in block.get_text().split()]
    return found


def words_in(each, css):
    return [word for soup in each for span in soup.select(css) for word in str(span.get_text().replace("│", " ")).split()]


def check(parsed, method, size):
    made, each = page(parsed, method, size)
    words = [clean(parsed.text[start:end]) for start, end in body_words(parsed)]
    times = times_held(parsed, made.chunks)
    assert words_of(each) == [part for word in words for part in word.split()]
    for css, wanted in ((".none", [0]), (".even, .odd", [1]), (".twice", [2, 3])):
        held = [word for word, number in zip(words, times, strict=True) if number in wanted]
        assert words_in(each, css) == [part for word in held for part in word.split()], css
    begun = [mark.contents[0] for soup in each for mark in soup.select(".begins") if mark.select(".spoken")]
    assert begun == [f"chunk {number}" for number in range(len(made.chunks))]
    assert sum(len(soup.select(".inside")) for soup in each) == made.readings.begin_inside
    assert sum(len(soup.select(".context")) for soup in each) == sum(bool(chunk.context) for chunk in made.chunks)


# The page


@settings(max_examples=60, deadline=None)
@given(markdowns, st.sampled_from([("fixed", 3), ("overlapping", 4), ("overlapping", 9), ("by_structure", 6), ("by_structure", 40)]))
def test_the_page_holds_each_word_once_in_order_under_the_right_mark(text, setting):
    check(parsed_markdown(text), *setting)


@pytest.mark.parametrize("document", [each for each in load_inventory() if each.format != "md"], ids=lambda document: document.file)
def test_so_it_does_for_what_was_read_of_html_and_pdf(document):
    for setting in THREE:
        check(parse(document), *setting)


def test_a_chunk_s_mark_stands_before_its_first_word_and_says_what_it_begins_inside():
    _, (soup,) = page(POLICY, "fixed", 8)
    text = re.sub(r"\s+", " ", soup.get_text(" "))
    assert "chunk 1 begins ✂ inside a sentence Six" in text.replace("six", "Six")
    assert "chunk 0 begins # Kettle policy" in text


def test_where_two_overlap_the_end_of_the_first_is_marked_and_nowhere_else():
    made, (soup,) = page(POLICY, "overlapping", 12)
    assert [mark.get_text() for mark in soup.select(".ends")] == [f"end of {number}" for number in range(len(made.chunks) - 1)]
    assert page(POLICY, "fixed", 12)[1][0].select(".ends") == []


def test_a_structure_aware_chunk_shows_what_goes_in_front_and_the_title_is_in_no_chunk():
    _, (soup,) = page(POLICY, "by_structure", 12)
    fronts = [mark.get_text() for mark in soup.select(".context")]
    assert fronts[0] == "in front: Kettle policy" and "in front: Kettle policy › Parts" in fronts
    assert [span.get_text() for span in soup.select(".none")] == ["# Kettle policy"]
    assert soup.find(class_="none").parent.find(class_="small").get_text() == "in no chunk: "


def test_front_matter_is_not_shown_and_what_stands_outside_of_blocks_is():
    _, each = page(parsed_markdown("---\ntitle: hidden words\n---\n# T\n\n## A\n\ntext\n\n---\n\nmore"), "fixed", 100)
    assert words_of(each) == ["#", "T", "##", "A", "text", "---", "more"]
    assert "outside any block" in each[0].get_text()


def test_pages_are_told_between_blocks_inside_them_and_where_they_are_empty():
    parsed = by_hand(
        ("paragraph", "one two three", {"page": 1}),
        ("paragraph", "four five", {"page": 3}),
        pages=[Page(1, "i", 0, 7), Page(2, "2", 8, 13), Page(3, "iv", 15, 24), Page(4, "", 24, 24), Page(5, "", 24, 24)],
    )
    _, (soup,) = page(parsed, "fixed", 2)
    assert [mark.get_text() for mark in soup.select(".page")] == [
        "page 1, numbered “i”", "page 2", "page 3, numbered “iv”", "page 4: no text", "page 5: no text"
    ]  # fmt: skip
    assert re.sub(r"\s+", " ", soup.get_text(" ")).index("page 2") > soup.get_text(" ").index("two")


def test_the_borders_of_cells_can_be_seen_and_are_not_read_out():
    parsed = by_hand(("table", "a\tb c\nd\te", {"rows": [["a", "b c"], ["d", "e"]]}))
    _, (soup,) = page(parsed, "fixed", 3)
    assert [(cell.get_text(), cell["aria-hidden"]) for cell in soup.select(".cell")] == [("│", "true")] * 2
    assert words_of([soup]) == ["a", "b", "c", "d", "e"]


OWN_TAGS = {*re.findall("[a-z0-9]+", "style div span p strong ul li h3 h4 table caption thead tbody tr th td br")}
NASTY = "<script>alert(1)</script> & \"quoted\" 'single' </div> <img src=x onerror=alert(1)> \x1b[31m \u202e"


def test_a_document_s_text_is_never_taken_for_a_page_s():
    parsed = by_hand(
        ("title", NASTY, {"page": 1}),
        ("heading", NASTY, {"level": 2, "heading_path": [NASTY], "page": 1}),
        ("table", NASTY + "\t" + NASTY, {"rows": [[NASTY, NASTY]], "page": 1}),
        title=NASTY,
        language='en" onclick="x',
        pages=[Page(1, NASTY, 0, 600)],
        problems=[Problem(1, NASTY, NASTY)],
    )
    for method, size in ALL:
        shown = explore(parsed)
        shown.turn(method, size)
        soup = BeautifulSoup("".join(shown.page()), "html.parser")
        assert {tag.name for tag in soup.find_all()} <= OWN_TAGS
        attributes = {name for tag in soup.find_all() for name in tag.attrs if not name.startswith("aria-")}
        assert attributes <= {"class", "role", "tabindex", "style", "scope", "dir", "lang"}
        assert "alert(1)" in soup.get_text() and "\x1b" not in soup.get_text()


@pytest.mark.parametrize(("language", "said"), [("fr", "fr"), ("en-GB", "en-GB"), ("unknown", None), ("", None), ("français", None)])
def test_the_document_s_language_is_told_where_it_is_known(language, said):
    _, (soup,) = page(replace(POLICY, language=language), "fixed", 100)
    assert soup.div.get("lang") == said


def test_everything_has_a_heading_a_name_and_a_caption():
    soup = BeautifulSoup("".join(explore(POLICY).page()), "html.parser")
    assert [heading.name for heading in soup.find_all(re.compile("^h[1-6]$"))] == ["h3", "h4", "h4", "h4"]
    assert soup.find(role="status")["aria-live"] == "polite"
    assert all(region["aria-label"] and region["tabindex"] == "0" for region in soup.find_all(role="region"))
    for table in soup.find_all("table"):
        assert table.caption and all(head["scope"] in ("col", "row") for head in table.find_all("th"))


def test_the_chunks_stand_in_a_table():
    shown = explore(POLICY)
    shown.turn("by_structure", 100)
    table = BeautifulSoup(shown.page()[1], "html.parser").find_all("table")[0]
    assert [head.get_text() for head in table.thead.find_all("th")] == [
        "chunk",
        "ID",
        "characters",
        "words",
        "repeated",
        "sections",
        "notes",
    ]
    rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in table.tbody.find_all("tr")]
    chunks = by_structure(POLICY, 100)
    wanted = [[str(c.position), c.id, f"{c.start}–{c.end}", str(c.words), "0", ", ".join(c.sections), ""] for c in chunks]
    assert rows == wanted


def test_pages_repeats_and_what_is_over_the_limit_stand_in_the_table_too():
    parsed = by_hand(("table", "one two\nthree four", {"page": 1}), pages=[Page(1, "", 0, 7), Page(2, "", 8, 18)])
    for method, size, wanted in (
        ("by_structure", 2, [["0", "0–18", "1, 2", "5", "0", "", "over the limit"]]),
        ("overlapping", 4, [["0", "0–18", "1, 2", "4", "0", "", ""]]),
        ("fixed", 3, [["0", "0–13", "1, 2", "3", "0", "", ""], ["1", "14–18", "2", "1", "0", "", "✂ begins inside a table row"]]),
    ):
        made = cut(parsed, method, size)
        table = BeautifulSoup(body_html(made, [made], parts(parsed)[0]), "html.parser").find("table")
        rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in table.tbody.find_all("tr")]
        assert [[row[0], *row[2:]] for row in rows] == wanted
    made = cut(POLICY, "overlapping", 12)
    table = BeautifulSoup(body_html(made, [made], parts(POLICY)[0]), "html.parser").find("table")
    assert [row.find_all("td")[3].get_text() for row in table.tbody.find_all("tr")] == ["0"] + ["3"] * (len(made.chunks) - 1)


# Long documents

LONG = parsed_markdown("# Long\n\n" + "\n\n".join(f"## Part {n}\n\n" + " ".join(f"w{n}x{i}" for i in range(97)) + "." for n in range(160)))


def test_a_long_document_comes_in_parts_of_whole_blocks():
    found = parts(LONG)
    assert found[0].start == LONG.body and found[-1].end == len(LONG.text)
    assert all(a.end == b.start for a, b in pairwise(found))
    assert {part.start for part in found[1:]} <= {block.start for block in LONG.blocks}
    sizes = [len(LONG.text[part.start : part.end].split()) for part in found]
    assert max(sizes) <= PART_WORDS and sum(sizes) == len(body_words(LONG))
    assert found[0].name == f"1 of {len(found)}: words 1 to {sizes[0]:,}"
    check(LONG, "overlapping", 50)


def test_a_part_is_small_and_a_chunk_that_goes_on_in_it_says_so():
    shown = explore(LONG)
    assert len(shown.part_names) > 10
    for part in range(3):
        soup = BeautifulSoup(shown.page(part)[1], "html.parser")
        assert len(str(soup)) < 60_000
        begins = soup.find(class_="document").find(class_="begins").get_text()
        first = int(shown.part_names[part].split()[4].replace(",", "")) - 1
        assert begins == (f"chunk {first // 100} goes on" if first % 100 else f"chunk {first // 100} begins")


def test_parts_of_a_document_with_pages_are_called_by_them():
    words = " ".join(["word"] * 700)
    pieces = [("paragraph", words, {"page": number + 1}) for number in range(5)]
    pages = [Page(n + 1, "", n * (len(words) + 2), n * (len(words) + 2) + len(words)) for n in range(5)]
    assert [part.name for part in parts(by_hand(*pieces, pages=pages))] == [
        "1 of 3: pages 1 to 2",
        "2 of 3: pages 3 to 4",
        "3 of 3: page 5",
    ]


def test_one_block_longer_than_a_part_stays_whole_and_a_short_document_is_one_part():
    assert len(parts(by_hand(("code", "word " * 4000 + "end")))) == 1
    assert len(parts(POLICY)) == len(parts(NOTHING)) == 1


# What it says


@pytest.mark.parametrize(
    ("method", "size", "said"),
    [
        ("fixed", 50, "Fixed windows of 50 words: 2 chunks. 57 words stored for the document's 57; 0 in no chunk. Its table: whole."),
        ("overlapping", 50, "Overlapping windows of 50 words, 12 of them repeated: 2 chunks. 69 words stored for the document's 57;"),
        (
            "by_structure",
            100,
            "Structure-aware chunks of at most 100 words: 3 chunks. 60 words stored for the document's 57; 3 in no chunk.",
        ),
        ("fixed", 200, "No chunk begins inside a sentence, a heading, a list item or a table row."),
        ("fixed", 4, "13 of 15 chunks begin inside"),
        ("fixed", 30, "Its table: cut in 2."),
    ],
)
def test_the_summary_says_the_readings(method, size, said):
    made = cut(POLICY, method, size)
    by = {"fixed": fixed, "overlapping": lambda p, s: overlapping(p, s, s // 4), "by_structure": by_structure}[method]
    assert made.readings == readings(POLICY, by(POLICY, size))
    assert said in summary(made) and said in BeautifulSoup(summary_html(made), "html.parser").get_text()


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ((), "none"), ((1,), "whole"), ((3,), "cut in 3"), ((0,), "in no chunk"),
        ((1, 1), "2 whole"), ((1, 3, 1, 2, 3), "2 whole, 1 cut in 2, 2 cut in 3"),
    ],
)  # fmt: skip
def test_tables_in_words(tables, said):
    made = cut(POLICY, "fixed", 100)
    assert replace(made, readings=replace(made.readings, tables=tables)).tables == said


def test_all_nine_readings_stand_in_text():
    text = repr(explore(POLICY))
    assert str(table_of_readings(cut_all(POLICY, ALL))) in text and summary(cut(POLICY, "fixed", 100)) in text
    assert len(table_of_readings(cut_all(POLICY, ALL))) == 9 and max(map(len, text.splitlines()[3:])) <= 80


def test_a_document_without_words_and_what_could_not_be_read():
    shown = explore(NOTHING)
    first, second = shown.page()
    assert "not a word to cut" in first and "page 1: no text, only a picture — have it read" in first and "page 1: no text" in second
    assert isinstance(shown.picture, Picture) and shown.picture.png() and "not a word" in shown.picture.figure.get_suptitle()


# Turning it


def test_turning_keeps_the_size_where_the_method_has_it():
    shown = explore(POLICY)
    seen = []
    for turned in ({"size": 50}, {"method": "by_structure"}, {"size": 100}, {"method": "overlapping"}, {"method": "fixed", "size": 200}):
        shown.turn(**turned)
        seen.append((shown.method, shown.size))
    assert seen == [("fixed", 50), ("by_structure", 200), ("by_structure", 100), ("overlapping", 100), ("fixed", 200)]
    assert shown.cutting.chunks == tuple(fixed(POLICY, 200))


@pytest.mark.parametrize("wrong", [{"method": "semantic"}, {"size": 400}, {"method": "by_structure", "size": 50}, {"method": ["fixed"]}])
def test_another_method_or_size_changes_nothing(wrong):
    shown = explore(POLICY)
    with pytest.raises(BadArgument):
        shown.turn(**wrong)
    assert (shown.method, shown.size) == ("fixed", 100)


def test_the_choices_of_the_widget_turn_it_and_it_turns_the_choices():
    shown = explore(POLICY)
    choices, said, seen = shown.widget.children
    method, size = choices.children
    assert (method.value, size.value, method.description, size.description) == ("fixed", 100, "Method", "Size")
    assert [label for label, _ in method.options] == ["fixed", "overlapping", "structure-aware"]
    method.value = "by_structure"
    assert (shown.method, shown.size, size.value) == ("by_structure", 100, 100)
    assert [label for label, _ in size.options] == [f"at most {n} words" for n in (100, 200, 400)]
    assert "at most 100 words" in said.value and "at most 100 words" in seen.value
    size.value = 400
    assert (shown.size, "at most 400 words" in seen.value) == (400, True)
    shown.turn("overlapping", 50)
    assert (method.value, size.value, "12 of them repeated" in said.value) == ("overlapping", 50, True)
    assert (said.value, seen.value) == shown.page()


def test_a_long_document_has_a_third_choice_that_stays_when_the_method_changes():
    shown = explore(LONG)
    method, _, part = shown.widget.children[0].children
    part.value = 7
    method.value = "overlapping"
    assert part.value == 7 and shown.widget.children[2].value == shown.page(7)[1] != shown.page(6)[1]


@pytest.mark.parametrize("wrong", [POLICY.text, None, POLICY.blocks, [POLICY]])
def test_what_is_no_parsed_document_is_told_so(wrong):
    for call in (lambda: explore(wrong), lambda: still(wrong)):
        with pytest.raises(BadArgument, match="parse"):
            call()


# The still picture


@pytest.mark.parametrize(
    "wrong",
    [[("semantic", 100)], [("fixed", 0)], [("fixed", "100")], ["fixed"], ["ab"], [], [("fixed", 1, 2)], [100], [(["fixed"], 1)]],
    ids=repr,
)
def test_a_picture_of_other_cuttings_is_refused(wrong):
    with pytest.raises(BadArgument):
        still(POLICY, wrong)


MANY = parsed_markdown(f"# T\n\n## A\n\n{TABLE}\n\n## B\n\n{TABLE}\n\nwords " + "and words " * 60)
PLAIN = parsed_markdown("# T\n\n## A\n\n" + "One two three four five six. " * 10)


@pytest.mark.parametrize(
    ("parsed", "settings", "title"),
    [
        (POLICY, [("fixed", 30), ("by_structure", 200)], "The table whole: structure-aware 200; fixed 30: cut in 2"),
        (POLICY, [("fixed", 30), ("fixed", 12), ("by_structure", 200), ("by_structure", 400)],
         "The table whole: structure-aware 200, 400; fixed 30, 12: cut in 2, 3"),
        (POLICY, [("fixed", 200), ("by_structure", 200)], "All of them keep the table whole"),
        (POLICY, [("fixed", 30)], "None keeps the table whole: fixed 30: cut in 2"),
        (MANY, [("fixed", 20), ("by_structure", 100)], "Tables kept whole, of 2: fixed 20: 0, structure-aware 100: 2"),
        (PLAIN, [("fixed", 50), ("by_structure", 100)],
         "Begin inside a sentence, heading, item or row: 1 of 2 fixed 50, 0 of 1 structure-aware 100"),
        (by_hand(), [("fixed", 50)], "T: not a word to cut"),
    ],
)  # fmt: skip
def test_the_title_of_the_picture_says_the_answer(parsed, settings, title):
    assert " ".join(still(parsed, settings).figure.get_suptitle().split()) == title
    assert still(parsed, settings, title="Mine").figure.get_suptitle() == "Mine"


def test_the_twin_and_the_text_of_the_picture_have_its_numbers():
    picture = still(POLICY)
    assert [row[:5] for row in picture.twin.rows] == [
        (made_name, str(size), str(r.chunks), str(r.words_stored), str(r.words_in_no_chunk))
        for (method, size), made_name in zip(THREE, ("fixed", "overlapping", "structure-aware"), strict=True)
        for r in [cut(POLICY, method, size).readings]
    ]
    assert picture.twin.rows[2][-1] == ", ".join(str(chunk.words) for chunk in by_structure(POLICY, 200))
    first = next(number for number, (start, _) in enumerate(body_words(POLICY)) if POLICY.text[start:].startswith("| part"))
    assert f"table stands at words {first} to {first + len(TABLE.split())}." in picture.alt and "structure-aware chunks" in picture.alt


@pytest.mark.parametrize("parsed", [POLICY, MANY, PLAIN, LONG, NOTHING], ids=["table", "two-tables", "plain", "long", "nothing"])
def test_nothing_of_the_picture_is_cut_off_or_stands_on_other_words(parsed):
    picture = still(parsed, [*THREE, ("fixed", 50)])
    with course_style():
        canvas = FigureCanvasAgg(picture.figure)
        canvas.draw()
        texts = [text for text in [*picture.figure.texts, *picture.figure.axes[0].texts] if text.get_text() not in ("", "✂")]
        boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts]
    whole = picture.figure.bbox
    assert all(box.x0 >= 0 and box.x1 <= whole.x1 and box.y0 >= 0 and box.y1 <= whole.y1 for box in boxes)
    lanes = [box for text, box in zip(texts, boxes, strict=True) if len(text.get_text()) > 3]
    assert not [(a, b) for i, a in enumerate(lanes) for b in lanes[:i] if a.overlaps(b)]


def test_the_same_document_gives_the_same_picture():
    assert still(POLICY).png() == still(POLICY).png() == explore(POLICY).picture.png()


# Where a recorded notebook stands, and elsewhere


@pytest.fixture
def course(tmp_path):
    for mark in MARKS:
        (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / mark).write_text("", "utf-8")
    for folder in ("notebooks", "snapshots/07-chunking", "work", "own/notebooks"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "live"),
    [("notebooks", False), ("snapshots", False), ("snapshots/07-chunking", False), ("work", True), ("own/notebooks", True), (".", True)],
)
def test_the_live_explorer_stays_away_from_recorded_notebooks_alone(course, folder, live, monkeypatch):
    monkeypatch.chdir(course / folder)
    assert live_here() is live and live_here(course / folder) is live


SOURCE = """
from labkit.parsing.markdown import read_markdown
from labkit.show.explorer import explore
explore(read_markdown("# T\\n\\n## A\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |", doc_id="d"){more})
"""


def run(folder, more=""):
    cell = new_code_cell(SOURCE.replace("{more}", more), id="explorer")
    notebook = NotebookClient(new_notebook(cells=[cell]), resources={"metadata": {"path": str(folder)}}, timeout=60).execute()
    return notebook, [{*output.data} for output in notebook.cells[0].outputs]


def test_a_recorded_notebook_holds_the_picture_and_its_twin_and_keeps_the_rules(course):
    notebook, outputs = run(course / "notebooks")
    assert outputs == [{"image/png", "text/plain"}, {"text/html", "text/plain"}]
    assert rules.output_faults(notebook) == [] == rules.picture_faults(notebook)


def test_elsewhere_the_live_explorer_comes_first_and_the_picture_stands_below(course):
    view = "application/vnd.jupyter.widget-view+json"
    notebook, outputs = run(course / "work")
    script, outputs = outputs[0], outputs[1:]
    assert script == {"text/html", "text/plain"} and "suppress-shortcuts" in notebook.cells[0].outputs[0].data["text/html"]
    assert outputs == [{view, "text/plain"}, {"image/png", "text/plain"}, {"text/html", "text/plain"}]
    assert "words stored" in notebook.cells[0].outputs[1].data["text/plain"] and "VBox" not in str(notebook.cells[0].outputs[1].data)
    assert run(course / "work", ", live=False")[1] == outputs[1:]


def test_outside_of_a_notebook_it_prints_its_readings(capsys):
    explore(POLICY)._ipython_display_()
    assert capsys.readouterr().out == repr(explore(POLICY)) + "\n"


def test_the_course_itself_is_such_a_place():
    assert not live_here(course_folder() / "notebooks") and live_here(course_folder() / "work")
