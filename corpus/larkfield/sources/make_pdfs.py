"""Sets the collection's PDF documents from the Markdown files beside this one.

    python corpus/larkfield/sources/make_pdfs.py            writes documents/*.pdf
    python corpus/larkfield/sources/make_pdfs.py --check    writes nothing; exits 1 if a PDF is not what its source gives

A source `name.v3.md` gives `documents/name.v3.pdf`. It opens with `key: value` lines between two `---`:

    head: what stands at the top of every page, on the left
    note: the same, on the right

Below them stands Markdown: one `# ` title, `## ` headings, paragraphs, bullet lists, pipe tables, *emphasis* and **strong**.
Anything else is refused with its line, since a PDF that drops a sentence looks just like one that does not.

The same source gives the same bytes each time and on every system: no date, no compression, and only fonts that every PDF reader has.
"""

from __future__ import annotations

import io
import re
import sys
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from xml.sax.saxutils import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, Table

sys.path.append(str(Path(__file__).resolve().parents[3] / "tools"))  # where making.py lies
from making import SourceFault, column_widths, run, without_a_date

SOURCES = Path(__file__).resolve().parent
DOCUMENTS = SOURCES.parent / "documents"

# Points, 72 to the inch.
PAGE_WIDTH, PAGE_HEIGHT = letter
SIDE, TOP, BOTTOM = 68, 74, 72
TEXT_WIDTH = PAGE_WIDTH - 2 * SIDE
CELL_SIDE, CELL_TOP, CELL_BOTTOM = 5, 3.5, 5

INK, QUIET, GREEN, SHADE = HexColor("#1c1c1c"), HexColor("#5f6660"), HexColor("#23573b"), HexColor("#e6efe8")

BODY = ParagraphStyle("body", fontName="Helvetica", fontSize=10, leading=14, textColor=INK, spaceAfter=6, splitLongWords=0)
TITLE = ParagraphStyle("title", BODY, fontName="Helvetica-Bold", fontSize=22, leading=27, textColor=GREEN, spaceAfter=9)
HEADING = ParagraphStyle(
    "heading", BODY, fontName="Helvetica-Bold", fontSize=13, leading=17, textColor=GREEN, spaceBefore=9, spaceAfter=3, keepWithNext=1
)
ITEM = ParagraphStyle("item", BODY, leftIndent=15, bulletIndent=3, spaceAfter=3, bulletFontName="Symbol")
CELL = ParagraphStyle("cell", BODY, fontSize=9, leading=11.5, spaceAfter=0)
HEAD_CELL = ParagraphStyle("head cell", CELL, fontName="Helvetica-Bold")


WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Source:
    """A source file, taken apart: what its pages say at the top, and its Markdown, as text and as tokens."""

    path: Path
    head: str
    note: str
    body: str
    tokens: list[Token]
    first_line: int  # 1-based line of the file on which the body begins

    @property
    def title(self) -> str:
        return self.tokens[1].content

    def fault(self, where: Token | int, what: str) -> SourceFault:
        """A fault at a token, or at a 0-based line of the body."""
        line = where if isinstance(where, int) else where.map[0] if where.map else 0
        return SourceFault(f"{self.path.name}:{self.first_line + line}: {what}")


def read_source(path: Path) -> Source:
    """Reads one source. Raises SourceFault where its opening lines or its title are missing."""
    lines = path.read_text(encoding="utf-8").split("\n")
    if lines[0] != "---" or "---" not in lines[1:]:
        raise SourceFault(f"{path.name}:1: the file must open with `head:` and `note:` between two lines of ---")
    end = lines.index("---", 1)
    opening = dict(line.split(": ", 1) for line in lines[1:end] if ": " in line)
    if len(opening) != end - 1 or set(opening) != {"head", "note"}:
        raise SourceFault(f"{path.name}:2: between the --- lines stand `head: …` and `note: …`, nothing else")
    body = "\n".join(lines[end + 1 :])
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    titles = [place for place, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h1"]
    if titles != [0]:
        raise SourceFault(f"{path.name}:{end + 2}: one `# ` title, before all else, and only one")
    return Source(path, opening["head"], opening["note"], body, tokens, end + 2)


def check_nothing_lost(source: Source) -> None:
    """Markdown drops some things without a word (a cell too many, a link's definition). Raises SourceFault at the first such word."""
    written = [(word, line) for line, text in enumerate(source.body.split("\n")) for word in WORD.findall(text)]
    read = [word for token in source.tokens for child in token.children or [] for word in WORD.findall(child.content)]
    for (word, line), other in zip_longest(written, read, fillvalue=("", 0)):
        if word != other:
            raise source.fault(line, f"{word!r} does not come out as it is written; use plainer Markdown")


def inline(source: Source, token: Token) -> str:
    """The text of a paragraph, heading or cell, in the mark-up of reportlab's Paragraph."""
    marks = {"strong_open": "<b>", "strong_close": "</b>", "em_open": "<i>", "em_close": "</i>", "softbreak": " "}
    parts = []
    for child in token.children or []:
        if child.type == "text":
            parts.append(escape(child.content))
        elif child.type in marks:
            parts.append(marks[child.type])
        else:
            raise source.fault(token, f"{child.type!r} cannot be set; use plain text, *emphasis* or **strong**")
    return "".join(parts)


def ruled_table(rows: list[list[str]], texts: list[list[str]]) -> Table:
    """`rows` in mark-up, `texts` without it (for the widths); the first row is the head, and stands again after a page break."""
    cells = [[Paragraph(cell, CELL if place else HEAD_CELL) for cell in row] for place, row in enumerate(rows)]
    style = [
        ("BACKGROUND", (0, 0), (-1, 0), SHADE),
        ("GRID", (0, 0), (-1, -1), 0.5, QUIET),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LEFTPADDING", (0, 0), (-1, -1), CELL_SIDE),
        ("RIGHTPADDING", (0, 0), (-1, -1), CELL_SIDE),
        ("TOPPADDING", (0, 0), (-1, -1), CELL_TOP),
        ("BOTTOMPADDING", (0, 0), (-1, -1), CELL_BOTTOM),
    ]
    return Table(cells, column_widths(texts, TEXT_WIDTH, HEAD_CELL, CELL_SIDE), repeatRows=1, style=style, spaceBefore=2, spaceAfter=8)


def flowables(source: Source) -> list[Flowable]:
    """What stands on the pages, in order. Raises SourceFault at the first thing that cannot be set."""
    story: list[Flowable] = []
    in_item = item_begun = False
    rows: list[list[str]] = []
    texts: list[list[str]] = []
    opened = Token("", "", 0)
    for token in source.tokens:
        if in_item and token.type.endswith("_open"):
            if item_begun or token.type != "paragraph_open":
                raise source.fault(token, "an item of a list is one paragraph, with nothing below it")
            item_begun = True
        match token.type:
            case "heading_open":
                if token.tag not in ("h1", "h2"):
                    raise source.fault(token, "headings are `# ` (the title) and `## `; no other level is set")
                opened = token
            case "paragraph_open" | "th_open" | "td_open":
                opened = token
            case "inline":
                text = inline(source, token)
                if opened.type in ("th_open", "td_open"):
                    rows[-1].append(text)
                    texts[-1].append("".join(child.content for child in token.children or []))
                elif opened.type == "heading_open":
                    story.append(Paragraph(text, TITLE if opened.tag == "h1" else HEADING))
                elif in_item:
                    story.append(Paragraph(text, ITEM, bulletText="•"))
                else:
                    story.append(Paragraph(text, BODY))
            case "list_item_open":
                in_item, item_begun = True, False
            case "list_item_close":
                in_item = False
            case "tr_open":
                rows.append([])
                texts.append([])
            case "table_close":
                story.append(ruled_table(rows, texts))
                rows, texts = [], []
            case "heading_close" | "paragraph_close" | "bullet_list_open" | "bullet_list_close" | "table_open":
                pass
            case "thead_open" | "thead_close" | "tbody_open" | "tbody_close" | "tr_close" | "th_close" | "td_close":
                pass
            case other:
                raise source.fault(token, f"{other!r} cannot be set; see the list at the top of make_pdfs.py")
    return story


def running_head(canvas: Canvas, doc: BaseDocTemplate, source: Source) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.setFillColor(QUIET)
    canvas.drawString(SIDE, PAGE_HEIGHT - 44, source.head)
    canvas.drawRightString(PAGE_WIDTH - SIDE, PAGE_HEIGHT - 44, source.note)
    canvas.setStrokeColor(GREEN)
    canvas.setLineWidth(0.8)
    canvas.line(SIDE, PAGE_HEIGHT - 51, PAGE_WIDTH - SIDE, PAGE_HEIGHT - 51)


def page_number(canvas: Canvas, doc: BaseDocTemplate, pages: int) -> None:
    canvas.setFont("Helvetica", 8)
    canvas.setFillColor(QUIET)
    canvas.drawCentredString(PAGE_WIDTH / 2, 36, f"Page {canvas.getPageNumber()} of {pages}")


def set_pages(source: Source, pages: int) -> tuple[bytes, int]:
    """One setting of the document, told how many pages it has. Returns its bytes and how many it turned out to have."""
    file = io.BytesIO()
    doc = BaseDocTemplate(
        file,
        pagesize=letter,
        title=source.title,
        author="Larkfield",
        subject=source.head,
        creator="make_pdfs.py",
        lang="en-CA",
        invariant=1,
        pageCompression=0,
    )
    frame = Frame(SIDE, BOTTOM, TEXT_WIDTH, PAGE_HEIGHT - TOP - BOTTOM, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)
    # The head is drawn before the text and the number after it, which is the order that a reader meets them in.
    head, foot = partial(running_head, source=source), partial(page_number, pages=pages)
    doc.addPageTemplates(PageTemplate(frames=[frame], onPage=head, onPageEnd=foot))
    doc.build(flowables(source))
    return file.getvalue(), doc.page


def make_pdf(path: Path) -> bytes:
    """The PDF of one source file. Raises SourceFault."""
    source = read_source(path)
    with without_a_date():
        _, pages = set_pages(source, 0)  # the foot says "of how many", which is known after a first setting
        made, _ = set_pages(source, pages)
    check_nothing_lost(source)
    return made


def targets(sources: Path, documents: Path) -> dict[Path, Path]:
    """Source file -> the PDF that it gives, by name."""
    return {path: documents / f"{path.stem}.pdf" for path in sorted(sources.glob("*.md"))}


def main(arguments: list[str] | None = None, sources: Path = SOURCES, documents: Path = DOCUMENTS) -> int:
    def made() -> dict[str, bytes]:
        return {f"{documents.name}/{pdf.name}": make_pdf(source) for source, pdf in targets(sources, documents).items()}

    return run(made, documents.parent, "make_pdfs.py", arguments)


if __name__ == "__main__":
    sys.exit(main())
