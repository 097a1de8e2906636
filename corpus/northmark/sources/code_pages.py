"""Sets the Code as a PDF: a title page, the contents, the Parts each on a new page, footnotes at the foot of their page, the Annexes in
two columns.

The same text gives the same bytes each time and on every system: no date, no compression, and only fonts that every PDF reader has. What
stands where is known only after setting it (the contents, the running heads, the room for footnotes), so the pages are set again until a
setting finds everything where the one before had put it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from code_text import RAISED, STATUS, Block, lowered
from making import SourceFault, column_widths, without_a_date  # code_text has found its folder
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, FrameBreak, NextPageTemplate, PageBreak, PageTemplate, Paragraph, Table

# Points, 72 to the inch.
PAGE_WIDTH, PAGE_HEIGHT = letter
SIDE, TOP, BOTTOM = 72, 74, 66
TEXT_WIDTH, TEXT_HEIGHT = PAGE_WIDTH - 2 * SIDE, PAGE_HEIGHT - TOP - BOTTOM
GUTTER = 24
COLUMN = (TEXT_WIDTH - GUTTER) / 2
CELL_SIDE = 4
NOTES_GAP = 14  # between the text and the first footnote, with a short rule in it

INK, QUIET, SHADE = HexColor("#141414"), HexColor("#555555"), HexColor("#ececec")

BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=9.5, leading=11.6, textColor=INK, spaceBefore=3.2, spaceAfter=3.2,
    splitLongWords=0, allowWidows=0, allowOrphans=0,
)  # fmt: skip
TITLE = ParagraphStyle("title", BODY, fontName="Helvetica-Bold", fontSize=28, leading=34, spaceAfter=24)
PART = ParagraphStyle("part", BODY, fontName="Helvetica-Bold", fontSize=17, leading=21, spaceAfter=9, keepWithNext=1)
ARTICLE = ParagraphStyle("article", PART, fontSize=11.5, leading=14.5, spaceBefore=10, spaceAfter=4)
INSIDE = ParagraphStyle("inside", BODY, fontName="Times-BoldItalic", spaceBefore=4, spaceAfter=3, keepWithNext=1)
ITEM = ParagraphStyle(
    "item", BODY, leftIndent=30, bulletIndent=13, bulletFontName="Times-Roman", bulletFontSize=9.5, spaceBefore=2.5, spaceAfter=2.5
)
ENTRY = ParagraphStyle("entry", ITEM, leftIndent=12, bulletIndent=0, bulletFontName="Symbol", spaceBefore=1.5, spaceAfter=1.5)
CELL = ParagraphStyle("cell", BODY, fontName="Helvetica", fontSize=8.5, leading=10.5, spaceBefore=0, spaceAfter=0)
HEAD_CELL = ParagraphStyle("head cell", CELL, fontName="Helvetica-Bold")
NOTE = ParagraphStyle("note", BODY, fontSize=8, leading=9.6, spaceBefore=0, spaceAfter=2)
HEADINGS = {1: PART, 2: ARTICLE, 3: INSIDE}
CONTENTS = "Contents"


@dataclass(frozen=True)
class Placed:
    """Where (a part of) a block stands: its place in the list of blocks (-1: a line of the contents), its 1-based page and its box,
    left, top, right, bottom, in points from the page's left upper corner; `text` is that of a line of the contents, dots and number too."""

    block: int
    page: int
    box: tuple[float, float, float, float]
    text: str = ""


@dataclass(frozen=True)
class Setting:
    """The PDF's bytes, how many pages it has, where each piece stands, and the running head of each page."""

    content: bytes = field(repr=False)
    pages: int = 0
    placed: tuple[Placed, ...] = field(default=(), repr=False)
    heads: tuple[tuple[int, str], ...] = field(default=(), repr=False)


@dataclass
class _Known:
    """What a setting needs to know from the one before it: pages of headings, footnotes of pages and the room that they take."""

    pages: dict[int, int] = field(default_factory=dict)
    notes: dict[int, list[int]] = field(default_factory=dict)
    room: dict[int, float] = field(default_factory=dict)


class _Text(Paragraph):
    """A paragraph that tells where it was drawn."""

    desk: _Desk
    block: int

    def split(self, width: float, height: float) -> list[Paragraph]:
        parts = super().split(width, height)
        for part in parts:
            part.desk, part.block = self.desk, self.block
        return parts

    def raised(self) -> list[str]:
        """What stands raised in its lines, as they were broken."""
        lines = self.blPara.lines if self.blPara.kind else []
        return [part.text.strip() for line in lines for part in line.words if getattr(part, "rise", 0)]

    def drawOn(self, canvas: Canvas, x: float, y: float, _sW: float = 0) -> None:  # noqa: N802, N803 (reportlab's names)
        self.desk.place(self, canvas, x, y)
        super().drawOn(canvas, x, y, _sW)


class _WholeTable(Table):
    """A table that is never cut by a page's end, and tells where it was drawn."""

    desk: _Desk
    block: int

    def split(self, width: float, height: float) -> list[Flowable]:
        return []

    def drawOn(self, canvas: Canvas, x: float, y: float, _sW: float = 0) -> None:  # noqa: N802, N803
        self.width, self.height = self._width, self._height
        self.desk.place(self, canvas, x, y)
        super().drawOn(canvas, x, y, _sW)


class _ContentsLine(Flowable):
    """A line of the contents: a heading, dots, the number of its page."""

    def __init__(self, desk: _Desk, text: str, page: int, deep: bool):
        super().__init__()
        self.desk, self.text, self.page, self.deep = desk, text, page, deep
        self.width, self.height = TEXT_WIDTH, 9.9 if deep else 13.5

    def wrap(self, *_: float) -> tuple[float, float]:
        return self.width, self.height

    def drawOn(self, canvas: Canvas, x: float, y: float, _sW: float = 0) -> None:  # noqa: N802, N803
        self.desk.placed.append(Placed(-1, canvas.getPageNumber(), _box(x, y, self.width, self.height), f"{self.text} ..... {self.page}"))
        super().drawOn(canvas, x, y, _sW)

    def draw(self) -> None:
        font, size = ("Times-Roman", 8.5) if self.deep else ("Times-Bold", 9)
        indent = 14 if self.deep else 0
        self.canv.setFont(font, size)
        self.canv.setFillColor(INK)
        self.canv.drawString(indent, 2, self.text)
        number = str(self.page)
        end = TEXT_WIDTH - stringWidth(number, font, size)
        self.canv.drawString(end, 2, number)
        room = end - indent - stringWidth(self.text, font, size) - 10
        dot = stringWidth(".", font, size)
        self.canv.drawRightString(end - 5, 2, "." * int(room / dot))


class _Page(PageTemplate):
    """A page with its running head, its number, and room for its footnotes. `frames` as for a page without any."""

    def __init__(self, name: str, desk: _Desk, frames: list[Frame], plain: bool = False):
        super().__init__(name, frames)
        self.desk, self.plain = desk, plain
        self.bottoms = [(frame.y1, frame.height) for frame in frames]

    def beforeDrawPage(self, canvas: Canvas, doc: BaseDocTemplate) -> None:  # noqa: N802
        room = self.desk.known.room.get(doc.page, 0.0)
        for frame, (bottom, height) in zip(self.frames, self.bottoms, strict=True):
            if bottom == BOTTOM:
                frame.height, frame.y1 = height - room, bottom + room
        if not self.plain:
            self.desk.draw_head(canvas)

    def afterDrawPage(self, canvas: Canvas, doc: BaseDocTemplate) -> None:  # noqa: N802
        self.desk.draw_notes(canvas)
        if not self.plain:
            canvas.setFont("Times-Roman", 9)
            canvas.setFillColor(QUIET)
            canvas.drawCentredString(PAGE_WIDTH / 2, 40, str(doc.page))


class _Desk:
    """One setting of the Code."""

    def __init__(self, blocks: Sequence[Block], known: _Known):
        self.blocks, self.known = blocks, known
        self.placed: list[Placed] = []
        self.notes: dict[int, list[int]] = {}
        self.note_blocks = {block.number: place for place, block in enumerate(blocks) if block.kind == "note"}
        self.parts = [place for place, block in enumerate(blocks) if block.level == 1]

    # --- what tells where it stands

    def place(self, piece: _Text | _WholeTable, canvas: Canvas, x: float, y: float) -> None:
        page = canvas.getPageNumber()
        self.placed.append(Placed(piece.block, page, _box(x, y, piece.width, piece.height)))
        block = self.blocks[piece.block]
        if block.kind != "note" and isinstance(piece, _Text):
            marks = [int(digits) for digits in piece.raised() if digits.isdigit()]
            if marks:
                self.notes.setdefault(page, []).extend(marks)
        if block.kind == "heading" and block.level < 3:
            key = f"block-{piece.block}"
            canvas.bookmarkHorizontal(key, x, y + piece.height)
            canvas.addOutlineEntry(block.text, key, block.level - 1, closed=block.level == 1)

    # --- what stands at the edges of a page

    def head_of(self, page: int) -> str:
        """The Part or Annex that a page belongs to; the contents come before all of them."""
        begun = [place for place in self.parts if self.known.pages.get(place, page + 1) <= page]
        return self.blocks[begun[-1]].text if begun else CONTENTS

    def draw_head(self, canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.setFillColor(QUIET)
        canvas.drawString(SIDE, PAGE_HEIGHT - 50, self.blocks[0].text)
        canvas.drawRightString(PAGE_WIDTH - SIDE, PAGE_HEIGHT - 50, self.head_of(canvas.getPageNumber()))
        canvas.setStrokeColor(QUIET)
        canvas.setLineWidth(0.5)
        canvas.line(SIDE, PAGE_HEIGHT - 56, PAGE_WIDTH - SIDE, PAGE_HEIGHT - 56)

    def note_texts(self, numbers: Sequence[int]) -> list[_Text]:
        texts = [self.text(self.note_blocks[number], f"{_mark(number, 6)} {_inline(self.blocks[self.note_blocks[number]].text)}", NOTE)
                 for number in numbers]  # fmt: skip
        for text in texts:
            text.wrap(TEXT_WIDTH, PAGE_HEIGHT)
        return texts

    def room_for(self, numbers: Sequence[int]) -> float:
        return NOTES_GAP + sum(text.height + NOTE.spaceAfter for text in self.note_texts(numbers))

    def draw_notes(self, canvas: Canvas) -> None:
        numbers = self.known.notes.get(canvas.getPageNumber(), [])
        if not numbers:
            return
        y = BOTTOM + self.room_for(numbers) - NOTES_GAP
        canvas.setStrokeColor(INK)
        canvas.setLineWidth(0.5)
        canvas.line(SIDE, y + 5, SIDE + 90, y + 5)
        for text in self.note_texts(numbers):
            y -= text.height
            text.drawOn(canvas, SIDE, y)
            y -= NOTE.spaceAfter

    # --- what stands on the pages

    def text(self, place: int, markup: str, style: ParagraphStyle, bullet: str | None = None) -> _Text:
        made = _Text(markup, style, bulletText=bullet)
        made.desk, made.block = self, place
        return made

    def flowable(self, place: int) -> Flowable:
        block = self.blocks[place]
        match block.kind:
            case "title":
                return self.text(place, _inline(block.text), TITLE)
            case "heading":
                return self.text(place, _inline(block.text), HEADINGS[block.level])
            case "item":
                lettered = re.fullmatch(r"(\([a-z]+\)) (.+)", block.text)
                return self.text(place, _inline(lettered[2] if lettered else block.text), ITEM if lettered else ENTRY,
                                 lettered[1] if lettered else "•")  # fmt: skip
            case "table":
                return self.table(place)
        amended = re.fullmatch(r"\(Amended [^()]+\)", block.text)
        return self.text(place, f"<i>{_inline(block.text)}</i>" if amended else _inline(block.text), BODY)

    def table(self, place: int) -> _WholeTable:
        rows = self.blocks[place].rows
        cells = [[Paragraph(_inline(cell), CELL if line else HEAD_CELL) for cell in row] for line, row in enumerate(rows)]
        style = [
            ("BACKGROUND", (0, 0), (-1, 0), SHADE),
            ("GRID", (0, 0), (-1, -1), 0.5, QUIET),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), CELL_SIDE),
            ("RIGHTPADDING", (0, 0), (-1, -1), CELL_SIDE),
            ("TOPPADDING", (0, 0), (-1, -1), 2.5),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
        ]
        made = _WholeTable(cells, column_widths(rows, TEXT_WIDTH, HEAD_CELL, CELL_SIDE), style=style, spaceBefore=6, spaceAfter=9)
        made.desk, made.block = self, place
        return made

    def contents(self) -> list[Flowable]:
        heading = Paragraph(CONTENTS, PART)
        lines = [
            _ContentsLine(self, block.text, self.known.pages.get(place, 0), block.level == 2)
            for place, block in enumerate(self.blocks)
            if block.kind == "heading" and block.level < 3
        ]
        return [heading, *lines]

    def story(self) -> tuple[list[PageTemplate], list[Flowable]]:
        """The kinds of pages that are needed, and what stands on them."""
        templates: list[PageTemplate] = [
            _Page("title", self, [_frame(SIDE, TEXT_WIDTH, 0.75 * TEXT_HEIGHT)], plain=True),
            _Page("text", self, [_frame(SIDE, TEXT_WIDTH, TEXT_HEIGHT)]),
            _Page("columns", self, _columns(TEXT_HEIGHT)),
        ]
        story: list[Flowable] = [self.flowable(place) for place in range(self.parts[0])]
        story += [NextPageTemplate("text"), PageBreak(), *self.contents()]
        for start, end in zip(self.parts, [*self.parts[1:], len(self.blocks)], strict=True):
            places = [place for place in range(start, end) if self.blocks[place].kind != "note"]
            if self.blocks[start].text.startswith("Annex"):
                opening = next((at for at, place in enumerate(places[1:], 1) if self.blocks[place].kind != "paragraph"), len(places))
                head = [self.flowable(place) for place in places[:opening]]
                rest = [self.flowable(place) for place in places[opening:]]
                templates.append(_annex_page(f"annex {start}", self, head, rest))
                story += [NextPageTemplate([f"annex {start}", "columns"]), PageBreak(), *head, FrameBreak(), *rest]
            else:
                story += [NextPageTemplate("text"), PageBreak(), *map(self.flowable, places)]
        return templates, story

    def set(self) -> bytes:
        file = io.BytesIO()
        doc = BaseDocTemplate(
            file,
            pagesize=letter,
            title=self.blocks[0].text,
            author="Consumer Authority of Northmark",
            subject=STATUS,
            creator="make_code.py",
            lang="en-CA",
            invariant=1,
            pageCompression=0,
        )
        templates, story = self.story()
        doc.addPageTemplates(templates)
        doc.build(story)
        self.pages = doc.page
        return file.getvalue()


def set_pages(blocks: Sequence[Block]) -> Setting:
    """The Code as a PDF. Raises SourceFault where a mark has no note, or the pages never come to rest."""
    with without_a_date():
        known = _Known()
        for _ in range(8):
            desk = _Desk(blocks, known)
            content = desk.set()
            found = {piece.block: piece.page for piece in desk.placed if piece.block >= 0 and blocks[piece.block].kind == "heading"}
            if (found, desk.notes) == (known.pages, known.notes):
                heads = tuple((page, desk.head_of(page)) for page in range(2, desk.pages + 1))
                return Setting(content, desk.pages, tuple(desk.placed), heads)
            # Room that was needed once stays: else a mark that it drove to the next page would come back, for ever.
            room = {page: max(desk.room_for(numbers), known.room.get(page, 0.0)) for page, numbers in desk.notes.items()}
            known = _Known(found, desk.notes, known.room | room)
    raise SourceFault("the pages do not come to rest: what stands where changes with each setting")


def _frame(x: float, width: float, height: float, bottom: float = BOTTOM) -> Frame:
    return Frame(x, bottom, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


def _columns(height: float, bottom: float = BOTTOM) -> list[Frame]:
    return [_frame(SIDE, COLUMN, height, bottom), _frame(SIDE + COLUMN + GUTTER, COLUMN, height, bottom)]


def _annex_page(name: str, desk: _Desk, head: list[Flowable], rest: list[Flowable]) -> _Page:
    """The first page of an Annex: its heading and introduction over the whole width, two columns below. Where all of it fits on the page,
    the columns are equally long."""
    high = _height(head, TEXT_WIDTH) + 8
    below = TEXT_HEIGHT - high
    needed = _height(rest, COLUMN)
    length = min(below, needed / 2 + 2 * BODY.leading) if needed / 2 < below - 2 * BODY.leading else below
    top = _frame(SIDE, TEXT_WIDTH, high, BOTTOM + below)
    return _Page(name, desk, [top, *_columns(length, BOTTOM + below - length)])


def _height(flowables: Sequence[Flowable], width: float) -> float:
    return sum(each.wrap(width, PAGE_HEIGHT)[1] + each.getSpaceBefore() + each.getSpaceAfter() for each in flowables)


def _box(x: float, y: float, width: float, height: float) -> tuple[float, float, float, float]:
    return x, PAGE_HEIGHT - y - height, x + width, PAGE_HEIGHT - y


def _inline(markdown: str) -> str:
    """Inline Markdown in the mark-up of reportlab's Paragraph."""
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escape(markdown))
    return re.sub(rf"[{RAISED}]+", lambda match: _mark(lowered(match[0]), 7), text)


def _mark(number: int, size: int) -> str:
    return f'<super size="{size}">{number}</super>'
