"""What a file says of itself: its format, its title, its language. Guesses, each by a rule that can be told (lesson 15).

- Format: by content where it shows (a PDF begins with %PDF-, a page with <html or its doctype), else by the file's suffix. Plain text
  (.txt) is read as Markdown.
- Title: what the reader of the format finds in the document (lesson 06), else the file's name.
- Language: by the package py3langid (a naive Bayes model over byte n-grams, inside the package, 139 languages), from the first 3,000
  characters that a reader sees, tables and code apart; only where it is at least 90 % sure, else 'unknown'.

Of a PDF the first pages are read, and no more.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from labkit.collection import LANGUAGE_TAG, SUFFIXES
from labkit.errors import DocumentError
from labkit.files import name_the_place
from labkit.parsing.blocks import ParsedDocument
from labkit.parsing.pdf import pages_from
from labkit.parsing.pdf_file import OpenPdf, PdfPages
from labkit.parsing.reading import READERS

UNKNOWN = "unknown"
_NO_LANGUAGE = ("und", "zxx")  # nobody knows which, and none at all: codes, numbers
SURE = 0.9
SEEN = 3000  # characters
PAGES = 5
LONGEST_TITLE = 200  # characters

_HTML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)


class Sample(NamedTuple):
    """A place in a document that can be quoted: the section ('' in a document without sections) and a text that stands there once."""

    section: str
    quote: str


@dataclass(frozen=True)
class Guess:
    """What is guessed of one file. `named` is false where the title is only the file's name; `problem` is why it cannot be read, or ''.

    `prose` and `row` are places to quote in an example: a sentence, and a row of a table; None where there is none.
    """

    format: str
    title: str
    named: bool
    language: str
    problem: str = ""
    prose: Sample | None = None
    row: Sample | None = None

    @property
    def guessed(self) -> tuple[str, ...]:
        """What of this is a guess: 'title' (or 'title-from-file-name'), 'language' where one was found, 'format'."""
        title = "title" if self.named else "title-from-file-name"
        return (title, "format") if self.language == UNKNOWN else (title, "language", "format")


def format_of(path: Path) -> str | None:
    """The format of a file, by content and suffix; None where it is none that labkit reads. Raises DocumentError if it cannot be read."""
    suffix = path.suffix.lower()
    if suffix and suffix not in SUFFIXES:
        return None
    try:
        with path.open("rb") as file:
            head = file.read(1024)
    except OSError as error:
        raise DocumentError(f"{path.name}: cannot be read ({error.strerror or error}) — check its permissions") from None
    if b"%PDF-" in head:
        return "pdf"
    if _HTML.match(head):
        return "html"
    return SUFFIXES.get(suffix)


def guess(path: Path, name: str, format: str) -> Guess:
    """What the file says of itself; `name` is what a message calls it. What cannot be read is named in `problem`, never raised."""
    try:
        parsed = _first_part(path, name, format)
    except DocumentError as error:
        return Guess(format, _title_of_name(name), False, UNKNOWN, str(error))
    title = _line(parsed.title)
    known = Guess(format, title or _title_of_name(name), bool(title), language_of(_seen(parsed)), _problem(path, name, format, parsed))
    prose, row = _samples(parsed)
    return replace(known, prose=prose, row=row)


def language_of(text: str) -> str:
    """The language that a text is written in, as a tag ('en', 'fr'); 'unknown' where nobody could be sure."""
    if not any(character.isalpha() for character in text):
        return UNKNOWN
    language, _ = _identifier().classify(text[:SEEN])
    return language if language not in _NO_LANGUAGE and LANGUAGE_TAG.fullmatch(language) else UNKNOWN


@cache
def _identifier():
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # it takes a second to come

    try:
        identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    except OSError as error:  # it unpacks its model into a file of its own, and says nowhere which
        name_the_place(error, Path(tempfile.gettempdir()))
        raise
    identifier.min_confidence = SURE
    return identifier


def _first_part(path: Path, name: str, format: str) -> ParsedDocument:
    labels = {"doc_id": name, "title": None, "version": UNKNOWN, "access": "staff", "language": UNKNOWN}
    if format != "pdf":
        return READERS[format](path, name, labels)

    def first_pages(data: bytes, called: str) -> PdfPages:
        part = OpenPdf(data, called).read(0, PAGES)
        return PdfPages(len(part.pages), part.pages, part.title, part.labels[: len(part.pages)])  # as if the file ended there

    with pages_from(first_pages):
        return READERS[format](path, name, labels)


def _problem(path: Path, name: str, format: str, parsed: ParsedDocument) -> str:
    """Why the document cannot be used as it stands: the reader's word where it saw nothing at all, or the inventory's for odd bytes."""
    if not parsed.blocks and parsed.problems:
        return f"{name}: {parsed.problems[0]}"
    odd = next((problem for problem in parsed.problems if problem.page is None), None)
    return f"{name}: {odd}" if odd and format == "html" else ""


def _seen(parsed: ParsedDocument) -> str:
    parts: list[str] = []
    length = 0
    for block in parsed.blocks:
        if block.kind in ("table", "code"):
            continue
        parts.append(block.text)
        length += len(block.text)
        if length > SEEN:
            break
    return "\n".join(parts) or parsed.text[:SEEN]


def _samples(parsed: ParsedDocument) -> tuple[Sample | None, Sample | None]:
    prose = row = None
    for block in parsed.blocks[:200]:
        if block.kind == "paragraph" and prose is None:
            prose = _sample(parsed, block.start, re.match(r"[^\r\n]*?[.!?](?=\s|$)|[^\r\n]*", block.text)[0])
        elif block.kind == "table" and len(block.rows) > 1 and row is None:
            row = _sample(parsed, block.start, re.split(r"[\r\n]+", block.text)[-1])
        if prose and row:
            break
    return prose, row


def _sample(parsed: ParsedDocument, start: int, text: str) -> Sample | None:
    quote = text.strip()
    section = next((each for each in parsed.sections if each.start <= start < each.end), None)
    if not 10 <= len(quote) <= 200 or '"' in quote or parsed.text.count(quote) != 1 or (parsed.sections and section is None):
        return None
    return Sample(section.name if section else "", quote)


def _title_of_name(name: str) -> str:
    path = PurePosixPath(name)
    return _line(re.sub(r"[-_]+", " ", path.stem)) or _line(path.name) or UNKNOWN


def _line(text: str) -> str:
    """A title on one line, without what cannot be seen, cut where it is longer than any title."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1].rstrip()}…"


