"""A notebook as one HTML page: what stands in it, and what must not."""

import base64
import re
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

from labkit.course import course_folder
from labkit.lessons.page import main, page

GIF = "R0lGODlhAQABAAAAACwAAAAAAQABAAA="
LESSONS = sorted(course_folder().glob("notebooks/*.ipynb"))


def made(*cells, **more):
    notebook = new_notebook()
    notebook.cells = [*cells]
    return BeautifulSoup(page(notebook, "a-name", **more), "html.parser")


def text(source, **more):
    return made(new_markdown_cell(source, id="here", **more)).find(id="cell-here")


def code(*outputs, source="show()"):
    return made(new_code_cell(source, id="here", outputs=list(outputs))).find(id="cell-here")


def shown(data, **about):
    return code(new_output("display_data", data, metadata=about)).find(class_="result")


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_arrives_whole_and_in_order(file):
    notebook = nbformat.read(file, as_version=4)
    html = page(notebook, file.stem, file.parent)
    soup = BeautifulSoup(html, "html.parser")
    assert soup.html["lang"] == "en" and [each.name for each in soup.body.find_all(recursive=False)] == ["a", "nav", "main"]
    assert [each["id"] for each in soup.main.find_all("div", recursive=False)] == [f"cell-{cell.id}" for cell in notebook.cells]
    for cell in notebook.cells:
        here = soup.find(id=f"cell-{cell.id}")
        if cell.cell_type == "code":
            assert here.find("pre").get_text() == cell.source
            for output in cell.outputs:
                lines = (output.text if output.output_type == "stream" else output.data["text/plain"]).split("\n")
                if "image/png" in output.get("data", {}):
                    assert output.metadata["image/png"]["alt"] in [each.get("alt") for each in here.find_all("img")]
                elif "text/html" in output.get("data", {}):
                    assert BeautifulSoup(output.data["text/html"], "html.parser").get_text() in here.get_text()
                else:
                    assert all(line in here.get_text() for line in lines)
    assert not soup.find_all(["script", "link", "iframe"]) and not re.search(r"\b(?:src|href)=\"https?:", html.split("<main")[0])
    titles = [(each.name, each.get_text()) for each in soup.find_all(re.compile("^h[1-6]$"))]
    assert titles[0][0] == "h1" and [text for name, text in titles if name == "h2"] == [a.get_text() for a in soup.nav.find_all("a")]
    assert all(soup.find(id=a["href"][1:]) for a in soup.nav.find_all("a"))
    assert page(notebook, file.stem, file.parent) == html


@pytest.mark.parametrize(
    ("about", "alt"),
    [
        ({"image/gif": {"alt": "A dot."}}, "A dot."),
        ({"alt": "A dot."}, "A dot."),
        ({"image/gif": {"alt": "Mine."}, "alt": "The output's."}, "Mine."),
        ({"image/gif": {"alt": 'Said "so" & <so>.'}}, 'Said "so" & <so>.'),
        ({}, None),
        ({"image/gif": {"alt": ""}}, None),
        ({"image/gif": {"alt": " \n"}}, None),
        ({"image/gif": {"alt": None}}, None),
        ({"image/gif": "odd"}, None),
        ({"image/png": {"alt": "Of another form."}}, None),
    ],
)
def test_a_picture_s_text_comes_from_the_output_or_is_missing_for_all_to_see(about, alt):
    picture = shown({"image/gif": GIF, "text/plain": "<Figure size 640x480 with 1 Axes>"}, **about).img
    assert picture.get("alt") == alt and picture["src"] == f"data:image/gif;base64,{GIF}"


def test_a_picture_has_its_size_and_broken_base64_lines_are_joined():
    picture = shown({"image/png": "iVBO\nRw0K\n"}, **{"image/png": {"alt": "A.", "width": 720, "height": "300", "odd": '"'}}).img
    assert (picture["width"], picture["height"], picture["src"]) == ("720", "300", "data:image/png;base64,iVBORw0K")


@pytest.mark.parametrize(
    ("source", "alt"), [("![A dot.](a.gif)", "A dot."), ("![](a.gif)", None), ("![ ](a.gif)", None), ("![*A* `dot`](a.gif)", "A dot")]
)
def test_a_picture_in_markdown_keeps_or_lacks_its_text(source, alt):
    assert text(source).img.get("alt") == alt


def test_pictures_beside_the_notebook_and_attachments_are_taken_in_and_nothing_else(tmp_path):
    inside = tmp_path / "lessons"
    inside.mkdir()
    for place in (inside / "a b.gif", tmp_path / "secret.gif", inside / "notes.txt"):
        place.write_bytes(base64.b64decode(GIF))
    data = f"data:image/gif;base64,{GIF}"
    left_alone = ["../secret.gif", "notes.txt", "gone.gif", "attachment:gone.gif", "https://example.org/a.gif"]
    for address, source in ({"a%20b.gif": data, "attachment:x.gif": data} | {each: each for each in left_alone}).items():
        cell = new_markdown_cell(f"![A dot.]({address})", attachments={"x.gif": {"image/gif": GIF}})
        assert made(cell, folder=inside).main.img["src"] == source, address


@pytest.mark.parametrize(
    ("source", "formulas"),
    [
        ("$k_1$ and $b$", ["k_1", "b"]),
        ("$$\\frac{a}{b}$$", ["\\frac{a}{b}"]),
        ("Text\n$$\na_1\n- b\n= c_2\n$$\nmore *text*", ["a_1 - b = c_2"]),
        ("from $10 to $20", []),
        ("$5", []),
        ("it costs \\$5 and \\$6", []),
        ("`$k$` and\n\n    $k$", []),
        ("$ a $", []),
        ("$$\nnever closed", []),
        ("$$ $$", []),
    ],
)
def test_formulas_are_mathml_with_their_source_as_text_and_money_is_not(source, formulas):
    here = text(source)
    assert [each["alttext"] for each in here.find_all("math")] == formulas
    assert all(each["xmlns"] and each.find(["mi", "mfrac"]) for each in here.find_all("math"))


def test_a_formula_that_cannot_be_read_is_shown_as_it_stands():
    assert text("$$\\begin{nothing}$$").code.get_text() == "\\begin{nothing}"


def test_markdown_keeps_its_parts():
    parts = ["## A part", "| a | b |\n| :- | -: |\n| 1 | 2 |", "- *x*", "<details><summary>Answer</summary>", "**Yes.**", "</details>"]
    here = text("\n\n".join([*parts, "```python\nx<1\n```"]))
    assert here.h2["id"] == "A-part" and here.table.th.get_text() == "a" and here.li.em
    assert here.details.summary.get_text() == "Answer" and here.details.strong and here.pre.code.get_text() == "x<1"


def test_ids_are_not_given_twice():
    doubled = [new_markdown_cell("## lesson\n\n## Notes\n\n### Notes", id="same") for _ in range(2)]
    soup = made(*doubled, new_markdown_cell("## cell-same", id="x"))
    ids = [each["id"] for each in soup.find_all(id=True)]
    assert len(ids) == len(set(ids)) == 1 + 3 + 7
    assert all(soup.find(id=a["href"][1:]).get_text() == a.get_text() for a in soup.nav.find_all("a"))


@pytest.mark.parametrize(
    ("data", "words", "tag"),
    [
        ({"text/plain": "a < b", "text/html": "<p>A</p>"}, "A", "p"),
        ({"text/plain": "a < b"}, "a < b", "pre"),
        ({"text/plain": "x", "text/markdown": "**B**"}, "B", "strong"),
        ({"text/plain": "x", "text/latex": "$k_1$"}, "k1", "math"),
        ({"text/plain": "plain", "application/x-unknown": "?"}, "plain", "pre"),
    ],
)
def test_the_richest_form_that_a_page_can_show_is_shown(data, words, tag):
    here = shown(data)
    assert here.find(tag).get_text() == words and here.get_text().strip() == words


def test_streams_errors_and_control_codes():
    here = code(
        new_output("stream", name="stdout", text="one\n"),
        new_output("stream", name="stdout", text="\x1b[1mtwo\x1b[0m\n"),
        new_output("stream", name="stderr", text="careful"),
        new_output("error", ename="NameError", evalue="n", traceback=["\x1b[0;31mNameError\x1b[0m: n"]),
    )
    assert [each.get_text() for each in here.find_all("pre")] == ["show()", "one\ntwo", "careful", "NameError: n"]
    assert [each.get_text() for each in here.find_all(class_="label")] == ["Code 1", "Result of code 1", "Warning from code 1"]


def test_what_scrolls_can_be_reached_and_what_does_not_is_no_stop():
    wide, narrow = code(source="x = '" + "y" * 100 + "'").pre, code(source="x = 1").pre
    assert (wide["tabindex"], wide["role"], wide["aria-label"]) == ("0", "group", "Code 1")
    assert narrow.attrs == {}


def test_empty_and_raw_cells_leave_nothing_and_are_not_counted():
    soup = made(new_code_cell(" \n", id="a"), new_raw_cell("raw", id="b"), new_markdown_cell("", id="c"), new_code_cell("1", id="d"))
    assert [each["id"] for each in soup.main.find_all("div")] == ["cell-d"] and soup.find(class_="label").get_text() == "Code 1"
    assert soup.h1.get_text() == soup.title.get_text() == "a-name" and not soup.nav


def test_a_title_with_marks_is_set_and_escaped():
    soup = made(new_markdown_cell("# 03 · *Rare* & `x<y`", id="t"))
    assert soup.title.get_text() == "03 · Rare & x<y" and len(soup.find_all("h1")) == 1 and soup.h1.code


# The command


def test_the_command_writes_the_page_or_prints_it(tmp_path):
    target = tmp_path / "sub é" / "03.html"
    target.parent.mkdir()
    file = next(file for file in LESSONS if file.name.startswith("03"))
    assert main([str(file), "-o", str(target)]) == 0
    printed = subprocess.run([sys.executable, "-m", "labkit.lessons.page", str(file)], capture_output=True, check=True).stdout
    assert target.read_bytes() == printed and b"BM25" in printed
    assert [each.name for each in target.parent.iterdir()] == ["03.html"]


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"cells": 1}', "<html>"])
def test_what_is_no_notebook_is_named_and_nothing_is_written(tmp_path, capsys, content):
    file = tmp_path / "x.ipynb"
    if content is not None:
        file.write_text(content)
    assert main([str(file), "-o", str(tmp_path / "out.html")]) == 2
    assert "x.ipynb" in capsys.readouterr().err and not (tmp_path / "out.html").exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path, capsys):
    assert main([str(LESSONS[0]), "-o", str(tmp_path / "not there" / "out.html")]) == 2
    assert "-o" in capsys.readouterr().err
