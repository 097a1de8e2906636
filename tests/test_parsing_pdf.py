"""PDFs into blocks: what a reader sees on the pages comes out, in the order in which it is read, with its place."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from pdf_making import HEIGHT, IMAGE, WIDTH, by_hand, drawn, lines, text_stream, typed, write
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, PageTemplate, Paragraph, SimpleDocTemplate, Spacer, Table

from labkit.collection import load_inventory
from labkit.parsing.blocks import ParsedDocument
from labkit.parsing.pdf import read_pdf
from labkit.questions import load_questions

CORPUS = Path(__file__).resolve().parent.parent / "corpus/larkfield"
STYLES = getSampleStyleSheet()
PROSE = (
    "Keep the receipt or the invoice: it is your proof of purchase, and without it nobody can look up what you bought or when. "
    "Days that the machine spends with us for repair are added at the end of the period, whichever shop you bring it to."
)


@pytest.fixture
def read(tmp_path):
    def read(data: bytes) -> ParsedDocument:
        file = tmp_path / "document.pdf"
        file.write_bytes(data)
        parsed = read_pdf(file, name="document.pdf", doc_id="document")
        assert_laws(parsed)
        return parsed

    return read


def assert_laws(parsed: ParsedDocument) -> None:
    position = 0
    for block in parsed.blocks:
        assert parsed.text[block.start : block.end] == block.text
        assert parsed.text[position : block.start].strip() == "", "text between the blocks"
        assert parsed.page_at(block.start) == block.page
        assert len({len(row) for row in block.rows}) <= 1
        assert (block.kind == "table") == bool(block.rows)
        position = block.end
    assert parsed.text[position:] == ""
    assert "\x00" not in parsed.text
    assert [page.number for page in parsed.pages] == list(range(1, len(parsed.pages) + 1))
    for above, below in zip(parsed.pages, parsed.pages[1:], strict=False):
        assert above.start <= above.end <= below.start
    for section in parsed.sections:
        assert parsed.text[section.start :].startswith(section.title)


def kinds(parsed):
    return [(block.kind, block.text) for block in parsed.blocks]


def platypus(tmp_path, story, **options) -> bytes:
    file = tmp_path / "made.pdf"
    SimpleDocTemplate(str(file), invariant=1, **options).build(story)
    return file.read_bytes()


# --- the collection's own two ---------------------------------------------------------------------------------------------------------


def source_blocks(name):
    """What the Markdown source says the PDF holds: (kind, text or rows)."""
    body = (CORPUS / "sources" / f"{name}.md").read_text("utf-8").split("---\n", 2)[2]
    found, rows, opened = [], None, []
    for token in MarkdownIt("commonmark").enable("table").parse(body):
        if token.type == "inline":
            text = "".join(
                child.content if child.type == "text" else " " for child in token.children if child.type in ("text", "softbreak")
            )
            if rows is not None:
                rows[-1].append(text)
            else:
                kind = {"h1": "title", "h2": "heading"}.get(opened[-1], "list_item" if "li" in opened else "paragraph")
                found.append((kind, f"• {text}" if kind == "list_item" else text))
        elif token.type == "table_open":
            rows = []
        elif token.type == "tr_open":
            rows.append([])
        elif token.type == "table_close":
            found.append(("table", rows))
            rows = None
        if token.nesting == 1:
            opened.append(token.tag)
        elif token.nesting == -1:
            opened.pop()
    return found


@pytest.mark.parametrize("name", ["warranty-policy.v5", "product-care-pw2200.v2"])
def test_the_blocks_are_those_of_the_source_word_for_word(name):
    parsed = read_pdf(CORPUS / "documents" / f"{name}.pdf")
    assert_laws(parsed)
    assert [(block.kind, block.rows or block.text) for block in parsed.blocks] == source_blocks(name)
    assert parsed.problems == []
    assert {block.level for block in parsed.blocks if block.kind == "heading"} == {2}
    assert [page.label for page in parsed.pages] == [str(page.number) for page in parsed.pages]


def test_the_warranty_policy():
    parsed = read_pdf(CORPUS / "documents/warranty-policy.v5.pdf")
    assert parsed.title == "Warranty policy"
    assert len(parsed.sections) == 7
    (table,) = [block for block in parsed.blocks if block.kind == "table"]
    assert len(table.rows) == 13 and {len(row) for row in table.rows} == {4}
    second = [block for block in parsed.blocks if block.page == 2]
    assert second[0].kind == "list_item" and second[0].heading_path == ["What is not covered"]
    words = [word for word in parsed.text.split() if word != "|"]
    assert 476 <= len([word for word in words if word != "•"]) <= len(words) <= 500


def test_each_quote_of_a_question_stands_once_in_its_pdf():
    documents = {document.doc_id: document for document in load_inventory() if document.format == "pdf"}
    quotes = [relevant for question in load_questions() for relevant in question.relevant if relevant.doc_id in documents]
    assert len(quotes) >= 5
    for relevant in quotes:
        parsed = read_pdf(documents[relevant.doc_id].path)
        assert parsed.text.count(relevant.quote) == 1, relevant.quote
        (section,) = [section for section in parsed.sections if section.title == relevant.section]
        assert section.start <= parsed.text.index(relevant.quote) < section.end


# --- other producers' pages -----------------------------------------------------------------------------------------------------------


def test_headings_by_rank_and_paragraphs_by_fpdf2(read):
    def build(paper):
        for title, size in (("The garden guide", 24), ("Lawns", 16)):
            paper.set_font("Helvetica", "B", size)
            paper.multi_cell(0, size * 0.5, title, new_x="LMARGIN", new_y="NEXT")
        paper.set_font("Times", size=11)
        paper.multi_cell(0, 5, PROSE, new_x="LMARGIN", new_y="NEXT")
        paper.ln(3)
        paper.multi_cell(0, 5, "A second paragraph. " + PROSE, new_x="LMARGIN", new_y="NEXT")
        paper.set_font("Helvetica", "B", 13)
        paper.multi_cell(0, 9, "Mowing in spring", new_x="LMARGIN", new_y="NEXT")
        paper.set_font("Times", size=11)
        paper.multi_cell(0, 5, PROSE, new_x="LMARGIN", new_y="NEXT")
        paper.set_font("Helvetica", "B", 16)
        paper.multi_cell(0, 9, "Hedges", new_x="LMARGIN", new_y="NEXT")
        paper.set_font("Times", size=11)
        paper.multi_cell(0, 5, PROSE, new_x="LMARGIN", new_y="NEXT")

    parsed = read(typed(build))
    assert kinds(parsed) == [
        ("title", "The garden guide"),
        ("heading", "Lawns"),
        ("paragraph", PROSE),
        ("paragraph", "A second paragraph. " + PROSE),
        ("heading", "Mowing in spring"),
        ("paragraph", PROSE),
        ("heading", "Hedges"),
        ("paragraph", PROSE),
    ]
    assert [block.level for block in parsed.blocks if block.kind == "heading"] == [2, 3, 2]
    assert parsed.blocks[5].heading_path == ["Lawns", "Mowing in spring"]
    assert [section.name for section in parsed.sections] == ["Lawns", "Hedges"]


def test_a_table_by_fpdf2(read):
    rows = [["Zone", "Days", "Cost"], ["Montréal and Laval, the island and its shores", "2", "$5"], ["North", "", "$15"]]

    def build(paper):
        paper.multi_cell(0, 6, PROSE, new_x="LMARGIN", new_y="NEXT")
        with paper.table(col_widths=(30, 30, 30), width=100) as table:
            for row in rows:
                table.row(row)
        paper.multi_cell(0, 6, "After the table. " + PROSE, new_x="LMARGIN", new_y="NEXT")

    parsed = read(typed(build))
    assert [block.kind for block in parsed.blocks] == ["paragraph", "table", "paragraph"]
    assert parsed.blocks[1].rows == rows
    assert parsed.blocks[1].text.splitlines()[2] == "North\t\t$15"


# --- headings -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [[["1", "2"], ["3", ""]], [["1", "2"], ["3", "4"]], [["1", "2"], ["3", "4"], ["5", "6"]], [["1", "2"]]])
def test_a_table_of_html_by_fpdf2(read, rows):
    """It draws no rule between the rows of the body, but the rules between the columns piece by piece."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    html = f"<h1>Title</h1><p>{PROSE}</p><table border=1><thead><tr><th>A</th><th>B</th></tr></thead><tbody>{body}</tbody></table>"
    parsed = read(typed(lambda paper: paper.write_html(html)))
    assert parsed.blocks[-1].rows == [["A", "B"], *rows]


def headed(*heads, body="Helvetica"):
    """A page: a title, then for each (text, size, font) a heading and two lines of prose."""

    def page(paper):
        y = 80
        write(paper, 60, y, "All about sheds", 26, "Helvetica-Bold")
        for text, size, font in heads:
            y += 16 + size
            write(paper, 60, y, text, size, font)
            for part in (PROSE[:88], PROSE[88:150]):
                y += 14
                write(paper, 60, y, part, 10, body)

    return drawn(page)


@pytest.mark.parametrize(
    "heads, levels",
    [
        ([("Roof", 16, "Helvetica-Bold"), ("Felt", 13, "Helvetica-Bold"), ("Walls", 16, "Helvetica-Bold")], [2, 3, 2]),
        ([("Roof", 14, "Times-Roman"), ("Felt", 12, "Times-Roman")], [2, 3]),
        ([("Roof", 14, "Helvetica-Bold"), ("Felt", 14, "Helvetica"), ("Walls", 14, "Helvetica-Bold")], [2, 3, 2]),
        ([("Roof", 10, "Helvetica-Bold"), ("Walls", 10, "Helvetica-Bold")], [2, 2]),
        ([("Roof", 15, "Helvetica"), ("Felt", 10, "Helvetica-Bold")], [2, 3]),
        ([("1 Roof", 13, "Helvetica-Bold"), ("1.1 Felt", 13, "Helvetica-Bold"), ("2 Walls", 13, "Helvetica-Bold")], [2, 3, 2]),
        ([("1. Roof", 13, "Helvetica-Bold"), ("2. Walls", 13, "Helvetica-Bold")], [2, 2]),
    ],
)
def test_levels_follow_rank(read, heads, levels):
    parsed = read(headed(*heads))
    assert parsed.title == "All about sheds"
    headings = [block for block in parsed.blocks if block.kind == "heading"]
    assert [block.text for block in headings] == [text for text, _, _ in heads]
    assert [block.level for block in headings] == levels


def test_a_body_that_is_bold_or_large_is_still_the_body(read):
    parsed = read(headed(("Roof", 16, "Helvetica-Bold"), ("Walls", 16, "Helvetica-Bold"), body="Helvetica-Bold"))
    assert [block.text for block in parsed.blocks if block.kind == "heading"] == ["Roof", "Walls"]


def test_a_wrapped_heading_is_one_block_and_a_bold_word_is_none(read, tmp_path):
    long = "What to do when the pump of your pressure washer does not start any more after a long winter in the shed"
    story = [
        Paragraph("Help with pumps", STYLES["Title"]),
        Paragraph(long, STYLES["Heading2"]),
        Paragraph(f"<b>First</b> unplug it. {PROSE} Then <b>wait</b>.", STYLES["Normal"]),
        Paragraph(f"{PROSE} <b>{PROSE}</b> {PROSE}", STYLES["Normal"]),
        Paragraph("Afterwards", STYLES["Heading2"]),
        Paragraph(PROSE, STYLES["Normal"]),
    ]
    parsed = read(platypus(tmp_path, story))
    assert [block.kind for block in parsed.blocks] == ["title", "heading", "paragraph", "paragraph", "heading", "paragraph"]
    assert parsed.blocks[1].text == long
    assert parsed.blocks[3].text == f"{PROSE} {PROSE} {PROSE}"


def test_a_title_in_two_lines_and_a_line_under_it(read):
    def page(paper):
        write(paper, 60, 90, "The long and patient care", 24, "Helvetica-Bold")
        write(paper, 60, 118, "of wooden garden furniture", 24, "Helvetica-Bold")
        write(paper, 60, 140, "Edition of spring", 14)
        for place, head in enumerate(["Chairs", "Tables"]):
            write(paper, 60, 180 + 70 * place, head, 12, "Helvetica-Bold")
            write(paper, 60, 196 + 70 * place, PROSE[:90])

    parsed = read(drawn(page))
    assert parsed.title == "The long and patient care of wooden garden furniture"
    assert [(block.kind, block.level) for block in parsed.blocks[1:3]] == [("paragraph", None), ("heading", 2)]


# --- paragraphs, words, characters ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first, second, text",
    [
        ("The guaran-", "tee holds.", "The guarantee holds."),
        ("A ground-", "fault breaker.", "A ground-fault breaker."),
        ("Order PW-", "2200 today.", "Order PW-2200 today."),
        ("See 2023-", "0379 and on.", "See 2023-0379 and on."),
        ("For in-", "and outdoor use.", "For in- and outdoor use."),
        ("It costs –", "as always – five.", "It costs – as always – five."),
        ("Some out-", "landish word.", "Some out-landish word."),
    ],
)
def test_hyphens_at_the_end_of_a_line(read, first, second, text):
    parsed = read(drawn(lines(first, second, top=100), lines("The guarantee and the breaker: two words.", top=300)))
    assert parsed.blocks[0].text == text


def test_a_soft_hyphen_at_the_end_of_a_line(read):
    parsed = read(by_hand([text_stream("The warran\xad", "ty holds.")]))
    assert parsed.text == "The warranty holds."


def apart(word: bytes) -> bytes:
    """The letters of a word, each moved away from the one before."""
    return b" -300 ".join(b"(%c)" % char for char in word)


@pytest.mark.parametrize(
    "show",
    [
        b"[(W) 120 (a) 80 (rr) -30 (an) 40 (ty) -330 (per) 25 (iods)] TJ",
        b"(W) Tj (arranty ) Tj (periods) Tj",
        b"[(W) -20 (a) -20 (r) -20 (r) -20 (a) -20 (n) -20 (t) -20 (y) -320 (p) -20 (e) -20 (r) -20 (i) -20 (o) -20 (d) -20 (s)] TJ",
        b"3 Tc (Warranty periods) Tj",
        b"[%s -800 %s] TJ" % (apart(b"Warranty"), apart(b"periods")),
        b"14 TL (Warranty) ' (periods) '",
        b"(Warranty) Tj 50 0 Td (periods) Tj",
        b"100 Tz 2 Tw (Warranty periods) Tj",
        b"/Span << /ActualText (Warranty) >> BDC (W rr nty) Tj EMC ( periods) Tj",
    ],
)
def test_words_are_joined_and_parted_rightly(read, show):
    parsed = read(by_hand([b"BT /F1 11 Tf 1 0 0 1 60 700 Tm " + show + b" ET"]))
    assert parsed.text == "Warranty periods"


def test_letters_placed_one_by_one_in_any_order(read):
    from reportlab.pdfbase.pdfmetrics import stringWidth

    text = "Frost damage is not covered"
    places = [(60 + stringWidth(text[:place], "Helvetica", 11), char) for place, char in enumerate(text) if char != " "]
    stream = b"".join(b"BT /F1 11 Tf 1 0 0 1 %.3f 700 Tm (%s) Tj ET\n" % (x, char.encode()) for x, char in reversed(places))
    assert read(by_hand([stream])).text == text


def test_text_printed_twice_is_read_once(read):
    stream = b"BT /F1 11 Tf 1 0 0 1 60 700 Tm (Twice printed) Tj 1 0 0 1 60.3 700 Tm (Twice printed) Tj ET"
    assert read(by_hand([stream + text_stream(PROSE[:60], top=600)])).text == f"Twice printed\n\n{PROSE[:60]}"


TO_UNICODE = b"""/CIDInit /ProcSet findresource begin 12 dict begin begincmap
1 begincodespacerange <00> <FF> endcodespacerange
6 beginbfchar <41> <FB01> <42> <0066006C> <43> <0000> <44> <00A0> <45> <FB03> <46> <00660069> endbfchar
1 beginbfrange <61> <7A> <0061> endbfrange
endcmap end end"""


def test_ligatures_are_expanded_and_u0000_is_never_stored(read):
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode 5 0 R >>"
    extra = {5: b"<< /Length %d >>\nstream\n%s\nendstream" % (len(TO_UNICODE), TO_UNICODE)}
    parsed = read(by_hand([text_stream("AnalDoEceDBowDFreDoneCtwo")], font=font, extra=extra.items()))
    assert parsed.text == "final office flow fire one\N{REPLACEMENT CHARACTER}two"


def test_a_raised_mark_belongs_to_its_paragraph_and_notes_come_after_the_page(read, tmp_path):
    small = ParagraphStyle("small", STYLES["Normal"], fontSize=7, leading=9)
    story = [
        Paragraph(f"Two years<super>1</super> from delivery. {PROSE}", STYLES["Normal"]),
        Spacer(1, 12),
        Paragraph(f"CO<sub>2</sub> cylinders are apart. {PROSE}", STYLES["Normal"]),
        Spacer(1, 500),
        Paragraph("1 Five for the Pro range.", small),
    ]
    parsed = read(platypus(tmp_path, story))
    assert kinds(parsed) == [
        ("paragraph", f"Two years¹ from delivery. {PROSE}"),
        ("paragraph", f"CO2 cylinders are apart. {PROSE}"),
        ("paragraph", "1 Five for the Pro range."),
    ]


# --- lists ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "marks",
    [
        ("•", "•", "•"),
        ("–", "–", "–"),
        ("-", "-", "-"),
        ("*", "*", "*"),
        ("1.", "2.", "3."),
        ("a)", "b)", "c)"),
        ("(i)", "(ii)", "(iii)"),
        ("1", "2", "3"),
    ],
)
def test_list_items_wrapped_ones_as_one_block(read, marks):
    texts = ["wear that comes with ordinary use, such as blunt edges", "frost damage;", "falls, floods, lightning."]

    def page(paper):
        write(paper, 60, 80, "The warranty does not cover:")
        y = 94
        for mark, text in zip(marks, texts, strict=True):
            write(paper, 66, y, mark)
            write(paper, 86, y, text)
            if mark == marks[0] and text == texts[0]:
                y += 13
                write(paper, 86, y, "and faded paint;")
            y += 13
        write(paper, 60, y + 13, "All else is covered, for as long as the period of your product runs.")

    parsed = read(drawn(page))
    wanted = [f"{marks[0]} {texts[0]} and faded paint;", f"{marks[1]} {texts[1]}", f"{marks[2]} {texts[2]}"]
    assert [block.text for block in parsed.blocks if block.kind == "list_item"] == wanted
    assert [block.kind for block in parsed.blocks] == ["paragraph", *["list_item"] * 3, "paragraph"]


def test_a_list_in_a_list_has_a_depth(read):
    def page(paper):
        for place, (x, mark, text) in enumerate([(60, "1.", "Hoses"), (80, "a.", "short"), (80, "b.", "long"), (60, "2.", "Reels")]):
            write(paper, x, 80 + 14 * place, mark)
            write(paper, x + 16, 80 + 14 * place, text)

    parsed = read(drawn(page))
    assert [(block.text, block.level) for block in parsed.blocks] == [("1. Hoses", 1), ("a. short", 2), ("b. long", 2), ("2. Reels", 1)]


@pytest.mark.parametrize(
    "start",
    [
        "– after all, they are yours – and the shop has no use for them, so that the",
        "2023. The year after, nothing was",
        "A. Tremblay wrote in May that the",
    ],
)
def test_a_dash_or_a_number_within_prose_is_no_item(read, start):
    parsed = read(
        drawn(
            lines(
                "Batteries stay with you, wherever you may go with the machine that they came with in this",
                start,
                "policy says no more about them.",
            )
        )
    )
    assert [block.kind for block in parsed.blocks] == ["paragraph"]


def test_bullets_that_are_drawn(read):
    def page(paper):
        write(paper, 60, 80, "Bring along:")
        for place, text in enumerate(["the receipt", "the machine"]):
            paper.circle(66, HEIGHT - 97 - 14 * place, 2, stroke=0, fill=1)
            write(paper, 78, 100 + 14 * place, text)

    parsed = read(drawn(page))
    assert kinds(parsed)[1:] == [("list_item", "• the receipt"), ("list_item", "• the machine")]


# --- tables ---------------------------------------------------------------------------------------------------------------------------

THIN = (0.5, colors.black)
GRID = [("GRID", (0, 0), (-1, -1), *THIN)]
CELLS = [["Code", "Part", "Price"], ["2023-0379", "Hinge", "$4"], ["2023-0380", "", "$5"], ["2023-0381", "Door", "$99"]]


def table_of(read, tmp_path, data, style, **options):
    story = [Paragraph(PROSE, STYLES["Normal"]), Spacer(1, 12), Table(data, style=style, **options), Spacer(1, 12)]
    story += [Paragraph("After the table. " + PROSE, STYLES["Normal"])]
    parsed = read(platypus(tmp_path, story))
    assert [block.kind for block in parsed.blocks] == ["paragraph", "table", "paragraph"], parsed.text
    return parsed.blocks[1]


@pytest.mark.parametrize(
    "style",
    [
        GRID,
        [("INNERGRID", (0, 0), (-1, -1), 0.5, colors.black)],
        [("LINEABOVE", (0, 0), (-1, -1), 0.5, colors.black), ("LINEBELOW", (0, -1), (-1, -1), 0.5, colors.black)],
        [("LINEABOVE", (0, 0), (-1, 0), *THIN), ("LINEBELOW", (0, 0), (-1, 0), *THIN), ("LINEBELOW", (0, -1), (-1, -1), *THIN)],
        [("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.black)],
        [("BOX", (0, 0), (-1, -1), *THIN), ("LINEAFTER", (0, 0), (-1, -1), *THIN), ("LINEBELOW", (0, 0), (-1, 0), *THIN)],
        [],
    ],
    ids=["grid", "inner grid", "ruled across", "three rules", "rule below each row", "ruled down", "no rules"],
)  # fmt: skip
def test_a_table_with_an_empty_cell_keeps_its_columns(read, tmp_path, style):
    assert table_of(read, tmp_path, CELLS, style).rows == CELLS


def test_rules_drawn_as_thin_boxes(read):
    def page(paper):
        for y in (100, 120, 140, 160):
            paper.rect(60, HEIGHT - y, 300, 0.7, stroke=0, fill=1)
        for x in (60, 160, 260, 360):
            paper.rect(x, HEIGHT - 160, 0.7, 60, stroke=0, fill=1)
        for row, texts in enumerate(CELLS[:3]):
            for column, text in enumerate(texts):
                write(paper, 66 + 100 * column, 114 + 20 * row, text)

    assert read(drawn(page)).blocks[0].rows == CELLS[:3]


def test_rules_filled_as_shapes_all_at_once(read):
    cells = [["Code", "Days"], ["2023-0379", "3"], ["2023-0380", ""]]
    shapes = [(60, 700 - 20 * row, 260, 701 - 20 * row) for row in range(4)]
    shapes += [(x, 640, x + 1, 701) for x in (60, 160, 260)]
    drawing = b"".join(b"%d %d m %d %d l %d %d l %d %d l h\n" % (x, y, u, y, u, v, x, v) for x, y, u, v in shapes) + b"f\n"
    words = b"".join(
        text_stream(text, x=65 + 100 * column, top=686 - 20 * row)
        for row, texts in enumerate(cells) for column, text in enumerate(texts) if text
    )  # fmt: skip
    assert [block.rows for block in read(by_hand([drawing + words])).blocks] == [cells]


def test_cells_drawn_as_boxes_of_their_own(read):
    def page(paper):
        for row, texts in enumerate(CELLS):
            for column, text in enumerate(texts):
                paper.rect(60 + 102 * column, HEIGHT - 120 - 22 * row, 100, 20)
                write(paper, 66 + 102 * column, 114 + 22 * row, text)

    assert read(drawn(page)).blocks[0].rows == CELLS


def test_merged_cells_are_repeated_over_the_grid(read, tmp_path):
    data = [["Zone", "Cost", ""], ["", "Ground", "Air"], ["Quebec", "$5", "$9"], ["North", "$15", ""]]
    table = table_of(read, tmp_path, data, [*GRID, ("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1))])
    assert table.rows == [["Zone", "Cost", "Cost"], ["Zone", "Ground", "Air"], ["Quebec", "$5", "$9"], ["North", "$15", ""]]


def test_a_wrapped_cell_is_one_cell(read, tmp_path):
    long = "Hedge trimmers such as the HT-550, corded mowers and all that has a cord"
    data = [["Category", "Examples"], ["Corded", Paragraph(long, STYLES["Normal"])], ["Others", "none"]]
    table = table_of(read, tmp_path, data, GRID, colWidths=[80, 120])
    assert table.rows == [["Category", "Examples"], ["Corded", long], ["Others", "none"]]


def test_a_wrapped_cell_without_rules(read):
    rows = [
        ("Category", "Examples", "Period"),
        ("Corded", "Hedge trimmers such as", "3 years"),
        ("", "the HT-550", ""),
        ("Watering", "Hoses", "1 year"),
        ("Lighting", "Lamps", "1 year"),
    ]

    def page(paper):
        y = 100
        for row in rows:
            y += 12 if not row[0] else 20
            for x, text in zip((60, 180, 360), row, strict=True):
                write(paper, x, y, text)

    parsed = read(drawn(page))
    assert parsed.blocks[0].rows == [
        list(rows[0]),
        ["Corded", "Hedge trimmers such as the HT-550", "3 years"],
        list(rows[3]),
        list(rows[4]),
    ]


@pytest.mark.parametrize("gap", [2.5, 3.5, 6])  # points between the widest cell and the next one, of text of 10: a space is 2.8
@pytest.mark.parametrize("centred", [False, True])
def test_cells_that_stand_a_space_apart(read, gap, centred):
    rows = [
        ["Service", "Price", "Wait"],
        ["Copy of a page", "0.20", "none"],
        ["Scan of a page", "0.35", "one day"],
        ["Scan of a map", "4.00", "one week"],
        ["Loan from afar", "6.50", "two weeks"],
    ]
    font = ["Helvetica-Bold", *["Helvetica"] * (len(rows) - 1)]
    widths = [max(stringWidth(row[place], face, 10) for row, face in zip(rows, font, strict=True)) for place in range(3)]

    def page(paper):
        lines(PROSE[:90], PROSE[90:], top=80)(paper)
        for number, row in enumerate(rows):
            x = 60.0
            for text, width in zip(row, widths, strict=True):
                free = width - stringWidth(text, font[number], 10)
                write(paper, x + (free / 2 if centred and not number else 0), 120 + 15 * number, text, 10, font[number])
                x += width + gap

    parsed = read(drawn(page))
    assert [block.kind for block in parsed.blocks] == ["paragraph", "table"]
    assert parsed.blocks[1].rows == rows


@pytest.mark.parametrize(("gap", "right"), [(5, False), (11, False), (11, True), (16, False), (16, True)])
def test_a_header_that_is_as_wide_as_its_columns(read, gap, right):
    """Its gaps are all equal, as the spaces of a line are that is stretched to the margin."""
    rows = [["Identifier", "Price", "Days allowed", "By post"], ["K-12", "0.20", "3", "yes"], ["K-13", "1.35", "14", "no"]]
    rows += [["K-14", "4.00", "21", "no"], ["K-15", "9.10", "7", "yes"]]

    def page(paper):
        for number, row in enumerate(rows):
            x = 60.0
            for head, text in zip(rows[0], row, strict=True):
                width = stringWidth(head, "Helvetica", 10)
                write(paper, x + (width - stringWidth(text, "Helvetica", 10) if right else 0), 100 + 15 * number, text)
                x += width + gap

    assert [block.rows for block in read(drawn(page)).blocks] == [rows]


def test_a_last_row_with_its_first_cell_alone(read):
    rows = [["Day", "Opens", "Closes"], ["Monday", "09:00", "17:00"], ["Tuesday", "09:00", "19:30"], ["Wednesday", "", ""]]

    def page(paper):
        for number, row in enumerate(rows):
            for x, text in zip((60, 200, 340), row, strict=True):
                write(paper, x, 100 + 18 * number, text)
        lines("On other days we are closed.", top=180)(paper)

    assert [block.rows or block.text for block in read(drawn(page)).blocks] == [rows, "On other days we are closed."]


@pytest.mark.parametrize("place", ["LEFT", "CENTER"])
@pytest.mark.parametrize(
    "style",
    [
        [],
        [("ALIGN", (2, 0), (2, -1), "RIGHT")],
        [("BOX", (0, 0), (-1, -1), 1, colors.black)],
        [("BACKGROUND", (0, 0), (-1, 0), colors.grey), ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, colors.lightgrey])],
    ],
)
def test_no_rules_an_empty_cell_and_prose_close_by(read, tmp_path, style, place):
    rows = [["Part", "Fits", "Price"], ["Hose", "PW-2200", "12.00"], ["Valve", "", "8.50"], ["Lance", "PW-2400 and PW-2200", "31.00"]]
    above = "The counter opens at nine and closes at five, and whoever comes later finds a box for letters beside the door of the house."
    prose = [Paragraph(text, STYLES["Normal"]) for text in (above, PROSE)]
    parsed = read(platypus(tmp_path, [prose[0], Spacer(1, 12), Table(rows, style=style, hAlign=place), Spacer(1, 12), prose[1]]))
    assert [block.rows or block.text for block in parsed.blocks] == [above, rows, PROSE]


def test_a_stretched_cell_and_stretched_prose_below_a_table(read, tmp_path):
    stretched = ParagraphStyle("stretched", parent=STYLES["Normal"], alignment=TA_JUSTIFY)
    note = "only in colour, and only where the binding allows it to be opened flat"
    rows = [["Item", "Price", "Note"], ["Copy", "0.20", "none"], ["Scan", "", note], ["Loan", "6.50", "by post"]]
    shown = [[*row[:2], Paragraph(row[2], stretched)] for row in rows]
    story = [Table(shown, colWidths=[80, 80, 110], style=[("VALIGN", (0, 0), (-1, -1), "TOP")]), Paragraph(PROSE, stretched)]
    parsed = read(platypus(tmp_path, [Paragraph(PROSE, stretched), *story]))
    assert [block.rows or block.text for block in parsed.blocks] == [PROSE, rows, PROSE]


def test_a_table_over_two_pages_is_two_blocks_that_are_linked(read, tmp_path):
    data = [["Number", "What"], *([str(place), f"item {place}"] for place in range(60))]
    story = [Paragraph(PROSE, STYLES["Normal"]), Table(data, repeatRows=1, style=GRID), Paragraph("The end of it.", STYLES["Normal"])]
    parsed = read(platypus(tmp_path, story))
    first, second = (block for block in parsed.blocks if block.kind == "table")
    assert (first.page, first.continues, second.page, second.continues) == (1, False, 2, True)
    assert first.rows[0] == second.rows[0] == ["Number", "What"]
    assert first.rows[1:] + second.rows[1:] == data[1:]


def test_a_table_over_two_pages_without_a_second_header(read, tmp_path):
    data = [["Number", "What"], *([str(place), f"item {place}"] for place in range(60))]
    first, second = (block for block in read(platypus(tmp_path, [Table(data, style=GRID)])).blocks)
    assert second.continues and first.rows + second.rows == data


def test_two_tables_on_two_pages_are_not_one(read, tmp_path):
    from reportlab.platypus import PageBreak

    story = [
        Paragraph(PROSE, STYLES["Normal"]),
        Table([["a", "b"], ["c", "d"]], style=GRID),
        PageBreak(),
        Paragraph(PROSE, STYLES["Normal"]),
    ]
    story += [Table([["a", "b"], ["e", "f"]], style=GRID)]
    assert [block.continues for block in read(platypus(tmp_path, story)).blocks if block.kind == "table"] == [False, False]


def test_a_frame_around_text_is_no_table(read):
    def page(paper):
        paper.rect(50, HEIGHT - 200, 480, 140)
        lines(PROSE[:80], PROSE[80:150], top=100)(paper)

    assert [block.kind for block in read(drawn(page)).blocks] == ["paragraph"]


# --- the page -------------------------------------------------------------------------------------------------------------------------


def two_columns(tmp_path, count=8):
    file = tmp_path / "columns.pdf"
    paper = BaseDocTemplate(str(file), pagesize=(WIDTH, HEIGHT), invariant=1)
    width = (WIDTH - 130) / 2
    frames = [Frame(50, HEIGHT - 120, WIDTH - 100, 80), Frame(50, 50, width, HEIGHT - 180), Frame(80 + width, 50, width, HEIGHT - 180)]
    paper.addPageTemplates([PageTemplate("columns", frames)])
    paragraphs = [f"Paragraph {place} of the leaflet. {PROSE}" for place in range(count)]
    story = [Paragraph("A leaflet in two columns", STYLES["Title"]), FrameBreak()]
    story += [Paragraph(text, STYLES["BodyText"]) for text in paragraphs[: count // 2]] + [FrameBreak()]
    story += [Paragraph(text, STYLES["BodyText"]) for text in paragraphs[count // 2 :]]
    paper.build(story)
    return file.read_bytes(), paragraphs


def test_two_columns_left_then_right(read, tmp_path):
    data, paragraphs = two_columns(tmp_path)
    assert kinds(read(data)) == [("title", "A leaflet in two columns"), *(("paragraph", text) for text in paragraphs)]


@pytest.mark.parametrize(("font", "size"), [("Times-Roman", 10), ("Helvetica", 9), ("Courier", 8)])
@pytest.mark.parametrize("width", [150, 180, 230])
def test_two_columns_of_lines_that_are_stretched_to_the_margin(read, tmp_path, width, font, size):
    """The narrower the column, the wider the spaces: they are neither gaps between columns nor between cells."""
    file = tmp_path / "columns.pdf"
    paper = BaseDocTemplate(str(file), pagesize=(600, 800), invariant=1)
    frames = [Frame(40, 40, width + 12, 720), Frame(65 + width, 40, width + 12, 720)]
    paper.addPageTemplates([PageTemplate("columns", frames)])
    style = ParagraphStyle("stretched", fontName=font, fontSize=size, leading=1.25 * size, alignment=TA_JUSTIFY, spaceAfter=0.6 * size)
    texts = [f"Paragraph {place} of the leaflet says so: {PROSE} {' '.join(PROSE.split()[place:])}" for place in range(10)]
    paper.build([Paragraph(text, style) for text in texts])
    assert kinds(read(file.read_bytes())) == [("paragraph", text) for text in texts]


def test_an_unruled_table_below_two_columns(read):
    rows = [["Zone", "Cost", "Days"], ["North", "5.00", "3"], ["South", "6.00", "4"], ["East", "7.00", "5"]]

    columns = [[*(f"column {column} says this in line {n} and it goes" for n in range(8)), "on until here."] for column in range(2)]

    def page(paper):
        for x, texts in zip((60, 320), columns, strict=True):
            lines(*texts, x=x, top=100)(paper)
        for number, row in enumerate(rows):
            for x, text in zip((60, 200, 340), row, strict=True):
                write(paper, x, 240 + 15 * number, text, 10, "Helvetica" if number else "Helvetica-Bold")
        lines("After the table there is prose again.", top=330)(paper)

    parsed = read(drawn(page))
    after = "After the table there is prose again."
    assert [block.rows or block.text for block in parsed.blocks] == [*map(" ".join, columns), rows, after]


SIDE_BY_SIDE = [*textwrap.wrap(f"{PROSE} {PROSE}", 44)[:14], "and this is the last line of the column."]


@pytest.mark.parametrize("shift", [0, 5])  # on the other column's baselines, or between them
@pytest.mark.parametrize(
    "right", [["Ask Grace."], ["goes on here and ends."], ["The shop opens at nine o'clock and closes", "at five, on all days but Sunday."]]
)
@pytest.mark.parametrize("head", [True, False])
def test_a_column_of_one_or_two_lines_beside_a_long_one(read, right, shift, head):
    def page(paper):
        if head:
            write(paper, 60, 60, "A heading over both of the columns of this page", 20, "Helvetica-Bold")
        lines(*SIDE_BY_SIDE, top=100)(paper)
        lines(*right, x=320, top=100 + shift)(paper)

    texts = [block.text for block in read(drawn(page)).blocks if block.kind != "title"]
    assert texts == [" ".join(SIDE_BY_SIDE), " ".join(right)]


@pytest.mark.parametrize("swapped", [False, True])
def test_prose_beside_short_lines_and_a_small_table(read, swapped):
    rows = [["Day", "From", "To"], ["Monday", "9:00", "17:00"], ["Sunday", "10:00", "16:00"], ["Friday", "9:00", "21:00"]]
    places = (320, 60) if swapped else (60, 320)

    def page(paper):
        write(paper, 60, 60, "A heading over both of the columns of this page", 20, "Helvetica-Bold")
        lines(*SIDE_BY_SIDE, x=places[0], top=100)(paper)
        lines("Larkfield", "Montreal", x=places[1], top=100)(paper)
        for number, row in enumerate(rows):
            for step, text in enumerate(row):
                write(paper, places[1] + 75 * step, 139 + 13 * number, text)

    prose, table = [" ".join(SIDE_BY_SIDE)], ["Larkfield", "Montreal", rows]
    found = [block.rows or block.text for block in read(drawn(page)).blocks if block.kind != "title"]
    assert found == (table + prose if swapped else prose + table)


@pytest.mark.parametrize("height", [0, 13])  # the second cell at the top of its row, or in the middle
def test_a_table_of_prose_and_short_cells_is_no_pair_of_columns(read, height):
    cells = [textwrap.wrap(f"{name} that serve {PROSE[:90]}", 44) for name in ("Hoses", "Pumps", "Nozzles", "Wheels")]
    assert {len(cell) for cell in cells} == {3}

    def page(paper):
        write(paper, 60, 70, "Part")
        write(paper, 320, 70, "Cover")
        for number, cell in enumerate(cells):
            lines(*cell, top=100 + 50 * number)(paper)
            write(paper, 320, 100 + 50 * number + height, f"{number + 1} years")

    rows = [["Part", "Cover"], *([" ".join(cell), f"{number + 1} years"] for number, cell in enumerate(cells))]
    assert [block.rows for block in read(drawn(page)).blocks] == [rows]


def test_a_large_first_letter(read):
    def page(paper):
        write(paper, 60, 90, "T", 34)
        lines("he first letter is large, and the rest of the line follows it", "the usual way, as in books that are old.", x=82, top=90)(
            paper
        )

    text = read(drawn(page)).blocks[0].text
    assert text.endswith("he first letter is large, and the rest of the line follows it the usual way, as in books that are old.")


def test_a_sentence_that_runs_from_column_to_column(read):
    words = [*(PROSE + " " + PROSE).split()[:71], "end."]

    def page(paper):
        write(paper, 60, 60, "A heading over both of the columns of this page", 20, "Helvetica-Bold")
        for place in range(12):
            x, y = (60, 100 + 14 * place) if place < 6 else (320, 100 + 14 * (place - 6))
            write(paper, x, y, " ".join(words[place * 6 : place * 6 + 6]))
        write(paper, 60, 240, "Below them, over the whole width of the page, stands a last sentence that is long.")

    parsed = read(drawn(page))
    assert [block.kind for block in parsed.blocks] == ["title", "paragraph", "paragraph"]
    assert parsed.blocks[1].text == " ".join(words[:72])


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_rotated_pages(read, turn):
    upright = read(by_hand([text_stream("First the one", "", "Then the other")]))
    matrix = {90: "0 1 -1 0 600 0", 180: "-1 0 0 -1 600 800", 270: "0 -1 1 0 0 800"}[turn]
    size = {90: "0 0 600 800", 180: "0 0 600 800", 270: "0 0 600 800"}[turn]
    stream = matrix.encode() + b" cm\n" + text_stream("First the one", "", "Then the other", top=500)
    turned = read(by_hand([stream], page=f"/Rotate {turn} /MediaBox [{size}]"))
    assert turned.text == upright.text
    assert read(by_hand([stream], page=f"/MediaBox [{size}]")).text == upright.text  # the text turned, the page not


def test_a_note_along_the_margin_comes_last(read):
    def page(paper):
        lines(PROSE[:80], PROSE[80:150])(paper)
        paper.saveState()
        paper.translate(30, 300)
        paper.rotate(90)
        paper.drawString(0, 0, "Form 12-B of May")
        paper.restoreState()

    assert read(drawn(page)).text.endswith("\n\nForm 12-B of May")


@pytest.mark.parametrize("angle", [30, 45, 60, 90])
def test_a_watermark_across_the_pages_is_no_text(read, angle):
    def page(number):
        def draw(paper):
            lines(*textwrap.wrap(PROSE, 90), f"This is said on leaf {number} only.", top=380)(paper)
            paper.saveState()
            paper.translate(300, 400)
            paper.rotate(angle)
            paper.setFont("Helvetica", 60)
            paper.drawCentredString(0, 0, "DRAFT")
            paper.restoreState()

        return draw

    assert "DRAFT" not in read(drawn(*(page(number) for number in range(3)))).text
    alone = read(drawn(page(1)))
    assert [block.text for block in alone.blocks] == [PROSE, "This is said on leaf 1 only.", "DRAFT"]


def test_text_is_read_by_place_not_by_order_of_drawing(read):
    def page(paper):
        for y, text in ((300, "Third, at the foot of it all."), (80, "First, at the very top."), (200, "Second, in the middle.")):
            write(paper, 60, y, text)

    assert read(drawn(page)).text == "First, at the very top.\n\nSecond, in the middle.\n\nThird, at the foot of it all."


def test_forms_and_text_over_a_scan(read):
    form = b"BT /F1 11 Tf 1 0 0 1 0 0 Tm (Inside a form.) Tj ET"
    head = b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Matrix [1 0 0 1 60 0] /Length %d >>\nstream\n" % len(form)
    extra = {6: head + form + b"\nendstream", 7: IMAGE}
    resources = "<< /Font << /F1 4 0 R >> /XObject << /Fm 6 0 R /Im 7 0 R >> >>"
    scan = b"q 600 0 0 800 0 0 cm /Im Do Q 3 Tr " + text_stream(
        *(f"Line {place} of the invisible text over the scan" for place in range(4))
    )
    parsed = read(by_hand([b"q 1 0 0 1 0 500 cm /Fm Do Q", scan], resources=resources, extra=extra.items()))
    assert parsed.blocks[0].text == "Inside a form."
    assert parsed.blocks[1].text.startswith("Line 0 of the invisible text")
    assert parsed.problems == []


def test_what_lies_outside_the_page_or_in_a_layer_that_is_off_is_not_read(read):
    stream = (
        text_stream("On the page")
        + text_stream("Off the page", x=900)
        + b"/OC /Hidden BDC "
        + text_stream("Off the layer", top=600)
        + b"EMC"
    )
    data = by_hand(
        [stream],
        resources="<< /Font << /F1 4 0 R >> /Properties << /Hidden 6 0 R >> >>",
        extra={6: b"<< /Type /OCG /Name (hidden) >>"}.items(),
        root="/OCProperties << /OCGs [6 0 R] /D << /OFF [6 0 R] >> >>",
    )
    assert read(data).text == "On the page"


# --- running heads, feet, page numbers --------------------------------------------------------------------------------------------------


def test_what_is_clipped_away_is_not_read(read):
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 100] /Resources << /Font << /F1 4 0 R >> >> /Length %d >>\nstream\n%s\nendstream"
    )
    inside = text_stream("in the form", top=50) + text_stream("out of the form", top=300)
    shown = b"q 50 600 300 50 re W n\n" + text_stream("in the frame", top=620) + text_stream("below the frame", top=500) + b"Q\n"
    shown += text_stream("in the open", top=560)
    shown += (
        b"q 50 420 m 50 480 l 300 480 l 300 420 l h W* n\n" + text_stream("in a path", top=450) + text_stream("beside it", x=400, top=450)
    )
    shown += b"q 0 0 600 800 re W n\n" + text_stream("above it", top=490 + 40) + b"Q Q\n/X1 Do\n"
    resources = "<< /Font << /F1 4 0 R >> /XObject << /X1 50 0 R >> >>"
    parsed = read(by_hand([shown], resources=resources, extra=[(50, form % (len(inside), inside))]))
    assert parsed.text.split("\n\n") == ["in the frame", "in the open", "in a path", "in the form"]


def paged(count, head=None, foot=None, texts=None, size=8):
    def make(number):
        def page(paper):
            if head:
                write(paper, *head(number)[:2], head(number)[2], size)
            for place in range(20):
                text = (
                    texts(number, place)
                    if texts
                    else f"{'The quick grey heron of page'} {number} stands still. {PROSE[: 40 + (7 * place * number) % 30]}"
                )
                write(paper, 60, 100 + 14 * place, text)
            if foot:
                write(paper, *foot(number)[:2], foot(number)[2], size)

        return page

    return drawn(*(make(number) for number in range(1, count + 1)))


@pytest.mark.parametrize(
    "count, head, foot, labels",
    [
        (2, lambda n: (60, 40, "Larder and Sons · Sheds"), lambda n: (280, 800, f"Page {n} of 2"), ["1", "2"]),
        (5, lambda n: (60, 40, "Larder and Sons · Sheds"), lambda n: (280, 800, f"– {n + 7} –"), ["8", "9", "10", "11", "12"]),
        (6, lambda n: (60 if n % 2 else 400, 40, f"{n}  Sheds" if n % 2 else f"Larder and Sons  {n}"), None, list("123456")),
        (3, None, lambda n: (280, 800, ["iv", "v", "vi"][n - 1]), ["iv", "v", "vi"]),
        (1, None, lambda n: (280, 800, "1"), ["1"]),
        (4, lambda n: (60, 40, ["Roofs", "Roofs", "Walls", "Walls"][n - 1]), None, ["", "", "", ""]),
    ],
    ids=["two pages", "other numbers", "left and right", "Roman", "one page", "chapters"],
)
def test_running_heads_and_feet_are_labels_not_prose(read, count, head, foot, labels):
    parsed = read(paged(count, head, foot))
    assert [page.label for page in parsed.pages] == labels
    assert [page.number for page in parsed.pages] == list(range(1, count + 1))
    for number in range(1, count + 1):
        for place in (head, foot):
            if place:
                assert place(number)[2] not in parsed.text.split("\n\n")
    assert "Larder" not in parsed.text
    assert parsed.text.count("The quick grey heron") == 20 * count


def test_labels_that_the_file_declares(read):
    data = by_hand(
        [text_stream(f"Text of page {n} and no other") for n in (1, 2, 3)], root="/PageLabels << /Nums [0 << /S /r >> 2 << /S /D >>] >>"
    )
    assert [page.label for page in read(data).pages] == ["i", "ii", "1"]


def test_text_that_is_alike_on_all_pages_is_text(read):
    parsed = read(paged(4, texts=lambda number, place: f"Line {place} of the form, the same on all pages"))
    assert parsed.text.count("Line 0 of the form") == 4
    assert parsed.text.count("Line 19 of the form") == 4


@pytest.mark.parametrize("count", [2, 3, 5])
def test_pages_that_say_the_same_keep_their_text(read, count):
    text = ["Please keep this notice beside the machine", "and read it before you open the lid, each", "time that you clean the filter."]

    def page(number):
        def draw(paper):
            lines(*text, top=100)(paper)
            write(paper, 60, 700, "1 The filter is the grey one.", 7)
            write(paper, 280, 800, f"- {number} -", 9)

        return draw

    parsed = read(drawn(*(page(number) for number in range(1, count + 1))))
    assert [block.text for block in parsed.blocks].count(" ".join(text)) == count
    assert not any(block.text.startswith("-") for block in parsed.blocks)
    assert [page.label for page in parsed.pages] == [str(number) for number in range(1, count + 1)]


def test_headings_that_count_are_no_running_heads(read):
    def page(number):
        def draw(paper):
            write(paper, 60, 60, f"Chapter {number}", 18, "Helvetica-Bold")
            lines(PROSE[:80], PROSE[80:150], top=100)(paper)

        return draw

    parsed = read(drawn(*(page(number) for number in (1, 2, 3))))
    assert [block.text for block in parsed.blocks if block.kind in ("title", "heading")] == ["Chapter 1", "Chapter 2", "Chapter 3"]


# --- over the end of a page ---------------------------------------------------------------------------------------------------------------


def test_a_sentence_that_runs_over_a_page_is_one_block_past_heads_and_notes(read):
    words = (f"{PROSE} " * 3).split()

    def page(number):
        def draw(paper):
            write(paper, 60, 40, "Sheds and what stands in them", 8)
            for place in range(4):
                start = (number * 4 + place) * 15
                write(paper, 60, 100 + 14 * place, " ".join(words[start : start + 15]))
            if number == 0:
                write(paper, 60, 760, "1 A note at the foot of the first page.", 7)
            else:
                write(paper, 60, 200, "Another paragraph, on the second page.")
            write(paper, 290, 810, str(number + 1), 8)

        return draw

    parsed = read(drawn(page(0), page(1)))
    assert [(block.text, block.page) for block in parsed.blocks] == [
        (" ".join(words[:120]), 1),
        ("1 A note at the foot of the first page.", 1),
        ("Another paragraph, on the second page.", 2),
    ]


NOTES = {
    "numbers": [
        "1 A note at the foot of the page, which is so long that it goes on in",
        "a second line of small print.",
        "2 Another note.",
    ],
    "letters": ["a A note at the foot of the page.", "b Another note."],
    "a star": ["* A note at the foot of the page."],
    "no mark": ["This note says nothing of where it belongs."],
    "the rest of an earlier note": ["which goes on from the page before, as long notes do.", "3 Another note."],
}


@pytest.mark.parametrize("size", [6.5, 8, 9.5])
@pytest.mark.parametrize("notes", NOTES.values(), ids=NOTES)
def test_notes_never_stand_in_a_sentence_that_runs_over_a_page(read, notes, size):
    words = (f"{PROSE} " * 3).split()

    def page(number):
        def draw(paper):
            for place in range(4):
                start = (number * 4 + place) * 15
                write(paper, 60, 100 + 14 * place, " ".join(words[start : start + 15]))
            if number == 0:
                lines(*notes, top=740, step=1.2 * size, size=size)(paper)

        return draw

    begun = [text for text in notes if not text.startswith("a second")]
    wanted = [f"{text} a second line of small print." if text.endswith(" in") else text for text in begun]
    assert [block.text for block in read(drawn(page(0), page(1))).blocks] == [" ".join(words[:120]), *wanted]


def test_small_print_between_two_sentences_stays_where_it_is(read):
    first, second = "Prices are in dollars.", "Times are those of Quebec."
    parsed = read(
        drawn(
            lambda paper: (lines(*textwrap.wrap(PROSE, 90))(paper), write(paper, 60, 300, first, 8)),
            lambda paper: (lines(*textwrap.wrap(PROSE, 90))(paper), write(paper, 60, 350, second, 8)),
        )
    )
    assert [block.text for block in parsed.blocks] == [PROSE, first, PROSE, second]


@pytest.mark.parametrize(
    "start", ["$7.50 for a card", "12 months for a card", "(at most) for a card", "“idle” for a card", "2023-0379 for a card"]
)
@pytest.mark.parametrize("step", [13, 16])
def test_a_sentence_goes_on_with_a_sum_or_a_number(read, start, step):
    """A line of it may stand lower than the others, as where something above it is raised."""
    above = [
        "Issuers were free to charge what the conditions of a prepaid card stated in print,",
        "within these bounds, for each card that was sold in a shop or online in the year: at most",
    ]

    def page(paper):
        lines(*above)(paper)
        lines(f"{start} that replaced a lost one, and nothing for others.", top=93 + step)(paper)
        lines(
            "A second paragraph stands below it.", "It has lines at the usual distance,", "as most others have, and a last one.", top=160
        )(paper)

    assert read(drawn(page)).blocks[0].text == " ".join([*above, f"{start} that replaced a lost one, and nothing for others."])


@pytest.mark.parametrize(
    ("mark", "size", "rise", "text"),
    [
        ("1", 6, 4, "The trader¹ pays"), ("12", 6, 4, "The trader¹² pays"), ("1,2", 6, 4, "The trader¹,² pays"),
        ("2", 6, -2, "The trader2 pays"), ("1", 10, 0, "The trader1 pays"), ("th", 6, 4, "The traderth pays"),
        ("*", 6, 4, "The trader* pays"), ("(1)", 6, 4, "The trader(1) pays"),
    ],
)  # fmt: skip
def test_raised_digits_are_superscripts(read, mark, size, rise, text):
    def page(paper):
        write(paper, 60, 100, "The trader")
        at = 60 + stringWidth("The trader", "Helvetica", 10)
        write(paper, at, 100 - rise, mark, size)
        write(paper, at + stringWidth(mark, "Helvetica", size), 100, " pays")

    assert read(drawn(page)).text == text


def test_a_fraction_is_no_superscript(read):
    def page(paper):
        write(paper, 60, 96, "1", 6)
        write(paper, 63.4, 100, "/")
        write(paper, 66.3, 102, "2", 6)
        write(paper, 72, 100, "cup of m2 and PW-2200")

    assert read(drawn(page)).text == "1/2 cup of m2 and PW-2200"


def test_pages_meet_inside_a_sentence(read):
    parsed = read(drawn(lines("This is the beginning of a sentence that goes"), lines("on to the next page, where it ends.", "", "More.")))
    assert parsed.blocks[0].text == "This is the beginning of a sentence that goes on to the next page, where it ends."
    first, second = parsed.pages
    assert parsed.text[first.start : first.end] == "This is the beginning of a sentence that goes"
    assert parsed.text[second.start :].startswith("on to the next page")


def test_a_list_item_that_runs_over_a_page(read):
    def first(paper):
        write(paper, 60, 80, "Not covered:")
        write(paper, 66, 94, "•")
        write(paper, 80, 94, "wear that comes with ordinary use, such as blunt edges and")

    def second(paper):
        write(paper, 80, 80, "faded paint;")
        write(paper, 66, 94, "•")
        write(paper, 80, 94, "falls.")

    parsed = read(drawn(first, second))
    items = [(block.text, block.page) for block in parsed.blocks if block.kind == "list_item"]
    assert items == [("• wear that comes with ordinary use, such as blunt edges and faded paint;", 1), ("• falls.", 2)]


def test_a_finished_sentence_does_not_go_on(read):
    parsed = read(drawn(lines("This sentence ends with its page."), lines("This one begins another, on its own page.")))
    assert len(parsed.blocks) == 2


def test_reading_twice_gives_equal_results(read, tmp_path):
    data, _ = two_columns(tmp_path)
    assert read(data) == read(data)


def test_nothing_of_the_collection_stands_in_the_reader():
    """No font, size or place of our PDFs: the reader must work on other people's."""
    files = sorted(Path(read_pdf.__code__.co_filename).parent.glob("pdf*.py"))
    assert len(files) > 10
    for file in files:
        assert not re.search(r"Helvetica|Symbol\b|Larkfield|warranty polic", file.read_text("utf-8")), file
