"""Laws of PDF reading, on documents that nobody wrote: what was set comes back, each word once, in order."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pdf_making import by_hand, text_stream, typed
from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from labkit.errors import DocumentError
from labkit.parsing.pdf import read_pdf

STYLES = getSampleStyleSheet()
ITEM = ParagraphStyle("item", STYLES["Normal"], leftIndent=14, bulletIndent=2)
WORDS = [
    "hose",
    "pump",
    "the",
    "of",
    "receipt",
    "frost",
    "PW-2200",
    "2023-0379",
    "years",
    "été",
    "garden",
    "(new)",
    "80",
    "nozzles,",
    "kettle",
    "a",
]

word = st.sampled_from(WORDS)


def text(least, most):
    return st.lists(word, min_size=least, max_size=most).map(lambda words: " ".join(words).capitalize())


sentence = text(6, 60).map(lambda words: f"{words}.")
heading = text(1, 5).filter(lambda words: words[0].isalpha()).map(lambda words: words.strip(",") + " section")
cell = st.lists(word, min_size=1, max_size=4).map(" ".join)
table = st.tuples(st.integers(2, 4), st.integers(2, 6)).flatmap(
    lambda shape: st.lists(st.lists(cell, min_size=shape[0], max_size=shape[0]), min_size=shape[1], max_size=shape[1])
)
piece = st.one_of(
    st.tuples(st.just("heading"), heading),
    st.tuples(st.just("paragraph"), sentence),
    st.tuples(st.just("paragraph"), sentence),
    st.tuples(st.just("list_item"), sentence),
    st.tuples(st.just("table"), table),
)
documents = st.lists(piece, min_size=1, max_size=9).map(
    lambda pieces: [("paragraph", "Every document begins with a sentence of some length here."), *pieces]
)


def read(data: bytes):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "made.pdf"
        file.write_bytes(data)
        return read_pdf(file)


def by_reportlab(pieces) -> bytes:
    story = [Paragraph("A made document", STYLES["Title"])]
    for kind, content in pieces:
        if kind == "table":
            cells = [[Paragraph(text, STYLES["Normal"]) for text in row] for row in content]
            style = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")]
            story.append(Table(cells, style=style, spaceBefore=6, spaceAfter=6))
        elif kind == "list_item":
            story.append(Paragraph(content, ITEM, bulletText="•"))
        else:
            story.append(Paragraph(content, STYLES["Heading2" if kind == "heading" else "BodyText"]))
    out = io.BytesIO()
    SimpleDocTemplate(out, invariant=1).build(story)
    return out.getvalue()


def by_fpdf2(pieces) -> bytes:
    def build(paper):
        def put(text, height, **how):
            paper.multi_cell(0, height, text, align="L", new_x="LMARGIN", new_y="NEXT", **how)

        paper.set_font("Times", "B", 20)
        put("A made document", 10)
        for kind, content in pieces:
            if kind == "heading":
                paper.set_font("Times", "B", 14)
                put(content, 8)
                continue
            paper.set_font("Times", size=11)
            if kind == "table":
                paper.ln(3)
                with paper.table() as table:
                    for row in content:
                        table.row(row)
                paper.ln(3)
            elif kind == "list_item":
                paper.cell(6, 5, "-")
                left = paper.l_margin
                paper.set_left_margin(left + 6)
                put(content, 5)
                paper.set_left_margin(left)
                paper.set_x(left)
            else:
                put(content, 5)
                paper.ln(2)

    return typed(build)


def plain(kind, content, bullet):
    if kind == "table":
        return [word for row in content for cell in row for word in cell.split()]
    return [bullet] * (kind == "list_item") + content.split()


def check(parsed, pieces, bullet):
    position = 0
    for block in parsed.blocks:
        assert parsed.text[block.start : block.end] == block.text
        assert parsed.text[position : block.start].strip() == ""
        assert parsed.page_at(block.start) == block.page
        position = block.end
    wanted = ["A", "made", "document", *(word for kind, content in pieces for word in plain(kind, content, bullet))]
    got, above = [], []
    for block in parsed.blocks:
        if block.kind == "table":
            # a header that a page repeats is set twice, and read twice
            rows = block.rows[1:] if block.continues and block.rows[:1] == above[:1] else block.rows
            above = block.rows
            got += [word for row in rows for cell in row for word in cell.split()]
        else:
            got += block.text.split()
    assert got == wanted
    assert parsed.title == "A made document"
    assert [block.text for block in parsed.blocks if block.kind == "heading"] == [content for kind, content in pieces if kind == "heading"]
    assert sum(block.kind == "list_item" for block in parsed.blocks) == sum(kind == "list_item" for kind, _ in pieces)
    assert [row for block in parsed.blocks for row in block.rows] == [
        row for kind, content in pieces if kind == "table" for row in content
    ] or any(block.continues for block in parsed.blocks)
    assert parsed.problems == []


SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@SETTINGS
@given(documents)
def test_what_reportlab_sets_comes_back(pieces):
    check(read(by_reportlab(pieces)), pieces, "•")


@SETTINGS
@given(documents)
def test_what_fpdf2_sets_comes_back(pieces):
    check(read(by_fpdf2(pieces)), pieces, "-")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_a_file_with_any_damage_gives_a_document_or_one_clear_error(data):
    good = by_hand([text_stream("A page.", "Another line of it."), text_stream("The second page.")], compress=data.draw(st.booleans()))
    harmed = bytearray(good)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(harmed) - 1))
        match data.draw(st.sampled_from(["change", "drop", "double", "cut"])):
            case "change":
                harmed[place] = data.draw(st.integers(0, 255))
            case "drop":
                del harmed[place : place + data.draw(st.integers(1, 40))]
            case "double":
                harmed[place:place] = harmed[place : place + data.draw(st.integers(1, 40))]
            case "cut" if data.draw(st.integers(0, 9)) == 0:
                del harmed[place:]
        if not harmed:
            return
    try:
        parsed = read(bytes(harmed))
    except DocumentError as error:
        assert "\n" not in str(error)
    else:
        assert parsed.blocks or parsed.problems
        assert "\x00" not in parsed.text
