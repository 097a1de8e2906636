"""PDFs as a browser prints them: another producer, with other fonts, drawn bullets and rules in pieces. Needs Chromium."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from browser import find_chromium
from markdown_it import MarkdownIt

from labkit.parsing.pdf import read_pdf

CORPUS = Path(__file__).resolve().parent.parent.parent / "corpus/larkfield"
PROSE = (
    "Keep the receipt or the invoice: it is your proof of purchase, and without it nobody can look up what you bought or when. "
    "Days that the machine spends with us for repair are added at the end of the period, whichever shop you bring it to."
)
BORDERS = {
    "all": "table { border-collapse: collapse } td, th { border: 1px solid #888; padding: 3px }",
    "each cell its own": "td, th { border: 1px solid #888; padding: 3px }",
    "below each row": "table { border-collapse: collapse } td, th { border-bottom: 1px solid #888; padding: 4px; text-align: left }",
    "none": "td, th { padding: 4px 16px; text-align: left; vertical-align: top }",
    "none, as the browser sets it": "",  # cells a space apart, centred headers
    "none, stretched": "body { text-align: justify } td, th { padding: 4px 16px; text-align: left; vertical-align: top }",
}


@pytest.fixture
def printed(tmp_path):
    def printed(body: str, style: str = "", head: bool = False):
        page = tmp_path / "page.html"
        page.write_text(
            f"<!doctype html><html lang=en><meta charset=utf-8><title>Window</title><style>{style}</style><body>{body}", "utf-8"
        )
        file = tmp_path / "page.pdf"
        options = ["--no-sandbox", "--headless", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        options += [] if head else ["--no-pdf-header-footer"]
        command = [find_chromium(), *options, f"--user-data-dir={tmp_path / 'profile'}", f"--print-to-pdf={file}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=90, env={**os.environ, "HOME": str(tmp_path)})
        return read_pdf(file)

    return printed


def source(name):
    return (CORPUS / "sources" / f"{name}.md").read_text("utf-8").split("---\n", 2)[2]


def blocks_of(markdown):
    found = []
    for part in re.split(r"\n(?=\n|- )", markdown.strip()):
        part = part.strip().replace("*", "")
        if part.startswith("|"):
            rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.split("\n")]
            found.append(("table", [rows[0], *rows[2:]]))
        elif part:
            mark = re.match(r"# |## |- |", part)[0]
            kind = {"# ": "title", "## ": "heading", "- ": "list_item", "": "paragraph"}[mark]
            found.append((kind, ("• " if kind == "list_item" else "") + part[len(mark) :]))
    return found


def blocks_read(parsed):
    """(kind, text or rows); a table that goes on on the next page put together, its repeated header once."""
    found = []
    for block in parsed.blocks:
        if block.continues:
            assert found[-1][0] == "table" and found[-1][1][0] == block.rows[0]
            found[-1] = ("table", found[-1][1] + block.rows[1:])
        else:
            found.append((block.kind, block.rows or block.text))
    return found


@pytest.mark.parametrize("borders", BORDERS)
@pytest.mark.parametrize("name", ["warranty-policy.v5", "product-care-pw2200.v2"])
def test_the_collections_sources_printed(printed, name, borders):
    parsed = printed(MarkdownIt("commonmark").enable("table").render(source(name)), BORDERS[borders])
    assert blocks_read(parsed) == blocks_of(source(name))
    assert parsed.problems == []


def test_head_and_foot_of_the_print_are_no_text(printed):
    parsed = printed(MarkdownIt("commonmark").enable("table").render(source("warranty-policy.v5")), BORDERS["all"], head=True)
    assert blocks_read(parsed) == blocks_of(source("warranty-policy.v5"))
    assert [page.label for page in parsed.pages] == ["1", "2"]


def test_lists_merged_cells_marks_and_columns(printed):
    body = f"""<h1>Everything about hoses</h1><p>See <a href="https://example.org">our page</a> for the office file,
    “difficult” affluent waffles.</p>
    <h2>Lists</h2><ol><li>{PROSE}<li>Second<ul><li>inner one<li>inner two</ul><li>Third</ol>
    <h3>Shapes</h3><ul style="list-style: square"><li>alpha<li>beta</ul><ul style="list-style: circle"><li>gamma<li>delta</ul>
    <h2>Cells</h2><table><tr><th rowspan=2>Zone<th colspan=2>Cost<tr><th>Ground<th>Air<tr><td>Quebec<td>$5<td>$9
    <tr><td>North<td>$15<td></table>
    <p>Two years<sup>1</sup> from <b>delivery</b>. H<sub>2</sub>O too.</p>
    <div style="column-count: 2; break-before: page"><p>Left: {PROSE}</p><p>Right: {PROSE}</p></div><p>The end of it.</p>"""
    parsed = printed(body, BORDERS["all"])
    assert [(block.kind, block.level, block.rows or block.text) for block in parsed.blocks] == [
        ("title", None, "Everything about hoses"),
        ("paragraph", None, "See our page for the office file, “difficult” affluent waffles."),
        ("heading", 2, "Lists"),
        ("list_item", 1, f"1. {PROSE}"),
        ("list_item", 1, "2. Second"),
        ("list_item", 2, "• inner one"),
        ("list_item", 2, "• inner two"),
        ("list_item", 1, "3. Third"),
        ("heading", 3, "Shapes"),
        *(("list_item", 1, f"• {name}") for name in ("alpha", "beta", "gamma", "delta")),
        ("heading", 2, "Cells"),
        ("table", None, [["Zone", "Cost", "Cost"], ["Zone", "Ground", "Air"], ["Quebec", "$5", "$9"], ["North", "$15", ""]]),
        ("paragraph", None, "Two years¹ from delivery. H2O too."),
        ("paragraph", None, f"Left: {PROSE}"),
        ("paragraph", None, f"Right: {PROSE}"),
        ("paragraph", None, "The end of it."),
    ]
