"""Questions against the documents: does the gold exist, and does each quote still stand, once (lesson 01).

A score means nothing where the gold is stale: a passage that was renamed can never be found, and counts as a miss for ever.

How texts are compared:
- documents, versions: exactly; sections: by slug, so 'Return window' and 'return-window' are one;
- quotes: code point for code point, as the document stands on disk (no folding of case, accents, spaces or line ends), since a quote
  is what a passage is later searched for. Where a quote stands in another form only, the fault says so;
- keys and must_not: as answers are judged, anywhere in the text, without regard to case, to runs of white space, or to how an accent
  is composed.

HTML and PDF are compared as they are read (lesson 06): their blocks with a blank line between them, a tab between two cells of a
row, merged cells repeated. A format that has no reader in READERS cannot be looked into: its document, version and access are checked,
its sections and quotes not.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from labkit.collection import Document
from labkit.errors import BadArgument, Fault, LabError
from labkit.parsing.blocks import ParsedDocument, SectionSpan
from labkit.parsing.reading import parse
from labkit.passages import slug
from labkit.questions import Question, Relevant
from labkit.questions_markdown import quote_line
from labkit.sections import Section, line_of, split_sections
from labkit.textfiles import Guesses, quoted

# What may stand in a typed quote for what stands in the document: used to say how the two differ, never to accept one.
_TYPOGRAPHY = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "…": "...", "\xad": None, "\ufeff": None}
)
_MARKS = str.maketrans(dict.fromkeys("*_`\\"))
_BARS = str.maketrans("|", " ")
_BETWEEN_CELLS = "between the cells of a row stands a tab (HTML, PDF) or a bar (Markdown)"
_CONTEXT = 40
_NAME = 100  # characters of a section's name in a message
_ROW = 300  # characters of a quote that is shown as it should be
_NAMED = {
    "&Tab;": "a tab", "&NewLine;": "a line's end", "\\t": "a tab", "\\n": "a line's end", "\\u00a0": "a no-break space",
    "\xa0": "a no-break space",
}  # fmt: skip
_MARKDOWN = (".md", ".markdown")
_FEW = 12  # lines, sections that a message names; a longer list is cut


@dataclass(frozen=True)
class ReadDocument:
    """What a reader of one format yields: the document's text, and its sections, whose positions count in that text."""

    text: str
    sections: tuple[Section, ...]


Reader = Callable[[Document], ReadDocument | None]
"""What reads one document; None where it has nothing to say of it, so that nothing is known of its gold."""


def _read_markdown(document: Document) -> ReadDocument:
    return ReadDocument(document.read(), tuple(split_sections(document)))


def _read_blocks(document: Document) -> ReadDocument:
    return as_read(parse(document))


def as_read(parsed: ParsedDocument) -> ReadDocument:
    """A document that was parsed already, as a reader yields it: for whoever keeps what was read (lesson 15)."""
    return ReadDocument(parsed.text, tuple(_cut(parsed, span) for span in parsed.sections))


def _cut(parsed: ParsedDocument, span: SectionSpan) -> Section:
    return Section.cut(
        parsed.text,
        span.start,
        span.start + len(parsed.text[span.start : span.end].rstrip()),
        id=f"{parsed.doc_id}@v{parsed.version}#{slug(span.name)}",
        doc_id=parsed.doc_id,
        version=parsed.version,
        access=parsed.access,
        language=parsed.language,
        sections=(span.name,),
        context=parsed.title,
        section=span.title,
    )


READERS: dict[str, Reader] = {"md": _read_markdown, "html": _read_blocks, "pdf": _read_blocks}


def sections_of(document: Document, readers: Mapping[str, Reader] = READERS) -> dict[str, str] | None:
    """The text of each section of a document, by slug, in order; None where labkit cannot look into the document's format.

    Raises DocumentError where the file is gone or is not text.
    """
    if document.format not in readers:
        return None
    return {_slug(section): section.text for section in readers[document.format](document).sections}


def check_questions(
    questions: Iterable[Question], documents: Iterable[Document], readers: Mapping[str, Reader] = READERS
) -> list[Fault]:
    """What does not fit between questions and documents, in the order of the questions; empty where all is well.

    Each Fault names the question's file and line. Errors: gold that does not exist, an absent or ambiguous quote, an access label that
    is not the inventory's, a public question whose answer is for staff, keys that no gold passage holds, must_not that a gold quote holds.
    Warnings: an edition that is not in force on `as_of`. `readers` maps a format to what reads it.
    """
    questions = _all_are(questions, Question, "questions, as load_questions returns them")
    library = _Library(_all_are(documents, Document, "documents, as load_inventory returns them"), readers)
    faults: list[Fault] = []
    for question in questions:
        for what, todo, level in _faults(question, library):
            file = question.file or "questions"
            faults.append(Fault(file, question.line or None, f"{question.id}: {what}", todo, level))
    return faults


def _all_are(things: Iterable, kind: type, wanted: str) -> list:
    """The things as a list. Raises BadArgument where one of them, or the whole, is something else: two arguments change places easily."""
    given = list(things) if isinstance(things, Iterable) and not isinstance(things, str) else None
    odd = [things] if given is None else [each for each in given if not isinstance(each, kind)]
    if odd:
        raise BadArgument(f"check_questions takes a list of {wanted}, not {type(odd[0]).__name__} {quoted(odd[0])}")
    return given


_Found = tuple[str, str, str]


class _Library:
    """The documents by edition, each read at most once."""

    def __init__(self, documents: Iterable[Document], readers: Mapping[str, Reader]):
        self.editions = {(document.doc_id, document.version): document for document in documents}
        self._readers = readers
        self._read: dict[tuple[str, str], ReadDocument | LabError | None] = {}
        ids = list(dict.fromkeys(doc_id for doc_id, _ in self.editions))
        self.guesses = Guesses(lambda: ids)

    def versions(self, doc_id: str) -> list[str]:
        return [version for name, version in self.editions if name == doc_id]

    def read(self, document: Document) -> ReadDocument | None:
        """None where the format has no reader. Raises the reader's LabError, each time it is asked."""
        key = (document.doc_id, document.version)
        if key not in self._read:
            reader = self._readers.get(document.format)
            try:
                self._read[key] = reader(document) if reader else None
            except LabError as error:
                self._read[key] = error
        found = self._read[key]
        if isinstance(found, LabError):
            raise found
        return found


def _faults(question: Question, library: _Library) -> Iterator[_Found]:
    golds: list[str | None] = []
    labels: list[str] = []
    for number, entry in enumerate(question.relevant, start=1):
        place = f"relevant entry {number}" if len(question.relevant) > 1 else "relevant"
        document = library.editions.get((entry.doc_id, entry.version))
        labels.append(document.access if document else entry.access)
        yield from _quote_against_must_not(question, entry, place)
        if document is None:
            golds.append(None)
            yield _no_such_edition(place, entry.doc_id, entry.version, library)
            continue
        if entry.access != document.access:
            yield (
                f"{place}: access is {entry.access!r}, and the inventory says {document.access!r} for {_name(entry)}",
                "the inventory decides; write its label here, or mend the inventory",
                "error",
            )
        if not document.in_force(question.as_of) and question.kind != "version":
            yield (
                f"{place}: {_name(entry)} is not in force on {question.as_of} ({_span(document)})",
                _other_edition(question, document, library) or "check as_of, or leave it where the question means an old text",
                "warning",
            )
        try:
            read = library.read(document)
        except LabError as error:
            golds.append(None)
            what, _, todo = str(error).partition(" — ")
            yield f"{place}: {_name(entry)} cannot be read: {what}", todo, "error"
            continue
        section = _section(read, entry, document) if read else None
        golds.append(section.text if section else None)
        if read and section and entry.start is not None:
            yield from _span_and_quote(place, entry, document, read, section)
        elif read and section:
            yield from _quote(place, entry, document, read, section, question.file)
        elif read:
            yield _no_such_section(place, entry, read)
    if question.public_ok and labels and "public" not in labels:
        yield (
            "public_ok is true, and every relevant passage is for staff only",
            "set public_ok to false, or name a public passage",
            "error",
        )
    # A key may stand in a passage that cannot be read (yet), or that is named wrongly: then nothing is known.
    if golds and None not in golds:
        held = [_folded(gold) for gold in golds if gold is not None]
        for key in question.keys:
            if not any(_folded(key) in gold for gold in held):
                yield (
                    f"the key {key!r} stands in none of the relevant sections",
                    "write it as the document does, or add the section",
                    "error",
                )
    yield from _wrong_versions(question, library)


# --- editions --------------------------------------------------------------------------------------------------------------------


def _name(entry: Relevant) -> str:
    return f"{entry.doc_id} version {entry.version}"


def _span(document: Document) -> str:
    until = f"to {document.effective_to}" if document.effective_to else "on"
    return f"in force from {document.effective_from} {until}"


def _no_such_edition(place: str, doc_id: str, version: str, library: _Library) -> _Found:
    versions = library.versions(doc_id)
    if versions:
        there = f"the inventory has {'version' if len(versions) == 1 else 'versions'} {', '.join(versions)}"
        return f"{place}: there is no version {version!r} of {doc_id}", there, "error"
    near = library.guesses.nearest(doc_id)
    todo = f"did you mean {near!r}?" if near else "check it against the doc_id column of the inventory"
    return f"{place}: there is no document {doc_id!r}", todo, "error"


def _other_edition(question: Question, document: Document, library: _Library) -> str:
    for other in library.editions.values():
        if other.doc_id == document.doc_id and other.in_force(question.as_of):
            return f"version {other.version} is; check which one is meant"
    return ""


def _wrong_versions(question: Question, library: _Library) -> Iterator[_Found]:
    gold = {(entry.doc_id, entry.version) for entry in question.relevant}
    for number, edition in enumerate(question.wrong_version, start=1):
        place = f"wrong_version entry {number}" if len(question.wrong_version) > 1 else "wrong_version"
        key = (edition.doc_id, edition.version)
        if key not in library.editions:
            yield _no_such_edition(place, *key, library)
        elif key in gold:
            yield f"{place}: {edition.doc_id} version {edition.version} is relevant as well", "it is one or the other", "error"
        elif library.editions[key].in_force(question.as_of):
            document = library.editions[key]
            yield (
                f"{place}: {edition.doc_id} version {edition.version} is in force on {question.as_of} ({_span(document)})",
                "check as_of and the version",
                "warning",
            )


# --- sections and quotes -----------------------------------------------------------------------------------------------------------


def _slug(section: Section) -> str:
    return slug(section.sections[0])


def _section(read: ReadDocument, entry: Relevant, document: Document) -> Section | None:
    """The section that an entry names; the whole text where it names none."""
    if not entry.section.strip():
        labels = {name: getattr(document, name) for name in ("doc_id", "version", "access", "language")}
        return Section.cut(read.text, 0, len(read.text), id=document.doc_id, sections=("",), context=document.title, **labels)
    wanted = slug(entry.section)
    return next((section for section in read.sections if _slug(section) == wanted), None)


def _no_such_section(place: str, entry: Relevant, read: ReadDocument) -> _Found:
    names = {_slug(section): section.sections[0] for section in read.sections}
    near = get_close_matches(slug(entry.section), list(names), n=1)
    if near:
        todo = f"did you mean {quoted(names[near[0]], _NAME)}?"
    else:
        there = ", ".join(_first([quoted(name, _NAME) for name in names.values()]))
        todo = f"its sections are {there}" if names else "the document has no sections"
    return f"{place}: {_name(entry)} has no section {quoted(entry.section, _NAME)}", todo, "error"


def _span_and_quote(place: str, entry: Relevant, document: Document, read: ReadDocument, section: Section) -> Iterator[_Found]:
    """A span says which copy of its quote is meant; so the quote must stand there, and may stand elsewhere too."""
    start, end = entry.start, entry.end
    if read.text[start:end] != entry.quote:
        here = f"hold {_short(read.text[start:end])}" if start < len(read.text) else f"are beyond its end ({len(read.text)} characters)"
        elsewhere = list(_places(read.text, entry.quote)) if entry.quote else []
        todo = "count code points of the text as labkit reads it, from 0"
        if len(elsewhere) == 1:
            todo = f"the quote stands at {elsewhere[0]} to {elsewhere[0] + len(entry.quote)}"
        yield f"{place}: characters {start} to {end} of {document.file} {here}, and the quote is {_short(entry.quote)}", todo, "error"
    elif not (section.start <= start and end <= section.end):
        todo = "mend the section, or leave it empty: a span needs none"
        yield f"{place}: characters {start} to {end} are not in section {quoted(entry.section, _NAME)} of {document.file}", todo, "error"


def _quote(place: str, entry: Relevant, document: Document, read: ReadDocument, section: Section, file: str) -> Iterator[_Found]:
    if not entry.quote.strip():
        yield f"{place}: the quote is empty", "copy the shortest text that answers from the document", "error"
        return
    everywhere = list(_places(read.text, entry.quote))
    inside = [start for start in everywhere if section.start <= start and start + len(entry.quote) <= section.end]
    if len(everywhere) > 1:
        yield (
            f"{place}: the quote {_short(entry.quote)} stands {len(everywhere)} times in {document.file}, "
            f"in {_where(document, read, everywhere)}",
            "take more of the text around it, until it stands once",
            "error",
        )
    if inside:
        return
    if everywhere:
        others = [other.sections[0] for other in read.sections if other.start <= everywhere[0] < other.end]
        where = f"section {quoted(others[0], _NAME)}" if others else "the text before the first section"
        todo = f"it stands in {where}, {_where(document, read, everywhere[:1])}: mend the section or the quote"
    else:
        todo = _nearly(entry.quote, document, read, section, file)
    of = f"section {quoted(entry.section, _NAME)} of {document.file}" if entry.section.strip() else document.file
    yield f"{place}: the quote {_short(entry.quote)} does not stand in {of}", todo, "error"


def _where(document: Document, read: ReadDocument, starts: list[int]) -> str:
    """Places as a message names them: lines of the file, or characters of the text where that is not the file itself."""
    unit, places = ("line", [line_of(read.text, start) for start in starts]) if document.format == "md" else ("character", starts)
    places = _first([str(place) for place in dict.fromkeys(places)])
    if len(places) == 1:
        return f"{unit} {places[0]}"
    return f"{unit}s {', '.join(places[:-1])} and {places[-1]}"


def _first(names: list[str]) -> list[str]:
    """The names; of a long list the first ones, and how many more there are."""
    return names if len(names) <= _FEW + 1 else [*names[:_FEW], f"{len(names) - _FEW} more"]


def _places(text: str, quote: str) -> Iterator[int]:
    """Where the quote starts in the text, each time; two of them may overlap."""
    start = text.find(quote)
    while start >= 0:
        yield start
        start = text.find(quote, start + 1)


def _nearly(quote: str, document: Document, read: ReadDocument, section: Section, file: str) -> str:
    """What to do about a quote that stands nowhere in the document: how it differs, or what stands there that is most like it."""
    for change, what in (
        (lambda text: unicodedata.normalize("NFC", text), "its accents are composed in another way"),
        (lambda text: " ".join(text.split()), "its spaces or line ends differ"),
        (lambda text: " ".join(text.translate(_BARS).split()), _BETWEEN_CELLS),
        (lambda text: " ".join(text.translate(_TYPOGRAPHY).split()), "its quotation marks, apostrophes or dashes differ"),
        (_folded, "its capital letters differ"),
        (lambda text: text.translate(_MARKS), "the document has Markdown marks (* _ ` \\) there, or the quote has"),
        (lambda text: _folded(text.translate(_TYPOGRAPHY).translate(_MARKS)), "several small things differ"),
    ):
        if change(quote) in change(section.text):
            return f"it nearly does: {what}; {_to_write(quote, section.text, file)}"
    same = _longest_part(quote, section.text)
    if len(same) >= max(8, len(quote) // 3):
        start = section.start + section.text.index(same)
        return f"the longest part of it that does, in {_where(document, read, [start])}, is {_short(same.strip())}"
    return "copy the shortest text that answers from the document"


def _to_write(quote: str, text: str, file: str) -> str:
    """What to do about a quote that differs by little: where only what stands between its words does, how to write it in `file`."""
    words = [re.escape(word) for word in re.split(r"[\s|]+", quote) if word]
    found = re.search(r"[\s|]+".join(words), text) if len(words) <= _ROW else None
    if found is None or len(found[0]) > _ROW:
        return "copy it from the document"
    written = quote_line(found[0]) if file.lower().endswith(_MARKDOWN) else f'"quote": {_json(found[0])}'
    if not written:
        return "copy it from the document, into a code fence below quote:"
    named = [f"{sign} is {what}" for sign, what in _NAMED.items() if sign in written]
    return f"write {written}" + (f" ({', '.join(named)})" if named else "")


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\xa0", "\\u00a0")


def _longest_part(quote: str, text: str) -> str:
    """The longest run of the quote's characters that stands in the text, the first of equals."""
    start, end = 0, 0  # the best so far
    for first in range(len(quote)):
        while first + (end - start) < len(quote) and quote[first : first + (end - start) + 1] in text:
            start, end = first, first + (end - start) + 1
    return quote[start:end]


def _quote_against_must_not(question: Question, entry: Relevant, place: str) -> Iterator[_Found]:
    quote = _folded(entry.quote)
    for forbidden in question.must_not:
        if _folded(forbidden) in quote:
            yield (
                f"{place}: the quote holds {forbidden!r}, which must_not forbids in an answer",
                "take a shorter quote, or a longer must_not",
                "error",
            )


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _short(quote: str) -> str:
    return repr(quote) if len(quote) <= _CONTEXT else f"{quote[: _CONTEXT - 1]!r}…"
