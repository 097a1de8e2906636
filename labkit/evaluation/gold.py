"""Where the gold stands: the place of each quote in its document, to the character (lesson 10).

A question's entry names document, version and section, and quotes the shortest text that answers; for a question on a table, the whole
row. Here each quote becomes a span of the document as it was read, so that "does this passage hold the answer?" is a matter of four
numbers and not of searching for words: a cut passage can hold *sprinklers* from one row and *1 year* from another.

A quote that stands nowhere in its section, or twice, has no place: nobody can say which copy was meant, so it counts as not found (it
fails closed). `check_questions` names such quotes (lesson 01). An entry that is a span says itself which copy is meant; it has no place
where the document says something else there. An entry without a section means the whole document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from labkit.collection import Document, load_inventory
from labkit.errors import BadArgument, CourseNotFound
from labkit.evaluation.spans import Span
from labkit.parsing.blocks import Block, ParsedDocument
from labkit.parsing.reading import parse
from labkit.passages import slug
from labkit.questions import RelevantSpan

_LINE = re.compile(r"[^\r\n]*")


@dataclass(frozen=True)
class Place:
    """Where one quote stands. Spans are code points of the document's text (`source`), half-open.

    `title` is the document's title, `title_span` the place of its own title line (None where it has none). For a quote in a table,
    `columns` are the names in its header row and `headers` the places of that row: a table over several pages may repeat it. Both are
    empty for a quote that is in no table, or in one whose header row names nothing.
    """

    doc_id: str
    version: str
    start: int
    end: int
    title: str
    title_span: Span | None = None
    columns: tuple[str, ...] = ()
    headers: tuple[Span, ...] = ()
    source: str = field(default="", repr=False, compare=False)


def locate(questions: Iterable, documents: Iterable[ParsedDocument | Document] | None = None) -> dict[tuple[str, int], Place | None]:
    """The place of each gold quote: {(question's id, number of its relevant entry, from 1): Place}.

    None where the quote does not stand in the named section exactly once, there is no such section, or a span holds another text. An entry
    whose document is not among `documents` has no key at all.

    `documents` are parsed ones (those of an inventory are parsed here, if a question names them). None: the course's own, and where there
    is no course, none. Raises BadArgument for anything else, or for two documents of one doc_id and version.
    """
    questions = list(questions)
    named = {(entry.doc_id, str(entry.version)) for question in questions for entry in question.relevant}
    read = _parsed(documents, named)
    return {
        (question.id, number): _place(read[edition], entry)
        for question in questions
        for number, entry in enumerate(question.relevant, start=1)
        if (edition := (entry.doc_id, str(entry.version))) in read
    }


def placed(questions: Iterable, places: Mapping[tuple[str, int], Place | None]) -> list:
    """The questions, with each entry that names no section given its place as a span, so that what holds a part of it is found too.

    `places` is what `locate` says of them. An entry without a place becomes an empty span, which nothing can hold: it fails closed. Entries
    of documents that were not at hand stay as they are, and so do those with a section or a span.
    """
    return [_with_spans(each, places) if any(not entry.section.strip() for entry in each.relevant) else each for each in questions]


def _with_spans(question, places: Mapping[tuple[str, int], Place | None]):
    entries = enumerate(question.relevant, start=1)
    return replace(question, relevant=tuple(_spanned(entry, (question.id, number), places) for number, entry in entries))


def _spanned(entry, key: tuple[str, int], places: Mapping[tuple[str, int], Place | None]):
    if entry.section.strip() or getattr(entry, "start", None) is not None or key not in places:
        return entry
    place = places[key]
    start, end = (place.start, place.end) if place else (0, 0)
    return RelevantSpan(entry.doc_id, entry.version, "", entry.access, entry.quote, start, end)


def _parsed(documents, named: set[tuple[str, str]]) -> dict[tuple[str, str], ParsedDocument]:
    if documents is None:
        try:
            documents = load_inventory()
        except CourseNotFound:
            documents = []
    read: dict[tuple[str, str], ParsedDocument] = {}
    for document in documents:
        if not isinstance(document, ParsedDocument | Document):
            raise BadArgument(f"documents are parsed documents, and one is {type(document).__name__} — parse(…) makes one (lesson 06)")
        edition = (document.doc_id, str(document.version))
        if edition in read:
            raise BadArgument(f"{document.doc_id} version {document.version} stands twice among the documents — give each edition once")
        if edition in named:
            read[edition] = document if isinstance(document, ParsedDocument) else parse(document)
    return read


def _place(parsed: ParsedDocument, entry) -> Place | None:
    if getattr(entry, "start", None) is not None:
        starts = [entry.start] if entry.quote.strip() and parsed.text[entry.start : entry.end] == entry.quote else []
    elif not entry.section.strip():
        starts = list(starts_of(entry.quote, parsed.text, parsed.body))
    else:
        starts = [
            start
            for section in parsed.sections
            if slug(section.name) == slug(entry.section)
            for start in starts_of(entry.quote, parsed.text, section.start, section.end)
        ]
    if len(starts) != 1:
        return None
    start, end = starts[0], starts[0] + len(entry.quote)
    columns, headers = _header(parsed.blocks, start, end)
    own_title = next(((block.start, block.end) for block in parsed.blocks if block.kind == "title"), None)
    return Place(parsed.doc_id, str(parsed.version), start, end, parsed.title, own_title, columns, headers, parsed.text)


def starts_of(quote: str, text: str, start: int = 0, end: int | None = None) -> Iterator[int]:
    """Where a quote begins in text[start:end], each time; two of them may overlap. A quote of blanks stands nowhere."""
    end = len(text) if end is None else end
    at = text.find(quote, start, end) if quote.strip() else -1
    while at >= 0:
        yield at
        at = text.find(quote, at + 1, end)


def _header(blocks: list[Block], start: int, end: int) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """Names and places of the header row of the table that holds text of [start, end); nothing where there is none."""
    table: list[Block] = []  # its parts, one a page
    above: Block | None = None
    for block in blocks:
        if block.kind == "table":
            goes_on = block.continues and above is not None and above.kind == "table"
            if not goes_on and _holds(table, start, end):
                break
            table = [*table, block] if goes_on else [block]
        above = block
    if not _holds(table, start, end) or not table[0].rows:
        return (), ()
    names = tuple(name for name in (" ".join(cell.split()) for cell in table[0].rows[0]) if name)
    if not names:
        return (), ()
    return names, tuple(_first_line(part) for part in table if part is table[0] or part.rows[:1] == table[0].rows[:1])


def _holds(parts: list[Block], start: int, end: int) -> bool:
    return any(part.start < end and start < part.end for part in parts)


def _first_line(block: Block) -> Span:
    return block.start, block.start + len(_LINE.match(block.text)[0].rstrip())
