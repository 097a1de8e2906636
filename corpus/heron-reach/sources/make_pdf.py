"""Sets the club's list of fees from fees-2026.md, and adds the notice that somebody scanned in behind it.

    python corpus/heron-reach/sources/make_pdf.py            writes documents/fees-2026.pdf
    python corpus/heron-reach/sources/make_pdf.py --check    writes nothing; exits 1 if the PDF is not what its source gives

The last page is a scan: black dots, as a scanner sees paper, and no text. What stands on it can be read by a person and by no program
here. That is meant.

The same source gives the same bytes each time and on every system: no date, no compression, and only fonts that every PDF reader has.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from markdown_it import MarkdownIt
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, NextPageTemplate, PageBreak, PageTemplate, Paragraph, Spacer, Table

sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))  # where making.py lies
from making import SourceFault, run, without_a_date

SOURCES = Path(__file__).resolve().parent
SOURCE = SOURCES / "fees-2026.md"
TARGET = SOURCES.parent / "documents" / "fees-2026.pdf"

PAGE_WIDTH, PAGE_HEIGHT = letter
SIDE, TOP, BOTTOM = 80, 84, 78
INK, RULE = HexColor("#141414"), HexColor("#3b5b78")

BODY = ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=15, textColor=INK, spaceAfter=7, splitLongWords=0)
TITLE = ParagraphStyle("title", BODY, fontName="Times-Bold", fontSize=24, leading=30, spaceAfter=10)
HEADING = ParagraphStyle("heading", BODY, fontName="Times-Bold", fontSize=14, leading=19, textColor=RULE, spaceBefore=10, keepWithNext=1)
CELL = ParagraphStyle("cell", BODY, fontSize=10, leading=13, spaceAfter=0)
HEAD_CELL = ParagraphStyle("head cell", CELL, fontName="Times-Bold")

NOTICE = ("LOCKER KEYS", "ASK AT THE BAR", "5 TO 9 ONLY")
DOTS = {  # rows of five dots, from top to bottom
    "A": "01110 10001 10001 11111 10001 10001 10001",
    "B": "11110 10001 10001 11110 10001 10001 11110",
    "C": "01111 10000 10000 10000 10000 10000 01111",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "H": "10001 10001 10001 11111 10001 10001 10001",
    "K": "10001 10010 10100 11000 10100 10010 10001",
    "L": "10000 10000 10000 10000 10000 10000 11111",
    "N": "10001 11001 10101 10101 10011 10001 10001",
    "O": "01110 10001 10001 10001 10001 10001 01110",
    "R": "11110 10001 10001 11110 10100 10010 10001",
    "S": "01111 10000 10000 01110 00001 00001 11110",
    "T": "11111 00100 00100 00100 00100 00100 00100",
    "Y": "10001 10001 01010 00100 00100 00100 00100",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00001 01110",
    " ": "00000 00000 00000 00000 00000 00000 00000",
}


def flowables(text: str) -> Iterator[Flowable]:
    """What stands on the pages that are text, in order. Of Markdown it knows headings, paragraphs and tables; it refuses the rest."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    rows: list[list[Paragraph]] = []
    opened = ""
    for token in tokens:
        match token.type:
            case "heading_open" | "paragraph_open" | "th_open" | "td_open":
                opened = token.tag
            case "inline":
                if any(child.type not in ("text", "softbreak") for child in token.children or []):
                    raise SourceFault(f"{SOURCE.name}:{token.map[0] + 1}: plain text alone can be set")
                said = escape(" ".join(token.content.split()))
                if opened in ("th", "td"):
                    rows[-1].append(Paragraph(said, HEAD_CELL if opened == "th" else CELL))
                else:
                    yield Paragraph(said, {"h1": TITLE, "h2": HEADING, "p": BODY}[opened])
            case "tr_open":
                rows.append([])
            case "table_close":
                yield _table(rows)
                rows = []
            case other if not other.endswith("_close") and other not in ("table_open", "thead_open", "tbody_open"):
                raise SourceFault(f"{SOURCE.name}:{(token.map or [0])[0] + 1}: {other} cannot be set")


def _table(rows: list[list[Paragraph]]) -> Table:
    width = PAGE_WIDTH - 2 * SIDE
    shares = {4: (0.27, 0.13, 0.17, 0.43), 3: (0.36, 0.14, 0.5)}[len(rows[0])]
    style = [("GRID", (0, 0), (-1, -1), 0.6, RULE), ("VALIGN", (0, 0), (-1, -1), "TOP"), ("BOTTOMPADDING", (0, 0), (-1, -1), 5)]
    return Table(rows, [share * width for share in shares], repeatRows=1, style=style, spaceBefore=3, spaceAfter=9)


def scan(canvas: Canvas, doc: BaseDocTemplate) -> None:
    """The notice, dot by dot, a little askew."""
    canvas.saveState()
    canvas.translate(70, PAGE_HEIGHT - 230)
    canvas.rotate(2.5)
    canvas.setFillColor(INK)
    dot = 5.6
    for line, words in enumerate(NOTICE):
        for place, character in enumerate(words):
            for down, row in enumerate(DOTS[character].split()):
                for across, black in enumerate(row):
                    if black == "1":
                        canvas.rect((6 * place + across) * dot, -(11 * line + down) * dot, dot, dot, stroke=0, fill=1)
    canvas.restoreState()


def running_head(canvas: Canvas, doc: BaseDocTemplate) -> None:
    """Head and foot of a page of text."""
    canvas.setFont("Times-Italic", 9)
    canvas.drawString(SIDE, PAGE_HEIGHT - 50, "Heron Reach Rowing Club")
    canvas.drawRightString(PAGE_WIDTH - SIDE, PAGE_HEIGHT - 50, "Fees 2026")
    canvas.drawCentredString(PAGE_WIDTH / 2, 40, f"– {canvas.getPageNumber()} –")


def made() -> bytes:
    """The PDF's bytes."""
    file = io.BytesIO()
    doc = BaseDocTemplate(
        file, pagesize=letter, title="Fees 2026", author="Heron Reach Rowing Club", creator="make_pdf.py", lang="en-CA",
        invariant=1, pageCompression=0,
    )  # fmt: skip
    frame = Frame(SIDE, BOTTOM, PAGE_WIDTH - 2 * SIDE, PAGE_HEIGHT - TOP - BOTTOM, 0, 0, 0, 0)
    doc.addPageTemplates([PageTemplate("text", [frame], onPage=running_head), PageTemplate("scan", [frame], onPage=scan)])
    with without_a_date():
        doc.build([*flowables(SOURCE.read_text(encoding="utf-8")), NextPageTemplate("scan"), PageBreak(), Spacer(1, 1)])
    return file.getvalue()


def main(arguments: list[str] | None = None, target: Path = TARGET) -> int:
    return run(lambda: {f"{target.parent.name}/{target.name}": made()}, target.parent.parent, "make_pdf.py", arguments)


if __name__ == "__main__":
    sys.exit(main())
