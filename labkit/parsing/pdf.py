"""A PDF into blocks, as somebody reads it who sees its pages (lesson 06).

A PDF holds glyphs at places, nothing else: no words, no lines, no paragraphs, no tables. All of these are read off the places, in this
order, a file each: `pdf_file` opens, `pdf_page` finds words and ruling lines, `pdf_lines` makes rows, `pdf_tables` and `pdf_aligned` find
tables, `pdf_margins` takes running heads off, `pdf_columns` gives the reading order, `pdf_headings` and `pdf_structure` make blocks.

The text is made of the blocks, with a blank line between them. A list item keeps the mark that is printed before it; a table is a line a
row, a tab between two cells, merged cells repeated. What is judged large, bold, near or far is judged against the document's own body text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from statistics import median

from labkit.collection import read_bytes
from labkit.parsing.blocks import Block, Page, ParsedDocument, Problem, sections_of_blocks
from labkit.parsing.pdf_aligned import aligned_tables
from labkit.parsing.pdf_columns import Flow, flows_of
from labkit.parsing.pdf_file import PageText, PdfPages, read_pages
from labkit.parsing.pdf_headings import Body, Line, body_style
from labkit.parsing.pdf_joining import words_known
from labkit.parsing.pdf_lines import Row, Segment
from labkit.parsing.pdf_margins import Margins, margins_of, usual_pitch
from labkit.parsing.pdf_structure import TableOnPage, structured
from labkit.parsing.pdf_tables import Table
from labkit.textfiles import counted

_MOSTLY_PICTURE = 0.5
_FEW_WORDS = 12
_FULL_LINES = 8

PageSource = Callable[[bytes, str], PdfPages]
_SOURCE: ContextVar[PageSource] = ContextVar("pages of a PDF", default=read_pages)


def read_pdf(
    path: Path | str,
    *,
    name: str = "",
    doc_id: str = "",
    title: str | None = None,
    version: str = "1",
    access: str = "staff",
    language: str = "unknown",
) -> ParsedDocument:
    """The blocks, pages and sections of a PDF file (lesson 06). `name` is what messages call it.

    `title` None: the largest heading of the first page, else what the file's metadata say, else ''. A page without a text layer, a page
    that cannot be read and text whose characters are unknown are named in `problems`; what can be read is read.

    Raises DocumentError where the file is missing, empty, no PDF, cut off, protected by a password, or cannot be opened.
    """
    name = name or str(path)
    pdf = _SOURCE.get()(read_bytes(Path(path), name), name)
    text, own_title, blocks, pages, problems = assembled(pdf)
    return ParsedDocument(
        doc_id=doc_id,
        title=own_title if title is None else title,
        version=version,
        access=access,
        language=language,
        format="pdf",
        text=text,
        blocks=blocks,
        sections=sections_of_blocks(blocks, len(text)),
        pages=pages,
        problems=problems,
    )


@contextmanager
def pages_from(source: PageSource) -> Iterator[None]:
    """While this is open, `read_pdf` gets its pages from `source(data, name)`: from other processes, for example."""
    token = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(token)


def assembled(pdf: PdfPages) -> tuple[str, str, list[Block], list[Page], list[Problem]]:
    """Text, title, blocks, pages and problems from all the pages of a file."""
    rows = [_with_tables(page) for page in pdf.pages]
    size, bold = body_style(
        ((row.text, row.size, all(segment.bold for segment in row.segments)) for page in rows for row in page if row.table is None),
        (table.size for page in pdf.pages for table in page.tables),
    )
    pitch = usual_pitch(([(row.x0, row.y, row.size) for row in page if row.table is None] for page in rows), size)
    margins = margins_of([(page, source.height) for page, source in zip(rows, pdf.pages, strict=True)], size, pitch)
    _without_stamps(pdf.pages)
    elements: list[Line | TableOnPage] = []
    lines: list[str] = []
    rest: list[list[Row]] = []
    for page, mine, margin in zip(pdf.pages, rows, margins, strict=True):
        kept = [row for place, row in enumerate(mine) if place not in margin.drop]
        rest.append(kept + page.asides)
        lines += [row.text for row in kept if row.table is None]
        elements += _elements(page, kept, len(elements))
    _even_out(elements, {page.number: page.width for page in pdf.pages})
    columns: dict[int, list[tuple[float, float, float]]] = {}
    for element in elements:
        if isinstance(element, Line):
            columns.setdefault(element.flow, []).append((element.x0, element.y, element.size))
    pitch = usual_pitch(columns.values(), size)
    labels = _labels(pdf, margins)
    text, title, blocks, pages = structured(elements, Body(size, bold, pitch), words_known(lines), pdf.title, labels)
    return text, title or pdf.title, blocks, pages, _problems(pdf, rest)


def _without_stamps(pages: Sequence[PageText]) -> None:
    """Takes off what stands in another direction on most pages: a watermark, or a running head along the margin."""
    times = Counter(text for page in pages for text in {row.text for row in page.asides})
    for page in pages:
        page.asides = [row for row in page.asides if times[row.text] < 2 or times[row.text] * 2 < len(pages)]


def _with_tables(page: PageText) -> list[Row]:
    """The rows of a page, its ruled tables among them, from top to bottom."""
    return sorted(page.rows + [_table_row(table) for table in page.tables], key=lambda row: (row.y, row.x0))


def _table_row(table: Table) -> Row:
    place = Segment("", table.x0, table.x1, table.size, 0, table.x0, table.x1)
    return Row(table.y0 + 0.5 * table.size, [place], table)


def _elements(page: PageText, rows: list[Row], before: int) -> Iterator[Line | TableOnPage]:
    """Lines and tables of a page in reading order; text in another direction comes last."""
    flows = flows_of(rows)
    if page.asides:
        flows.append(Flow(page.asides, 0.0, median(row.x1 for row in page.asides)))
    for number, flow in enumerate(flows):
        flow_id = before + number
        aside = bool(page.asides) and number == len(flows) - 1
        found = flow.rows if aside else aligned_tables(flow.rows)
        for row in found:
            if row.table is not None:
                yield TableOnPage(page.number, flow_id, row.table)
                continue
            size, chars = row.size, sum(not char.isspace() for char in row.text)
            bold = sum(segment.strong for segment in row.segments) * 10 >= chars * 9
            head = row.segments[0]
            second = head.second if head.second < head.x1 or len(row.segments) == 1 else row.segments[1].x0
            yield Line(
                page.number, flow_id, row.text, row.x0, row.x1, row.y, size, bold, head.first, second, flow.left, flow.right, aside
            )  # fmt: skip


def _even_out(elements: list[Line | TableOnPage], widths: dict[int, float]) -> None:
    """Where a page has one column, its right end is that of the document's other pages; a few short lines do not tell it."""
    columns: dict[int, set[int]] = {}
    for element in elements:
        if isinstance(element, Line) and not element.aside:
            columns.setdefault(element.page, set()).add(element.flow)
    single = [
        element for element in elements if isinstance(element, Line) and len(columns.get(element.page, ())) == 1 and not element.aside
    ]
    ends: dict[float, float] = {}
    for line in single:
        ends[widths[line.page]] = max(ends.get(widths[line.page], 0.0), line.right)
    full = {width: sum(line.x1 > end - 5 * line.size for line in single if widths[line.page] == width) for width, end in ends.items()}
    for line in single:
        width = widths[line.page]
        line.right = max(line.right, ends[width])
        if full[width] < _FULL_LINES:  # margins are about as wide on both sides
            line.right = max(line.right, 0.75 * (width - 2 * line.left) + line.left)


def _labels(pdf: PdfPages, margins: list[Margins]) -> list[str]:
    declared = pdf.labels or [""] * pdf.count
    return [margin.label or label for margin, label in zip(margins, declared, strict=True)]


def _problems(pdf: PdfPages, rest: list[list[Row]]) -> list[Problem]:
    """What is wrong with the pages, and which have no text to read."""
    problems = [problem for page in pdf.pages for problem in page.problems]
    ocr = "recognise its text (OCR) first, for example with OCRmyPDF"
    silent = []
    for page, rows in zip(pdf.pages, rest, strict=True):
        words = sum(len(row.text.split()) + 20 * (row.table is not None) for row in rows)
        if page.problems:
            continue
        if not words and (page.picture > 0.02 or page.drawn > 200):
            silent.append(page.number)
            problems.append(Problem(page.number, "has no text, only a picture of it (a scan)", ocr))
        elif page.picture >= _MOSTLY_PICTURE and words < _FEW_WORDS:
            problems.append(Problem(page.number, f"is mostly a picture; only {counted(words, 'word')} of it could be read", ocr))
    if len(silent) == pdf.count:
        return [Problem(None, f"no page of {pdf.count} has a text layer: it is a scan, and nothing of it was read", ocr)]
    if not problems and not any(rest):
        return [Problem(None, "its pages are empty", "check that it is the right file, or leave it out")]
    return sorted(problems, key=lambda problem: problem.page or 0)
